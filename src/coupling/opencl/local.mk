# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
# This file is read only where OpenCL is enabled.  The kernels' text comes from cl/embedded.c (see cl/local.mk).
libclpac_core_la_SOURCES += %D%/opencl_compute.c %D%/opencl_compute.h
libclpac_core_la_SOURCES += %D%/opencl_fft_rows.c
libclpac_core_la_SOURCES += %D%/opencl_lanes.c
libclpac_core_la_SOURCES += %D%/opencl_launch.c
libclpac_core_la_SOURCES += %D%/parts.c
libclpac_core_la_SOURCES += %D%/program.c
libclpac_core_la_SOURCES += %D%/program_cache.c
libclpac_core_la_SOURCES += %D%/kernel_source.c
if HAVE_CLFFT
libclpac_core_la_SOURCES += %D%/clfft.c
libclpac_core_la_SOURCES += %D%/clfft_cache.c %D%/clfft_cache.h
libclpac_core_la_SOURCES += %D%/clfft_calls.c %D%/clfft_calls.h
endif
if HAVE_VKFFT
libclpac_core_la_SOURCES += %D%/vkfft.c %D%/vkfft_steps.c %D%/vkfft_steps.h
endif
