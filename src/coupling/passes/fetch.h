/* Copies the results of a batch from the device's buffers to the result. */
#ifndef CLPAC_COUPLING_PASSES_FETCH_H
#define CLPAC_COUPLING_PASSES_FETCH_H

#include "coupling/passes/run_state.h"

/* The jitter, in cycles, below which a phase counts as a pure line (cl/phase_line.cl). */
extern const float clpac__line_jitter;

/* Whether such a phase says that the surrogates of the null equal the index. */
bool clpac__lines_matter(const clpac__layout *layout);

/* Reads the counts of samples per bin and of edge crossings: stores empty bins, and sets *overflow if any edge list of
 * the batch overflowed, whose row must then be summed directly. */
clpac_status clpac__store_counts(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n,
				 bool *overflow, clpac_error *err);

/* Stores a chunk of a measure's surrogate indices: numbers k .. k + n_shifts - 1 of each series. */
clpac_status clpac__store_surrogates(const clpac_plan *plan, clpac__batch *batch, clpac__run *run,
				     clpac_measure measure, size_t first, size_t n, size_t k, size_t n_shifts,
				     clpac_error *err);

/* Puts the reading of a measure's indices and surrogate statistics into the queue.  With `there` it is not waited for:
 * they have been read when that event, which the caller releases, has passed. */
clpac_status clpac__fetch_indices(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_event **there,
				  clpac_error *err);

/* Stores a measure's indices and surrogate statistics, which have been read. */
clpac_status clpac__store_indices(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, clpac_measure measure,
				  size_t first, size_t n, clpac_error *err);

/* Puts the reading of the distributions into the queue; they are there when the indices are that come next. */
clpac_status clpac__fetch_distributions(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err);

/* Stores distributions and preferred phases; the first measure's statistics, which tell the peak, are stored. */
void clpac__store_distributions(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, size_t first, size_t n);

/* Writes the warnings that list channels, which needs the whole run: channels that could not be used. */
void clpac__store_troubles(const clpac_plan *plan, clpac__batch *batch, clpac__run *run);

#endif
