/* A struct as one line of text, "rate=512 channels=4 seed=42", from one table of its keys for both directions.
 *
 * Words are separated by blanks, and come in any order, each key once. */
#ifndef CLPAC_BASE_KEYS_H
#define CLPAC_BASE_KEYS_H

#include <stdint.h>
#include "base/text.h"

typedef struct clpac__key clpac__key;

/* One text that is being read, and the word in hand. */
typedef struct clpac__keys_reading {
	const char *what; /* "problem text", the beginning of every error */
	size_t position;  /* of the word in the text, from 1 */
} clpac__keys_reading;

/* How a kind of member is read and written. */
typedef struct clpac__key_kind {
	clpac_status (*read)(const clpac__keys_reading *reading, const clpac__key *key, const char *value, void *object,
			     clpac_error *err);
	void (*write)(clpac__text *text, const clpac__key *key, const void *object);
} clpac__key_kind;

struct clpac__key {
	const char *name;
	const clpac__key_kind *kind;
	size_t offset;		  /* of the member */
	size_t bytes;		  /* of the member */
	const char *const *words; /* a choice's words by number, NULL behind the last */
	int detail;		  /* the kind's own */
};

extern const clpac__key_kind clpac__key_number;	 /* double */
extern const clpac__key_kind clpac__key_count;	 /* whole number: unsigned, size_t or uint64_t, by its bytes */
extern const clpac__key_kind clpac__key_size;	 /* uint64_t: bytes, also as 64M */
extern const clpac__key_kind clpac__key_yes;	 /* bool: yes or no */
extern const clpac__key_kind clpac__key_choice;	 /* enum */
extern const clpac__key_kind clpac__key_word;	 /* array of char, NUL-terminated, without blanks */
extern const clpac__key_kind clpac__key_pointer; /* object of the program: written as "set", refused when read */

/* Reads a text into an object; members without a key in the text stay as they are.
 * noun: what the keys belong to, "a problem". */
clpac_status clpac__keys_read(const char *what, const char *noun, const clpac__key *keys, size_t n, const char *text,
			      void *object, clpac_error *err);

/* Appends one "key=value". */
void clpac__keys_write(clpac__text *text, const clpac__key *key, const void *object);

/* The object's members that are not zero, as text.  Errors: CLPAC_ERROR_ARGUMENT for a word that does not end or holds
 * a blank, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__keys_write_set(const char *what, const clpac__key *keys, size_t n, const void *object, char **out,
				   clpac_error *err);

/* "problem text: bins=x is not understood: give WANTED (character 7)"; returns CLPAC_ERROR_ARGUMENT. */
clpac_status clpac__keys_refuse(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				const char *wanted, clpac_error *err);

/* Digits without a sign up to a largest value; *end is where they stop. */
bool clpac__keys_parse_whole(const char *text, uint64_t most, uint64_t *out, const char **end);

#endif
