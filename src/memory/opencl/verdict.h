/* The verdict of the last probe, kept in the cache folder, with the state of the drivers that it is about. */
#ifndef CLPAC_MEMORY_OPENCL_VERDICT_H
#define CLPAC_MEMORY_OPENCL_VERDICT_H

#include <stdint.h>
#include "memory/device/probe.h"
#include "memory/opencl/vendors.h"

typedef struct clpac__verdict {
	clpac__probe_result result;
	double limit_s;		       /* of the probe */
	int64_t when_s;		       /* time since 1970 */
	char file[CLPAC__VENDOR_PATH]; /* the vendor's file that is to blame; empty: unknown */
} clpac__verdict;

/* A number that changes with whatever decides how drivers start: names, times and sizes of the vendors' files, of the
 * libraries that they name and of the loader; the dynamic loader's list of libraries; the variables of the environment
 * that drivers and loaders read; the version of clpac; the boot. */
uint64_t clpac__verdict_state(void);

/* The verdict of a folder on this state; false when there is none, and when a bad one is more than an hour old, since a
 * driver may fail for a reason that passes.  A file that others may have written does not count. */
bool clpac__verdict_read(const char *folder, uint64_t state, clpac__verdict *out);

/* Keeps a verdict in place of the one before; readers see the one or the other.  A verdict that cannot be kept is found
 * anew by the next process. */
void clpac__verdict_write(const char *folder, uint64_t state, const clpac__verdict *verdict);

#endif
