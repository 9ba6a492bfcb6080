/* Discovery in a child process, or what is known of an earlier one. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_PROBE_H
#define CLPAC_MEMORY_OPENCL_OPENCL_PROBE_H

#include "memory/device/probe.h"
#include "memory/opencl/discover.h"

/* Discovery in a child process, for at most found->probe_s seconds, unless found->cache has the verdict on the same
 * drivers.  If the child fails, adds a platform with the reason and sets is_left_out. */
clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err);

/* Path of the program clpac-probe; NULL, unless a test sets it: clpac-memory/clpac-probe beside the library. */
extern const char *clpac__opencl_probe_program;

/* The work of that program: tries all drivers in a child process, or those of one vendor's file (nullable) alone. */
void clpac__opencl_probe_here(const char *vendor, double limit_s, clpac__probe_result *out);

#endif
