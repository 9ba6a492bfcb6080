/* The ledger of a pool: bytes on the device, driver calls, pressure.  The magazines know how much of it is in use.
 *
 * Plain arithmetic without a lock; the pool holds its lock around every call.
 */
#ifndef CLPAC_MEMORY_POOL_LEDGER_H
#define CLPAC_MEMORY_POOL_LEDGER_H

#include <clpac/memory/pool.h>

enum { CLPAC__LONGEST_PATH = 32 };

typedef struct clpac__ledger {
	clpac_pool_statistics now; /* numbers counted here; the others are filled in on reading */
	uint64_t reserved_bytes;   /* promised to creations that the driver has not answered yet */
	clpac_limit *limit;	   /* shared with other pools; NULL: none */
	/* Bytes that the driver refused to let the pool have; 0: none refused since the pool last had as many. */
	uint64_t ceiling_bytes;
	/* Levels of pressure entered one after another since `told` and not delivered yet. */
	clpac_pressure told, path[CLPAC__LONGEST_PATH];
	unsigned n_path;
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

/* Takes the next undelivered change of level; false: there is none. */
bool clpac__ledger_next_edge(clpac__ledger *ledger, clpac_pressure *from, clpac_pressure *to);

/* How full the budget, a shared limit, or what the driver gives is, whichever is fullest: from 0 to 1. */
double clpac__ledger_part(const clpac__ledger *ledger);
/* Bytes to give back until that is below a part; 0: it is. */
uint64_t clpac__ledger_excess(const clpac__ledger *ledger, double part);
/* Follows a change of the budget, or of a shared limit by other pools. */
void clpac__ledger_follow(clpac__ledger *ledger);

void clpac__ledger_reset_peak(clpac__ledger *ledger);

#endif
