/* A range allocator (clpac/memory/offsets.h) beside a plain list of the pieces taken, kept in order.  Each operation is
 * done on both, and whatever the allocator answers is compared with the list: pieces are disjoint and aligned, a
 * request is refused only where no hole holds it, every unit is accounted for, and free neighbours are one piece.
 *
 * No function here uses Check, since the fuzzer calls them too: an operation returns false when something was wrong,
 * and `failure` says what. */
#ifndef CLPAC_TESTS_OFFSETS_SHADOW_H
#define CLPAC_TESTS_OFFSETS_SHADOW_H

#include <clpac/memory/offsets.h>

enum { SHADOW_MAX_PIECES = 512 };

typedef struct offsets_shadow {
	clpac_offsets *range;
	uint64_t size, used;
	size_t n;			       /* number of pieces taken */
	clpac_piece pieces[SHADOW_MAX_PIECES]; /* by offset */
	unsigned long n_taken, n_refused;      /* requests so far */
	char failure[200];		       /* empty as long as nothing failed */
} offsets_shadow;

bool offsets_shadow_open(offsets_shadow *shadow, uint64_t size);
/* Gives everything back, checks that the range is whole again, and destroys the allocator. */
bool offsets_shadow_close(offsets_shadow *shadow);

/* Requests a piece; the arguments may be bad.  Requests nothing once SHADOW_MAX_PIECES are taken. */
bool offsets_shadow_take(offsets_shadow *shadow, uint64_t units, uint64_t alignment);
/* The same while host memory has run out: the request may be refused then, but must change nothing. */
bool offsets_shadow_take_without_memory(offsets_shadow *shadow, uint64_t units, uint64_t alignment);
/* Gives back the i-th piece, i < n. */
bool offsets_shadow_give(offsets_shadow *shadow, size_t i);
/* Gives back pieces that are not in use: some that differ from the i-th in one member by so much, and the i-th itself a
 * second time, after it was given back. */
bool offsets_shadow_give_wrongly(offsets_shadow *shadow, size_t i, uint64_t by);

/* Compares all figures of the allocator and runs its own audit.  The other operations compare only the cheap ones. */
bool offsets_shadow_audit(offsets_shadow *shadow);

#endif
