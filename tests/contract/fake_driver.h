/* A driver of OpenCL in the host's memory, for tests of drivers that nobody has: honest until it is told to lie.
 *
 * Linking fake_driver.c with $(replaces_opencl) puts it in the place of the loader.  It has one platform with one
 * device, whose memory is the host's; kernels are accepted and not run.  It holds the library to the standard: a handle
 * that is NULL, unknown or released is noted in `misuse`, and so is memory outside a buffer.
 */
#ifndef CLPAC_TESTS_FAKE_DRIVER_H
#define CLPAC_TESTS_FAKE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/opencl/cl.h"

/* How a call answers.  What a function has besides its code (an object, a value and its size, a list and its count, an
 * event) is meant by "answers"; a function that has none of them knows the last two lies alone. */
typedef enum fake_lie {
	FAKE_HONEST,
	FAKE_NOTHING,	/* success; answers are NULL, 0 and zeros */
	FAKE_HUGE,	/* success; counts and sizes are as large as can be, values all ones, objects NULL */
	FAKE_UNWRITTEN, /* success, or no code at all; nothing is written, and the object is NULL */
	FAKE_ODD_CODE,	/* a code above 0, with answers that mean nothing */
	FAKE_REFUSAL,	/* fake.code, with answers that mean nothing */
	FAKE_LIES
} fake_lie;

enum { FAKE_MISUSE = 160, FAKE_CALLS = 1 << 14 };

extern struct fake_driver {
	/* What is told of the calls, counted from 1: number first_lie, or all from it on, or of these those of the
	 * function of the first. */
	fake_lie lie;
	cl_int code;
	unsigned first_lie;
	bool goes_on, is_one_function;
	unsigned most_calls; /* after so many the driver is honest, so that a test ends; 0: any number */
	bool refuses_builds; /* clBuildProgram fails, with a log */
	/* What happened. */
	unsigned n_calls;
	const char *calls[FAKE_CALLS]; /* the functions of the first calls */
	const char *liar;	       /* the function of the first lie; NULL: none was told */
	char misuse[FAKE_MISUSE];      /* the first wrong call; empty: none */
	size_t n_objects;	       /* not yet released, besides platform and device */
} fake;

/* Counts from anew. */
void fake_begin(fake_lie lie, unsigned first_lie);

/* Frees what is left, after which n_objects is 0. */
void fake_end(void);

#endif
