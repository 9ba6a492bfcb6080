/* Progress of permutations. */
#include "coupling/compare/compare_parts.h"

#include <clpac/memory/cancel.h>

#include "base/clock.h"

static const double between_s = 0.05;

clpac_status clpac__tell(clpac__telling *telling, uint64_t more, clpac_error *err)
{
	RETURN_IF_ERROR(clpac_cancel_check(err));
	if (!telling || !telling->progress)
		return CLPAC_OK;
	telling->done += more;
	const double now_s = clpac__clock_seconds();
	if (telling->done < telling->total && now_s - telling->told_s < between_s)
		return CLPAC_OK;
	telling->told_s = now_s;
	if (!telling->progress(telling->user, (size_t)telling->done, (size_t)telling->total))
		RETURN_ERROR(CLPAC_ERROR_CANCELLED, "stopped after %llu of %llu permutations, as asked",
			     (unsigned long long)telling->done, (unsigned long long)telling->total);
	return CLPAC_OK;
}
