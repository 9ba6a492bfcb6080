/* The kernels that clFFT itself keeps on disk, in a checked folder beside clpac's own. */
#ifndef CLPAC_COUPLING_OPENCL_CLFFT_CACHE_H
#define CLPAC_COUPLING_OPENCL_CLFFT_CACHE_H

#include <clpac/memory/options.h>

/* clpac_options_to_environment for clFFT. */
clpac_status clpac__clfft_cache_name(const clpac_options *options, clpac_error *err);

/* Removes files that are not known to be whole; called before clFFT is set up. */
void clpac__clfft_cache_check(void);
/* Records size and checksum of new files; called after kernels were made. */
void clpac__clfft_cache_seal(void);

#endif
