/* Recordings in which an amplitude is weak beside the rest, or hardly differs from sample to sample. */
#ifndef CLPAC_TESTS_ODDITIES_H
#define CLPAC_TESTS_ODDITIES_H

#include <stddef.h>

/* A recording's part beside its noise. */
typedef enum oddity {
	ODDITY_NONE,
	ODDITY_RAMP,
	ODDITY_OFFSET,
	ODDITY_FIRST_SAMPLE,
	ODDITY_WHOLE_NUMBERS, /* of an amplifier with few bits: many samples are equal, amplitudes nearly */
	ODDITY_REPEATS,	      /* each amplitude and each phase comes again, but for what rounding and errors make */
	ODDITY_COUNT
} oddity;

const char *oddity_text(oddity which);

/* Adds it to noise of this size. */
void add_oddity(oddity which, double *x, size_t n, double unit);

#endif
