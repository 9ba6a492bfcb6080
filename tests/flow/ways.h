/* The ways to a call that is made to fail: the nearest of its callers, hashed, for each call of a usual run.  They lie
 * in memory that all processes share.  A sweep over thousands of calls leaves out those that the same callers make
 * again. */
#ifndef CLPAC_TESTS_WAYS_H
#define CLPAC_TESTS_WAYS_H

#include <stdbool.h>

/* Before the tests fork.  Without it, and without the GNU C library, no way is known, and nothing is left out. */
void ways_share(void);
/* Forgets the calls of the last usual run. */
void ways_begin(void);
/* The program is called from here: callers of this function's caller belong to no way. */
void ways_enter(void);
/* Call `number` is made, counted from 1. */
void ways_note(unsigned long number);

/* Whether a call was asked for here that came the same way, for any command. */
bool ways_failed_before(unsigned long number);
/* Whether calls before and behind this one came the same way. */
bool ways_is_between(unsigned long number);

#endif
