# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/backend.h %D%/stages.def
libclpac_core_la_SOURCES += %D%/registry.c
libclpac_core_la_SOURCES += %D%/stages.c
