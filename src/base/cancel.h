/* Loops of the host that ask whether their call was cancelled (clpac/memory/cancel.h). */
#ifndef CLPAC_BASE_CANCEL_H
#define CLPAC_BASE_CANCEL_H

#include <clpac/memory/cancel.h>

#include "base/error.h"

/* Rounds of a loop over samples between two questions: a few milliseconds of the slowest of them. */
enum { CLPAC__ROUNDS_BETWEEN = 1 << 16 };

/* In such a loop, with its counter: clpac_cancel_check once in as many rounds. */
static inline clpac_status clpac__cancel_check_at(size_t round, clpac_error *err)
{
	return CLPAC__RARELY(round % CLPAC__ROUNDS_BETWEEN == 0) ? clpac_cancel_check(err) : CLPAC_OK;
}

/* Behind work of several threads that leave off where they find it cancelled.
 * @param is_cut whether one did: CLPAC_ERROR_CANCELLED then, though the wish may have been taken back since. */
static inline clpac_status clpac__cancel_checked(bool is_cut, clpac_error *err)
{
	return is_cut ? clpac__fail(err, CLPAC_ERROR_CANCELLED, "the call was cancelled (clpac_cancel_set)")
		      : clpac_cancel_check(err);
}

#endif
