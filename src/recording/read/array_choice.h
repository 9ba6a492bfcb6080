/* The array that is read of a file of MATLAB, and what stands beside it. */
#ifndef CLPAC_RECORDING_READ_ARRAY_CHOICE_H
#define CLPAC_RECORDING_READ_ARRAY_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/recording.h>

enum { CLPAC__CHOICE_NAMES = 300 };

typedef struct clpac__array_choice {
	const char *wanted; /* NULL: not said */
	bool is_found;	    /* and not only the first of several */
	size_t n_arrays;
	char names[CLPAC__CHOICE_NAMES]; /* of the arrays, for a message */
	double rate_hz;			 /* NAN: not said */
	char **labels;			 /* owned, as the texts, of which one may be NULL */
	size_t n_labels, label_capacity;
} clpac__array_choice;

void clpac__choice_clear(clpac__array_choice *choice);

/* What a variable is to the choice: the array unless a later one is it, or something beside it. */
typedef enum clpac__array_role {
	CLPAC__ROLE_NONE = 0,
	CLPAC__ROLE_ARRAY,
	CLPAC__ROLE_RATE,
	CLPAC__ROLE_LABELS
} clpac__array_role;

/* @param is_numeric it is an array of numbers, of which it has n. */
clpac__array_role clpac__choice_role(clpac__array_choice *choice, const char *name, bool is_cell, bool is_numeric,
				     size_t n);
/* Notes a name among others, for a message; where there is no more room, dots. */
void clpac__choice_list(const char *name, char names[CLPAC__CHOICE_NAMES]);
/* Refuses a file in which no array was chosen.  @param none what to say of one without any. */
clpac_status clpac__choice_check(const clpac__array_choice *choice, const char *path, const char *none,
				 clpac_error *err);
/* Warns of a rate and of labels that cannot be used.
 * @param[out] names of the channels, which stay the choice's; NULL: none.  @param[out] rate_hz 0: unknown. */
clpac_status clpac__choice_settle(const clpac__array_choice *choice, size_t n_channels, clpac_recording *recording,
				  const char *const **names, double *rate_hz, clpac_error *err);

#endif
