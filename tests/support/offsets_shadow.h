/* The books of a range beside a list of what is taken, in its order and without any cleverness.  Each operation is done
 * on both and whatever the books answer is compared with the list: pieces are disjoint and aligned, a request is
 * refused only where no hole holds it, everything is accounted for, and free neighbours are one piece.
 *
 * Knows nothing of Check, since the fuzzer uses it too: an operation returns false when something was wrong, and
 * `failure` says what. */
#ifndef CLPAC_TESTS_OFFSETS_SHADOW_H
#define CLPAC_TESTS_OFFSETS_SHADOW_H

#include <clpac/memory/offsets.h>

enum { SHADOW_MAX_PIECES = 512 };

typedef struct offsets_shadow {
	clpac_offsets *books;
	uint64_t size, used;
	size_t n;			       /* pieces taken */
	clpac_piece pieces[SHADOW_MAX_PIECES]; /* by offset */
	unsigned long n_taken, n_refused;      /* requests so far */
	char failure[200];		       /* empty as long as all is well */
} offsets_shadow;

bool offsets_shadow_open(offsets_shadow *shadow, uint64_t size);
/* Gives everything back, looks whether the range is whole again, and closes the books. */
bool offsets_shadow_close(offsets_shadow *shadow);

/* A request, good or bad.  Nothing is asked for when SHADOW_MAX_PIECES are taken. */
bool offsets_shadow_take(offsets_shadow *shadow, uint64_t units, uint64_t alignment);
/* The same while the host has no memory left, which may refuse it but must change nothing. */
bool offsets_shadow_take_without_memory(offsets_shadow *shadow, uint64_t units, uint64_t alignment);
/* The i-th piece, i < n. */
bool offsets_shadow_give(offsets_shadow *shadow, size_t i);
/* Gives back what isn't in use: a piece that differs in one member from the i-th by so much, and the i-th itself a
 * second time (it is given back then). */
bool offsets_shadow_give_wrongly(offsets_shadow *shadow, size_t i, uint64_t by);

/* All that the books say of themselves, and their own audit.  The other operations look at the cheap part of it. */
bool offsets_shadow_audit(offsets_shadow *shadow);

#endif
