/* The filter bank, the analytic signal and the Hilbert transform as calls of their own: the first half of a plan, one
 * series at a time. */
#include <clpac/signal.h>
#include <clpac/memory/buffer.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/layout/launch.h"
#include "coupling/passes/load.h"
#include "coupling/passes/transform.h"
#include "coupling/signal/bands.h"
#include "coupling/registry/registry.h"

/* State of one call: input, output, buffers, transforms. */
typedef struct bank_run {
	clpac_context *context;
	clpac__layout layout;
	clpac__transforms transforms;
	clpac_buffer *tensors[CLPAC__TENSOR_COUNT];
	bool is_held;		/* the tensors, in their places */
	clpac__filter *filters; /* n_filters; their taps belong to the caller */
	size_t n_filters;
	float *staged, *row;
	clpac_values samples, out;
	bool wants_complex;
} bank_run;

clpac_status clpac_signal_design(double rate_hz, clpac_band band, size_t order, double *taps, clpac_error *err)
{
	NEED(taps);
	if (!(rate_hz > 0) || !isfinite(rate_hz))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "rate_hz is %g: it must be above 0", rate_hz);
	RETURN_IF_ERROR(clpac__band_check(band, CLPAC_PHASE, 0, rate_hz, err));
	if (order < CLPAC__MIN_ORDER || order == SIZE_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "order is %zu: it must be %d or more", order, CLPAC__MIN_ORDER);
	clpac__filter_write_taps(taps, order + 1, rate_hz, band);
	return CLPAC_OK;
}

size_t clpac_signal_order(double rate_hz, double lo_hz, double cycles, size_t n_samples)
{
	return clpac__filter_order(rate_hz, lo_hz, cycles, n_samples, NULL);
}

void clpac_signal_phase_amplitude(const float *analytic, size_t n, float *phase, float *amplitude)
{
	if (!analytic)
		return;
	for (size_t i = 0; i < n; i++) {
		const double re = analytic[2 * i], im = analytic[2 * i + 1];
		if (phase)
			phase[i] = (float)atan2(im, re);
		if (amplitude)
			amplitude[i] = (float)sqrt(re * re + im * im);
	}
}

static clpac_status check_values(clpac_values samples, clpac_values out, size_t n_in, size_t n_out, clpac_error *err)
{
	if (!samples.host == !samples.buffer || !out.host == !out.buffer)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "samples and output must each be given on the host or in a buffer, not both");
	if (samples.buffer && clpac_buffer_bytes(samples.buffer) / sizeof(float) < n_in)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the samples' buffer holds %zu bytes, %zu values are needed",
			     clpac_buffer_bytes(samples.buffer), n_in);
	if (out.buffer && clpac_buffer_bytes(out.buffer) / sizeof(float) < n_out)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the output buffer holds %zu bytes, %zu values are needed",
			     clpac_buffer_bytes(out.buffer), n_out);
	return CLPAC_OK;
}

static clpac_status multiply_sizes(size_t *out, size_t a, size_t b, size_t c, clpac_error *err)
{
	size_t bytes;
	if (!clpac__size_mul(a, b, out) || !clpac__size_mul(*out, c, out) ||
	    !clpac__size_mul(*out, 2 * sizeof(float), &bytes))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%zu x %zu x %zu values are more than memory can address",
				   a, b, c);
	return CLPAC_OK;
}

static clpac_status check_bank(const clpac_bank *bank, size_t n_series, size_t n_samples, size_t *extension,
			       clpac_error *err)
{
	if (!n_series || !bank->n_bands || n_samples < 2)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%zu series of %zu samples through %zu filters: give at least 1 series, 2 samples and 1 filter",
			n_series, n_samples, bank->n_bands);
	size_t longest = 0;
	for (size_t band = 0; band < bank->n_bands; band++) {
		if (!bank->n_taps[band] || bank->n_taps[band] >= n_samples)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "filter %zu has %zu taps and the series %zu samples: a filter must be shorter",
				     band, bank->n_taps[band], n_samples);
		for (size_t tap = 0; tap < bank->n_taps[band]; tap++)
			if (!isfinite(bank->taps[band][tap]))
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "tap %zu of filter %zu is not finite", tap, band);
		longest = bank->n_taps[band] - 1 > longest ? bank->n_taps[band] - 1 : longest;
	}
	*extension = bank->extension ? bank->extension : longest;
	if (*extension < longest || *extension >= n_samples)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "extension is %zu samples: it must be at least the longest order, %zu, and below the %zu "
			     "samples",
			     *extension, longest, n_samples);
	return CLPAC_OK;
}

