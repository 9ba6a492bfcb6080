/* The kernels that clFFT itself keeps on disk, where it is told a folder: beside clpac's own, and checked. */
#ifndef CLPAC_OPENCL_COMPUTE_CLFFT_CACHE_H
#define CLPAC_OPENCL_COMPUTE_CLFFT_CACHE_H

#include <clpac/memory/options.h>

/* clpac_options_to_environment for clFFT. */
clpac_status clpac__clfft_cache_name(const clpac_options *options, clpac_error *err);

/* Before clFFT is set up: removes what is not known to be whole. */
void clpac__clfft_cache_check(void);
/* After kernels were made: remembers what they are like. */
void clpac__clfft_cache_seal(void);

#endif
