/* Sizes of a plan's buffers. */
#include "coupling/layout/layout.h"

#include <math.h>

#include "base/memory.h"
#include "coupling/problem/problem.h"
#include "coupling/layout/fused.h"
#include "coupling/layout/steps.h"
#include "coupling/layout/test_settings.h"
#include "coupling/problem/pieces.h"
#include "shared/each_bin.h"
#include "shared/together.h"
#include "coupling/signal/filter.h"

clpac__test_settings clpac__for_tests;

/* Places that a number of 32 bits counts: edge lists hold the row of a crossing as its distance in vectors. */
static uint64_t most_places(void)
{
	return clpac__for_tests.places ? clpac__for_tests.places : UINT32_MAX;
}

size_t clpac__layout_countable_shifts(const clpac__layout *layout)
{
	const uint64_t most = most_places() / ((uint64_t)layout->n_phase * layout->padded);
	return most > 1 ? (size_t)most - 1 : 1;
}

/* Mean number of edge crossings per sample and phase band: n_bins per cycle at the band's centre.  The caller's phases
 * come without bands; 0.1 is usual. */
static double crossings_per_sample(const clpac__layout *layout, const clpac_problem *problem)
{
	double centres = 0;
	if (layout->has_arrays)
		return 0.1;
	for (size_t i = 0; i < problem->n_phase_bands; i++)
		centres += (problem->phase_bands[i].lo_hz + problem->phase_bands[i].hi_hz) / 2;
	return problem->n_bins * centres / ((double)problem->n_phase_bands * problem->rate_hz);
}

/* The highest frequency that the designed filter of a phase band passes: 2 rate / order above the band. */
static double highest_passed_hz(const clpac_problem *problem, const clpac_band *band)
{
	const size_t order = clpac__filter_order(problem->rate_hz, band->lo_hz, problem->phase_cycles,
						 clpac__problem_shortest(problem), NULL);
	return band->hi_hz + 2 * problem->rate_hz / (double)order;
}

/* Entries reserved for the edge lists of one phase band: twice the crossings of the fastest band at its upper edge,
 * which leaves room for phase slips; two per sample if the bands are unknown; at most n_bins / 2 per sample, since a
 * step goes the short way round.  In a million samples slips are a small share of the cycles: there a twentieth more
 * than the crossings of the highest frequency that passes is enough, if a filter is known to pass nothing above. Series
 * that need more are summed directly. */
static size_t edge_capacity(const clpac__layout *layout, const clpac_problem *problem)
{
	const bool is_long = layout->kept >= (size_t)1 << 20 && !problem->phase_taps.taps;
	double fastest = 0;
	for (size_t i = 0; !layout->has_arrays && i < problem->n_phase_bands; i++) {
		const clpac_band *band = &problem->phase_bands[i];
		const double usual = 2 * band->hi_hz, passed = 1.05 * highest_passed_hz(problem, band);
		fastest = fmax(fastest, is_long ? fmin(usual, passed) : usual);
	}
	const double per_sample = layout->has_arrays ? 2 : fastest / problem->rate_hz * problem->n_bins;
	/* A join of two pieces crosses a quarter of all edges in the mean. */
	const double usual =
		per_sample * (double)layout->kept + (64.0 + 0.25 * (double)layout->n_pieces) * problem->n_bins;
	const double most = (double)(problem->n_bins / 2) * (double)layout->kept;
	const double of_cycle = (double)CLPAC_CYCLE_STRIDE(problem->n_bins) / (double)problem->n_bins;
	const double stretched = layout->vector_width == 1 ? of_cycle : 1;
	/* Kernels count entries in 32 bits. */
	const double countable = (double)(most_places() - most_places() % 16);
	return clpac__round_up((size_t)fmin(stretched * fmin(usual, most), countable), 16);
}

enum {
	SHORTEST_TILE = 64,  /* where a device takes few steps */
	SMALL_CAPACITY = 16, /* of edge lists that few rows have */
};

