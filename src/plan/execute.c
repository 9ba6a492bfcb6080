/* The method, applied to one batch of series:
 *
 *     load -> blocks -> forward FFT -> select bands -> inverse FFT -+-> phase bins -> edge lists ----+
 *                                                                   +-> amplitudes -> prefix sums ---+-> index
 *     index -> surrogates -> store
 */
#include "plan/execute.h"

#include <stdio.h>
#include <string.h>

#include "plan/ahead.h"
#include "plan/launch.h"
#include "plan/load.h"
#include "plan/fetch.h"
#include "plan/fused.h"
#include "plan/all_shifts.h"
#include "plan/linear.h"
#include "plan/measures.h"
#include "plan/pairs.h"
#include "plan/profile.h"
#include "plan/steps.h"
#include "plan/used_samples.h"
#include "plan/variants.h"
#include "plan/windows.h"
#include "shared/each_bin.h"

/* Series that are filtered in place of the batch's samples, and where their vectors go. */
typedef struct source {
	clpac_buffer *samples, *vectors;
	size_t n_samples;
} source;

/* Blocks first .. first + n - 1 of n_series series, for the bands of one use.  Block 0 begins with sample `from` of
 * those that pass the filters; kept samples kept .. kept + count - 1 are wanted, and the amplitudes of the first go to
 * row first_row. */
typedef struct stretch {
	clpac_band_use use;
	const clpac__bank *bank;
	const source *source; /* NULL: the batch's samples */
	size_t n_series, first, n, from, kept, count, first_row;
} stretch;

/* What was made of the blocks of a bank before. */
typedef enum there { NOTHING, SPECTRA, SIGNALS } there;

static size_t rows_of(const stretch *at)
{
	return at->n_series * at->n;
}

/* Where the analytic signals of n_bands bands are: bands of a block, and values of it before the first of them. */
typedef struct signals {
	size_t block_bands, before;
} signals;

static signals signals_of(const clpac__layout *l, const stretch *at, size_t n_bands)
{
	if (!clpac__layout_joins_banks(l))
		return (signals){n_bands, 0};
	return (signals){l->group_bands, at->use == CLPAC_AMPLITUDE ? l->n_phase * at->bank->length : 0};
}

/* The spectra of blocks. */
static clpac_status forward(clpac_plan *plan, const stretch *at, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *part = plan->parts;
	const clpac__blocks_of blocks = {
		.bank = bank,
		.forward = plan->transforms.forward[at->use],
		.samples = at->source ? at->source->samples : part[CLPAC__PART_SAMPLES],
		.n_samples = at->source ? at->source->n_samples : l->n_samples,
		.begin = at->source || l->is_trimmed ? 0 : l->begin + at->from,
		.first = at->first,
		.n = at->n,
		.n_series = at->n_series,
	};
	TRY(clpac__transform_blocks(plan->context, &plan->transforms, l, part, &blocks, err));
	if (at->use != CLPAC_PHASE || !l->tap_stride || at->source)
		goto done;
	if (clpac__fuses_noise(l))
		TRY(LAUNCH_ROWS(
			plan->context, block_noise, 0, rows_of(at), clpac__lanes_of_noise(l),
			.spectrum = BLOCK(part[CLPAC__PART_SPECTRUM]), .energy = BLOCK(part[CLPAC__PART_ENERGY]),
			.weights = BLOCK(part[CLPAC__PART_NOISE_WEIGHTS]), .noise = BLOCK(part[CLPAC__PART_NOISE]),
			.length = NUMBER(bank->length), .strip = NUMBER(l->strip), .n_strips = NUMBER(l->n_strips),
			.n_bands = NUMBER(bank->n), .block_bands = NUMBER(signals_of(l, at, bank->n).block_bands)));
	else
		TRY(LAUNCH(plan->context, spectrum_energy, 0, ITEMS(l->n_strips, rows_of(at), 1),
			   .spectrum = BLOCK(part[CLPAC__PART_SPECTRUM]), .energy = BLOCK(part[CLPAC__PART_ENERGY]),
			   .length = NUMBER(bank->length), .strip = NUMBER(l->strip), .n_strips = NUMBER(l->n_strips)));
done:
	return st;
}

/* The Hilbert transform of the kept samples of `rows` filtered rows, in place of what the filters made of it. */
static clpac_status trimmed_hilbert(clpac_plan *plan, const clpac__bank *bank, size_t rows, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__transforms *transforms = &plan->transforms;
	clpac_buffer *const *part = plan->parts;
	TRY(LAUNCH(plan->context, kept_part, 0, ITEMS(l->hilbert_length, rows, 1),
		   .analytic = BLOCK(part[CLPAC__PART_ANALYTIC]), .real = BLOCK(part[CLPAC__PART_FILTERED]),
		   .length = NUMBER(bank->length), .first = NUMBER(bank->pad), .n_samples = NUMBER(l->n_samples),
		   .stride = NUMBER(l->hilbert_length)));
	TRY(clpac__transform(transforms, transforms->hilbert_forward, part[CLPAC__PART_FILTERED],
			     part[CLPAC__PART_HILBERT_SPECTRUM], part[CLPAC__PART_FFT], rows, err));
	TRY(LAUNCH(plan->context, hilbert_pair, 0, ITEMS(l->hilbert_length, rows, 1),
		   .spectrum = BLOCK(part[CLPAC__PART_HILBERT_SPECTRUM]),
		   .weights = BLOCK(part[CLPAC__PART_HILBERT_WEIGHTS]),
		   .analytic = BLOCK(part[CLPAC__PART_HILBERT_ANALYTIC]), .length = NUMBER(l->hilbert_length),
		   .spectrum_stride = NUMBER(l->hilbert_stride)));
	TRY(clpac__transform(transforms, transforms->hilbert_inverse, part[CLPAC__PART_HILBERT_ANALYTIC],
			     part[CLPAC__PART_HILBERT_ANALYTIC], part[CLPAC__PART_FFT], rows, err));
done:
	return st;
}

