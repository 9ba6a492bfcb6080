# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/engine.h
libclpac_core_la_SOURCES += %D%/parts.c
libclpac_core_la_SOURCES += %D%/length.c
libclpac_core_la_SOURCES += %D%/lanes.c %D%/lanes.h
