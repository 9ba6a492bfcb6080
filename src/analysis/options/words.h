/* Names of options in errors and warnings. */
#ifndef CLPAC_ANALYSIS_OPTIONS_WORDS_H
#define CLPAC_ANALYSIS_OPTIONS_WORDS_H

#include "base/error.h"

/* Puts the words of options in the place of members and enumerators of clpac_problem: "--null trials" for
 * "null is CLPAC_NULL_TRIALS".  Text that would not fit is cut off.  err is nullable. */
void clpac__name_options(clpac_error *err);

/* Puts "--threads" for the "option threads" with which an error of clpac_options_set begins.  err is nullable. */
void clpac__name_library_option(clpac_error *err);

/* Makes an error's member an option: the first that the text names with its hyphens, otherwise the one by which the
 * member of clpac_problem is given; "" where it is given by none.  err is nullable. */
void clpac__find_option(clpac_error *err);

/* Takes the hyphens of the command line away, in place: "null trials" for "--null trials". */
void clpac__unmark_options(char *text);

#endif