static size_t tiles_of(const clpac__layout *layout, size_t tile)
{
	return (layout->kept + tile - 1) / tile;
}

/* Tiles of 256 samples keep single-precision partial sums short.  Longer series get longer tiles, so that the one pass
 * over tiles stays short too.  A device that takes few steps gets shorter ones, for as long as it can pass them. */
static void decide_tiles(clpac__layout *layout)
{
	size_t tile = 256;
	/* A tile of a span has numbers for its rows. */
	const size_t most = layout->vector_width > 1 ? CLPAC__SHORT_ENTRIES / layout->row_stride : SIZE_MAX;
	while (tile < layout->kept && tile <= most / 2 &&
	       (layout->kept / tile > 4096 ||
		clpac__steps_of_scale(layout, tiles_of(layout, tile)) > layout->most_steps))
		tile *= 2;
	while (tile > SHORTEST_TILE &&
	       clpac__steps_of_scale(layout, tiles_of(layout, tile / 2)) <= layout->most_steps &&
	       (clpac__steps_of_count(layout, tile) > layout->most_steps ||
		(clpac__steps_of_whole(layout) > layout->most_steps &&
		 clpac__steps_of_spans(layout, tile) > layout->most_steps)))
		tile /= 2;
	layout->tile = tile;
	layout->n_tiles = tiles_of(layout, tile);
	layout->edge_tile = tile;
	layout->n_edge_tiles = layout->n_tiles;
}

/* The longest span, in whole tiles and no longer than `wanted` and than series that are cut have, of which an item can
 * pass two.  Where not even a tile's crossings can be passed, edge lists get no room, so that rows are summed sample by
 * sample. */
static double bounded_span(clpac__layout *layout, double wanted)
{
	const size_t most = layout->kept / 2 > layout->tile ? layout->kept / 2 - layout->tile : 0;
	size_t span = clpac__round_up(wanted < (double)most ? (size_t)wanted + 1 : most, layout->tile);
	if (clpac__steps_of_spans(layout, layout->tile) > layout->most_steps)
		layout->capacity = SMALL_CAPACITY;
	while (span > layout->tile && (clpac__steps_of_spans(layout, span) > layout->most_steps || span > most))
		span -= layout->tile;
	return (double)span;
}

/* The longest span of whole tiles whose rows can be counted, and no longer than those of series that are cut; 0: not
 * even that of a tile. */
static size_t countable_span(const clpac__layout *layout)
{
	const uint64_t places = most_places() / layout->row_stride;
	const uint64_t half = layout->kept / 2 > layout->tile ? layout->kept / 2 - layout->tile : 0;
	const uint64_t most = places < half ? places : half;
	return (size_t)(most - most % layout->tile);
}

/* Whether the rows of a whole series cannot be counted. */
static bool is_too_wide(const clpac__layout *layout)
{
	return (uint64_t)layout->n_tiles * layout->tile > most_places() / layout->row_stride;
}

/* The bytes of a cache in which slabs of prefix sums stay.  Devices that are no CPUs tell the size of a cache that
 * may be any of theirs, ROCm's 16 KiB of a compute unit: all have a second level of 4 MiB or thereabouts, and slabs
 * of 16 KiB would be a launch each for some hundred rows. */
static double cache_bytes(const clpac_device *device)
{
	const uint64_t of_cpu = 1 << 20, least = 4 << 20;
	if (clpac__for_tests.cache)
		return (double)clpac__for_tests.cache;
	if (device->kind == CLPAC_DEVICE_NATIVE || device->kind == CLPAC_DEVICE_OPENCL_CPU)
		return (double)of_cpu;
	return (double)(device->cache_bytes > least ? device->cache_bytes : least);
}

/* The bytes of a slab of prefix sums that stay in memory.  On an H100, which has 50 MiB of second-level cache and
 * tells 4, the surrogates of `recording` take 535, 521, 546, 633, 623, 743, 1830 and 2181 ms with slabs of 0.5,
 * 1, 1.5, 2, 3, 8, 20 and 38 MiB. */
