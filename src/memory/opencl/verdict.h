/* The verdict of the last probe, kept in the cache folder, with the state of the drivers that it is about. */
#ifndef CLPAC_MEMORY_OPENCL_VERDICT_H
#define CLPAC_MEMORY_OPENCL_VERDICT_H

#include <stdint.h>
#include "memory/device/probe.h"
#include "memory/opencl/vendors.h"

enum { CLPAC__MOST_BAD = 8 };

/* A driver that failed alone. */
typedef struct clpac__bad_driver {
	char file[CLPAC__VENDOR_PATH]; /* the vendor's */
	uint64_t state;		       /* clpac__driver_state of that time */
	clpac__probe_result result;
	double limit_s;	 /* of its probe */
	int64_t when_s;	 /* time since 1970 */
	int64_t n_times; /* it failed so often in this state, 1 or more */
} clpac__bad_driver;

typedef struct clpac__verdict {
	uint64_t state;		    /* clpac__verdict_state of that time */
	clpac__probe_result result; /* of all drivers but the bad ones, together; well: a bit for each kind of device */
	double limit_s;		    /* of the probe */
	int64_t when_s;		    /* time since 1970 */
	int64_t n_bad;
	clpac__bad_driver bad[CLPAC__MOST_BAD];
} clpac__verdict;

/* A number that changes with whatever decides how drivers start: names, times and sizes of the vendors' files, of the
 * libraries that they name and of the loader; the dynamic loader's list of libraries; the names of devices of the
 * system; the variables of the environment that drivers and loaders read; the version of clpac; the boot. */
uint64_t clpac__verdict_state(void);

/* The same for one driver, without the others and the dynamic loader's list. */
uint64_t clpac__driver_state(const char *file);

/* How long a bad driver is left out without being tried, in seconds: an hour, since it may fail for a reason that
 * passes, and twice as long each time that it failed again, up to a week. */
double clpac__bad_driver_holds_s(int64_t n_times);

/* Whether it still is: it is unchanged, the time has not passed, and it had as much time to start as it would have
 * now. */
bool clpac__bad_driver_is_held(const clpac__bad_driver *bad, double limit_s);

/* The verdict of a folder; false when there is none.  A file that others may have written does not count.  Whether it
 * is of the drivers' present state is for the caller to see. */
bool clpac__verdict_read(const char *folder, clpac__verdict *out);

/* Keeps a verdict in place of the one before; readers see the one or the other.  A verdict that cannot be kept is found
 * anew by the next process. */
void clpac__verdict_write(const char *folder, const clpac__verdict *verdict);

#endif
