/* The bounds of steps.h, stage by stage; N is the number of bins. */
#include "coupling/layout/steps.h"

#include <clpac/memory/buffer.h>
#include "coupling/layout/fused.h"

#include "base/memory.h"
#include "coupling/layout/launch.h"
#include "coupling/layout/test_settings.h"
#include "shared/each_bin.h"
#include "shared/measures.h"
#include "shared/together.h"

enum {
	UNQUESTIONED = 10000,	/* steps that every device takes */
	MOST_COUNTED = 1 << 20, /* steps of a proof: known limits are lower, and a GPU takes 6 ms for so many */
	MOST_CROSSINGS = 2048,	/* as in cl/phase_line.cl */
	CROSSINGS_ABREAST = 18,
	GAPS_OF_ITEM = 64, /* as in cl/coarse_bins.cl */
	WIDTH = 33,	   /* passes that find the width of a number of samples */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Two crossings of an edge in one direction are two samples apart at least, since a step goes at most half way round,
 * and a step crosses an edge in one direction only.  So an edge has s/2 + 1 crossings each way in s samples.  Those of
 * whole cycles are passed two at a time, one lane's while the others' lists are empty: 1/4 + 1/2 + 1/2 of s.  All lists
 * together have no more entries than there is room for. */
static uint64_t steps_of_crossings(const clpac__layout *l, uint64_t samples)
{
	return 7 * l->n_bins + 1 + smaller(l->n_bins * (5 * samples / 4), CLPAC__LANES * (uint64_t)l->capacity);
}

/* The same for two spans.  Cycles are passed one at a time, for six edges or more; where a compiler does not unroll the
 * loop over these, a cycle costs 8/6 of a pass for each edge. */
static uint64_t steps_of_span(const clpac__layout *l, uint64_t samples)
{
	return 12 * l->n_bins + 24 + smaller(l->n_bins * (7 * samples / 4), 2 * CLPAC__LANES * (uint64_t)l->capacity);
}

/* --- Vectors of one band: cl/bin_tiles.cl --- */

static bool is_in_tiles(const clpac__layout *l)
{
	return l->vector_width == 1;
}

static uint64_t bin_tiles(const clpac__layout *l)
{
	return (l->n_bins + CLPAC_TILE_BINS(l->n_bins) - 1) / CLPAC_TILE_BINS(l->n_bins);
}

/* A pass for a whole cycle, and one for each entry that the tile's edges have besides, in both directions, while other
 * lanes are still in their cycles. */
static uint64_t steps_of_tile(const clpac__layout *l, uint64_t samples)
{
	const uint64_t edges = CLPAC_TILE_BINS(l->n_bins) + 1;
	const uint64_t searches = 2 * 33 + 2; /* for the cycles at the end of the series, in halves of 32 bits */
	return searches + 3 * edges + 3 + smaller(edges * samples + samples / 2, CLPAC__LANES * (uint64_t)l->capacity);
}

/* Four samples in a pass, and the rest. */
static uint64_t steps_of_samples(uint64_t samples)
{
	return samples / 4 + 5;
}

/* The sums of all bins, once. */
static uint64_t steps_of_tiles(const clpac__layout *l, uint64_t each)
{
	return bin_tiles(l) * (each + 1) + 1;
}

static uint64_t steps_of_tiled_index(const clpac__layout *l, uint64_t each)
{
	return (bin_tiles(l) > 1 ? 2 : 1) * steps_of_tiles(l, each) + 5 * l->n_bins + 17;
}

/* index_of_sums. */
static uint64_t steps_of_index(const clpac__layout *l)
{
	return 5 * l->n_bins + 17;
}

/* write_means. */
static uint64_t steps_of_means(const clpac__layout *l)
{
	return l->n_bins + 1;
}

uint64_t clpac__steps_of_whole(const clpac__layout *l)
{
	const uint64_t n = l->n_bins, together = l->together;
	if (is_in_tiles(l))
		return steps_of_tiled_index(l, steps_of_tile(l, l->kept));
	if (together == 1)
		return steps_of_crossings(l, l->kept) + 3 * n + steps_of_index(l) + steps_of_means(l) + 8;
	/* Shifts in step: a pass for each of them beside that for a crossing. */
	return (5 * together + 12) * n + together * (2 * n + steps_of_index(l) + 4) + steps_of_means(l) +
	       (together + 2) * smaller(n * (3 * (uint64_t)l->kept / 2), CLPAC__LANES * (uint64_t)l->capacity);
}

uint64_t clpac__steps_of_spans(const clpac__layout *l, size_t span)
{
	if (is_in_tiles(l)) {
		const uint64_t lists = steps_of_tile(l, span);
		return steps_of_tiles(l, 3 + 2 * clpac__larger64(lists, span + 1));
	}
	const uint64_t crossings = steps_of_span(l, span), samples = span + 2;
	return 2 * l->n_bins + 6 + 2 * (crossings > samples ? crossings : samples);
}

uint64_t clpac__steps_of_count(const clpac__layout *l, size_t tile)
{
	/* A pass for each sample that is in another bin, of each tile of edges; eight words of 64 samples. */
	if (is_in_tiles(l))
		return CLPAC_EDGE_TILES((uint64_t)l->n_bins) * (tile + 12 * (tile / 64 + 1) + 4) + 1;
	/* A pass for each sample that is in another bin, and up to half of the edges; eight words of 64 samples. */
	const uint64_t each = 3 + l->n_bins / 2;
	return 6 * l->n_bins + 16 + tile * each;
}

/* Of each sample: the two sums over taps, the test for a level stretch, the widths of two 128-bit numbers, and its own
 * mark.  Of each word of marks: the looks at its bytes, in fours first. */
static uint64_t steps_of_settling(const clpac__layout *l, size_t tile)
{
	const uint64_t order = l->tap_stride ? l->tap_stride - 1 : 0;
	return 1 + tile * (3 * order + 2 * 65 + 7 + CLPAC__LANES) + (tile / 32 + 1) * (8 + 32 + 5) + l->n_stretches;
}

/* An item of surrogate_maxima passes phase bands, and begins and ends with its surrogates. */
static uint64_t steps_of_phase(const clpac__layout *l)
{
	return 2 + l->groups * (l->ranked + 2);
}

static uint64_t steps_beside_phases(const clpac__layout *l)
{
	return 2 * (l->ranked + 1) + 2 + l->ranked * l->vector_width;
}

/* An item of surrogate_moments passes surrogates, each in its groups of bands, and begins and ends with these. */
static uint64_t steps_of_surrogate(const clpac__layout *l)
{
	return 2 + l->moment_groups;
}

static uint64_t steps_beside_surrogates(const clpac__layout *l)
{
	return 2 * (l->moment_groups + 1) + 1;
}

size_t clpac__steps_surrogates(const clpac__layout *l)
{
	const uint64_t beside = steps_beside_surrogates(l), each = steps_of_surrogate(l);
	const uint64_t at_once = l->most_steps < beside + each ? 1 : (l->most_steps - beside) / each;
	return (size_t)smaller(at_once, l->n_surrogates);
}

size_t clpac__steps_phases(const clpac__layout *l)
{
	const uint64_t beside = steps_beside_phases(l), each = steps_of_phase(l);
	const uint64_t at_once = l->most_steps < beside + each ? 1 : (l->most_steps - beside) / each;
	return (size_t)smaller(at_once, l->n_phase);
}

uint64_t clpac__steps_of_scale(const clpac__layout *l, size_t n_tiles)
{
	return 2 * ((uint64_t)n_tiles + 1) + l->n_phase + 1;
}

size_t clpac__steps_settle_tile(const clpac__layout *l)
{
	enum { OF_LANES = 32 * CLPAC_SETTLING_LANES(0) };
	const bool fills_lanes = is_in_tiles(l) && l->passed >= 4 * OF_LANES;
	size_t tile = fills_lanes && l->tile < OF_LANES ? OF_LANES : l->tile;
	while (tile > 1 && steps_of_settling(l, tile) > l->most_steps)
		tile /= 2;
	return tile;
}

static uint64_t tiles_of_samples(const clpac__layout *l)
{
	return (l->n_samples + l->tile - 1) / l->tile;
}

/* Each cell looks for two roots.  Ways are halved as they are gone, so that all looks together take about log2 of the
 * cells passes each (Tarjan & van Leeuwen 1984, J ACM 31:245), in every lane anew. */
static uint64_t steps_of_clusters(const clpac__layout *l)
{
	const uint64_t cells = (uint64_t)l->n_phase * l->n_amplitude;
	uint64_t look = 2;
	for (uint64_t n = cells; n > 1; n /= 2)
		look++;
	return l->n_phase + 1 + cells * (1 + 2 * CLPAC__LANES * look);
}

/* Vectors of bands become vectors of shifts, and are written at most lane by lane. */
static uint64_t steps_of_writing_shifts(const clpac__layout *l)
{
	const uint64_t width = l->vector_width;
	uint64_t rounds = 0;
	for (uint64_t vectors = 1; vectors < width; vectors *= 2)
		rounds++;
	return 1 + rounds * (3 + width / 2 + width) + 1 + width * (2 + width);
}

/* A launch takes rows by their lists, or sample by sample. */
static uint64_t steps_of_variant(const clpac__layout *l)
{
	if (!clpac__has_variants(l))
		return 0;
	if (is_in_tiles(l))
		return steps_of_tiled_index(
			l, clpac__larger64(l->n_spans > 1 ? 0 : steps_of_tile(l, l->kept), steps_of_samples(l->kept)));
	return clpac__larger64(l->n_spans > 1 ? 0 : steps_of_crossings(l, l->kept) + 3 * l->n_bins,
			       l->kept + l->n_bins + 2) +
	       steps_of_index(l);
}

static uint64_t steps_of_coarse_bins(const clpac__layout *l)
{
	const uint64_t gap = l->banks[CLPAC_PHASE].gap, each = 6 + 9 + gap / 8 * 19 + 30;
	return gap > 1 ? 3 * (GAPS_OF_ITEM + 9) + 2 + GAPS_OF_ITEM * (6 + each) : 0;
}

/* Spans twice, and the crossings that each lane takes. */
static uint64_t steps_of_phase_line(const clpac__layout *l)
{
	const uint64_t crossings = smaller(MOST_CROSSINGS, l->kept);
	return 3 * (l->n_spans + 1) +
	       CLPAC__LANES * (is_in_tiles(l) ? crossings / CROSSINGS_ABREAST + l->n_spans : crossings);
}

/* By the column of each stage, in whose words n is the number of bins and width that of vectors. */
uint64_t clpac__steps_of(const clpac__layout *l, enum clpac__stage stage)
{
	const uint64_t n = l->n_bins, width = l->vector_width;
	switch (stage) {
#define STAGE(name, way, often, steps, arguments)                                                                      \
	case CLPAC__STAGE_##name:                                                                                      \
		return steps;
#include "coupling/stages/stages.def"
	case CLPAC__STAGE_COUNT:
		break;
	}
	return 0;
}

/* Stages of runs on the device's memory alone. */
static bool is_of_enqueued(enum clpac__stage stage)
{
	return stage >= CLPAC__STAGE_store_map && stage <= CLPAC__STAGE_store_warnings;
}

enum clpac__stage clpac__steps_longest(const clpac__layout *layout, bool is_enqueued, uint64_t *n_steps)
{
	enum clpac__stage longest = (enum clpac__stage)0;
	*n_steps = 0;
	for (unsigned i = 0; i < CLPAC__STAGE_COUNT; i++) {
		const enum clpac__stage stage = (enum clpac__stage)i;
		const uint64_t steps = clpac__steps_of(layout, stage);
		if (steps > *n_steps && (is_enqueued || !is_of_enqueued(stage))) {
			*n_steps = steps;
			longest = stage;
		}
	}
	return longest;
}

clpac_status clpac__steps_check(const clpac__layout *layout, bool is_enqueued, const char *device, clpac_error *err)
{
	uint64_t steps;
	const enum clpac__stage stage = clpac__steps_longest(layout, is_enqueued, &steps);
	if (steps <= layout->most_steps)
		return CLPAC_OK;
	return clpac__fail(err, CLPAC_ERROR_UNSUPPORTED,
			   "%s gives up loops after %llu steps, and an item of %s may take %llu for series of %zu "
			   "samples, %zu + %zu bands, filters of up to %zu taps and %zu surrogates; take another "
			   "device, the native one for example, or shorter segments",
			   device, (unsigned long long)layout->most_steps, clpac__stage_get(stage)->name,
			   (unsigned long long)steps, layout->n_samples, layout->n_phase, layout->n_amplitude,
			   layout->tap_stride, layout->n_surrogates);
}

/* The steps after which the generator of cl/steps.cl is at x; n_steps if it is there then, or nowhere before. */
static uint32_t steps_to(uint32_t x, uint32_t n_steps)
{
	uint32_t at = 1, n = 0;
	while (n < n_steps && at != x) {
		at = at * 1664525u + 1013904223u;
		n++;
	}
	return n;
}

clpac_status clpac__steps_prove(const clpac_context *context, const clpac__layout *layout,
				clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err)
{
	clpac__compute *compute = clpac__compute_of(context->queue);
	uint64_t steps;
	uint32_t reached;
	clpac__steps_longest(layout, true, &steps);
	steps = smaller(smaller(steps, layout->most_steps), MOST_COUNTED);
	if (context->queue->device.kind == CLPAC_DEVICE_NATIVE || steps <= UNQUESTIONED || clpac__for_tests.steps ||
	    atomic_load(&compute->most_steps))
		return CLPAC_OK;
	const uint32_t n_steps = (uint32_t)steps;
	RETURN_IF_ERROR(LAUNCH(context, count_steps, layout->n_bins, ITEMS(1, 1, 1),
			       .out = BLOCK(tensors[CLPAC__TENSOR_OBSERVED]), .n_steps = NUMBER(n_steps)));
	RETURN_IF_ERROR(clpac_buffer_read(tensors[CLPAC__TENSOR_OBSERVED], 0, sizeof reached, &reached, err));
	const uint32_t n_taken = steps_to(reached, n_steps);
	if (n_taken == n_steps)
		return CLPAC_OK;
	atomic_store(&compute->most_steps, n_taken ? n_taken : 1);
	RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED, "%s gave up a loop of %u steps after %u", context->queue->device.name,
		     n_steps, n_taken);
	return CLPAC_OK;
}
