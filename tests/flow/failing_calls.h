/* Calls of the C library that are counted and made to fail, wherever they come from: the program, libzip, cairo, the C
 * library's own functions.  Each kind by itself, in the process that asked for it alone. */
#ifndef CLPAC_TESTS_FAILING_CALLS_H
#define CLPAC_TESTS_FAILING_CALLS_H

#include <stdbool.h>

typedef enum failing_kind {
	FAILING_NONE = 0,
	/* But for Jansson's and those below cairo, which may end the process. */
	FAILING_ALLOCATION,
	FAILING_OWN_ALLOCATION, /* those of clpac itself alone */
	FAILING_OPEN,
	FAILING_READ,
	FAILING_WRITE,
	FAILING_SYNC,
	FAILING_RENAME,
	FAILING_CLOSE, /* the file is closed all the same, as on a network that is gone */
	FAILING_THREAD,
	FAILING_KINDS
} failing_kind;

/* Why calls cannot be made to fail here; NULL: they can. */
const char *failing_calls_missing(void);

/* The errno that calls of a kind fail with. */
int failing_number(failing_kind kind);

/* Call `at` of the kind fails, counted from 1; with lasts, all later ones too.  Standard streams are left alone. */
void failing_begin(failing_kind kind, long at, bool lasts);
/* Ends that; returns the number of calls so far. */
long failing_end(void);

/* `watch` is told the number of each call of the kind that is counted; NULL: no longer. */
void failing_watch(void (*watch)(unsigned long number));

/* Blocks that clpac itself allocated since failing_begin and has not freed. */
long failing_live_blocks(void);

#endif
