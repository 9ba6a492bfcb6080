/* Samples to phase bins and amplitudes:
 *
 *     sections -> forward FFT -> select bands -> inverse FFT -+-> phase bins
 *                                                             +-> amplitudes
 */
#include "coupling/passes/filter_banks.h"

#include <clpac/memory/buffer.h>

#include "coupling/layout/fused.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/pairs.h"
#include "coupling/layout/steps.h"
#include "coupling/passes/used_samples.h"
#include "shared/together.h"

/* Series that are filtered in place of the batch's samples, and where their vectors go. */
struct source {
	clpac_buffer *samples, *vectors;
	size_t n_samples;
};

/* Sections first .. first + n - 1 of n_series series, for the bands of one use.  Section 0 begins with sample `from` of
 * those that pass the filters; kept samples kept .. kept + count - 1 are wanted, and the amplitudes of the first go to
 * row first_row. */
typedef struct stretch {
	clpac_band_use use;
	const clpac__bank *bank;
	const struct source *source; /* NULL: the batch's samples */
	size_t n_series, first, n, from, kept, count, first_row;
} stretch;

/* State of a bank's sections before they are filtered. */
typedef enum there { NOTHING, SPECTRA, SIGNALS } there;

static size_t rows_of(const stretch *at)
{
	return at->n_series * at->n;
}

/* Where the analytic signals of n_bands bands are: bands of a section, and values of it before the first of them. */
typedef struct signals {
	size_t section_bands, before;
} signals;

static signals signals_of(const clpac__layout *l, const stretch *at, size_t n_bands)
{
	if (!clpac__layout_joins_banks(l))
		return (signals){n_bands, 0};
	return (signals){l->group_bands, at->use == CLPAC_AMPLITUDE ? l->n_phase * at->bank->length : 0};
}

/* The spectra of sections. */
static clpac_status forward(const clpac_plan *plan, clpac__batch *batch, const stretch *at, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *tensor = batch->tensors;
	const clpac__sections_of sections = {
		.bank = bank,
		.forward = batch->transforms.forward[at->use],
		.samples = at->source ? at->source->samples : tensor[CLPAC__TENSOR_SAMPLES],
		.n_samples = at->source ? at->source->n_samples : l->n_samples,
		.begin = at->source || l->is_trimmed ? 0 : l->begin + at->from,
		.first = at->first,
		.n = at->n,
		.n_series = at->n_series,
	};
	RETURN_IF_ERROR(clpac__transform_sections(plan->context, &batch->transforms, l, tensor, &sections, err));
	if (at->use != CLPAC_PHASE || !l->tap_stride || at->source)
		return CLPAC_OK;
	if (clpac__fuses_noise(l))
		RETURN_IF_ERROR(LAUNCH_ROWS(plan->context, section_noise, 0, rows_of(at), clpac__lanes_of_noise(l),
					    .spectrum = BLOCK(tensor[CLPAC__TENSOR_SPECTRUM]),
					    .energy = BLOCK(tensor[CLPAC__TENSOR_ENERGY]),
					    .weights = BLOCK(tensor[CLPAC__TENSOR_NOISE_WEIGHTS]),
					    .noise = BLOCK(tensor[CLPAC__TENSOR_NOISE]), .length = NUMBER(bank->length),
					    .strip = NUMBER(l->strip), .n_strips = NUMBER(l->n_strips),
					    .n_bands = NUMBER(bank->n),
					    .section_bands = NUMBER(signals_of(l, at, bank->n).section_bands)));
	else
		RETURN_IF_ERROR(LAUNCH(plan->context, spectrum_energy, 0, ITEMS(l->n_strips, rows_of(at), 1),
				       .spectrum = BLOCK(tensor[CLPAC__TENSOR_SPECTRUM]),
				       .energy = BLOCK(tensor[CLPAC__TENSOR_ENERGY]), .length = NUMBER(bank->length),
				       .strip = NUMBER(l->strip), .n_strips = NUMBER(l->n_strips)));
	return CLPAC_OK;
}