/* Allocates buffers for one series and for as many bands as fit in 32 MiB. */
static clpac_status equip(bank_run *run, clpac_error *err)
{
	clpac__layout *l = &run->layout;
	const clpac__bank *bank = &l->banks[CLPAC_PHASE];
	const size_t longest = bank->length > l->hilbert_length ? bank->length : l->hilbert_length;
	const size_t affordable = ((size_t)32 << 20) / (longest * 8);
	l->batch = 1;
	l->group_bands = affordable < 1 ? 1 : affordable < l->n_phase ? affordable : l->n_phase;
	RETURN_IF_ERROR(clpac__transforms_create(run->context, l, &run->transforms, err));
	const size_t group = l->group_bands;
	const uint64_t bytes[CLPAC__TENSOR_COUNT] = {
		[CLPAC__TENSOR_SAMPLES] = l->n_samples * sizeof(float),
		[CLPAC__TENSOR_EXTENDED] = l->is_wide ? 0 : bank->length * sizeof(float),
		[CLPAC__TENSOR_SPECTRUM] = bank->length * 8,
		[CLPAC__TENSOR_PHASE_RESPONSE] = bank->n * bank->length * sizeof(float),
		[CLPAC__TENSOR_ANALYTIC] = group * bank->length * 8,
		[CLPAC__TENSOR_FILTERED] = group * l->hilbert_length * sizeof(float),
		[CLPAC__TENSOR_HILBERT_SPECTRUM] = group * l->hilbert_stride * 8,
		[CLPAC__TENSOR_HILBERT_WEIGHTS] = l->hilbert_stride * sizeof(float),
		[CLPAC__TENSOR_HILBERT_ANALYTIC] = group * l->hilbert_length * 8,
		[CLPAC__TENSOR_FFT] = run->transforms.workspace_bytes,
	};
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		if (bytes[tensor])
			RETURN_IF_ERROR(clpac__allocate_block(run->context->pool, bytes[tensor],
							      clpac__tensor_text(tensor), &run->tensors[tensor], err));
	clpac__buffers_hold(run->tensors, CLPAC__TENSOR_COUNT);
	run->is_held = true;
	RETURN_IF_ERROR(NEW_ARRAY(run->staged, l->n_samples));
	RETURN_IF_ERROR(NEW_ARRAY(run->row, 2 * l->n_samples));
	return clpac__compute_prepare(run->context->queue, 0, err);
}

static void dismiss(bank_run *run)
{
	clpac__transforms_destroy(&run->transforms);
	if (run->is_held)
		clpac__buffers_let_go(run->tensors, CLPAC__TENSOR_COUNT);
	clpac_buffer_release_batch(run->tensors, CLPAC__TENSOR_COUNT);
	for (size_t i = 0; i < run->n_filters; i++) {
		run->filters[i].taps = NULL;
		clpac__filter_clear(&run->filters[i]);
	}
	FREE_ALL(run->filters, run->staged, run->row);
}

/* Writes series number `series` into the samples' buffer: from the host scaled to near 1, and without its mean unless
 * keeps_mean. */
static clpac_status load(bank_run *run, size_t series, bool keeps_mean, clpac__staged *staged, clpac_error *err)
{
	const size_t n = run->layout.n_samples;
	*staged = (clpac__staged){0};
	if (run->samples.buffer) {
		return clpac_buffer_copy(run->samples.buffer, series * n * sizeof(float),
					 run->tensors[CLPAC__TENSOR_SAMPLES], 0, n * sizeof(float), err);
	}
	*staged = clpac__stage_series(run->samples.host + series * n, CLPAC_FLOAT32, n, 1, run->staged);
	const float mean = (float)ldexp(staged->mean, -staged->exponent);
	for (size_t t = 0; keeps_mean && t < n; t++)
		run->staged[t] += mean;
	return clpac_buffer_write(run->tensors[CLPAC__TENSOR_SAMPLES], 0, n * sizeof(float), run->staged, err);
}

