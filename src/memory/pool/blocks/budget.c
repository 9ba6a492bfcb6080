/* The budget of a pool: the smallest of its limits. */
#include "memory/pool/blocks/ledger.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "memory/device/options.h"
#include "memory/pool/blocks/blocks.h"

static const double DEFAULT_FRACTION = 0.9, CONSTRAINED_FRACTION = 0.6;
static const uint64_t DEFAULT_MINIMUM_FREE = 512u << 20;

clpac_status clpac__budget_find(const clpac_pool_options *options, const clpac_device *device, uint64_t cap_bytes,
				uint64_t *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t budget = UINT64_MAX;
	double fraction = options->budget.fraction;
	if (fraction == 0)
		fraction = options->preset == CLPAC_PRESET_CONSTRAINED ? CONSTRAINED_FRACTION : DEFAULT_FRACTION;

	/* Written so that NaN fails too. */
	if (!(fraction > 0 && fraction <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "fraction is %g: it must be above 0 and at most 1",
			     options->budget.fraction);

	if (device->memory_bytes) {
		/* If the driver does not report free memory, all memory counts as free. */
		uint64_t available = device->free_bytes ? clpac__smaller64(device->free_bytes, device->memory_bytes)
							: device->memory_bytes;
		uint64_t minimum = options->budget.minimum_free_bytes
					   ? options->budget.minimum_free_bytes
					   : clpac__smaller64(DEFAULT_MINIMUM_FREE, available / 4);
		if (minimum >= available)
			return clpac__of_bytes(err,
					       clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
							   "minimum_free_bytes is %" PRIu64 ", but only %" PRIu64
							   " bytes of the device are free: nothing is left for the "
							   "pool; lower it",
							   minimum, available),
					       minimum, available);
		/* The product is exact enough: no device has 2^53 bytes. */
		budget = clpac__smaller64((uint64_t)(fraction * (double)device->memory_bytes), available - minimum);
	}
	if (options->budget.bytes)
		budget = clpac__smaller64(budget, options->budget.bytes);
	if (cap_bytes)
		budget = clpac__smaller64(budget, cap_bytes);
	if (*options->budget.cap) {
		const uint64_t all = device->memory_bytes ? device->memory_bytes : UINT64_MAX / 2;
		uint64_t cap;
		if (!memchr(options->budget.cap, 0, sizeof options->budget.cap))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "cap of a pool: %zu characters without an ending NUL",
				     sizeof options->budget.cap);
		st = clpac__parse_memory(options->budget.cap, all, &cap, err);
		if (st != CLPAC_OK) {
			st = clpac__fail_context(err, st, "cap of a pool");
			return st;
		}
		budget = clpac__smaller64(budget, cap);
	}
	if (!budget)
		RETURN_ERROR(CLPAC_ERROR_NO_DEVICE_MEMORY,
			     "a fraction of %g of the device's %" PRIu64 " bytes leaves nothing for the pool; raise it",
			     fraction, device->memory_bytes);
	*out = budget;
	return st;
}

/* --- How full a pool is ----------------------------------------------------------------------- */

/* How full a pool is of what it holds, and what depends on it: the limit of cached blocks; and its pressure, which
 * counts what is in use. */

enum {
	GROWTH = 8,	      /* factor for the limit of cached blocks while the budget is mostly free */
	GROWTH_OF_PARTS = 128 /* and for that of parts, which merge where memory is asked for */
};
static const double PLENTY = 0.3;

/* The limit of cached blocks with memory of their own follows what is held.  A part that is not cached gives the driver
 * nothing back. */
void clpac__pool_follow(clpac_pool *pool)
{
	size_t kept = pool->max_kept;
	int64_t low, high;
	/* Before the bytes in use are read: whoever changes them later says again that there are news. */
	atomic_store(&pool->has_news, false);
	clpac__ledger_follow(&pool->ledger, clpac__magazines_in_use(pool), &low, &high);
	atomic_store_explicit(&pool->magazines.low_bytes, low, memory_order_relaxed);
	atomic_store_explicit(&pool->magazines.high_bytes, high, memory_order_relaxed);
	if (pool->ledger.held.now >= CLPAC_PRESSURE_HIGH)
		kept = kept / 2 ? kept / 2 : 1;
	else if (pool->may_grow && clpac__ledger_part(&pool->ledger) < PLENTY)
		kept *= GROWTH;
	atomic_store_explicit(&pool->kept, kept, memory_order_relaxed);
	atomic_store_explicit(&pool->kept_parts, pool->may_grow ? GROWTH_OF_PARTS * pool->max_kept : pool->max_kept,
			      memory_order_relaxed);
	atomic_store_explicit(&pool->magazines.allocated_bytes, pool->ledger.now.allocated_bytes, memory_order_relaxed);
	if (pool->ledger.held.n_path || pool->ledger.pressure.n_path)
		atomic_store(&pool->has_news, true);
}

uint64_t clpac_pool_budget(const clpac_pool *pool)
{
	return pool ? atomic_load_explicit(&pool->budget_bytes, memory_order_relaxed) : 0;
}

clpac_pressure clpac_pool_pressure(clpac_pool *pool)
{
	if (!clpac__pool_is_here(pool))
		return CLPAC_PRESSURE_LOW;
	clpac__tally sum;
	uint64_t hits, cached_bytes;
	size_t n_cached;
	pthread_mutex_lock(&pool->lock);
	clpac__magazines_sum(pool, &sum, &hits, &n_cached, &cached_bytes); /* what threads have not published yet */
	clpac__pool_follow(pool); /* other pools may have changed a limit that this one shares */
	clpac_pressure pressure = pool->ledger.now.pressure;
	pthread_mutex_unlock(&pool->lock);
	return pressure;
}