/* The Hilbert transform of the kept samples of `rows` filtered rows, in place of what the filters made of it. */
static clpac_status trimmed_hilbert(const clpac_plan *plan, clpac__batch *batch, const clpac__bank *bank, size_t rows,
				    clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__transforms *transforms = &batch->transforms;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(LAUNCH(plan->context, kept_part, 0, ITEMS(l->hilbert_length, rows, 1),
			       .analytic = BLOCK(tensor[CLPAC__TENSOR_ANALYTIC]),
			       .real = BLOCK(tensor[CLPAC__TENSOR_FILTERED]), .length = NUMBER(bank->length),
			       .first = NUMBER(bank->pad), .n_samples = NUMBER(l->n_samples),
			       .stride = NUMBER(l->hilbert_length)));
	RETURN_IF_ERROR(clpac__transform(transforms, transforms->hilbert_forward, tensor[CLPAC__TENSOR_FILTERED],
					 tensor[CLPAC__TENSOR_HILBERT_SPECTRUM], tensor[CLPAC__TENSOR_FFT], rows, err));
	RETURN_IF_ERROR(LAUNCH(plan->context, hilbert_pair, 0, ITEMS(l->hilbert_length, rows, 1),
			       .spectrum = BLOCK(tensor[CLPAC__TENSOR_HILBERT_SPECTRUM]),
			       .weights = BLOCK(tensor[CLPAC__TENSOR_HILBERT_WEIGHTS]),
			       .analytic = BLOCK(tensor[CLPAC__TENSOR_HILBERT_ANALYTIC]),
			       .length = NUMBER(l->hilbert_length), .spectrum_stride = NUMBER(l->hilbert_stride)));
	return clpac__transform(transforms, transforms->hilbert_inverse, tensor[CLPAC__TENSOR_HILBERT_ANALYTIC],
				tensor[CLPAC__TENSOR_HILBERT_ANALYTIC], tensor[CLPAC__TENSOR_FFT], rows, err);
}

/* The analytic signals of n_bands bands of a bank, `first` and up, in the sections whose spectra are there; those of
 * joined banks are all made with the phases'. */
static clpac_status analytic_bands(const clpac_plan *plan, clpac__batch *batch, const stretch *at, size_t first,
				   size_t n_bands, clpac_error *err)
{
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *tensor = batch->tensors;
	if (clpac__layout_joins_banks(&plan->layout))
		n_bands = plan->layout.group_bands;
	RETURN_IF_ERROR(clpac__transform_bands(plan->context, &batch->transforms, &plan->layout, tensor, at->use, first,
					       n_bands, rows_of(at), err));
	if (plan->layout.is_trimmed)
		RETURN_IF_ERROR(trimmed_hilbert(plan, batch, bank, rows_of(at) * n_bands, err));
	return CLPAC_OK;
}

/* The bound of an angle's own error, as cl/phase_bins.cl takes it: twice the square of 2e-7 turns, the sum of 4
 * roundings of the analytic signal (4e-8 turns) and of those in shared/phase_bin.h (6e-8 in its last sum, 5e-8 before).
 */
static const double angle_rounding = 2 * 2e-7 * 2e-7;

/* The tensor into which bins of all samples that pass are written. */
static enum clpac__tensor bins_tensor(const clpac__layout *l)
{
	return l->is_gathered ? CLPAC__TENSOR_PASSED_BINS : CLPAC__TENSOR_BINS;
}

static size_t stride_of_bins(const clpac__layout *l)
{
	return l->is_gathered ? l->passed_stride : l->bin_stride;
}

/* The kept samples that the sections have, and others. */
static void places_of(const clpac_plan *plan, const stretch *at, size_t *first, size_t *end)
{
	const size_t from = at->from + at->first * at->bank->step;
	clpac__used_places(plan, at->kept, at->count, from, from + at->n * at->bank->step, first, end);
}

