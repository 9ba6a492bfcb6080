/* How much of a long sweep is made: random problems, places, allocations that fail one after the other.
 *
 * Under a sanitizer all takes three to ten times as long, and it looks for what a computation does to memory and to
 * other threads, not for what it computes: `make check` draws samples there, which still take each way through the
 * code.  `make check-full` sets CLPAC_TEST_SWEEPS=all, with which nothing is left out, there or elsewhere. */
#ifndef CLPAC_TESTS_SWEEPS_H
#define CLPAC_TESTS_SWEEPS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(feature) 0 /* clang's word */
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
	__has_feature(thread_sanitizer)
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

/* Whether nothing is to be left out. */
static inline bool sweeps_are_whole(void)
{
	const char *asked = getenv("CLPAC_TEST_SWEEPS");
	return asked && strcmp(asked, "all") == 0;
}

/* Whether this run takes samples of its sweeps. */
static inline bool sweeps_are_sampled(void)
{
	return IS_SANITIZED && !sweeps_are_whole();
}

/* The size of a sweep: `all`, or so many as a sample. */
static inline int sweep_of(int all, int sampled)
{
	return sweeps_are_sampled() && sampled < all ? sampled : all;
}

#endif
