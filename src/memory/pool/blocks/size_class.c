/* Size classes: floating-point numbers of a few mantissa bits, rounded up, in integer arithmetic. */
#include "memory/pool/blocks/size_class.h"

#include <limits.h>
#include <clpac/memory/pool.h>

enum { SIZE_BITS = sizeof(size_t) * CHAR_BIT };

static unsigned log2_floor(size_t value)
{
	return (unsigned)(sizeof(unsigned long long) * CHAR_BIT - 1) - (unsigned)__builtin_clzll(value);
}

/* The e of m * 2^e with n <= m < 2n; 0 for the exact classes below. */
static unsigned exponent(size_t bytes, unsigned n)
{
	return bytes < n ? 0 : log2_floor(bytes) - log2_floor(n);
}

bool clpac__classes_per_octave_is_good(unsigned n)
{
	return n && n <= CLPAC_MAX_CLASSES_PER_OCTAVE && (n & (n - 1)) == 0;
}

size_t clpac_size_class(size_t bytes, unsigned n)
{
	if (!n)
		n = CLPAC_DEFAULT_CLASSES_PER_OCTAVE;
	if (!bytes || !clpac__classes_per_octave_is_good(n))
		return 0;
	size_t rest = ((size_t)1 << exponent(bytes, n)) - 1;
	return bytes > SIZE_MAX - rest ? 0 : (bytes + rest) & ~rest;
}

unsigned clpac__size_class_index(size_t class_bytes, unsigned n)
{
	unsigned e = exponent(class_bytes, n);
	return e * n + (unsigned)(class_bytes >> e);
}

unsigned clpac__size_class_count(unsigned n)
{
	/* The largest class is (2n - 1) * 2^e with 2n * 2^e = 2^SIZE_BITS. */
	unsigned e = SIZE_BITS - 1 - log2_floor(n);
	return e * n + 2 * n;
}
