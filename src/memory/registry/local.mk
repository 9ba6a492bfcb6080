# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/backends.c %D%/backends.h
libclpac_memory_core_la_SOURCES += %D%/snapshot.c