/* Amplitudes of the samples that are used, in bands `first` and up. */
static clpac_status gather_amplitudes(const clpac_plan *plan, clpac__batch *batch, const stretch *at, size_t first,
				      size_t n_bands, clpac_error *err)
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
		      .sources = BLOCK(batch->tensors[CLPAC__TENSOR_SOURCES]),
		      .analytic = BLOCK(batch->tensors[CLPAC__TENSOR_ANALYTIC]),
		      .amplitude = BLOCK(batch->tensors[CLPAC__TENSOR_AMPLITUDE]), .begin = NUMBER(at->from),
		      .length = NUMBER(at->bank->length), .first = NUMBER(of.before + at->bank->pad),
		      .step = NUMBER(at->bank->step), .first_section = NUMBER(at->first), .n_sections = NUMBER(at->n),
		      .n_rows = NUMBER(l->rows), .section_bands = NUMBER(of.section_bands),
		      .group_bands = NUMBER(n_bands), .first_band = NUMBER(first), .row_stride = NUMBER(l->row_stride),
		      .groups = NUMBER(l->groups), .first_place = NUMBER(place), .n_places = NUMBER(end - place),
		      .from_place = NUMBER(at->kept), .first_row = NUMBER(at->first_row));
}

static clpac_status gather_vectors(const clpac_plan *plan, clpac__batch *batch, const stretch *at, size_t first,
				   size_t n_bands, clpac_buffer *vectors, bool is_whole, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	size_t place, end;
	places_of(plan, at, &place, &end);
	if (place >= end)
		return CLPAC_OK;
	return LAUNCH(plan->context, gather_vectors, 0, ITEMS(end - place, n_bands, at->n_series),
		      .sources = BLOCK(batch->tensors[CLPAC__TENSOR_SOURCES]),
		      .analytic = BLOCK(batch->tensors[CLPAC__TENSOR_ANALYTIC]), .vectors = BLOCK(vectors),
		      .length = NUMBER(at->bank->length), .first = NUMBER(at->bank->pad),
		      .step = NUMBER(at->bank->step), .first_section = NUMBER(at->first), .n_sections = NUMBER(at->n),
		      .section_bands = NUMBER(signals_of(l, at, n_bands).section_bands), .first_band = NUMBER(first),
		      .n_phase = NUMBER(l->n_phase), .n_samples = NUMBER(l->kept), .first_place = NUMBER(place),
		      .is_whole = NUMBER(is_whole));
}

/* Vectors of the phase bands `first` and up; whole ones are the bands' values as they are. */
static clpac_status take_vectors(const clpac_plan *plan, clpac__batch *batch, const stretch *at, size_t first,
				 size_t n_bands, clpac_buffer *vectors, bool is_whole, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *tensor = batch->tensors;
	if (l->is_gathered)
		return gather_vectors(plan, batch, at, first, n_bands, vectors, is_whole, err);
	const size_t step = l->is_trimmed ? l->kept : bank->step;
	return LAUNCH(plan->context, phase_vectors, 0, ITEMS(step, n_bands, rows_of(at)),
		      .analytic =
			      BLOCK(tensor[l->is_trimmed ? CLPAC__TENSOR_HILBERT_ANALYTIC : CLPAC__TENSOR_ANALYTIC]),
		      .vectors = BLOCK(vectors), .length = NUMBER(l->is_trimmed ? l->hilbert_length : bank->length),
		      .first = NUMBER(l->is_trimmed ? l->edge : bank->pad), .step = NUMBER(step),
		      .first_section = NUMBER(at->first), .n_sections = NUMBER(at->n),
		      .section_bands = NUMBER(signals_of(l, at, n_bands).section_bands), .first_band = NUMBER(first),
		      .n_phase = NUMBER(l->n_phase), .n_samples = NUMBER(l->kept), .is_whole = NUMBER(is_whole));
}

