# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
# Read only where OpenCL is enabled.
libclpac_memory_core_la_SOURCES += %D%/codes.c
libclpac_memory_core_la_SOURCES += %D%/discover.c
libclpac_memory_core_la_SOURCES += %D%/facts.c
libclpac_memory_core_la_SOURCES += %D%/interop.c
libclpac_memory_core_la_SOURCES += %D%/log.c
libclpac_memory_core_la_SOURCES += %D%/opencl.h
libclpac_memory_core_la_SOURCES += %D%/opencl_block.c
libclpac_memory_core_la_SOURCES += %D%/opencl_event.c
libclpac_memory_core_la_SOURCES += %D%/opencl_free_memory.c
libclpac_memory_core_la_SOURCES += %D%/opencl_probe.c
libclpac_memory_core_la_SOURCES += %D%/opencl_queue.c
libclpac_memory_core_la_SOURCES += %D%/quirks.c
libclpac_memory_core_la_SOURCES += %D%/serial.c
