/* Discovery in a child process. */
#ifndef CLPAC_OPENCL_MEMORY_OPENCL_PROBE_H
#define CLPAC_OPENCL_MEMORY_OPENCL_PROBE_H

#include "opencl/memory/discover.h"

/* Discovery in a child process, for at most found->probe_s seconds.  If the child fails, adds a platform with the
 * reason and sets is_left_out. */
clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err);

#endif