static double slab_bytes(const clpac_device *device)
{
	const bool is_cpu = device->kind == CLPAC_DEVICE_NATIVE || device->kind == CLPAC_DEVICE_OPENCL_CPU;
	return is_cpu || clpac__for_tests.cache ? cache_bytes(device) / 2 : 1 << 20;
}

/* Prefix sums that are kept, whatever is done with them.  Spans of a single series are too few groups for a card: with
 * all of them in what it may take 10^7 samples take 0.53 s on an H100, and 0.86 s in spans. */
static uint64_t bytes_not_streamed(const clpac_device *device, uint64_t budget)
{
	enum { PART = 16 };
	const uint64_t least = (uint64_t)256 << 20;
	return device->kind == CLPAC_DEVICE_DISCRETE_GPU && budget / PART > least ? budget / PART : least;
}

/* The crossings of a phase band that a slab is to have at least.  A CPU loads and stores a vector of unfinished sums
 * for each bin, from the third-level cache; series at 2 to 30 kHz take 0.72 to 0.93 of the time of slabs with 256. */
static double least_crossings(const clpac__layout *layout)
{
	return layout->vector_width > 1 ? 1600 : 256;
}

/* Decides how surrogates pass the prefix sums.
 *
 * Prefix sums that fit in a cache are passed at once.  With vectors of several bands the series then is stored twice,
 * so that no shifted sum wraps around at its end; with vectors of one, shifts walk around it (cl/bin_tiles.cl).  Longer
 * ones are passed in slabs (cl/slab_sums.cl), on a CPU of half a core's second-level cache (1 MiB on most of
 * today's). Loading and storing unfinished sums pays only if a slab brings each phase band enough edge crossings
 * (least_crossings), so series sampled far above their phase get longer slabs.
 *
 * Prefix sums of many MiB are not kept at all: filtering again for each chunk of surrogates takes a tenth of the time
 * of its sums, and memory then no longer grows with them.  Three spans at a time are made and passed while they are in
 * the cache; more of them, in longer sections, were no faster.  Their slabs are a whole cache: what that costs in
 * misses is less than what longer lists save.
 *
 * Transforms of all shifts (cl/all_shifts.cl) and amplitudes that are not shifted (cl/variants.cl) need prefix sums of
 * whole series, and no second copy of them.
 *
 * Series whose crossings are more than an item may pass in a launch are cut whatever their size, and so are those whose
 * rows of panels cannot be counted in 32 bits; where not even a tile's can, groups lie apart.
 */
static void decide_rows(clpac__layout *layout, const clpac_problem *problem, const clpac__queue *queue, uint64_t budget)
{
	const uint64_t streamed_from = clpac__for_tests.streamed_from ? clpac__for_tests.streamed_from
								      : bytes_not_streamed(&queue->device, budget);
	const double cache = cache_bytes(&queue->device);
	if (!countable_span(layout) && is_too_wide(layout))
		layout->row_stride = 1;
	/* Panels are passed one at a time. */
	const double row = 4.0 * (double)(layout->padded / layout->groups * layout->row_stride);
	const bool is_passed = layout->passes_lists;
	layout->rows = is_passed && layout->vector_width > 1 ? 2 * layout->kept : layout->kept;
	layout->span = layout->n_tiles * layout->tile;
	layout->n_spans = 1;
	const bool is_large = (uint64_t)layout->kept * layout->padded * 4 > streamed_from && !layout->is_trimmed &&
			      (!layout->n_surrogates || layout->null == CLPAC_NULL_SHIFTS) && !layout->has_linear;
	const bool is_too_long = clpac__steps_of_whole(layout) > layout->most_steps;
	const bool is_cut = is_too_long || is_too_wide(layout);
	layout->walks_lists = layout->vector_width == 1;
	if (!is_cut && (layout->is_trimmed || (!is_large && (!is_passed || (double)layout->rows * row <= cache))))
		return;
	const double slab = is_large ? cache : slab_bytes(&queue->device);
	const double usual = fmax(slab / row, least_crossings(layout) / crossings_per_sample(layout, problem));
	double wanted = clpac__for_tests.span ? (double)clpac__for_tests.span : usual;
	if (is_too_long)
		wanted = bounded_span(layout, wanted);
	if (is_too_wide(layout))
		wanted = fmin(wanted, (double)countable_span(layout));
	if (layout->vector_width > 1) {
		const size_t most = CLPAC__SHORT_ENTRIES / layout->row_stride;
		wanted = fmin(wanted, (double)(most - most % layout->tile));
	}
	if (wanted < 1 || 2 * wanted + (double)layout->tile > (double)layout->kept) {
		layout->capacity = is_too_long ? SMALL_CAPACITY : layout->capacity;
		return;
	}
	layout->span = clpac__round_up((size_t)wanted, layout->tile);
	layout->n_spans = (layout->kept + layout->span - 1) / layout->span;
	layout->is_streamed = is_large;
	layout->walks_lists = false;
	layout->rows = (is_large ? 3 : layout->n_spans + 1) * layout->span;
}

