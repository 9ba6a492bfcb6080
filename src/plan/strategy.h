/* How memory is traded for time: the batch of series, the group of bands and the chunk of surrogates, from the layout
 * that is wanted down to the smallest.
 *
 * The way has three rungs, vectorized, chunked and sequential, and each has a largest and a smallest layout.  Whoever
 * descends gets the largest layout that fits the budget; where that is refused all the same (a driver's word counts for
 * more than an estimate) the next is a quarter smaller at least, or the first of the next rung that is smaller at all.
 */
#ifndef CLPAC_PLAN_STRATEGY_H
#define CLPAC_PLAN_STRATEGY_H

#include <clpac/plan.h>
#include "plan/engine.h"
#include "plan/layout.h"

typedef struct clpac__descent {
	const clpac_context *context;
	clpac_strategy asked;
	size_t max_batch;      /* 0: as many series as pay */
	uint64_t budget;       /* most bytes of a layout, as the pool counts them */
	clpac_strategy wanted; /* the rung where the way begins */
	clpac_strategy rung;   /* of the layout given last; AUTO before the first */
	uint64_t bytes;	       /* that the layout given last was reckoned to take */
} clpac__descent;

/* The strategies' words by clpac_strategy, NULL behind the last. */
extern const char *const clpac__strategy_words[CLPAC_STRATEGY_COUNT + 1];

/* Begins at the top for a begun layout. */
void clpac__descent_begin(clpac__descent *descent, const clpac_context *context, clpac_strategy asked, size_t max_batch,
			  uint64_t budget, const clpac__layout *layout);

/* The next layout: decides batch, group_bands and chunk, and measures it, the FFT's workspace included as far as it is
 * known.  False when there is none; the layout is then the smallest of the last rung. */
bool clpac__descent_next(clpac__descent *descent, clpac__layout *layout);

/* What the smallest layout of a rung takes, as far as it is known before the transforms are made; leaves it in *layout.
 */
uint64_t clpac__descent_least(const clpac__descent *descent, clpac_strategy rung, clpac__layout *layout);

/* Bytes of a measured layout in the pool's size classes; UINT64_MAX where a part is larger than the device's largest
 * block. */
uint64_t clpac__layout_taken(const clpac__layout *layout, const clpac_context *context);

#endif
