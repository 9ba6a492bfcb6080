# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/backend.h
libclpac_memory_core_la_SOURCES += %D%/queue.c
