# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/isa.c %D%/isa.h
libclpac_memory_core_la_SOURCES += %D%/machine.c %D%/machine.h
libclpac_memory_core_la_SOURCES += %D%/native.c
libclpac_memory_core_la_SOURCES += %D%/native_block.c %D%/native_block.h
libclpac_memory_core_la_SOURCES += %D%/native_queue.c %D%/native_queue.h
libclpac_memory_core_la_SOURCES += %D%/threads.c %D%/threads.h
