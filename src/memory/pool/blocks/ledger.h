/* The ledger of a pool: bytes on the device, driver calls, and how full it is.  The magazines know how much is in use.
 *
 * Plain arithmetic without a lock; the pool holds its lock around every call.
 */
#ifndef CLPAC_MEMORY_POOL_BLOCKS_LEDGER_H
#define CLPAC_MEMORY_POOL_BLOCKS_LEDGER_H

#include <clpac/memory/device.h>
#include <clpac/memory/limit.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/pressure.h>
#include <clpac/memory/statistics.h>

enum { CLPAC__LONGEST_PATH = 32 };

/* A level that follows a part of the budget, and those entered one after another since `told` and not delivered yet. */
typedef struct clpac__levels {
	clpac_pressure now, told, path[CLPAC__LONGEST_PATH];
	unsigned n_path;
} clpac__levels;

typedef struct clpac__ledger {
	clpac_pool_statistics now; /* numbers counted here; the others are filled in on reading */
	uint64_t reserved_bytes;   /* promised to creations that the driver has not answered yet */
	clpac_limit *limit;	   /* shared with other pools; NULL: none */
	/* Bytes that the driver refused to let the pool have; 0: none refused since the pool last had as many. */
	uint64_t ceiling_bytes;
	/* Of the bytes that the pool holds: its caches follow it.  Of those in use: what the application is told. */
	clpac__levels held, pressure;
} clpac__ledger;

/* Bytes that fit into the budget, and into the shared limit as far as is known now. */
uint64_t clpac__ledger_room(const clpac__ledger *ledger);

/* Promises bytes to a creation; false when they do not fit. */
bool clpac__ledger_reserve(clpac__ledger *ledger, uint64_t bytes);
/* Ends a reservation with what came of it. */
void clpac__ledger_created(clpac__ledger *ledger, uint64_t bytes, bool succeeded);
/* Notes that the driver lacked memory for so many bytes more. */
void clpac__ledger_refused(clpac__ledger *ledger, uint64_t bytes);
void clpac__ledger_returned(clpac__ledger *ledger, uint64_t bytes); /* the driver has the bytes back */

/* Takes the next undelivered change of a level; false: there is none. */
bool clpac__levels_next(clpac__levels *levels, clpac_pressure *from, clpac_pressure *to);

/* How full the budget, a shared limit, or what the driver gives is of what is held, whichever is fullest: from 0 to 1.
 */
double clpac__ledger_part(const clpac__ledger *ledger);
/* Bytes to give back until that is below a part; 0: it is. */
uint64_t clpac__ledger_excess(const clpac__ledger *ledger, double part);
/* Follows a change of the budget, of a shared limit by other pools, or of the bytes in use; writes from where to where
 * (exclusive) these may change before the pressure does. */
void clpac__ledger_follow(clpac__ledger *ledger, int64_t in_use_bytes, int64_t *low, int64_t *high);

void clpac__ledger_reset_peak(clpac__ledger *ledger);

/* --- Limits ---------------------------------------------------------------------------------- */

/* Budgets shared by several pools, in a tree.
 *
 * A pool's bytes count in its limit and in all limits above it; these sums are atomic and need no lock.  The root
 * of a tree has the list of all pools of the tree.  Its lock is taken before a pool's, never while one is held. */

enum { CLPAC__MOST_SIBLINGS = 64 /* trimmed for one request */ };

/* A pool's membership; part of the pool. */
typedef struct clpac__member clpac__member;
struct clpac__member {
	clpac_pool *pool;
	clpac_limit *limit; /* NULL: no member */
	clpac__member *previous, *next;
};

/* Adds a holder, who lets go with clpac_limit_destroy; NULL is fine.  Returns the limit. */
clpac_limit *clpac__limit_hold(clpac_limit *limit);

/* The limit of the process for buffers on the host of pools that have no other.  It lives as long as the process. */
clpac_limit *clpac__limit_of_host(void);
/* Of another process than this one; false for NULL. */
bool clpac__limit_is_foreign(const clpac_limit *limit);
/* Changes what a limit allows.  Nothing is taken from it, and nobody takes meanwhile. */
void clpac__limit_resize(clpac_limit *limit, uint64_t bytes);
uint64_t clpac__limit_bytes(const clpac_limit *limit);

/* Bytes left in a limit and all above it.  Any thread.  NULL is no limit. */
uint64_t clpac__limit_room(const clpac_limit *limit);
bool clpac__limit_take(clpac_limit *limit, uint64_t bytes); /* false, and nothing taken, when the bytes do not fit */
void clpac__limit_give(clpac_limit *limit, uint64_t bytes);

/* The limit above; NULL: it is the root. */
const clpac_limit *clpac__limit_parent(const clpac_limit *limit);
const clpac_limit *clpac__limit_root(const clpac_limit *limit);
/* Bytes left in this limit, whatever those above it have. */
uint64_t clpac__limit_room_here(const clpac_limit *limit);
/* The nearest limit, from this one upwards, that has less room than that; NULL: all have it. */
const clpac_limit *clpac__limit_tightest(const clpac_limit *limit, uint64_t bytes);
/* How full the fullest limit from this one upwards is, from 0 to 1; NULL: 0. */
double clpac__limit_part(const clpac_limit *limit);
/* Bytes to give back until no limit from this one upwards is fuller than that part. */
uint64_t clpac__limit_excess(const clpac_limit *limit, double part);
/* How many bytes a pool that holds `own` of a limit may have in use before some limit from this one upwards is full to
 * that part, if what the pool only caches counts for nothing; NULL: INT64_MAX. */
int64_t clpac__limit_reach(const clpac_limit *limit, uint64_t own, double part);

/* The pool joins and leaves the list of the tree. Called without a lock; NULL and no member are fine. */
void clpac__limit_join(clpac_limit *limit, clpac__member *member);
void clpac__limit_leave(clpac__member *member);

/* The other pools at or below a limit, up to CLPAC__MOST_SIBLINGS, each held (clpac__pool_try_hold) and to be let go.
 * Called without a lock. */
unsigned clpac__limit_siblings(const clpac_limit *limit, const clpac_pool *pool, clpac_pool **out);
void clpac__siblings_let_go(clpac_pool *const *pools, unsigned n); /* without a lock */
/* True once after some limit of the tree came to another level of pressure: its pools are to be told. */
bool clpac__limit_take_news(clpac_limit *limit);
bool clpac__limit_has_news(const clpac_limit *limit);

/* --- The budget ------------------------------------------------------------------------------ */

/* The budget of a pool: how much of a device it may take. */

/* The smallest of: the options' budget, their fraction of the device, the free memory less their minimum, and cap_bytes
 * (0: none).  UINT64_MAX when nothing limits. */
clpac_status clpac__budget_find(const clpac_pool_options *options, const clpac_device *device, uint64_t cap_bytes,
				uint64_t *out, clpac_error *err);

#endif
