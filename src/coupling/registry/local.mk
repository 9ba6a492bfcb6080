# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/choice.c
libclpac_core_la_SOURCES += %D%/registry.h
libclpac_core_la_SOURCES += %D%/registry.c