/* The analytic signals of n_bands bands of a bank, `first` and up, in the blocks whose spectra are there; those of
 * joined banks are all made with the phases'. */
static clpac_status analytic_bands(clpac_plan *plan, const stretch *at, size_t first, size_t n_bands, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *part = plan->parts;
	if (clpac__layout_joins_banks(&plan->layout))
		n_bands = plan->layout.group_bands;
	TRY(clpac__transform_select(plan->context, &plan->layout, part, at->use, first, n_bands, rows_of(at), err));
	TRY(clpac__transform(&plan->transforms, plan->transforms.inverse[at->use], part[CLPAC__PART_ANALYTIC],
			     part[CLPAC__PART_ANALYTIC], part[CLPAC__PART_FFT], rows_of(at) * n_bands, err));
	if (plan->layout.is_trimmed)
		TRY(trimmed_hilbert(plan, bank, rows_of(at) * n_bands, err));
done:
	return st;
}

/* The bound of an angle's own error, as cl/phase_bins.cl takes it: twice the square of 2e-7 turns, the sum of 4
 * roundings of the analytic signal (4e-8 turns) and of those in shared/phase_bin.h (6e-8 in its last sum, 5e-8 before).
 */
static const double angle_rounding = 2 * 2e-7 * 2e-7;

/* The part into which bins of all samples that pass are written. */
static enum clpac__part bins_part(const clpac__layout *l)
{
	return l->is_gathered ? CLPAC__PART_PASSED_BINS : CLPAC__PART_BINS;
}

static size_t stride_of_bins(const clpac__layout *l)
{
	return l->is_gathered ? l->passed_stride : l->bin_stride;
}

/* The kept samples that the blocks have, and others. */
static void places_of(const clpac_plan *plan, const stretch *at, size_t *first, size_t *end)
{
	const size_t from = at->from + at->first * at->bank->step;
	clpac__used_places(plan, at->kept, at->count, from, from + at->n * at->bank->step, first, end);
}

/* Amplitudes of the samples that are used, in bands `first` and up. */
static clpac_status gather_amplitudes(clpac_plan *plan, const stretch *at, size_t first, size_t n_bands,
				      clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const signals of = signals_of(l, at, n_bands);
	const size_t width = l->vector_width, vectors = (first + n_bands - 1) / width - first / width + 1;
	size_t place, end;
	places_of(plan, at, &place, &end);
	if (place >= end)
		return CLPAC_OK;
	return LAUNCH(plan->context, gather_amplitude, 0,
		      ITEMS((end - place + l->abreast - 1) / l->abreast, vectors, at->n_series),
		      .sources = BLOCK(plan->parts[CLPAC__PART_SOURCES]),
		      .analytic = BLOCK(plan->parts[CLPAC__PART_ANALYTIC]),
		      .amplitude = BLOCK(plan->parts[CLPAC__PART_AMPLITUDE]), .begin = NUMBER(at->from),
		      .length = NUMBER(at->bank->length), .first = NUMBER(of.before + at->bank->pad),
		      .step = NUMBER(at->bank->step), .first_block = NUMBER(at->first), .n_blocks = NUMBER(at->n),
		      .n_rows = NUMBER(l->rows), .block_bands = NUMBER(of.block_bands), .group_bands = NUMBER(n_bands),
		      .first_band = NUMBER(first), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_place = NUMBER(place), .n_places = NUMBER(end - place), .from_place = NUMBER(at->kept),
		      .first_row = NUMBER(at->first_row));
}

static clpac_status gather_vectors(clpac_plan *plan, const stretch *at, size_t first, size_t n_bands, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	size_t place, end;
	places_of(plan, at, &place, &end);
	if (place >= end)
		return CLPAC_OK;
	return LAUNCH(plan->context, gather_vectors, 0, ITEMS(end - place, n_bands, at->n_series),
		      .sources = BLOCK(plan->parts[CLPAC__PART_SOURCES]),
		      .analytic = BLOCK(plan->parts[CLPAC__PART_ANALYTIC]),
		      .vectors = BLOCK(plan->parts[CLPAC__PART_VECTORS]), .length = NUMBER(at->bank->length),
		      .first = NUMBER(at->bank->pad), .step = NUMBER(at->bank->step), .first_block = NUMBER(at->first),
		      .n_blocks = NUMBER(at->n), .block_bands = NUMBER(signals_of(l, at, n_bands).block_bands),
		      .first_band = NUMBER(first), .n_phase = NUMBER(l->n_phase), .n_samples = NUMBER(l->kept),
		      .first_place = NUMBER(place));
}

