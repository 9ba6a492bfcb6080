/* One budget for several pools. */
#include "pool/limit.h"

#include <stdatomic.h>
#include "base/error.h"
#include "base/memory.h"

struct clpac_limit {
	uint64_t bytes;
	_Atomic uint64_t taken;
};

clpac_status clpac_limit_create(uint64_t bytes, clpac_limit **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_limit *limit = NULL;
	if (!bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "a shared limit of 0 bytes: give at least 1");
	limit = clpac__alloc_zero(sizeof *limit);
	if (!limit)
		FAIL_NO_MEMORY(sizeof *limit);
	limit->bytes = bytes;
	*out = limit;
done:
	return st;
}

void clpac_limit_destroy(clpac_limit *limit)
{
	clpac__free(limit);
}

uint64_t clpac_limit_taken(const clpac_limit *limit)
{
	return atomic_load(&limit->taken);
}

uint64_t clpac__limit_room(const clpac_limit *limit)
{
	return limit ? limit->bytes - atomic_load(&limit->taken) : UINT64_MAX;
}

bool clpac__limit_take(clpac_limit *limit, uint64_t bytes)
{
	if (!limit)
		return true;
	uint64_t taken = atomic_load(&limit->taken);
	do {
		if (bytes > limit->bytes - taken)
			return false;
	} while (!atomic_compare_exchange_weak(&limit->taken, &taken, taken + bytes));
	return true;
}

void clpac__limit_give(clpac_limit *limit, uint64_t bytes)
{
	if (limit)
		atomic_fetch_sub(&limit->taken, bytes);
}