/* Phase bins of the bands `first` and up, or their amplitudes. */
static clpac_status take_values(const clpac_plan *plan, clpac__batch *batch, const stretch *at, size_t first,
				size_t n_bands, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = at->bank;
	clpac_buffer *const *tensor = batch->tensors;
	clpac_buffer *analytic = tensor[l->is_trimmed ? CLPAC__TENSOR_HILBERT_ANALYTIC : CLPAC__TENSOR_ANALYTIC];
	const size_t length = l->is_trimmed ? l->hilbert_length : bank->length;
	const size_t from = l->is_trimmed ? l->edge : bank->pad, step = l->is_trimmed ? l->kept : bank->step;
	const signals of = signals_of(l, at, n_bands);
	if (at->use == CLPAC_AMPLITUDE && l->is_gathered) {
		return gather_amplitudes(plan, batch, at, first, n_bands, err);
	}
	if (at->use == CLPAC_AMPLITUDE) {
		const size_t width = l->vector_width, vectors = (first + n_bands - 1) / width - first / width + 1;
		return LAUNCH(
			plan->context, amplitude, 0, ITEMS((step + l->abreast - 1) / l->abreast, vectors, rows_of(at)),
			.analytic = BLOCK(analytic), .amplitude = BLOCK(tensor[CLPAC__TENSOR_AMPLITUDE]),
			.length = NUMBER(length), .first = NUMBER(of.before + from), .step = NUMBER(step),
			.first_section = NUMBER(at->first), .n_sections = NUMBER(at->n), .n_rows = NUMBER(l->rows),
			.section_bands = NUMBER(of.section_bands), .group_bands = NUMBER(n_bands),
			.first_band = NUMBER(first), .row_stride = NUMBER(l->row_stride), .groups = NUMBER(l->groups),
			.first_row = NUMBER(at->first_row));
	}
	if (at->source)
		return take_vectors(plan, batch, at, first, n_bands, at->source->vectors, false, err);
	if (l->has_linear)
		RETURN_IF_ERROR(
			take_vectors(plan, batch, at, first, n_bands, tensor[CLPAC__TENSOR_VECTORS], false, err));
	if (l->has_slow)
		RETURN_IF_ERROR(take_vectors(plan, batch, at, first, n_bands, tensor[CLPAC__TENSOR_SLOW], true, err));
	if (l->tap_stride && !clpac__fuses_noise(l))
		RETURN_IF_ERROR(LAUNCH(plan->context, band_noise, 0, ITEMS(n_bands, rows_of(at), 1),
				       .energy = BLOCK(tensor[CLPAC__TENSOR_ENERGY]),
				       .weights = BLOCK(tensor[CLPAC__TENSOR_NOISE_WEIGHTS]),
				       .noise = BLOCK(tensor[CLPAC__TENSOR_NOISE]), .n_strips = NUMBER(l->n_strips),
				       .first_band = NUMBER(first), .section_bands = NUMBER(of.section_bands)));
	if (bank->gap > 1) {
		enum { GAPS_OF_ITEM = 64 }; /* as in cl/coarse_bins.cl */
		const size_t n_gaps = step / bank->gap;
		RETURN_IF_ERROR(LAUNCH(plan->context, coarse_noise, 0, ITEMS(n_bands, rows_of(at), 1),
				       .energy = BLOCK(tensor[CLPAC__TENSOR_ENERGY]),
				       .weights = BLOCK(tensor[CLPAC__TENSOR_COARSE_WEIGHTS]),
				       .noise = BLOCK(tensor[CLPAC__TENSOR_NOISE]), .n_strips = NUMBER(l->n_strips),
				       .first_band = NUMBER(first), .n_bands = NUMBER(n_bands)));
		return LAUNCH(plan->context, coarse_bins, l->n_bins,
			      ITEMS((n_gaps + GAPS_OF_ITEM - 1) / GAPS_OF_ITEM, n_bands, rows_of(at)),
			      .analytic = BLOCK(analytic), .noise = BLOCK(tensor[CLPAC__TENSOR_NOISE]),
			      .bins = BLOCK(tensor[bins_tensor(l)]), .n_coarse = NUMBER(clpac__bank_values(bank)),
			      .first = NUMBER(from / bank->gap), .n_gaps = NUMBER(n_gaps), .gap = NUMBER(bank->gap),
			      .first_section = NUMBER(at->first), .n_sections = NUMBER(at->n),
			      .group_bands = NUMBER(n_bands), .first_band = NUMBER(first),
			      .n_phase = NUMBER(l->n_phase), .bin_stride = NUMBER(stride_of_bins(l)),
			      .n_bins = NUMBER(l->n_bins), .rounding = REAL(angle_rounding));
	}
	return LAUNCH(plan->context, phase_bins, l->n_bins, ITEMS(step, n_bands, rows_of(at)),
		      .analytic = BLOCK(analytic), .noise = BLOCK(tensor[CLPAC__TENSOR_NOISE]),
		      .bins = BLOCK(tensor[bins_tensor(l)]), .length = NUMBER(length), .first = NUMBER(from),
		      .step = NUMBER(step), .first_section = NUMBER(at->first), .n_sections = NUMBER(at->n),
		      .section_bands = NUMBER(of.section_bands), .first_band = NUMBER(first),
		      .n_phase = NUMBER(l->n_phase), .bin_stride = NUMBER(stride_of_bins(l)),
		      .n_bins = NUMBER(l->n_bins), .rounding = REAL(l->tap_stride ? angle_rounding : 0));
}

