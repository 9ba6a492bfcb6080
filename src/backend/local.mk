# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/backend.h
libclpac_core_la_SOURCES += %D%/registry.c
