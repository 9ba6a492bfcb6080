/* Random numbers for tests and benches, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014, Fast splittable
 * pseudorandom number generators).  The state may start at any number. */
#ifndef CLPAC_TESTS_RANDOM_H
#define CLPAC_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The output function: every bit of the result depends on every bit of z. */
static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline unsigned long long random_bits(unsigned long long *state)
{
	return random_mix(*state += RANDOM_STEP);
}

/* Uniform in [0, 1). */
static inline double random_unit(unsigned long long *state)
{
	return (double)(random_bits(state) >> 11) * 0x1p-53;
}

/* Uniform in [-1, 1], rounded to single precision. */
static inline float random_signed(unsigned long long *state)
{
	return (float)(2 * random_unit(state) - 1);
}

/* A whole number in [0, n). */
static inline size_t random_below(unsigned long long *state, size_t n)
{
	return (size_t)(random_bits(state) % n);
}

/* The next sample of noise that grows towards low frequencies; *drift starts at 0.  Its mean is 0.5. */
static inline double random_drifting(unsigned long long *state, double *drift)
{
	*drift = 0.9 * *drift + random_unit(state) - 0.5;
	return *drift + random_unit(state);
}

#endif
