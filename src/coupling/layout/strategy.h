/* Trades memory for time: batch of series, group of bands and chunk of surrogates, from the largest useful layout down
 * to the smallest.
 *
 * There are three strategies, vectorized, chunked and sequential; each has a largest and a smallest layout.  A search
 * yields the largest layout that fits the budget.  If the driver refuses it all the same (an
 * estimate cannot know the driver's limits), the next layout is at least a quarter smaller, or the first smaller one of
 * the next strategy.
 */
#ifndef CLPAC_COUPLING_LAYOUT_STRATEGY_H
#define CLPAC_COUPLING_LAYOUT_STRATEGY_H

#include <clpac/plan.h>
#include "coupling/layout/context_engine.h"
#include "coupling/layout/layout.h"

typedef struct clpac__search {
	const clpac_context *context;
	clpac_strategy asked;
	size_t max_batch;      /* 0: no limit but usefulness */
	uint64_t budget;       /* upper limit of a layout, in the pool's size classes */
	clpac_strategy wanted; /* the first */
	clpac_strategy found;  /* that of the latest layout; AUTO before the first */
	uint64_t bytes;	       /* estimate for the latest layout */
	uint64_t more;	       /* what it took beyond that; 0: as estimated, or unknown */
	bool has_allowed;      /* that was taken off the budget once in this strategy */
} clpac__search;

/* The strategies' words by clpac_strategy, NULL behind the last. */
extern const char *const clpac__strategy_words[CLPAC_STRATEGY_COUNT + 1];

/* Starts a search for a layout that clpac__layout_begin has filled. */
void clpac__search_begin(clpac__search *search, const clpac_context *context, clpac_strategy asked, size_t max_batch,
			 uint64_t budget, const clpac__layout *layout);

/* Yields the next layout: sets batch, group_bands, sections and chunk, and measures it, with the FFT's workspace as far
 * as it is known.  False if there is none; the layout is then the smallest of the last strategy. */
bool clpac__search_next(clpac__search *search, clpac__layout *layout);

/* Tells what the latest layout took, the FFT's workspace included, which an engine may know only when it is made.  What
 * exceeds the estimate is taken off the budget for the next layout, once: that layout is then the largest that fits,
 * and not one that is a quarter smaller, so that a smaller budget never reaches a better strategy. */
void clpac__search_took(clpac__search *search, uint64_t taken);

/* The bytes of the smallest layout of a strategy, as far as they are known before the transforms are made; *layout
 * becomes that layout. */
uint64_t clpac__search_least(const clpac__search *search, clpac_strategy strategy, clpac__layout *layout);

/* The bytes of a measured layout in the pool's size classes; UINT64_MAX if a buffer exceeds the device's largest
 * block. */
uint64_t clpac__layout_taken(const clpac__layout *layout, const clpac_context *context);

#endif