/* Copies one row of analytic signal, element `first` of a buffer onwards, to row number `to` of the output. */
static clpac_status store(bank_run *run, clpac_buffer *analytic, size_t first, size_t to, const clpac__staged *staged,
			  clpac_error *err)
{
	const size_t n = run->layout.n_samples, values = run->wants_complex ? 2 * n : n;
	if (run->out.buffer && run->wants_complex && !run->samples.host) {
		return clpac_buffer_copy(analytic, first * 8, run->out.buffer, to * values * sizeof(float), n * 8, err);
	}
	RETURN_IF_ERROR(clpac_buffer_read(analytic, first * 8, n * 8, run->row, err));
	const double unit = staged->trouble == CLPAC__NOT_FINITE ? NAN : ldexp(1.0, staged->exponent);
	for (size_t i = 0; i < values; i++)
		run->row[i] = (float)(unit * run->row[run->wants_complex ? i : 2 * i]);
	if (run->out.buffer)
		RETURN_IF_ERROR(clpac_buffer_write(run->out.buffer, to * values * sizeof(float), values * sizeof(float),
						   run->row, err));
	else
		memcpy(run->out.host + to * values, run->row, values * sizeof(float));
	return CLPAC_OK;
}

static clpac_status filter_series(bank_run *run, size_t series, clpac_error *err)
{
	const clpac__layout *l = &run->layout;
	const clpac__bank *bank = &l->banks[CLPAC_PHASE];
	clpac_buffer *const *tensor = run->tensors;
	clpac__staged staged;
	RETURN_IF_ERROR(load(run, series, false, &staged, err));
	const clpac__sections_of sections = {
		bank, run->transforms.forward[CLPAC_PHASE], tensor[CLPAC__TENSOR_SAMPLES], l->n_samples, 0, 0, 1, 1};
	RETURN_IF_ERROR(clpac__transform_sections(run->context, &run->transforms, l, tensor, &sections, err));
	for (size_t first = 0; first < bank->n; first += l->group_bands) {
		const size_t group = bank->n - first < l->group_bands ? bank->n - first : l->group_bands;
		RETURN_IF_ERROR(clpac__transform_bands(run->context, &run->transforms, l, tensor, CLPAC_PHASE, first,
						       group, 1, err));
		for (size_t band = 0; band < group; band++)
			RETURN_IF_ERROR(store(run, tensor[CLPAC__TENSOR_ANALYTIC], band * bank->length + bank->pad,
					      series * bank->n + first + band, &staged, err));
	}
	return CLPAC_OK;
}

static clpac_status run_bank(clpac_context *context, const clpac_bank *bank, clpac_values samples, size_t n_series,
			     size_t n_samples, clpac_values out, bool wants_complex, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bank_run run = {.context = context, .samples = samples, .out = out, .wants_complex = wants_complex};
	size_t extension = 0, n_out = 0;
	TRY(check_bank(bank, n_series, n_samples, &extension, err));
	TRY(multiply_sizes(&n_out, n_series, bank->n_bands, n_samples, err));
	TRY(check_values(samples, out, n_series * n_samples, wants_complex ? 2 * n_out : n_out, err));
	TRY(clpac__context_equip(context, err));
	run.layout = (clpac__layout){.n_samples = n_samples,
				     .n_phase = bank->n_bands,
				     .is_wide = clpac__context_engine(context)->is_wide,
				     .banks[CLPAC_PHASE] = {.n = bank->n_bands, .pad = extension, .gap = 1}};
	clpac__bank_divide(&run.layout.banks[CLPAC_PHASE], n_samples, true, context->queue,
			   clpac__context_engine(context));
	TRY(equip(&run, err));
	TRY(NEW_ARRAY(run.filters, bank->n_bands));
	for (; run.n_filters < bank->n_bands; run.n_filters++)
		run.filters[run.n_filters] = (clpac__filter){.taps = (double *)bank->taps[run.n_filters],
							     .n_taps = bank->n_taps[run.n_filters]};
	for (size_t band = 0; band < bank->n_bands; band++)
		TRY(clpac__filter_make_analytic(&run.filters[band], err));
	TRY(clpac__transform_responses(context, &run.transforms, &run.layout, run.tensors, run.filters, err));
	for (size_t series = 0; series < n_series; series++)
		TRY(filter_series(&run, series, err));
	TRY(context->queue->operations->finish(context->queue, err));
done:
	dismiss(&run);
	return st;
}

clpac_status clpac_signal_filter(clpac_context *context, const clpac_bank *bank, clpac_values samples, size_t n_series,
				 size_t n_samples, clpac_values filtered, clpac_error *err)
{
	NEED(context, bank);
	NEED_CONTEXT(context);
	return run_bank(context, bank, samples, n_series, n_samples, filtered, false, err);
}

