/* A parsed selection string: terms joined by commas, all of which must hold, and their reasons against a device.  The
 * grammar is in clpac/memory/device.h.
 */
#ifndef CLPAC_MEMORY_DEVICE_SELECTION_H
#define CLPAC_MEMORY_DEVICE_SELECTION_H

#include <stdbool.h>
#include "memory/device/list.h"

enum { CLPAC__MAX_TERMS = 16, CLPAC__TERM_SIZE = 128 };

typedef struct clpac__term {
	enum {
		CLPAC__TERM_KIND,
		CLPAC__TERM_NUMBERS,
		CLPAC__TERM_EQUALS,
		CLPAC__TERM_CONTAINS,
		CLPAC__TERM_MEMORY
	} type;
	unsigned kinds; /* one bit per clpac_device_kind */
	int platform, index;
	const struct clpac__text_key *key; /* the compared text */
	double bytes;
	char text[CLPAC__TERM_SIZE];
} clpac__term;

typedef struct clpac__selection {
	clpac__term terms[CLPAC__MAX_TERMS];
	size_t n_terms;
	bool is_all; /* selects every fitting device, not only the first */
} clpac__selection;

/* Memory that a device must have, in total or usable. */
typedef struct clpac__need {
	uint64_t bytes;
	clpac__usable_bytes *usable; /* NULL: total memory */
} clpac__need;

/* The selection "" and NULL: the kinds that clpac chooses by default. */
extern const clpac__selection clpac__select_best;

/* Reads length bytes of text; false, with the wrong term in slip, when it cannot be read. */
bool clpac__selection_read(const char *text, size_t length, clpac__selection *out, char slip[CLPAC__TERM_SIZE]);

/* Whether only the native device can fit a selection, of one device or of several; false for one that cannot be read.
 */
bool clpac__selection_is_native(const char *text);

/* The kinds of device, a bit each, of which the native device is one and others may come before it, where that is all
 * that a selection says, as "best" does; 0: it is another. */
unsigned clpac__selection_kinds(const char *text);

/* The reason why a device does not fit, in words that follow "it ", or an empty text when it does. */
void clpac__selection_reason(const clpac_device *device, const clpac__selection *wanted, const clpac__need *need,
			     char *reason, size_t size);

#endif