/* The groups of bands that a sample has side by side: on a CPU one.  Lanes of a GPU that take neighbouring bands of a
 * sample read whole lines of 128 bytes from rows of 32 bands.  Rows of few bands have no more, which lets no lane idle:
 * on an H200 10, 18 and 24 bands of short series take 0.69, 0.61 and 0.78 of the time that they take in rows of 16 and
 * 32; 25 take 1.12.  Those of long series, in slabs, 0.97 for 10 bands and 1.05 for 20. */
static size_t groups_of_row(const clpac__layout *layout, const clpac__queue *queue)
{
	enum { LINE = 32, FEW = 16, SEVERAL = 24 };
	const clpac_device_kind kind = queue->device.kind;
	const size_t n = layout->n_amplitude, width = layout->vector_width, bands = n > FEW ? LINE : n > 8 ? FEW : 8;
	const bool is_cpu = kind == CLPAC_DEVICE_NATIVE || kind == CLPAC_DEVICE_OPENCL_CPU;
	const bool is_short = 4.0 * LINE * (double)layout->kept <= cache_bytes(&queue->device);
	if (clpac__for_tests.row_groups)
		return clpac__for_tests.row_groups;
	if (is_cpu || bands < width)
		return 1;
	if (width > 1)
		return bands / width;
	return n <= FEW || (n <= SEVERAL && is_short) ? n : LINE;
}

