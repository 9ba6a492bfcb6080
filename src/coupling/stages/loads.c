/* The stages whose items read far more than their share of the buffers. */
#include "coupling/stages/loads.h"
#include "base/memory.h"

uint64_t clpac__loads_of_item(const clpac__launch *launch)
{
	const clpac__arguments *with = &launch->arguments;
	switch (launch->stage) {
	/* A row of the prefix sums for each crossing of an edge, or for each sample. */
	case CLPAC__STAGE_modulation_index:
		return with->modulation_index.capacity;
	case CLPAC__STAGE_modulation_index_direct:
		return with->modulation_index_direct.n_samples;
	case CLPAC__STAGE_variant_indices:
		return clpac__larger64(with->variant_indices.capacity, with->variant_indices.n_samples);
	case CLPAC__STAGE_segment_indices:
		return clpac__larger64(with->segment_indices.capacity, with->segment_indices.n_samples);
	/* Those of two spans.  A series' lists are about evenly long. */
	case CLPAC__STAGE_slab_sums:
		return 2 * clpac__larger64(with->slab_sums.capacity / with->slab_sums.n_spans, with->slab_sums.span);
	/* Every sample of a band. */
	case CLPAC__STAGE_linear_variants:
		return with->linear_variants.n_samples;
	case CLPAC__STAGE_locking_variants:
		return with->locking_variants.n_samples;
	/* Four amplitude bands and the axes of one phase band, of each trial. */
	case CLPAC__STAGE_trial_squares:
		return 6 * (uint64_t)with->trial_squares.n_trials;
	/* A filter's taps on both sides of a marked sample, one of 64 at most but for strange series, whose
	 * commands are bounded by themselves where they may be long. */
	case CLPAC__STAGE_settle_bins:
		return with->settle_bins.n_commands > 1
			       ? 0
			       : (uint64_t)with->settle_bins.tile * (with->settle_bins.tap_stride / 32 + 1);
	default:
		return 0;
	}
}
