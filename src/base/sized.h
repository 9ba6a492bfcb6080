/* Public structs that a later version may lengthen.
 *
 * A struct that callers fill begins with `size_t size`: 0 means the layout of clpac 0.1.  The library copies such a
 * struct into one of its own, and reads nothing beyond the caller's size.  A struct that the library fills is filled up
 * to the size that the caller gives.  New members stand at the end, and never in the padding of an older layout. */
#ifndef CLPAC_BASE_SIZED_H
#define CLPAC_BASE_SIZED_H

#include <stddef.h>
#include "base/error.h"

/* Copies a caller's struct.
 *   given        NULL: all members are 0
 *   own          the library's struct, own_bytes long; members that the caller's header did not know become 0
 *   first_bytes  the struct's size in clpac 0.1
 *   type         the struct's name, for errors
 * Errors: CLPAC_ERROR_ARGUMENT for a size below first_bytes, and for a larger one than own_bytes with anything but
 * zeros in the members that this library does not know. */
clpac_status clpac__sized_take(void *own, size_t own_bytes, size_t first_bytes, const void *given, const char *type,
			       clpac_error *err);

/* The same for a struct with all its members in clpac 0.1. */
#define clpac__take_sized(own, given, type, err) clpac__sized_take(own, sizeof(type), sizeof(type), given, #type, err)

/* Copies a struct of clpac__sized_take, changed since, back into the caller's, whose size stays.
 * Errors: CLPAC_ERROR_ARGUMENT where a member was set that the caller's struct does not have; it is untouched then. */
clpac_status clpac__sized_return(void *given, size_t first_bytes, const void *own, size_t own_bytes, const char *type,
				 clpac_error *err);
#define clpac__return_sized(given, own, type, err)                                                                     \
	clpac__sized_return(given, sizeof(type), own, sizeof(type), #type, err)

/* Fills a caller's struct of out_bytes: its size becomes the bytes that were filled, and what the library's struct does
 * not have becomes 0. */
void clpac__sized_give(void *out, size_t out_bytes, const void *own, size_t own_bytes);

#endif