/* Phase bins of the bands `first` and up, or their amplitudes. */
static clpac_status take_values(clpac_plan *plan, const stretch *at, size_t first, size_t n_bands, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *part = plan->parts;
	clpac_buffer *analytic = part[l->is_trimmed ? CLPAC__PART_HILBERT_ANALYTIC : CLPAC__PART_ANALYTIC];
	const size_t length = l->is_trimmed ? l->hilbert_length : bank->length;
	const size_t from = l->is_trimmed ? l->edge : bank->pad, step = l->is_trimmed ? l->kept : bank->step;
	const signals of = signals_of(l, at, n_bands);
	if (at->use == CLPAC_AMPLITUDE && l->is_gathered) {
		TRY(gather_amplitudes(plan, at, first, n_bands, err));
		goto done;
	}
	if (at->use == CLPAC_AMPLITUDE) {
		const size_t width = l->vector_width, vectors = (first + n_bands - 1) / width - first / width + 1;
		TRY(LAUNCH(plan->context, amplitude, 0,
			   ITEMS((step + l->abreast - 1) / l->abreast, vectors, rows_of(at)),
			   .analytic = BLOCK(analytic), .amplitude = BLOCK(part[CLPAC__PART_AMPLITUDE]),
			   .length = NUMBER(length), .first = NUMBER(of.before + from), .step = NUMBER(step),
			   .first_block = NUMBER(at->first), .n_blocks = NUMBER(at->n), .n_rows = NUMBER(l->rows),
			   .block_bands = NUMBER(of.block_bands), .group_bands = NUMBER(n_bands),
			   .first_band = NUMBER(first), .row_stride = NUMBER(l->row_stride),
			   .groups = NUMBER(l->groups), .first_row = NUMBER(at->first_row)));
		goto done;
	}
	if (l->has_linear && l->is_gathered)
		TRY(gather_vectors(plan, at, first, n_bands, err));
	else if (at->source || l->has_linear) {
		clpac_buffer *vectors = at->source ? at->source->vectors : part[CLPAC__PART_VECTORS];
		TRY(LAUNCH(plan->context, phase_vectors, 0, ITEMS(step, n_bands, rows_of(at)),
			   .analytic = BLOCK(analytic), .vectors = BLOCK(vectors), .length = NUMBER(length),
			   .first = NUMBER(from), .step = NUMBER(step), .first_block = NUMBER(at->first),
			   .n_blocks = NUMBER(at->n), .block_bands = NUMBER(of.block_bands),
			   .first_band = NUMBER(first), .n_phase = NUMBER(l->n_phase), .n_samples = NUMBER(l->kept)));
	}
	if (at->source)
		goto done;
	if (l->tap_stride && !clpac__fuses_noise(l))
		TRY(LAUNCH(plan->context, band_noise, 0, ITEMS(n_bands, rows_of(at), 1),
			   .energy = BLOCK(part[CLPAC__PART_ENERGY]), .weights = BLOCK(part[CLPAC__PART_NOISE_WEIGHTS]),
			   .noise = BLOCK(part[CLPAC__PART_NOISE]), .n_strips = NUMBER(l->n_strips),
			   .first_band = NUMBER(first), .block_bands = NUMBER(of.block_bands)));
	if (bank->gap > 1) {
		enum { GAPS_OF_ITEM = 64 }; /* as in cl/coarse_bins.cl */
		const size_t n_gaps = step / bank->gap;
		TRY(LAUNCH(plan->context, coarse_noise, 0, ITEMS(n_bands, rows_of(at), 1),
			   .energy = BLOCK(part[CLPAC__PART_ENERGY]),
			   .weights = BLOCK(part[CLPAC__PART_COARSE_WEIGHTS]), .noise = BLOCK(part[CLPAC__PART_NOISE]),
			   .n_strips = NUMBER(l->n_strips), .first_band = NUMBER(first), .n_bands = NUMBER(n_bands)));
		TRY(LAUNCH(plan->context, coarse_bins, l->n_bins,
			   ITEMS((n_gaps + GAPS_OF_ITEM - 1) / GAPS_OF_ITEM, n_bands, rows_of(at)),
			   .analytic = BLOCK(analytic), .noise = BLOCK(part[CLPAC__PART_NOISE]),
			   .bins = BLOCK(part[bins_part(l)]), .n_coarse = NUMBER(clpac__bank_values(bank)),
			   .first = NUMBER(from / bank->gap), .n_gaps = NUMBER(n_gaps), .gap = NUMBER(bank->gap),
			   .first_block = NUMBER(at->first), .n_blocks = NUMBER(at->n), .group_bands = NUMBER(n_bands),
			   .first_band = NUMBER(first), .n_phase = NUMBER(l->n_phase),
			   .bin_stride = NUMBER(stride_of_bins(l)), .n_bins = NUMBER(l->n_bins),
			   .rounding = REAL(angle_rounding)));
		goto done;
	}
	TRY(LAUNCH(plan->context, phase_bins, l->n_bins, ITEMS(step, n_bands, rows_of(at)), .analytic = BLOCK(analytic),
		   .noise = BLOCK(part[CLPAC__PART_NOISE]), .bins = BLOCK(part[bins_part(l)]), .length = NUMBER(length),
		   .first = NUMBER(from), .step = NUMBER(step), .first_block = NUMBER(at->first),
		   .n_blocks = NUMBER(at->n), .block_bands = NUMBER(of.block_bands), .first_band = NUMBER(first),
		   .n_phase = NUMBER(l->n_phase), .bin_stride = NUMBER(stride_of_bins(l)), .n_bins = NUMBER(l->n_bins),
		   .rounding = REAL(l->tap_stride ? angle_rounding : 0)));
done:
	return st;
}

