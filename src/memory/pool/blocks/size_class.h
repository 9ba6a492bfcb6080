/* Size classes as numbers from 0 on, for tables indexed by class.  clpac/memory/pool.h says what a class is. */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_SIZE_CLASS_H
#define CLPAC_MEMORY_POOL_BLOCKS_SIZE_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A power of two up to CLPAC_MAX_CLASSES_PER_OCTAVE. */
bool clpac__classes_per_octave_is_good(unsigned classes_per_octave);

/* Position of a class among all classes; class_bytes is a result of clpac_size_class with the same, nonzero
 * classes_per_octave. */
unsigned clpac__size_class_index(size_t class_bytes, unsigned classes_per_octave);

/* clpac_size_class and its index at once, for n = 2^n_log2 classes per octave; inlined into every request. bytes is 1
 * or more. 0 when there is no class. */
static inline size_t clpac__size_class_find(size_t bytes, unsigned n_log2, unsigned *index)
{
	const unsigned log2 = (unsigned)(sizeof(unsigned long long) * 8 - 1) - (unsigned)__builtin_clzll(bytes);
	unsigned e = log2 < n_log2 ? 0 : log2 - n_log2;
	const size_t rest = ((size_t)1 << e) - 1;
	if (bytes > SIZE_MAX - rest)
		return 0;
	const size_t class_bytes = (bytes + rest) & ~rest;
	/* Rounding up may have reached the first class of the next octave. */
	if (class_bytes >> e >> (n_log2 + 1))
		e++;
	*index = (e << n_log2) + (unsigned)(class_bytes >> e);
	return class_bytes;
}

/* One more than the largest index. */
unsigned clpac__size_class_count(unsigned classes_per_octave);

#endif