/* Sets the members that follow from the problem and its kept samples, for both kinds of input. */
static clpac_status begin_bins(const clpac_problem *problem, const clpac__queue *queue, uint64_t budget,
			       clpac__layout *layout, clpac_error *err)
{
	const size_t longest = layout->n_samples > layout->kept ? layout->n_samples : layout->kept;
	if (longest > (size_t)1 << 29)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED, "%s %zu: a series may hold at most %zu samples; %s",
			     problem->stretches ? "stretches: the samples of a segment and of its extensions are"
			     : problem->windows ? "windows: the samples of a segment that are used are"
						: "n_samples is",
			     longest, (size_t)1 << 29,
			     problem->stretches || problem->windows ? "give fewer at once" : "cut it into segments");
	layout->n_series = clpac__problem_rows(problem) * problem->n_segments;
	layout->n_phase = problem->n_phase_bands;
	layout->n_amplitude = problem->n_amplitude_bands;
	layout->n_bins = problem->n_bins;
	layout->n_surrogates = problem->n_surrogates;
	layout->n_measures = problem->n_measures;
	layout->has_pairs = problem->pairs != NULL;
	layout->has_linear = clpac__problem_has_linear(problem);
	for (size_t i = 0; i < problem->n_measures; i++) {
		layout->has_ranks |= problem->measures[i] == CLPAC_MEASURE_GCMI;
		layout->has_slow |= problem->measures[i] == CLPAC_MEASURE_PAC_GLM;
		layout->has_locking |= problem->measures[i] == CLPAC_MEASURE_PLV;
	}
	layout->is_all = problem->null == CLPAC_NULL_ALL_SHIFTS;
	layout->null = problem->n_surrogates ? problem->null : CLPAC_NULL_SHIFTS;
	layout->n_segments = problem->n_segments;
	layout->n_blocks = problem->n_blocks;
	/* Windows that are shifted, each by itself, or permuted, are time blocks in another order (variants.c). */
	const bool are_shifted = clpac__problem_shifts_windows(problem);
	if (are_shifted || clpac__problem_permutes_windows(problem)) {
		layout->null = CLPAC_NULL_BLOCKS;
		layout->n_blocks = problem->n_windows * (are_shifted ? 2 : 1);
	}
	const bool are_filtered = layout->null == CLPAC_NULL_TRIALS || layout->null == CLPAC_NULL_PHASES;
	layout->sharing = are_filtered ? layout->n_measures : 1;
	layout->passes_lists =
		layout->n_surrogates && layout->null == CLPAC_NULL_SHIFTS && clpac__problem_has_binned(problem);
	layout->has_clusters = problem->n_surrogates && problem->cluster_alpha > 0;
	layout->bin_stride = clpac__round_up(layout->kept, 16);
	layout->vector_width = clpac__compute_of(queue)->vector_width;
	layout->capacity = edge_capacity(layout, problem);
	layout->row_stride = groups_of_row(layout, queue);
	layout->groups = clpac__round_up(clpac__vectors(layout, layout->n_amplitude), layout->row_stride);
	layout->padded = layout->groups * layout->vector_width;
	layout->together = CLPAC_TOGETHER(layout->vector_width);
	layout->abreast = CLPAC_ABREAST(layout->vector_width);
	layout->ranked = CLPAC_RANKED(layout->vector_width);
	layout->moment_groups = CLPAC_MOMENT_GROUPS(layout->vector_width);
	layout->tiles_abreast = CLPAC_TILES(layout->vector_width);
	const unsigned most = atomic_load(&clpac__compute_of(queue)->most_steps);
	layout->most_steps = clpac__for_tests.steps ? clpac__for_tests.steps : most ? most : UINT64_MAX;
	decide_tiles(layout);
	decide_rows(layout, problem, queue, budget);
	clpac__decide_edge_tiles(layout, &queue->device);
	return CLPAC_OK;
}

/* The longest order among the bands of one use. */
static size_t longest_order(const clpac_problem *problem, clpac_band_use use)
{
	clpac_problem one = *problem;
	if (use == CLPAC_PHASE)
		one.n_amplitude_bands = 0;
	else
		one.n_phase_bands = 0;
	return clpac__problem_longest_filter(&one) - 1;
}

/* Samples from one coarse value of the phase bands to the next (cl/coarse_bins.cl): 8 to 64, or 1 where a value of each
 * sample costs no more.
 *
 * 36 values a cycle of the highest frequency that a filter passes make the polynomial's error in it 1e-9.  Only
 * designed filters are known to leave nothing above; a caller's filter that does would have most samples decided by
 * exact sums.  OpenCL devices, without a first look in double precision, keep a value at every sample, and so do
 * problems with linear measures, which take the vector of each sample.
 */
static size_t coarse_gap(const clpac_problem *problem, const clpac__queue *queue, const clpac__layout *layout)
{
	enum { SHORTEST = 8, LONGEST = 64 };
	double values_a_second = 0;
	if (queue->device.kind != CLPAC_DEVICE_NATIVE || layout->is_trimmed || problem->phase_taps.taps ||
	    layout->has_linear)
		return 1;
	for (size_t i = 0; i < problem->n_phase_bands; i++)
		values_a_second = fmax(values_a_second, 36 * highest_passed_hz(problem, &problem->phase_bands[i]));
	size_t gap = LONGEST;
	while (gap >= SHORTEST && (values_a_second * (double)gap > problem->rate_hz ||
				   (clpac__for_tests.gap && gap > clpac__for_tests.gap)))
		gap /= 2;
	/* The reflection at the ends needs as many samples. */
	return gap >= SHORTEST && clpac__round_up(layout->banks[CLPAC_PHASE].pad, gap) < layout->n_samples ? gap : 1;
}

