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

static void enter(clpac__levels *of, unsigned level)
{
	/* Too many undelivered changes: only the net change since the last delivered level is kept. */
	if (of->n_path == CLPAC__LONGEST_PATH) {
		of->n_path = 0;
		for (unsigned at = of->told; at != level;) {
			at = at < level ? at + 1 : at - 1;
			of->path[of->n_path++] = (clpac_pressure)at;
		}
	} else {
		of->path[of->n_path++] = (clpac_pressure)level;
	}
	of->now = (clpac_pressure)level;
}

static void update_held(clpac__ledger *ledger)
{
	const double part = clpac__ledger_part(ledger);
	unsigned level = ledger->held.now;
	while (level + 1 < CLPAC_PRESSURE_COUNT && part >= levels[level + 1].enter)
		enter(&ledger->held, ++level);
	while (level > 0 && part < levels[level].leave)
		enter(&ledger->held, --level);
}

/* Bytes in use with which the budget, what the driver gives, or a shared limit is full to that part. */
static int64_t reach(const clpac__ledger *ledger, double part)
{
	const uint64_t budget = ledger->now.budget_bytes, ceiling = ledger->ceiling_bytes,
		       most = ceiling && ceiling < budget ? ceiling : budget;
	const double bytes = part * (double)most;
	int64_t own = bytes < 9e18 ? (int64_t)bytes : INT64_MAX - 1;
	/* The product is rounded: the first number of bytes that is such a part. */
	own += (double)own / (double)most < part;
	own -= own > 0 && (double)(own - 1) / (double)most >= part;
	const int64_t shared = clpac__limit_reach(ledger->limit, ledger->now.allocated_bytes, part);
	return own < shared ? own : shared;
}

void clpac__ledger_follow(clpac__ledger *ledger, int64_t in_use_bytes, int64_t *low, int64_t *high)
{
	unsigned level = ledger->pressure.now;
	update_held(ledger);
	while (level + 1 < CLPAC_PRESSURE_COUNT && in_use_bytes >= reach(ledger, levels[level + 1].enter))
		enter(&ledger->pressure, ++level);
	while (level > 0 && in_use_bytes < reach(ledger, levels[level].leave))
		enter(&ledger->pressure, --level);
	ledger->now.pressure = ledger->pressure.now;
	*low = level > 0 ? reach(ledger, levels[level].leave) : INT64_MIN;
	*high = level + 1 < CLPAC_PRESSURE_COUNT ? reach(ledger, levels[level + 1].enter) : INT64_MAX;
}

bool clpac__levels_next(clpac__levels *of, clpac_pressure *from, clpac_pressure *to)
{
	if (!of->n_path)
		return false;
	*from = of->told;
	*to = of->told = of->path[0];
	of->n_path--;
	for (unsigned i = 0; i < of->n_path; i++)
		of->path[i] = of->path[i + 1];
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
	update_held(ledger);
}

void clpac__ledger_refused(clpac__ledger *ledger, uint64_t bytes)
{
	const uint64_t refused = ledger->now.allocated_bytes + bytes;
	if (!ledger->ceiling_bytes || refused < ledger->ceiling_bytes)
		ledger->ceiling_bytes = refused;
	update_held(ledger);
}

void clpac__ledger_returned(clpac__ledger *ledger, uint64_t bytes)
{
	ledger->now.allocated_bytes -= bytes;
	clpac__limit_give(ledger->limit, bytes);
	update_held(ledger);
}

void clpac__ledger_reset_peak(clpac__ledger *ledger)
{
	ledger->now.peak_allocated_bytes = ledger->now.allocated_bytes;
}