/* Passes `count` kept samples of n series, from number `from` on, through the bands of one use, some blocks and some
 * bands at a time, together with the samples between them that are not used; `made` of all blocks is there. */
static clpac_status filter_bank(clpac_plan *plan, const source *source, size_t n, clpac_band_use use, size_t from,
				size_t count, size_t first_row, there made, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = &l->banks[use];
	size_t passed = from, end = from + count;
	if (l->is_gathered)
		clpac__used_range(plan, from, count, &passed, &end);
	const size_t n_blocks = (end - passed + bank->step - 1) / bank->step, at_once = clpac__layout_group(l, use);
	stretch at = {.use = use,
		      .bank = bank,
		      .source = source,
		      .n_series = n,
		      .from = passed,
		      .kept = from,
		      .count = count,
		      .first_row = first_row};
	for (; at.first < n_blocks; at.first += at.n) {
		at.n = n_blocks - at.first < bank->blocks ? n_blocks - at.first : bank->blocks;
		if (made == NOTHING)
			TRY(forward(plan, &at, err));
		for (size_t first = 0; first < bank->n; first += at_once) {
			const size_t group = bank->n - first < at_once ? bank->n - first : at_once;
			if (made != SIGNALS)
				TRY(analytic_bands(plan, &at, first, group, err));
			TRY(take_values(plan, &at, first, group, err));
		}
	}
done:
	return st;
}

