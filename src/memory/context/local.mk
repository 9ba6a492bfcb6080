# One line per file: libclpac_memory_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_memory_core_la_SOURCES += %D%/context.c %D%/context.h
libclpac_memory_core_la_SOURCES += %D%/context_select.c
if HAVE_OPENCL
libclpac_memory_core_la_SOURCES += %D%/interop.c
endif
