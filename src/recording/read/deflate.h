/* DEFLATE: the most that bytes unpack to, and the memory of zlib's streams, which goes through base/memory.h, so that
 * tests can refuse it. */
#ifndef CLPAC_RECORDING_READ_DEFLATE_H
#define CLPAC_RECORDING_READ_DEFLATE_H

#include <zlib.h>

#include "base/memory.h"

/* DEFLATE makes one byte of 1032 at best; a larger claim is false. */
enum { CLPAC__MOST_DEFLATED = 1032 };

static inline voidpf clpac__zlib_take(voidpf user, uInt n, uInt each)
{
	size_t bytes;
	(void)user;
	return clpac__size_mul(n, each, &bytes) ? clpac__alloc(bytes) : Z_NULL;
}

static inline void clpac__zlib_give(voidpf user, voidpf pointer)
{
	(void)user;
	clpac__free(pointer);
}

#endif