/* Passes `count` kept samples of n series, from number `from` on, through the bands of one use, some sections and some
 * bands at a time, together with the samples between them that are not used; `made` of all sections is there. */
static clpac_status filter_bank(const clpac_plan *plan, clpac__batch *batch, const struct source *source, size_t n,
				clpac_band_use use, size_t from, size_t count, size_t first_row, there made,
				clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const clpac__bank *bank = &l->banks[use];
	size_t passed = from, end = from + count;
	if (l->is_gathered)
		clpac__used_range(plan, from, count, &passed, &end);
	const size_t n_sections = (end - passed + bank->step - 1) / bank->step, at_once = clpac__layout_group(l, use);
	stretch at = {.use = use,
		      .bank = bank,
		      .source = source,
		      .n_series = n,
		      .from = passed,
		      .kept = from,
		      .count = count,
		      .first_row = first_row};
	for (; at.first < n_sections; at.first += at.n) {
		at.n = n_sections - at.first < bank->sections ? n_sections - at.first : bank->sections;
		if (made == NOTHING)
			RETURN_IF_ERROR(forward(plan, batch, &at, err));
		for (size_t first = 0; first < bank->n; first += at_once) {
			const size_t group = bank->n - first < at_once ? bank->n - first : at_once;
			if (made != SIGNALS)
				RETURN_IF_ERROR(analytic_bands(plan, batch, &at, first, group, err));
			RETURN_IF_ERROR(take_values(plan, batch, &at, first, group, err));
		}
	}
	return CLPAC_OK;
}

clpac_status clpac__banks_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t from, size_t count,
				     size_t first_row, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	if (batch->channels && batch->channels->is_coupling)
		return clpac__pairs_amplitudes(plan, batch, n, from, count, first_row, err);
	if (!l->has_arrays)
		return filter_bank(plan, batch, NULL, n, CLPAC_AMPLITUDE, from, count, first_row, NOTHING, err);
	return LAUNCH(plan->context, amplitude_of_array, 0, ITEMS(count, l->n_amplitude, n),
		      .array = BLOCK(batch->tensors[CLPAC__TENSOR_ARRAY]),
		      .amplitude = BLOCK(batch->tensors[CLPAC__TENSOR_AMPLITUDE]), .n_samples = NUMBER(l->kept),
		      .n_rows = NUMBER(l->rows), .n_bands = NUMBER(l->n_amplitude), .row_stride = NUMBER(l->row_stride),
		      .groups = NUMBER(l->groups), .from = NUMBER(from), .first_row = NUMBER(first_row));
}

clpac_status clpac__banks_vectors(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_buffer *series,
				  clpac_buffer *vectors, clpac_error *err)
{
	const struct source source = {series, vectors, plan->layout.kept};
	return filter_bank(plan, batch, &source, n, CLPAC_PHASE, 0, plan->layout.kept, 0, NOTHING, err);
}

/* Decides the marked bins of n series.  One sample of some thousand is marked, while nothing but the samples bounds how
 * many: where the sums of all would be more than a command may take, each command takes its share of what is left,
 * which after the first mostly is nothing. */
