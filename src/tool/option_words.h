/* The words of options in errors of the library. */
#ifndef CLPAC_TOOL_OPTION_WORDS_H
#define CLPAC_TOOL_OPTION_WORDS_H

#include <clpac/status.h>

/* Puts the words of `clpac run`'s options in the place of members and enumerators of clpac_problem: "--null trials" for
 * "null is CLPAC_NULL_TRIALS".  Text that would not fit is cut off.  err is nullable. */
void tool_name_options(clpac_error *err);

#endif
