/* The book of a pool. */
#include "memory/ledger.h"

static const struct {
	const char *text;
	double enter, leave; /* parts of the budget */
} levels[] = {
	[CLPAC_PRESSURE_LOW] = {"low", 0, 0},
	[CLPAC_PRESSURE_MEDIUM] = {"medium", 0.60, 0.55},
	[CLPAC_PRESSURE_HIGH] = {"high", 0.80, 0.75},
	[CLPAC_PRESSURE_CRITICAL] = {"critical", 0.95, 0.90},
};
_Static_assert(sizeof levels / sizeof *levels == CLPAC_PRESSURE_COUNT, "one line per level");

const char *clpac_pressure_text(clpac_pressure pressure)
{
	return (unsigned)pressure < CLPAC_PRESSURE_COUNT ? levels[pressure].text : "unknown pressure";
}

static void raise_to(uint64_t *peak, uint64_t value)
{
	if (*peak < value)
		*peak = value;
}

static void update_pressure(clpac__ledger *ledger)
{
	double part = (double)ledger->now.allocated_bytes / (double)ledger->now.budget_bytes;
	unsigned level = ledger->now.pressure;
	while (level + 1 < CLPAC_PRESSURE_COUNT && part >= levels[level + 1].enter)
		level++;
	while (level > 0 && part < levels[level].leave)
		level--;
	ledger->now.pressure = (clpac_pressure)level;
}

uint64_t clpac__ledger_shortfall(const clpac__ledger *ledger, uint64_t bytes)
{
	/* Both sums stay within the budget, so that nothing here can wrap. */
	uint64_t room = ledger->now.budget_bytes - ledger->now.allocated_bytes - ledger->reserved_bytes;
	return bytes > room ? bytes - room : 0;
}

void clpac__ledger_reserve(clpac__ledger *ledger, uint64_t bytes)
{
	ledger->reserved_bytes += bytes;
}

void clpac__ledger_created(clpac__ledger *ledger, uint64_t bytes, bool succeeded)
{
	ledger->reserved_bytes -= bytes;
	if (!succeeded)
		return;
	ledger->now.allocated_bytes += bytes;
	raise_to(&ledger->now.peak_allocated_bytes, ledger->now.allocated_bytes);
	update_pressure(ledger);
}

void clpac__ledger_returned(clpac__ledger *ledger, uint64_t bytes)
{
	ledger->now.allocated_bytes -= bytes;
	update_pressure(ledger);
}

void clpac__ledger_used(clpac__ledger *ledger, uint64_t bytes, uint64_t requested_bytes)
{
	clpac_pool_statistics *now = &ledger->now;
	now->active_buffers++;
	now->in_use_bytes += bytes;
	now->requested_bytes += requested_bytes;
	raise_to(&now->peak_in_use_bytes, now->in_use_bytes);
	raise_to(&now->peak_requested_bytes, now->requested_bytes);
}

void clpac__ledger_unused(clpac__ledger *ledger, uint64_t bytes, uint64_t requested_bytes)
{
	ledger->now.active_buffers--;
	ledger->now.in_use_bytes -= bytes;
	ledger->now.requested_bytes -= requested_bytes;
}

void clpac__ledger_pooled(clpac__ledger *ledger, uint64_t bytes)
{
	ledger->now.pooled_buffers++;
	ledger->now.pooled_bytes += bytes;
	raise_to(&ledger->now.peak_pooled_bytes, ledger->now.pooled_bytes);
}

void clpac__ledger_unpooled(clpac__ledger *ledger, uint64_t bytes)
{
	ledger->now.pooled_buffers--;
	ledger->now.pooled_bytes -= bytes;
}

void clpac__ledger_measure(const clpac__ledger *ledger, clpac_pool_statistics *out)
{
	*out = ledger->now;
	uint64_t n_requests = out->hits + out->misses;
	out->waste_bytes = out->in_use_bytes - out->requested_bytes;
	out->hit_rate = n_requests ? (double)out->hits / (double)n_requests : 0;
	out->driver_calls = out->driver_creates + out->driver_releases;
}

void clpac__ledger_reset_peaks(clpac__ledger *ledger)
{
	clpac_pool_statistics *now = &ledger->now;
	now->peak_allocated_bytes = now->allocated_bytes;
	now->peak_in_use_bytes = now->in_use_bytes;
	now->peak_pooled_bytes = now->pooled_bytes;
	now->peak_requested_bytes = now->requested_bytes;
}
