/* The ledger of a pool. */
#include "memory/pool/blocks/ledger.h"

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

static const char *const step_text[] = {
	[CLPAC_LADDER_FINISHED] = "finished",	[CLPAC_LADDER_OTHER_QUEUES] = "other_queues",
	[CLPAC_LADDER_MERGE] = "merge",		[CLPAC_LADDER_SHARE] = "share",
	[CLPAC_LADDER_SIBLINGS] = "siblings",	[CLPAC_LADDER_EVICT] = "evict",
	[CLPAC_LADDER_TRIM] = "trim",		[CLPAC_LADDER_COMPACT] = "compact",
	[CLPAC_LADDER_CALLBACK] = "callback",	[CLPAC_LADDER_PENDING] = "pending",
	[CLPAC_LADDER_SEGMENTS] = "segments",	[CLPAC_LADDER_SMALLER] = "smaller",
	[CLPAC_LADDER_DEDICATED] = "dedicated", [CLPAC_LADDER_WAIT] = "wait",
	[CLPAC_LADDER_HOST] = "host",
};
_Static_assert(sizeof step_text / sizeof *step_text == CLPAC_LADDER_COUNT, "one text per step");

const char *clpac_ladder_text(clpac_ladder_step step)
{
	return (unsigned)step < CLPAC_LADDER_COUNT ? step_text[step] : "unknown step";
}

double clpac__ledger_part(const clpac__ledger *ledger)
{
	const double allocated = (double)ledger->now.allocated_bytes,
		     own = allocated / (double)ledger->now.budget_bytes, shared = clpac__limit_part(ledger->limit),
		     driver = ledger->ceiling_bytes ? allocated / (double)ledger->ceiling_bytes : 0;
	const double fuller = own > shared ? own : shared;
	return fuller > driver ? fuller : driver;
}

uint64_t clpac__ledger_excess(const clpac__ledger *ledger, double part)
{
	uint64_t most = ledger->now.budget_bytes;
	if (ledger->ceiling_bytes && ledger->ceiling_bytes < most)
		most = ledger->ceiling_bytes;
	const uint64_t target = (uint64_t)(part * (double)most), allocated = ledger->now.allocated_bytes,
		       own = allocated >= target ? allocated - target + 1 : 0,
		       shared = clpac__limit_excess(ledger->limit, part);
	return own > shared ? own : shared;
}

static void enter(clpac__ledger *ledger, unsigned level)
{
	/* Too many undelivered changes: only the net change since the last delivered level is kept. */
	if (ledger->n_path == CLPAC__LONGEST_PATH) {
		ledger->n_path = 0;
		for (unsigned at = ledger->told; at != level;) {
			at = at < level ? at + 1 : at - 1;
			ledger->path[ledger->n_path++] = (clpac_pressure)at;
		}
	} else {
		ledger->path[ledger->n_path++] = (clpac_pressure)level;
	}
	ledger->now.pressure = (clpac_pressure)level;
}

static void update_pressure(clpac__ledger *ledger)
{
	const double part = clpac__ledger_part(ledger);
	unsigned level = ledger->now.pressure;
	while (level + 1 < CLPAC_PRESSURE_COUNT && part >= levels[level + 1].enter)
		enter(ledger, ++level);
	while (level > 0 && part < levels[level].leave)
		enter(ledger, --level);
}

void clpac__ledger_follow(clpac__ledger *ledger)
{
	update_pressure(ledger);
}

bool clpac__ledger_next_edge(clpac__ledger *ledger, clpac_pressure *from, clpac_pressure *to)
{
	if (!ledger->n_path)
		return false;
	*from = ledger->told;
	*to = ledger->told = ledger->path[0];
	ledger->n_path--;
	for (unsigned i = 0; i < ledger->n_path; i++)
		ledger->path[i] = ledger->path[i + 1];
	return true;
}

uint64_t clpac__ledger_room(const clpac__ledger *ledger)
{
	/* Both sums stay within the budget, so nothing here can wrap around. */
	const uint64_t own = ledger->now.budget_bytes - ledger->now.allocated_bytes - ledger->reserved_bytes;
	const uint64_t shared = clpac__limit_room(ledger->limit);
	return own < shared ? own : shared;
}

bool clpac__ledger_reserve(clpac__ledger *ledger, uint64_t bytes)
{
	if (bytes > ledger->now.budget_bytes - ledger->now.allocated_bytes - ledger->reserved_bytes ||
	    !clpac__limit_take(ledger->limit, bytes))
		return false;
	ledger->reserved_bytes += bytes;
	return true;
}

void clpac__ledger_created(clpac__ledger *ledger, uint64_t bytes, bool succeeded)
{
	ledger->reserved_bytes -= bytes;
	if (!succeeded) {
		clpac__limit_give(ledger->limit, bytes);
		return;
	}
	ledger->now.allocated_bytes += bytes;
	if (ledger->now.allocated_bytes >= ledger->ceiling_bytes)
		ledger->ceiling_bytes = 0;
	if (ledger->now.peak_allocated_bytes < ledger->now.allocated_bytes)
		ledger->now.peak_allocated_bytes = ledger->now.allocated_bytes;
	update_pressure(ledger);
}

void clpac__ledger_refused(clpac__ledger *ledger, uint64_t bytes)
{
	const uint64_t refused = ledger->now.allocated_bytes + bytes;
	if (!ledger->ceiling_bytes || refused < ledger->ceiling_bytes)
		ledger->ceiling_bytes = refused;
	update_pressure(ledger);
}

void clpac__ledger_returned(clpac__ledger *ledger, uint64_t bytes)
{
	ledger->now.allocated_bytes -= bytes;
	clpac__limit_give(ledger->limit, bytes);
	update_pressure(ledger);
}

void clpac__ledger_reset_peak(clpac__ledger *ledger)
{
	ledger->now.peak_allocated_bytes = ledger->now.allocated_bytes;
}
