/* Discovery in a child process. */
#ifndef CLPAC_OPENCL_MEMORY_OPENCL_PROBE_H
#define CLPAC_OPENCL_MEMORY_OPENCL_PROBE_H

#include "opencl/memory/discover.h"

/* Discovery in a child process, for found->probe_s seconds at most.  Where it does not come back well, the platform
 * that says so is added and is_left_out set. */
clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err);

#endif
