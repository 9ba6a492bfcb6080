/* Driver calls of the whole program, counted, and failing when told to.  Linking watched_driver.c is enough. */
#ifndef CLPAC_TESTS_WATCHED_DRIVER_H
#define CLPAC_TESTS_WATCHED_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "coupling/stages/stages.h"

enum { WATCHED_WAITS = 32 };

extern struct watched_driver {
	atomic_uint n_waits;		   /* calls that return only after the device has worked */
	atomic_uint n_calls, failing_call; /* from 1; 0: none */
	const char *failed_name;
	atomic_uint n_launches;	  /* commands that run kernels, those of transforms too */
	atomic_ullong bytes_read; /* from the device's memory to the host's */
	atomic_ullong bytes_written;
	/* What had been put into queues before each of the first waits; tests that set n_waits to 0 begin anew. */
	struct {
		unsigned n_launches;
		unsigned long long bytes_written;
	} at_wait[WATCHED_WAITS];
	atomic_uint launches_of[CLPAC__STAGE_COUNT + 1]; /* the same by their stage, transforms last */
	/* Of commands that run clpac's stages: the largest number of work-items. */
	atomic_ullong most_items[CLPAC__STAGE_COUNT];
	/* And those without groups of a size that divides their items and that their kernel allows, in one row each. */
	atomic_uint n_without_group;
	size_t most_groups;    /* stages with more groups in the second or third dimension are refused; 0: none is */
	bool tells_no_time;    /* events have no times */
	bool swallows;	       /* stages are accepted and not run */
	double swallow_s;      /* the seconds that accepting one takes */
	atomic_long n_objects; /* references taken and not yet given back, by clpac, by clFFT and by the test */
} driver;

#endif
