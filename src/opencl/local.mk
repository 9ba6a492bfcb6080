# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
# Read only where OpenCL is enabled.  The kernels' text comes from cl/embedded.c (see cl/local.mk).
libclpac_core_la_SOURCES += %D%/block.c
libclpac_core_la_SOURCES += %D%/cache.c
libclpac_core_la_SOURCES += %D%/codes.c
libclpac_core_la_SOURCES += %D%/discover.c
libclpac_core_la_SOURCES += %D%/enqueue.c
libclpac_core_la_SOURCES += %D%/event.c
libclpac_core_la_SOURCES += %D%/facts.c
libclpac_core_la_SOURCES += %D%/free_memory.c
libclpac_core_la_SOURCES += %D%/interop.c
libclpac_core_la_SOURCES += %D%/launch.c
libclpac_core_la_SOURCES += %D%/log.c
libclpac_core_la_SOURCES += %D%/probe.c
libclpac_core_la_SOURCES += %D%/program.c
libclpac_core_la_SOURCES += %D%/queue.c
libclpac_core_la_SOURCES += %D%/quirks.c
libclpac_core_la_SOURCES += %D%/serial.c
libclpac_core_la_SOURCES += %D%/source.c
libclpac_core_la_SOURCES += %D%/opencl.h %D%/embedded.h
libclpac_core_la_SOURCES += %D%/fft_rows.c %D%/fft_rows.h
if HAVE_CLFFT
libclpac_core_la_SOURCES += %D%/clfft.c
libclpac_core_la_SOURCES += %D%/clfft_cache.c %D%/clfft_cache.h
libclpac_core_la_SOURCES += %D%/clfft_dialect.c %D%/clfft_dialect.h
endif
if HAVE_VKFFT
libclpac_core_la_SOURCES += %D%/vkfft.c %D%/vkfft_steps.c %D%/vkfft_steps.h
endif