clpac_status clpac_signal_analytic(clpac_context *context, const clpac_bank *bank, clpac_values samples,
				   size_t n_series, size_t n_samples, clpac_values analytic, clpac_error *err)
{
	NEED(context, bank);
	NEED_CONTEXT(context);
	return run_bank(context, bank, samples, n_series, n_samples, analytic, true, err);
}

static clpac_status hilbert_row(bank_run *run, size_t row, clpac_error *err)
{
	const clpac__layout *l = &run->layout;
	clpac_buffer *const *tensor = run->tensors;
	clpac__staged staged;
	RETURN_IF_ERROR(load(run, row, true, &staged, err));
	/* With pad 0 nothing is reflected, so extending only pads with zeros. */
	RETURN_IF_ERROR(LAUNCH(run->context, extend, 0, ITEMS(l->hilbert_length, 1, 1),
			       .samples = BLOCK(tensor[CLPAC__TENSOR_SAMPLES]),
			       .extended = BLOCK(tensor[CLPAC__TENSOR_FILTERED]), .n_samples = NUMBER(l->n_samples),
			       .begin = NUMBER(0), .step = NUMBER(l->n_samples), .first_section = NUMBER(0),
			       .n_sections = NUMBER(1), .pad = NUMBER(0), .length = NUMBER(l->hilbert_length)));
	RETURN_IF_ERROR(clpac__transform(&run->transforms, run->transforms.hilbert_forward,
					 tensor[CLPAC__TENSOR_FILTERED], tensor[CLPAC__TENSOR_HILBERT_SPECTRUM],
					 tensor[CLPAC__TENSOR_FFT], 1, err));
	RETURN_IF_ERROR(LAUNCH(run->context, hilbert_pair, 0, ITEMS(l->hilbert_length, 1, 1),
			       .spectrum = BLOCK(tensor[CLPAC__TENSOR_HILBERT_SPECTRUM]),
			       .weights = BLOCK(tensor[CLPAC__TENSOR_HILBERT_WEIGHTS]),
			       .analytic = BLOCK(tensor[CLPAC__TENSOR_HILBERT_ANALYTIC]),
			       .length = NUMBER(l->hilbert_length), .spectrum_stride = NUMBER(l->hilbert_stride)));
	RETURN_IF_ERROR(clpac__transform(&run->transforms, run->transforms.hilbert_inverse,
					 tensor[CLPAC__TENSOR_HILBERT_ANALYTIC], tensor[CLPAC__TENSOR_HILBERT_ANALYTIC],
					 tensor[CLPAC__TENSOR_FFT], 1, err));
	return store(run, tensor[CLPAC__TENSOR_HILBERT_ANALYTIC], 0, row, &staged, err);
}

clpac_status clpac_signal_hilbert(clpac_context *context, clpac_values samples, size_t n_rows, size_t n_samples,
				  clpac_values analytic, clpac_error *err)
{
	NEED(context);
	NEED_CONTEXT(context);
	clpac_status st = CLPAC_OK;
	bank_run run = {.context = context, .samples = samples, .out = analytic, .wants_complex = true};
	size_t n_out = 0;
	if (!n_rows || n_samples < 2)
		FAIL(CLPAC_ERROR_ARGUMENT, "%zu rows of %zu samples: give at least 1 row and 2 samples", n_rows,
		     n_samples);
	TRY(multiply_sizes(&n_out, n_rows, n_samples, 1, err));
	TRY(check_values(samples, analytic, n_out, 2 * n_out, err));
	TRY(clpac__context_equip(context, err));
	run.layout = (clpac__layout){.n_samples = n_samples, .n_phase = 1, .is_trimmed = true};
	run.layout.hilbert_length = clpac__context_engine(context)->next_length(2 * n_samples - 1);
	run.layout.hilbert_stride = clpac__round_up(run.layout.hilbert_length / 2 + 1, 8);
	TRY(equip(&run, err));
	TRY(clpac__transform_hilbert_kernel(context, &run.transforms, &run.layout, run.tensors, err));
	for (size_t row = 0; row < n_rows; row++)
		TRY(hilbert_row(&run, row, err));
	TRY(context->queue->operations->finish(context->queue, err));
done:
	dismiss(&run);
	return st;
}
