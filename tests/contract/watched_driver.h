/* Driver calls of the whole program, counted, and failing when told to.  Linking watched_driver.c is enough. */
#ifndef CLPAC_TESTS_WATCHED_DRIVER_H
#define CLPAC_TESTS_WATCHED_DRIVER_H

#include <stdatomic.h>

extern struct watched_driver {
	atomic_uint n_waits;		   /* calls that return only after the device has worked */
	atomic_uint n_calls, failing_call; /* from 1; 0: none */
	const char *failed_name;
	atomic_long n_objects; /* references taken and not yet given back, by clpac, by clFFT and by the test */
} driver;

#endif
