/* The book of a pool: what is on the device, whose it is, how often the driver was asked, how full the budget is.
 *
 * Plain arithmetic without a lock; the pool holds its own around every call.  Bytes go through four states:
 *
 *     reserved -> allocated (neither in use nor pooled: in the pool's hands) -> in use <-> pooled -> in hands -> gone
 */
#ifndef CLPAC_MEMORY_LEDGER_H
#define CLPAC_MEMORY_LEDGER_H

#include <clpac/memory.h>

typedef struct clpac__ledger {
	clpac_pool_statistics now; /* all but waste_bytes, hit_rate and driver_calls, which are derived when read */
	uint64_t reserved_bytes;   /* promised to creations that the driver has not answered yet */
} clpac__ledger;

/* Bytes that must go before so many more fit the budget; 0 when they fit. */
uint64_t clpac__ledger_shortfall(const clpac__ledger *ledger, uint64_t bytes);

void clpac__ledger_reserve(clpac__ledger *ledger, uint64_t bytes);
void clpac__ledger_created(clpac__ledger *ledger, uint64_t bytes, bool succeeded); /* ends a reservation */
void clpac__ledger_returned(clpac__ledger *ledger, uint64_t bytes);		   /* the driver has it back */

void clpac__ledger_used(clpac__ledger *ledger, uint64_t bytes, uint64_t requested_bytes);
void clpac__ledger_unused(clpac__ledger *ledger, uint64_t bytes, uint64_t requested_bytes);
void clpac__ledger_pooled(clpac__ledger *ledger, uint64_t bytes);
void clpac__ledger_unpooled(clpac__ledger *ledger, uint64_t bytes);

void clpac__ledger_measure(const clpac__ledger *ledger, clpac_pool_statistics *out);
void clpac__ledger_reset_peaks(clpac__ledger *ledger);

#endif