/* Both uses have the same sections where a new length is dear: engines that serve wide transforms compile its kernels
 * for seconds. */
static void divide_banks(const clpac_problem *problem, const clpac__queue *queue, const clpac__fft_engine *engine,
			 clpac__layout *layout)
{
	clpac__bank *phase = &layout->banks[CLPAC_PHASE], *amplitude = &layout->banks[CLPAC_AMPLITUDE];
	const size_t wanted = layout->is_trimmed ? layout->n_samples : layout->passed;
	const size_t at_once = layout->is_streamed ? 2 * layout->span : wanted;
	*phase = (clpac__bank){.n = layout->n_phase, .pad = longest_order(problem, CLPAC_PHASE)};
	*amplitude = (clpac__bank){
		.first = layout->n_phase, .n = layout->n_amplitude, .pad = longest_order(problem, CLPAC_AMPLITUDE)};
	if (engine->is_wide)
		phase->pad = amplitude->pad = phase->pad > amplitude->pad ? phase->pad : amplitude->pad;
	phase->gap = coarse_gap(problem, queue, layout);
	phase->pad = clpac__round_up(phase->pad, phase->gap);
	amplitude->gap = 1;
	clpac__bank_divide(phase, wanted, layout->is_trimmed, queue, engine);
	clpac__bank_divide(amplitude, at_once, layout->is_trimmed, queue, engine);
}

/* Whether an engine transforms rows of a length, be it one that it would not choose. */
static bool transforms(const clpac__fft_engine *engine, const clpac__queue *queue, size_t length)
{
	const clpac__fft_shape shape = {.length = length, .rows = 1, .stride_real = length, .stride_spectrum = length};
	return engine->next_length(length) == length ||
	       (engine->accepts && engine->accepts(queue, &shape, NULL) == CLPAC_OK);
}

/* At most n amplitude bands, such that the bands from a multiple of them on never lie in a part of one vector and a
 * part of the next: all bands, whole vectors, or a power of two, as vectors are. */
static size_t whole_groups(const clpac__layout *layout, size_t n)
{
	size_t bands = 1;
	if (n >= layout->n_amplitude)
		return layout->n_amplitude;
	if (n >= layout->vector_width)
		return n - n % layout->vector_width;
	while (2 * bands <= n)
		bands *= 2;
	return bands;
}

/* Decides the transforms that give all shifts at once, for bins or for linear measures. */
static clpac_status plan_all_shifts(const clpac_problem *problem, const clpac__queue *queue,
				    const clpac__fft_engine *engine, clpac__layout *layout, clpac_error *err)
{
	const clpac_device_kind kind = queue->device.kind;
	const bool is_cpu = kind == CLPAC_DEVICE_NATIVE || kind == CLPAC_DEVICE_OPENCL_CPU;
	clpac__shifted *shifted = &layout->shifted;
	const size_t gap = layout->is_all ? problem->shift_step : 1, kept = layout->kept;
	const bool are_of_bins = layout->is_all && clpac__problem_has_binned(problem);
	if (!layout->is_all && !layout->has_linear)
		return CLPAC_OK;
	const bool is_whole =
		kept % gap == 0 && engine->next_length(kept / gap) == kept / gap && engine->next_length(kept) == kept;
	const size_t needed = is_whole ? kept : 2 * kept - 1;
	size_t n_values = engine->next_length((needed + gap - 1) / gap);
	/* A multiple of the gap that the engine takes: mostly the first. */
	for (int tries = 0; n_values && !transforms(engine, queue, n_values * gap) && tries < 1000; tries++)
		n_values = engine->next_length(n_values + 1);
	if (!n_values || !transforms(engine, queue, n_values * gap))
		RETURN_ERROR(
			CLPAC_ERROR_UNSUPPORTED,
			"shift_step is %zu: %s transforms no series of %zu samples whose length is a multiple of it; "
			"give a step with small factors, as 1, 2, 4, 5, 8 or 10",
			gap, engine->name, kept);
	const size_t of_bins = are_of_bins ? (layout->n_bins + 1) / 2 : 1;
	const size_t n_sequences = layout->has_locking && of_bins < 2 ? 2 : of_bins;
	*shifted = (clpac__shifted){.length = n_values * gap, .gap = gap, .n_values = n_values, .n_pairs = n_sequences};
	const uint64_t band = (uint64_t)shifted->n_pairs * n_values * 8, most = is_cpu ? 6 << 20 : 64 << 20;
	const size_t rows = is_cpu ? SIZE_MAX : CLPAC__MOST_ROWS / shifted->n_pairs;
	const size_t usual = band >= most ? 1 : (size_t)(most / band), at_once = usual < rows ? usual : rows;
	shifted->bands = whole_groups(layout, at_once);
	const size_t phases = at_once / shifted->bands;
	shifted->phases = phases < layout->n_phase ? phases : layout->n_phase;
	return CLPAC_OK;
}

