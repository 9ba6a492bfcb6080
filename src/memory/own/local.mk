# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/own_queue.c %D%/own.h