clpac_status clpac__execute_amplitudes(clpac_plan *plan, size_t n, size_t from, size_t count, size_t first_row,
				       clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	if (plan->channels && plan->channels->is_coupling)
		return clpac__pairs_amplitudes(plan, n, from, count, first_row, err);
	if (!l->has_arrays)
		return filter_bank(plan, NULL, n, CLPAC_AMPLITUDE, from, count, first_row, NOTHING, err);
	return LAUNCH(plan->context, amplitude_of_array, 0, ITEMS(count, l->n_amplitude, n),
		      .array = BLOCK(plan->parts[CLPAC__PART_ARRAY]),
		      .amplitude = BLOCK(plan->parts[CLPAC__PART_AMPLITUDE]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .n_bands = NUMBER(l->n_amplitude), .row_stride = NUMBER(l->row_stride),
		      .groups = NUMBER(l->groups), .from = NUMBER(from), .first_row = NUMBER(first_row));
}

clpac_status clpac__execute_vectors(clpac_plan *plan, size_t n, clpac_buffer *series, clpac_buffer *vectors,
				    clpac_error *err)
{
	const source source = {series, vectors, plan->layout.kept};
	return filter_bank(plan, &source, n, CLPAC_PHASE, 0, plan->layout.kept, 0, NOTHING, err);
}

clpac_status clpac__execute_bins(clpac_plan *plan, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	TRY(filter_bank(plan, NULL, n, CLPAC_PHASE, 0, l->is_trimmed ? l->n_samples : l->kept, 0, NOTHING, err));
	const size_t tile = clpac__steps_settle_tile(l);
	if (l->tap_stride)
		TRY(LAUNCH(plan->context, settle_bins, l->n_bins, ITEMS((l->passed + tile - 1) / tile, l->n_phase, n),
			   .samples = BLOCK(part[CLPAC__PART_SAMPLES]), .taps = BLOCK(part[CLPAC__PART_TAPS]),
			   .orders = BLOCK(part[CLPAC__PART_ORDERS]), .directions = BLOCK(part[CLPAC__PART_DIRECTIONS]),
			   .stretches = BLOCK(part[CLPAC__PART_STRETCHES]), .bins = BLOCK(part[bins_part(l)]),
			   .n_samples = NUMBER(l->n_samples), .begin = NUMBER(l->begin), .n_kept = NUMBER(l->passed),
			   .n_phase = NUMBER(l->n_phase), .n_stretches = NUMBER(l->n_stretches),
			   .tap_stride = NUMBER(l->tap_stride), .bin_stride = NUMBER(stride_of_bins(l)),
			   .tile = NUMBER(tile), .n_bins = NUMBER(l->n_bins)));
	if (l->is_gathered)
		TRY(LAUNCH(plan->context, gather_bins, 0, ITEMS(l->kept, n * l->n_phase, 1),
			   .sources = BLOCK(part[CLPAC__PART_SOURCES]), .passed = BLOCK(part[CLPAC__PART_PASSED_BINS]),
			   .bins = BLOCK(part[CLPAC__PART_BINS]), .passed_stride = NUMBER(l->passed_stride),
			   .bin_stride = NUMBER(l->bin_stride)));
done:
	return st;
}

/* All amplitudes of n series; streamed ones are made where they are needed (windows.c). */
static clpac_status amplitudes(clpac_plan *plan, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t count = l->is_trimmed ? l->n_samples : l->kept;
	const bool is_coupling = plan->channels && plan->channels->is_coupling;
	const there made = clpac__layout_joins_banks(l) ? SIGNALS : SPECTRA;
	if (l->is_streamed)
		return CLPAC_OK;
	/* The phases of the same samples were filtered just before. */
	if (clpac__layout_shares_spectra(l) && !l->has_arrays && !is_coupling)
		return filter_bank(plan, NULL, n, CLPAC_AMPLITUDE, 0, count, 0, made, err);
	return clpac__execute_amplitudes(plan, n, 0, count, 0, err);
}

/* The edge lists of short series in one launch. */
static clpac_status edges_of_short(clpac_plan *plan, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	return LAUNCH_ROWS(plan->context, edge_lists, l->n_bins, n * l->n_phase, clpac__lanes_of_edges(l),
			   .bins = BLOCK(part[CLPAC__PART_BINS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
			   .totals = BLOCK(part[CLPAC__PART_COUNTS]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
			   .weights = BLOCK(part[CLPAC__PART_WEIGHTS]), .largest = BLOCK(part[CLPAC__PART_LARGEST]),
			   .edges = BLOCK(part[CLPAC__PART_EDGES]), .wander = BLOCK(part[CLPAC__PART_WANDER]),
			   .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->tile),
			   .n_tiles = NUMBER(l->n_tiles), .n_bins = NUMBER(l->n_bins), .capacity = NUMBER(l->capacity),
			   .average = NUMBER(plan->problem->average), .lists_of_item = NUMBER(clpac__layout_lists(l)),
			   .row_stride = NUMBER(l->row_stride), .has_bounds = NUMBER(l->walks_lists));
}

static clpac_status phase_edges(clpac_plan *plan, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	const size_t rows = n * l->n_phase;
	if (clpac__fuses_edges(l)) {
		TRY(edges_of_short(plan, n, err));
		goto done;
	}
	TRY(LAUNCH(plan->context, count_edges, l->n_bins, ITEMS(l->n_tiles, rows, 1),
		   .bins = BLOCK(part[CLPAC__PART_BINS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
		   .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->tile),
		   .n_tiles = NUMBER(l->n_tiles), .n_bins = NUMBER(l->n_bins)));
	TRY(LAUNCH(plan->context, scan_edges, l->n_bins, ITEMS(3 * l->n_bins, rows, 1),
		   .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]), .totals = BLOCK(part[CLPAC__PART_COUNTS]),
		   .n_tiles = NUMBER(l->n_tiles), .n_bins = NUMBER(l->n_bins)));
	const size_t span_tiles = l->span / l->tile;
	TRY(LAUNCH(plan->context, place_edges, l->n_bins,
		   ITEMS(2 * l->n_bins / clpac__layout_lists(l), l->n_spans, rows),
		   .totals = BLOCK(part[CLPAC__PART_COUNTS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
		   .bins = BLOCK(part[CLPAC__PART_BINS]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
		   .weights = BLOCK(part[CLPAC__PART_WEIGHTS]), .largest = BLOCK(part[CLPAC__PART_LARGEST]),
		   .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .n_tiles = NUMBER(l->n_tiles),
		   .span_tiles = NUMBER(span_tiles), .n_spans = NUMBER(l->n_spans), .n_bins = NUMBER(l->n_bins),
		   .capacity = NUMBER(l->capacity), .average = NUMBER(plan->problem->average),
		   .lists_of_item = NUMBER(clpac__layout_lists(l))));
	TRY(LAUNCH(plan->context, scatter_edges, l->n_bins, ITEMS(l->n_tiles, rows, 1),
		   .bins = BLOCK(part[CLPAC__PART_BINS]), .tile_counts = BLOCK(part[CLPAC__PART_TILE_COUNTS]),
		   .starts = BLOCK(part[CLPAC__PART_STARTS]), .edges = BLOCK(part[CLPAC__PART_EDGES]),
		   .n_samples = NUMBER(l->kept), .bin_stride = NUMBER(l->bin_stride), .tile = NUMBER(l->tile),
		   .n_tiles = NUMBER(l->n_tiles), .span_tiles = NUMBER(span_tiles), .n_spans = NUMBER(l->n_spans),
		   .capacity = NUMBER(l->capacity), .row_stride = NUMBER(l->row_stride), .n_bins = NUMBER(l->n_bins)));
	if (l->walks_lists)
		TRY(LAUNCH(plan->context, cycle_bounds, l->n_bins,
			   ITEMS(l->capacity / CLPAC_CYCLE_STRIDE(l->n_bins), rows, 1),
			   .edges = BLOCK(part[CLPAC__PART_EDGES]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
			   .capacity = NUMBER(l->capacity), .n_bins = NUMBER(l->n_bins)));
	/* Rows lie in the second dimension where a work-group should not have many. */
	const size_t rows_of_line = l->vector_width == 1 ? 1 : rows;
	TRY(LAUNCH(plan->context, phase_line, l->n_bins, ITEMS(rows_of_line, rows / rows_of_line, 1),
		   .edges = BLOCK(part[CLPAC__PART_EDGES]), .starts = BLOCK(part[CLPAC__PART_STARTS]),
		   .wander = BLOCK(part[CLPAC__PART_WANDER]), .capacity = NUMBER(l->capacity),
		   .n_spans = NUMBER(l->n_spans), .span_rows = NUMBER(l->span * l->row_stride),
		   .n_bins = NUMBER(l->n_bins)));
done:
	return st;
}

static clpac_status modulation_index(clpac_plan *plan, clpac_measure measure, size_t n, size_t first_shift,
				     size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	return LAUNCH(plan->context, modulation_index, l->n_bins,
		      ITEMS(l->groups * ((n_shifts + l->together - 1) / l->together), l->n_phase, n),
		      .prefix = BLOCK(part[CLPAC__PART_AMPLITUDE]), .totals = BLOCK(part[CLPAC__PART_TOTALS]),
		      .level = BLOCK(part[CLPAC__PART_LEVEL]), .edges = BLOCK(part[CLPAC__PART_EDGES]),
		      .starts = BLOCK(part[CLPAC__PART_STARTS]), .weights = BLOCK(part[CLPAC__PART_WEIGHTS]),
		      .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .counts = BLOCK(part[CLPAC__PART_COUNTS]),
		      .indices = BLOCK(out), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
		      .means = BLOCK(part[CLPAC__PART_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		      .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
		      .capacity = NUMBER(l->capacity), .n_bins = NUMBER(l->n_bins), .measure = NUMBER(measure),
		      .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm));
}

/* Sums sample by sample: all rows, or only rows without edge lists. */
static clpac_status modulation_index_direct(clpac_plan *plan, clpac_measure measure, size_t n, bool is_for_all,
					    size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	return LAUNCH(plan->context, modulation_index_direct, l->n_bins, ITEMS(l->groups * n_shifts, l->n_phase, n),
		      .prefix = BLOCK(part[CLPAC__PART_AMPLITUDE]), .totals = BLOCK(part[CLPAC__PART_TOTALS]),
		      .level = BLOCK(part[CLPAC__PART_LEVEL]), .bins = BLOCK(part[CLPAC__PART_BINS]),
		      .starts = BLOCK(part[CLPAC__PART_STARTS]), .weights = BLOCK(part[CLPAC__PART_WEIGHTS]),
		      .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .counts = BLOCK(part[CLPAC__PART_COUNTS]),
		      .indices = BLOCK(out), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
		      .means = BLOCK(part[CLPAC__PART_DISTRIBUTION]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
		      .first_shift = NUMBER(first_shift), .n_shifts = NUMBER(n_shifts),
		      .shift_stride = NUMBER(l->n_surrogates + 1), .n_phase = NUMBER(l->n_phase),
		      .bin_stride = NUMBER(l->bin_stride), .n_bins = NUMBER(l->n_bins),
		      .is_for_all = NUMBER(is_for_all), .measure = NUMBER(measure),
		      .mean_factor = REAL(plan->mean_factor), .norm = REAL(plan->norm));
}

clpac_status clpac__execute_indices(clpac_plan *plan, clpac_measure measure, size_t n, clpac__summing summing,
				    size_t first_shift, size_t n_shifts, clpac_buffer *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	if (clpac__has_variants(l) && first_shift > 0) {
		TRY(clpac__variants_indices(plan, measure, n, summing, first_shift, n_shifts, out, err));
		goto done;
	}
	if (clpac_measure_is_linear(measure)) {
		TRY(clpac__linear_indices(plan, measure, n, first_shift, n_shifts, out, err));
		goto done;
	}
	if (l->is_all && first_shift > 0) {
		TRY(clpac__all_shifts_indices(plan, measure, n, first_shift, n_shifts, out, err));
		goto done;
	}
	if (l->n_spans > 1) {
		TRY(clpac__windows_indices(plan, measure, n, first_shift, n_shifts, out, err));
		goto done;
	}
	if (summing != CLPAC__DIRECTLY)
		TRY(modulation_index(plan, measure, n, first_shift, n_shifts, out, err));
	if (summing != CLPAC__BY_EDGES)
		TRY(modulation_index_direct(plan, measure, n, summing == CLPAC__DIRECTLY, first_shift, n_shifts, out,
					    err));
done:
	return st;
}

/* The part of an observed index that a surrogate must have to count as reaching it. */
static double reach_of(const clpac__layout *l, clpac_measure measure)
{
	const bool is_transformed = l->is_all || clpac_measure_is_linear(measure);
	return is_transformed ? 1 - clpac__all_shifts_error : 1;
}

/* Moments, spreads and maxima of small maps in one launch. */
static clpac_status statistics_of_small(clpac_plan *plan, clpac_measure measure, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	return LAUNCH_ROWS(plan->context, surrogate_statistics, 0, n, clpac__lanes_of_statistics(l),
			   .indices = BLOCK(part[CLPAC__PART_CHUNK]), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
			   .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .valid = BLOCK(part[CLPAC__PART_VALID]),
			   .moments = BLOCK(part[CLPAC__PART_MOMENTS]), .variances = BLOCK(part[CLPAC__PART_VARIANCES]),
			   .spreads = BLOCK(part[CLPAC__PART_SPREADS]), .maxima = BLOCK(part[CLPAC__PART_MAXIMA]),
			   .groups = NUMBER(l->groups), .n_surrogates = NUMBER(l->n_surrogates),
			   .n_phase = NUMBER(l->n_phase), .n_amplitude = NUMBER(l->n_amplitude),
			   .reach = REAL(reach_of(l, measure)));
}

clpac_status clpac__execute_moments(clpac_plan *plan, clpac_measure measure, size_t n, size_t k, size_t n_shifts,
				    clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	if (clpac__fuses_statistics(l))
		return statistics_of_small(plan, measure, n, err);
	return LAUNCH(plan->context, surrogate_moments, 0,
		      ITEMS((l->groups + l->moment_groups - 1) / l->moment_groups, n * l->n_phase, 1),
		      .indices = BLOCK(part[CLPAC__PART_CHUNK]), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
		      .shifts = BLOCK(part[CLPAC__PART_SHIFTS]), .valid = BLOCK(part[CLPAC__PART_VALID]),
		      .moments = BLOCK(part[CLPAC__PART_MOMENTS]), .variances = BLOCK(part[CLPAC__PART_VARIANCES]),
		      .groups = NUMBER(l->groups), .n_shifts = NUMBER(n_shifts), .n_done = NUMBER(k),
		      .n_surrogates = NUMBER(l->n_surrogates), .shift_stride = NUMBER(l->n_surrogates + 1),
		      .n_phase = NUMBER(l->n_phase), .reach = REAL(reach_of(l, measure)));
}

bool clpac__surrogates_are_kept(const clpac__layout *layout)
{
	return layout->chunk >= layout->n_surrogates;
}

clpac_status clpac__execute_maxima(clpac_plan *plan, size_t n, size_t k, size_t n_shifts, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *part = plan->parts;
	if (clpac__fuses_statistics(l))
		goto done;
	if (k == 0)
		TRY(LAUNCH(plan->context, phase_spreads, 0, ITEMS(l->n_amplitude, n * l->n_phase, 1),
			   .variances = BLOCK(part[CLPAC__PART_VARIANCES]), .spreads = BLOCK(part[CLPAC__PART_SPREADS]),
			   .padded = NUMBER(l->padded), .n_amplitude = NUMBER(l->n_amplitude)));
	const size_t at_once = clpac__steps_phases(l);
	for (size_t first = 0; first < l->n_phase; first += at_once)
		TRY(LAUNCH(plan->context, surrogate_maxima, 0, ITEMS((n_shifts + l->ranked - 1) / l->ranked, n, 1),
			   .indices = BLOCK(part[CLPAC__PART_CHUNK]), .observed = BLOCK(part[CLPAC__PART_OBSERVED]),
			   .moments = BLOCK(part[CLPAC__PART_MOMENTS]), .shifts = BLOCK(part[CLPAC__PART_SHIFTS]),
			   .variances = BLOCK(part[CLPAC__PART_VARIANCES]), .spreads = BLOCK(part[CLPAC__PART_SPREADS]),
			   .maxima = BLOCK(part[CLPAC__PART_MAXIMA]), .groups = NUMBER(l->groups),
			   .n_shifts = NUMBER(n_shifts), .n_done = NUMBER(k), .n_surrogates = NUMBER(l->n_surrogates),
			   .n_phase = NUMBER(l->n_phase), .first_phase = NUMBER(first),
			   .n_taken = NUMBER(l->n_phase - first < at_once ? l->n_phase - first : at_once)));
done:
	return st;
}

/* The distributions come with an index of bins; a linear measure, which has none, takes its place. */
clpac_status clpac__execute_observed(clpac_plan *plan, clpac_measure measure, size_t n, clpac__summing summing,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const bool is_linear = clpac_measure_is_linear(measure);
	clpac_buffer *observed = plan->parts[CLPAC__PART_OBSERVED];
	TRY(clpac__execute_indices(plan, is_linear ? CLPAC_MEASURE_MI : measure, n, summing, 0, 1, observed, err));
	if (is_linear)
		TRY(clpac__execute_indices(plan, measure, n, summing, 0, 1, observed, err));
done:
	return st;
}

bool clpac__observes_with_surrogates(const clpac__layout *layout, clpac_measure measure)
{
	return layout->together == 1 && layout->n_surrogates && layout->null == CLPAC_NULL_SHIFTS &&
	       !clpac_measure_is_linear(measure);
}

clpac_status clpac__execute_sums(clpac_plan *plan, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(clpac__execute_bins(plan, n, err));
	TRY(amplitudes(plan, n, err));
	TRY(phase_edges(plan, n, err));
	TRY(clpac__windows_prefix(plan, n, err));
done:
	return st;
}

clpac_status clpac__execute_filters(clpac_plan *plan, const clpac_samples *samples, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(clpac__load_batch(plan, samples, 0, n, err));
	TRY(clpac__execute_bins(plan, n, err));
	TRY(amplitudes(plan, n, err));
done:
	return st;
}

clpac_status clpac__execute_signals(clpac_plan *plan, const clpac_samples *samples, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(clpac__load_batch(plan, samples, 0, n, err));
	TRY(clpac__variants_begin(plan, samples, 0, n, err));
	TRY(clpac__execute_sums(plan, n, err));
	TRY(clpac__execute_observed(plan, plan->problem->measures[0], n, CLPAC__BY_EDGES, err));
	TRY(plan->context->queue->operations->finish(plan->context->queue, err));
done:
	return st;
}

/* Makes bins and amplitudes: by filtering samples, or from those of channels in pairs, or from the caller's phases and
 * amplitudes. */
static clpac_status bins_and_amplitudes(clpac_plan *plan, clpac__run *run, size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (run->arrays) {
		TRY(clpac__load_arrays(plan, run->arrays, first, n, err));
		TRY(clpac__variants_begin(plan, NULL, first, n, err));
		TRY(amplitudes(plan, n, err));
		TRY(clpac__profile_stage(plan, run, "load", err));
		goto done;
	}
	if (plan->problem->pairs) {
		TRY(clpac__pairs_load(plan, run, first, n, err));
		TRY(clpac__load_shifts(plan, first, n, err));
		TRY(clpac__variants_begin(plan, run->samples, first, n, err));
		TRY(clpac__profile_stage(plan, run, "channels of pairs", err));
		goto done;
	}
	TRY(clpac__load_batch(plan, run->samples, first, n, err));
	TRY(clpac__variants_begin(plan, run->samples, first, n, err));
	TRY(clpac__profile_stage(plan, run, "load", err));
	TRY(clpac__execute_bins(plan, n, err));
	TRY(amplitudes(plan, n, err));
	run->report->n_phase_filterings += n;
	run->report->n_amplitude_filterings += n;
	TRY(clpac__profile_stage(plan, run, "filter and Hilbert", err));
done:
	return st;
}

/* From bins and amplitudes to edge lists and prefix sums. */
static clpac_status edges_and_sums(clpac_plan *plan, clpac__run *run, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(phase_edges(plan, n, err));
	TRY(clpac__profile_stage(plan, run, "phase edges", err));
	TRY(clpac__windows_prefix(plan, n, err));
	TRY(clpac__profile_stage(plan, run, "amplitude sums", err));
done:
	return st;
}

clpac_status clpac__execute_beginning(clpac_plan *plan, clpac__run *run, size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	TRY(bins_and_amplitudes(plan, run, first, n, err));
	TRY(edges_and_sums(plan, run, n, err));
done:
	return st;
}

clpac_status clpac__execute_batch(clpac_plan *plan, clpac__run *run, size_t first, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool overflows, is_begun;
	st = clpac__ahead_take(plan, run, first, n, &is_begun, err);
	if (!is_begun)
		clpac__buffers_hold(plan->parts, CLPAC__PART_COUNT);
	TRY(st);
	if (!is_begun)
		TRY(clpac__profile_begin(plan, run, err));
	if (plan->taker) {
		TRY(bins_and_amplitudes(plan, run, first, n, err));
		TRY(plan->taker->take(plan->taker->user, plan, first, n, err));
		clpac__profile_end(plan, run, "store");
		TRY(clpac__run_advance(run, n, err));
		goto done;
	}
	if (!is_begun)
		TRY(clpac__execute_beginning(plan, run, first, n, err));
	TRY(clpac__store_counts(plan, run, first, n, &overflows, err));
	if (clpac__ahead_may(plan, run)) /* later, it would wait for the next batch */
		clpac__profile_settle(plan, run);
	const clpac__summing summing = overflows ? CLPAC__AS_FITS : CLPAC__BY_EDGES;
	TRY(clpac__measures_batch(plan, run, first, n, summing, err));
	clpac__store_distributions(plan, run, first, n);
	/* The next batch goes on with this one's profile, and with its hold of the parts. */
	if (clpac__ahead_is_begun(plan))
		return CLPAC_OK;
	clpac__profile_end(plan, run, "store");
done:
	/* The plan's memory of the host is still read and written by what was put into the queue. */
	if (st != CLPAC_OK)
		plan->context->queue->operations->finish(plan->context->queue, NULL);
	plan->ahead.n = 0;
	clpac__profile_drop(plan, run);
	clpac__buffers_let_go(plan->parts, CLPAC__PART_COUNT);
	return st;
}