/* Sets the members that say which samples are used. */
static void set_used_samples(const clpac_problem *p, clpac__layout *layout)
{
	clpac__pieces walk = clpac__pieces_begin(p);
	clpac__piece piece;
	size_t end = 0, n_pieces = 0;
	layout->n_samples = clpac__staged_samples(p);
	layout->n_stretches = clpac__problem_n_stretches(p);
	layout->kept = 0;
	while (clpac__pieces_next(&walk, &piece)) {
		if (!n_pieces++)
			layout->begin = piece.staged;
		end = piece.staged + piece.n;
		layout->kept += piece.n;
	}
	layout->n_pieces = n_pieces;
	layout->passed = end - layout->begin;
	layout->is_gathered = n_pieces > 1;
}

clpac_status clpac__layout_begin(const clpac_problem *problem, const clpac__queue *queue,
				 const clpac__fft_engine *engine, uint64_t budget, clpac__layout *layout,
				 clpac_error *err)
{
	enum { STRIP = 64 };
	*layout = (clpac__layout){
		.is_trimmed = problem->hilbert == CLPAC_HILBERT_TRIMMED,
		.is_wide = engine->is_wide,
		.edge = (size_t)problem->edge_samples, /* not CLPAC_EDGE_AUTO in a complete problem */
		.strip = STRIP,
	};
	set_used_samples(problem, layout);
	RETURN_IF_ERROR(begin_bins(problem, queue, budget, layout, err));
	RETURN_IF_ERROR(plan_all_shifts(problem, queue, engine, layout, err));
	divide_banks(problem, queue, engine, layout);
	const clpac__bank *phase = &layout->banks[CLPAC_PHASE], *amplitude = &layout->banks[CLPAC_AMPLITUDE];
	layout->n_strips = phase->length / 2 / STRIP + 1;
	layout->tap_stride = layout->is_trimmed ? 0 : longest_order(problem, CLPAC_PHASE) + 1;
	const size_t passed_stride = clpac__round_up(phase->n_sections * phase->step, 16);
	if (layout->is_gathered)
		layout->passed_stride = passed_stride;
	/* The last section may write beyond the kept samples. */
	if (!layout->is_trimmed && !layout->is_gathered) {
		layout->bin_stride = passed_stride;
		if (layout->n_spans > 1)
			layout->rows += amplitude->step;
		else if (layout->rows == layout->kept)
			layout->rows = amplitude->n_sections * amplitude->step;
	}
	if (layout->is_trimmed) {
		layout->hilbert_length = engine->next_length(2 * layout->n_samples - 1);
		layout->hilbert_stride = clpac__round_up(layout->hilbert_length / 2 + 1, 8);
	}
	return clpac__steps_check(layout, false, queue->device.name, err);
}

