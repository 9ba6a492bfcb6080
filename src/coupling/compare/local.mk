# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/compare.c
libclpac_core_la_SOURCES += %D%/compare_parts.h
libclpac_core_la_SOURCES += %D%/compare_epochs.c
libclpac_core_la_SOURCES += %D%/pooled_tests.c
libclpac_core_la_SOURCES += %D%/group.c
libclpac_core_la_SOURCES += %D%/group_subjects.c
libclpac_core_la_SOURCES += %D%/group_tests.c
