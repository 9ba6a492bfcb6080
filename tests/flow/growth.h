/* The cost of reading, by the length of what is read: input of n and of 4n entries, both read several times.  Each
 * doubling takes less than 2.5 times the processor time and 2.5 times the memory; quadratic work takes 4 times.  Two
 * doublings together: where the longer input leaves a cache of the processor, linear work takes 2.6 times for once.
 *
 * Time is that of this process, the least of several readings, so that a busy machine does not decide.  Memory is the
 * largest sum of clpac's live allocations, watched by wrappers of the allocator: a program that uses this file is
 * linked with growth_wrappers of tests/flow/local.mk. */
#ifndef CLPAC_TESTS_GROWTH_H
#define CLPAC_TESTS_GROWTH_H

#include <stddef.h>

typedef struct growth_case {
	const char *name;
	size_t n; /* of the shorter input; the longer one has four times as many entries */
	/* Makes the input of n entries.  Files' names begin with the stem; the first one's path goes to `path`.
	 * Returns the bytes that the input holds, unpacked. */
	size_t (*make)(size_t n, const char *stem, char *path, size_t size);
	/* Reads what make() made, and forgets it. */
	void (*use)(const char *path, size_t n);
	size_t bytes_each; /* a byte of input takes no more memory than this; 0: GROWTH_BYTES_EACH */
} growth_case;

/* The limits of SECURITY.md: so much memory for a byte of input, and a mebibyte for all. */
enum { GROWTH_BYTES_EACH = 64, GROWTH_FIXED_BYTES = 1 << 20 };

void growth_check(const growth_case *growth);

#endif
