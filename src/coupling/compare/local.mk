# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/map_families.c %D%/map_families.h
libclpac_core_la_SOURCES += %D%/compare.c
libclpac_core_la_SOURCES += %D%/compare_epochs.c %D%/compare_epochs.h
libclpac_core_la_SOURCES += %D%/pooled_tests.c %D%/pooled_tests.h
libclpac_core_la_SOURCES += %D%/group.c
libclpac_core_la_SOURCES += %D%/group_subjects.c %D%/group_subjects.h
libclpac_core_la_SOURCES += %D%/group_tests.c %D%/group_tests.h