clpac_status clpac__layout_begin_arrays(const clpac_problem *problem, const clpac__queue *queue,
					const clpac__fft_engine *engine, uint64_t budget, clpac__layout *layout,
					clpac_error *err)
{
	*layout = (clpac__layout){.n_samples = problem->n_samples,
				  .kept = problem->n_samples,
				  .passed = problem->n_samples,
				  .n_pieces = 1,
				  .n_stretches = 1,
				  .has_arrays = true};
	RETURN_IF_ERROR(begin_bins(problem, queue, budget, layout, err));
	RETURN_IF_ERROR(plan_all_shifts(problem, queue, engine, layout, err));
	return clpac__steps_check(layout, false, queue->device.name, err);
}

size_t clpac__layout_group(const clpac__layout *layout, clpac_band_use use)
{
	const clpac__bank *bank = &layout->banks[use];
	const size_t values = bank->sections * clpac__bank_values(bank);
	if (clpac__layout_joins_banks(layout))
		return bank->n;
	if (layout->is_trimmed || !values)
		return layout->group_bands;
	size_t group = (size_t)(layout->group_bands * clpac__layout_values(layout) / values);
	/* Whole vectors are written faster (cl/amplitude.cl). */
	if (use == CLPAC_AMPLITUDE && group > layout->vector_width)
		group -= group % layout->vector_width;
	return group < layout->group_bands ? layout->group_bands : group < bank->n ? group : bank->n;
}

static size_t bands_of_larger_bank(const clpac__layout *layout)
{
	return layout->n_phase > layout->n_amplitude ? layout->n_phase : layout->n_amplitude;
}

bool clpac__layout_joins_banks(const clpac__layout *layout)
{
	return layout->group_bands > bands_of_larger_bank(layout);
}

bool clpac__layout_may_join(const clpac__layout *layout)
{
	const bool filters_both = !layout->has_arrays && !layout->has_pairs && !layout->is_streamed;
	const bool filters_again = clpac__has_variants(layout) || layout->has_locking;
	return !clpac__for_tests.banks_apart && clpac__layout_shares_spectra(layout) && !layout->is_trimmed &&
	       filters_both && !filters_again && layout->group_bands == bands_of_larger_bank(layout);
}

bool clpac__layout_shares_spectra(const clpac__layout *layout)
{
	const clpac__bank *phase = &layout->banks[CLPAC_PHASE], *amplitude = &layout->banks[CLPAC_AMPLITUDE];
	return layout->is_wide && phase->length == amplitude->length && phase->pad == amplitude->pad &&
	       phase->step == amplitude->step && phase->n_sections == amplitude->n_sections &&
	       phase->sections == phase->n_sections && amplitude->sections == amplitude->n_sections;
}

size_t clpac__place_of_group(const clpac__layout *layout, size_t group, size_t n_rows)
{
	return group / layout->row_stride * n_rows * layout->row_stride + group % layout->row_stride;
}

size_t clpac__vectors(const clpac__layout *layout, size_t n)
{
	return (n + layout->vector_width - 1) / layout->vector_width;
}

size_t clpac__layout_slots(const clpac__layout *layout)
{
	if (!clpac__has_variants(layout))
		return 0;
	return layout->null == CLPAC_NULL_TRIALS ? layout->at_once : layout->batch * layout->at_once;
}

size_t clpac__layout_filtered(const clpac__layout *layout)
{
	const size_t slots = layout->null == CLPAC_NULL_BLOCKS ? 0 : clpac__layout_slots(layout);
	return slots > layout->batch ? slots : layout->batch;
}

size_t clpac__sums_at_once(const clpac__layout *layout)
{
	return layout->passes_lists ? layout->chunk + 1 : 1;
}

bool clpac__adds_up_tiles(const clpac__layout *layout)
{
	enum { FEW = 32 };
	return layout->n_spans == 1 && layout->n_tiles <= FEW;
}
