/* How memory is traded for time: the batch of series, the group of bands and the chunk of surrogates. */
#ifndef CLPAC_PLAN_STRATEGY_H
#define CLPAC_PLAN_STRATEGY_H

#include <clpac/plan.h>
#include "plan/layout.h"

/* Decides batch, group_bands and chunk of a begun layout, and measures it.
 * @param budget bytes that the layout may take.  @param max_batch 0: as many series as pay.
 * @param used the strategy that this amounts to: vectorized, chunked or sequential.
 * Errors: CLPAC_ERROR_NO_DEVICE_MEMORY, with the numbers, when a single series, band and surrogate at a time do not
 * fit. */
clpac_status clpac__strategy_decide(clpac_strategy wanted, uint64_t budget, size_t max_batch, const clpac__queue *queue,
				    clpac__layout *layout, clpac_strategy *used, clpac_error *err);

#endif