static clpac_status settle(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	const size_t tile = clpac__steps_settle_tile(l), n_rows = (l->passed + tile - 1) / tile * l->n_phase * n;
	const uint64_t most_loads = clpac__compute_of(plan->context->queue)->most_loads;
	const uint64_t each = 2 * (uint64_t)tile * l->tap_stride; /* loads of a row, at most */
	uint64_t n_commands = 1;
	if (most_loads && l->vector_width == 1 && each > most_loads / n_rows) {
		n_commands = each > UINT64_MAX / n_rows ? CLPAC_SETTLING_COMMANDS : each * n_rows / most_loads + 2;
		n_commands = n_commands < CLPAC_SETTLING_COMMANDS ? n_commands : CLPAC_SETTLING_COMMANDS;
		RETURN_IF_ERROR(clpac_buffer_fill(tensor[CLPAC__TENSOR_SPENT], 0, CLPAC_SETTLING_COMMANDS * 4, 0, err));
	}
	for (uint64_t i = 0; i < n_commands; i++)
		RETURN_IF_ERROR(LAUNCH_ROWS(
			plan->context, settle_bins, l->n_bins, n_rows, CLPAC_SETTLING_LANES(l->tap_stride),
			.samples = BLOCK(tensor[CLPAC__TENSOR_SAMPLES]), .taps = BLOCK(tensor[CLPAC__TENSOR_TAPS]),
			.orders = BLOCK(tensor[CLPAC__TENSOR_ORDERS]),
			.directions = BLOCK(tensor[CLPAC__TENSOR_DIRECTIONS]),
			.stretches = BLOCK(tensor[CLPAC__TENSOR_STRETCHES]),
			.spent = BLOCK(tensor[n_commands > 1 ? CLPAC__TENSOR_SPENT : CLPAC__TENSOR_ORDERS]),
			.bins = BLOCK(tensor[bins_tensor(l)]), .n_samples = NUMBER(l->n_samples),
			.begin = NUMBER(l->begin), .n_kept = NUMBER(l->passed), .n_phase = NUMBER(l->n_phase),
			.n_stretches = NUMBER(l->n_stretches), .tap_stride = NUMBER(l->tap_stride),
			.bin_stride = NUMBER(stride_of_bins(l)), .tile = NUMBER(tile), .command = NUMBER(i),
			.n_commands = NUMBER(n_commands),
			.budget = NUMBER(most_loads / (2 * CLPAC_SETTLING_LANES(l->tap_stride))),
			.n_bins = NUMBER(l->n_bins)));
	return CLPAC_OK;
}

clpac_status clpac__banks_bins(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(filter_bank(plan, batch, NULL, n, CLPAC_PHASE, 0, l->is_trimmed ? l->n_samples : l->kept, 0,
				    NOTHING, err));
	if (l->tap_stride)
		RETURN_IF_ERROR(settle(plan, batch, n, err));
	if (l->is_gathered)
		RETURN_IF_ERROR(LAUNCH(plan->context, gather_bins, 0, ITEMS(l->kept, n * l->n_phase, 1),
				       .sources = BLOCK(tensor[CLPAC__TENSOR_SOURCES]),
				       .passed = BLOCK(tensor[CLPAC__TENSOR_PASSED_BINS]),
				       .bins = BLOCK(tensor[CLPAC__TENSOR_BINS]),
				       .passed_stride = NUMBER(l->passed_stride), .bin_stride = NUMBER(l->bin_stride)));
	return CLPAC_OK;
}

clpac_status clpac__banks_all_amplitudes(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t count = l->is_trimmed ? l->n_samples : l->kept;
	const bool is_coupling = batch->channels && batch->channels->is_coupling;
	const there made = clpac__layout_joins_banks(l) ? SIGNALS : SPECTRA;
	if (l->is_streamed)
		return CLPAC_OK;
	/* The phases of the same samples were filtered just before. */
	if (clpac__layout_shares_spectra(l) && !l->has_arrays && !is_coupling)
		return filter_bank(plan, batch, NULL, n, CLPAC_AMPLITUDE, 0, count, 0, made, err);
	return clpac__banks_amplitudes(plan, batch, n, 0, count, 0, err);
}
