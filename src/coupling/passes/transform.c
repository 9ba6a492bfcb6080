/* Spectra: of series, of filters, of the Hilbert kernel. */
#include "coupling/passes/transform.h"

#include <math.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/cancel.h>

#include "base/memory.h"
#include "memory/pool/pool.h"
#include "coupling/layout/launch.h"
#include "coupling/registry/registry.h"

_Static_assert(sizeof((clpac__transforms *)0)->tables_at / sizeof(size_t) == CLPAC__TRANSFORMS,
	       "one place per transform");

static clpac__fft **transform_of(clpac__transforms *transforms, int i)
{
	clpac__fft **const all[CLPAC__TRANSFORMS] = {
		&transforms->forward[CLPAC_PHASE],     &transforms->inverse[CLPAC_PHASE],
		&transforms->forward[CLPAC_AMPLITUDE], &transforms->inverse[CLPAC_AMPLITUDE],
		&transforms->hilbert_forward,	       &transforms->hilbert_inverse,
		&transforms->shifted_amplitudes,       &transforms->shifted_phases,
		&transforms->shifted_products,
	};
	return all[i];
}

/* The engine that was asked for, or the best for the length.  If no engine accepts the length, the context's own, whose
 * error gives the reason. */
static const clpac__fft_engine *engine_for(const clpac_context *context, size_t length)
{
	const clpac__fft_engine *chosen =
		clpac__fft_is_auto(context->options.fft) ? clpac__fft_choose(context->queue, length) : NULL;
	return chosen ? chosen : clpac__context_engine(context);
}

static size_t table_bytes(const clpac__transforms *transforms, const clpac__fft *fft)
{
	return fft && transforms->engine->table_bytes ? transforms->engine->table_bytes(fft) : 0;
}

/* Transforms of one shape are one transform: banks with the same sections share theirs, and its tables.  Whether one
 * stands at an earlier place, too. */
static bool stands_before(const clpac__transforms *transforms, int i)
{
	clpac__transforms *all = (clpac__transforms *)transforms;
	int first = 0;
	while (*transform_of(all, first) != *transform_of(all, i))
		first++;
	return first < i;
}

/* Places the tables one after the other, behind the shared workspace. */
static void place_tables(clpac__transforms *transforms, const clpac__queue *queue)
{
	for (int i = 0; i < CLPAC__TRANSFORMS; i++) {
		const size_t bytes = table_bytes(transforms, *transform_of(transforms, i));
		if (!bytes || stands_before(transforms, i))
			continue;
		transforms->tables_at[i] = clpac__tables_at(queue, transforms->workspace_bytes);
		transforms->workspace_bytes = transforms->tables_at[i] + bytes;
	}
}

static clpac_status write_tables(const clpac__transforms *transforms, clpac_buffer *workspace, clpac_error *err)
{
	for (int i = 0; i < CLPAC__TRANSFORMS; i++) {
		clpac__fft *fft = *transform_of((clpac__transforms *)transforms, i);
		if (table_bytes(transforms, fft) && !stands_before(transforms, i))
			RETURN_IF_ERROR(transforms->engine->write_tables(fft, clpac__buffer_block(workspace),
									 transforms->tables_at[i], err));
	}
	return CLPAC_OK;
}

/* The longest row, by which an engine is chosen. */
static size_t longest_row(const clpac__layout *layout)
{
	size_t longest =
		layout->hilbert_length > layout->shifted.length ? layout->hilbert_length : layout->shifted.length;
	for (int use = 0; use < 2; use++)
		longest = layout->banks[use].length > longest ? layout->banks[use].length : longest;
	return longest;
}

clpac_status clpac__transforms_create(const clpac_context *context, const clpac__layout *layout, clpac__transforms *out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__transforms made = {.engine = engine_for(context, longest_row(layout))};
	clpac__fft_shape shapes[CLPAC__TRANSFORMS];
	clpac__transforms_describe(layout, shapes);
	for (int i = 0; i < CLPAC__TRANSFORMS; i++) {
		clpac__fft **fft = transform_of(&made, i);
		if (!shapes[i].length)
			continue;
		const int first = (int)clpac__first_of_shape(shapes, (size_t)i);
		if (first < i) {
			*fft = *transform_of(&made, first);
			continue;
		}
		TRY(clpac_cancel_check(err)); /* an engine may compile */
		TRY(made.engine->create(context->queue, &shapes[i], fft, err));
		const size_t bytes = made.engine->workspace_bytes(*fft);
		made.workspace_bytes = bytes > made.workspace_bytes ? bytes : made.workspace_bytes;
	}
	place_tables(&made, context->queue);
	*out = made;
	made = (clpac__transforms){0};
done:
	clpac__transforms_destroy(&made);
	return st;
}

void clpac__transforms_destroy(clpac__transforms *transforms)
{
	if (!transforms->engine)
		return;
	for (int i = CLPAC__TRANSFORMS; i-- > 0;)
		if (!stands_before(transforms, i))
			transforms->engine->destroy(*transform_of(transforms, i));
	*transforms = (clpac__transforms){0};
}

clpac_status clpac__transform(const clpac__transforms *transforms, clpac__fft *fft, clpac_buffer *input,
			      clpac_buffer *output, clpac_buffer *workspace, size_t rows, clpac_error *err)
{
	return transforms->engine->run(fft, clpac__buffer_block(input), clpac__buffer_block(output),
				       workspace ? clpac__buffer_block(workspace) : NULL, rows, err);
}

clpac_status clpac__transform_whole(const clpac_context *context, const clpac__transforms *transforms,
				    clpac__fft *forward, clpac_buffer *input, clpac_buffer *spectrum,
				    clpac_buffer *workspace, size_t rows, size_t length, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__transform(transforms, forward, input, spectrum, workspace, rows, err));
	if (transforms->engine->completes)
		return CLPAC_OK;
	return LAUNCH(context, mirror, 0, ITEMS(length / 2 - 1, rows, 1), .spectrum = BLOCK(spectrum),
		      .length = NUMBER(length));
}

clpac_status clpac__transform_sections(const clpac_context *context, const clpac__transforms *transforms,
				       const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				       const clpac__sections_of *sections, clpac_error *err)
{
	const clpac__bank *bank = sections->bank;
	clpac_buffer *spectrum = tensors[CLPAC__TENSOR_SPECTRUM], *extended = tensors[CLPAC__TENSOR_EXTENDED];
	const size_t rows = sections->n_series * sections->n;
	if (layout->is_wide) {
		RETURN_IF_ERROR(LAUNCH(context, extend_wide, 0, ITEMS(bank->length, sections->n, sections->n_series),
				       .samples = BLOCK(sections->samples), .extended = BLOCK(spectrum),
				       .n_samples = NUMBER(sections->n_samples), .begin = NUMBER(sections->begin),
				       .step = NUMBER(bank->step), .first_section = NUMBER(sections->first),
				       .n_sections = NUMBER(sections->n), .pad = NUMBER(bank->pad),
				       .length = NUMBER(bank->length)));
		return clpac__transform(transforms, sections->forward, spectrum, spectrum, tensors[CLPAC__TENSOR_FFT],
					rows, err);
	}
	RETURN_IF_ERROR(LAUNCH(context, extend, 0, ITEMS(bank->length, sections->n, sections->n_series),
			       .samples = BLOCK(sections->samples), .extended = BLOCK(extended),
			       .n_samples = NUMBER(sections->n_samples), .begin = NUMBER(sections->begin),
			       .step = NUMBER(bank->step), .first_section = NUMBER(sections->first),
			       .n_sections = NUMBER(sections->n), .pad = NUMBER(bank->pad),
			       .length = NUMBER(bank->length)));
	if (bank->gap > 1)
		return clpac__transform(transforms, sections->forward, extended, spectrum, tensors[CLPAC__TENSOR_FFT],
					rows, err);
	return clpac__transform_whole(context, transforms, sections->forward, extended, spectrum,
				      tensors[CLPAC__TENSOR_FFT], rows, bank->length, err);
}

/* Puts spectra times responses into the analytic bands' buffer. */
static clpac_status select_rows(const clpac_context *context, const clpac__layout *layout,
				clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_band_use use, size_t first,
				size_t n_bands, size_t rows, clpac_error *err)
{
	const clpac__bank *bank = &layout->banks[use];
	struct clpac__block *spectrum = BLOCK(tensors[CLPAC__TENSOR_SPECTRUM]);
	const clpac__response_place place = clpac__response_of(layout, use);
	struct clpac__block *response = BLOCK(tensors[place.tensor]);
	struct clpac__block *analytic = BLOCK(tensors[CLPAC__TENSOR_ANALYTIC]);
	if (bank->gap > 1)
		return LAUNCH(context, select_coarse, 0, ITEMS(clpac__bank_values(bank), n_bands, rows),
			      .spectrum = spectrum, .response = response, .analytic = analytic,
			      .length = NUMBER(bank->length), .n_coarse = NUMBER(clpac__bank_values(bank)),
			      .first_band = NUMBER(place.first + first), .n_bands = NUMBER(n_bands));
	if (layout->is_wide)
		return LAUNCH(context, select_halves, 0, ITEMS(bank->length, n_bands, rows), .spectrum = spectrum,
			      .response = response, .analytic = analytic, .length = NUMBER(bank->length),
			      .first_band = NUMBER(place.first + first), .n_bands = NUMBER(n_bands));
	return LAUNCH(context, select_bands, 0, ITEMS(bank->length, n_bands, rows), .spectrum = spectrum,
		      .response = response, .analytic = analytic, .length = NUMBER(bank->length),
		      .first_band = NUMBER(place.first + first), .n_bands = NUMBER(n_bands));
}

clpac_status clpac__transform_bands(const clpac_context *context, const clpac__transforms *transforms,
				    const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				    clpac_band_use use, size_t first, size_t n_bands, size_t rows, clpac_error *err)
{
	clpac_buffer *analytic = tensors[CLPAC__TENSOR_ANALYTIC], *workspace = tensors[CLPAC__TENSOR_FFT];
	const clpac__response_place place = clpac__response_of(layout, use);
	const clpac__fft_bands bands = {
		.spectrum = clpac__buffer_block(tensors[CLPAC__TENSOR_SPECTRUM]),
		.response = clpac__buffer_block(tensors[place.tensor]),
		.output = clpac__buffer_block(analytic),
		.n = rows,
		.first_band = place.first + first,
		.n_bands = n_bands,
	};
	if (transforms->engine->run_bands && layout->banks[use].gap == 1)
		return transforms->engine->run_bands(transforms->inverse[use], &bands,
						     workspace ? clpac__buffer_block(workspace) : NULL, err);
	RETURN_IF_ERROR(select_rows(context, layout, tensors, use, first, n_bands, rows, err));
	return clpac__transform(transforms, transforms->inverse[use], analytic, analytic, workspace, rows * n_bands,
				err);
}

/* Clears rows.  An engine may transform all rows that it was made for, and two real rows as one complex one: stale
 * values in unwritten rows, NaN perhaps, would spread to the others.  Wide transforms keep rows apart. */
static clpac_status clear(clpac_buffer *rows, clpac_error *err)
{
	return clpac_buffer_fill(rows, 0, clpac_buffer_bytes(rows), 0, err);
}

clpac_status clpac__transform_tables(const clpac__transforms *transforms,
				     clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err)
{
	RETURN_IF_ERROR(write_tables(transforms, tensors[CLPAC__TENSOR_FFT], err));
	if (tensors[CLPAC__TENSOR_NOISE])
		RETURN_IF_ERROR(clear(tensors[CLPAC__TENSOR_NOISE], err));
	return CLPAC_OK;
}

/* The real sequence whose transform gives the response (cl/response.cl): the sum of the real and the imaginary taps,
 * tap -k at length - k.  Rows are longer than the filter. */
static void lay_out_taps(const clpac__filter *filter, float *row, size_t length)
{
	memset(row, 0, length * sizeof *row);
	row[0] = (float)filter->even[0];
	for (size_t k = 1; k < filter->n_taps; k++) {
		row[k] = (float)(filter->even[k] + filter->odd[k]);
		row[length - k] = (float)(filter->even[k] - filter->odd[k]);
	}
}

/* Sum of the real and the imaginary part of tap k. */
static double tap_at(const clpac__filter *filter, ptrdiff_t k)
{
	const size_t at = (size_t)(k < 0 ? -k : k);
	return at >= filter->n_taps ? 0 : filter->even[at] + (k < 0 ? -filter->odd[at] : k > 0 ? filter->odd[at] : 0);
}

/* The second differences of the same sequence, with the neighbours of its ends. */
static void lay_out_curvature(const clpac__filter *filter, float *row, size_t length)
{
	const ptrdiff_t reach = (ptrdiff_t)filter->n_taps;
	memset(row, 0, length * sizeof *row);
	for (ptrdiff_t k = -reach; k <= reach; k++) {
		const double before = tap_at(filter, k - 1), after = tap_at(filter, k + 1);
		row[k < 0 ? length - (size_t)-k : (size_t)k] = (float)(before + after - 2 * tap_at(filter, k));
	}
}

typedef void lay_out(const clpac__filter *filter, float *row, size_t length);

/* Makes a real row a complex one, in place. */
static void widen(float *row, size_t length)
{
	for (size_t t = length; t-- > 0;) {
		row[2 * t] = row[t];
		row[2 * t + 1] = 0;
	}
}

/* Fills the response buffer of a use with the responses of what `lay_out` makes of each filter. */
static clpac_status bank_responses(const clpac_context *context, const clpac__transforms *transforms,
				   const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				   const clpac__filter *filters, clpac_band_use use, lay_out *lay_out_filter,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__bank *bank = &layout->banks[use];
	const size_t length = bank->length, at_once = layout->batch * bank->sections;
	const size_t values = layout->is_wide ? 2 * length : length;
	const clpac__response_place place = clpac__response_of(layout, use);
	clpac__fft *forward = transforms->forward[clpac__layout_joins_banks(layout) ? CLPAC_PHASE : use];
	clpac_buffer *laid_out = tensors[layout->is_wide ? CLPAC__TENSOR_SPECTRUM : CLPAC__TENSOR_EXTENDED];
	float *row;
	TRY(NEW_ARRAY(row, values));
	TRY(clear(laid_out, err));
	for (size_t first = 0; first < bank->n; first += at_once) {
		const size_t rows = bank->n - first < at_once ? bank->n - first : at_once;
		for (size_t i = 0; i < rows; i++) {
			lay_out_filter(&filters[bank->first + first + i], row, length);
			if (layout->is_wide)
				widen(row, length);
			TRY(clpac_buffer_write(laid_out, i * values * sizeof *row, values * sizeof *row, row, err));
		}
		TRY(clpac__transform(transforms, forward, laid_out, tensors[CLPAC__TENSOR_SPECTRUM],
				     tensors[CLPAC__TENSOR_FFT], rows, err));
		TRY(LAUNCH(context, response, 0, ITEMS(length / 2, rows, 1),
			   .spectrum = BLOCK(tensors[CLPAC__TENSOR_SPECTRUM]), .response = BLOCK(tensors[place.tensor]),
			   .length = NUMBER(length), .stride = NUMBER(length),
			   .first_band = NUMBER(place.first + first), .scale = REAL(1.0 / (double)length)));
	}
done:
	clpac__free(row);
	return st;
}

/* The multiple of |x| |c| + |z| (cl/noise.cl) that bounds an error with certainty, over 2 pi: each transform errs by
 * CLPAC__FFT_ERROR, and noise exceeds eight deviations in one sample of 10^15.  Errors are no such noise in every
 * signal: the largest that was found, near a lone spike, is half of this bound. */
static const double certain_noise = 8 * CLPAC__FFT_ERROR / 6.283185307179586;

/* The weights of cl/coarse_bins.cl, in the unit of the noise's root (cl/noise.cl).  The responses that they come from
 * stand in the place of the phase bands' own, which are computed afterwards. */
static clpac_status coarse_weights(const clpac_context *context, const clpac__transforms *transforms,
				   const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				   const clpac__filter *filters, clpac_error *err)
{
	const clpac__bank *phase = &layout->banks[CLPAC_PHASE];
	RETURN_IF_ERROR(
		bank_responses(context, transforms, layout, tensors, filters, CLPAC_PHASE, lay_out_curvature, err));
	return LAUNCH(context, coarse_weights, 0, ITEMS(layout->n_strips, phase->n, 1),
		      .curvature = BLOCK(tensors[CLPAC__TENSOR_PHASE_RESPONSE]),
		      .weights = BLOCK(tensors[CLPAC__TENSOR_COARSE_WEIGHTS]), .length = NUMBER(phase->length),
		      .n_coarse = NUMBER(clpac__bank_values(phase)), .strip = NUMBER(layout->strip),
		      .n_strips = NUMBER(layout->n_strips), .factor = REAL(sqrt(2.0) / 6.283185307179586));
}

/* The weights of cl/noise.cl, for as many bands at a time as the strips of a batch's sections have room for. */
static clpac_status noise_weights(const clpac_context *context, const clpac__layout *layout,
				  clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err)
{
	const clpac__bank *phase = &layout->banks[CLPAC_PHASE];
	const size_t at_once = layout->batch * phase->sections;
	for (size_t first = 0; first < phase->n; first += at_once) {
		const size_t n = phase->n - first < at_once ? phase->n - first : at_once;
		RETURN_IF_ERROR(LAUNCH(context, strip_gains, 0, ITEMS(layout->n_strips, n, 1),
				       .response = BLOCK(tensors[CLPAC__TENSOR_PHASE_RESPONSE]),
				       .weights = BLOCK(tensors[CLPAC__TENSOR_NOISE_WEIGHTS]),
				       .energy = BLOCK(tensors[CLPAC__TENSOR_ENERGY]), .length = NUMBER(phase->length),
				       .strip = NUMBER(layout->strip), .n_strips = NUMBER(layout->n_strips),
				       .first_band = NUMBER(first), .factor = REAL(certain_noise)));
		RETURN_IF_ERROR(LAUNCH(context, noise_weights, 0, ITEMS(n, 1, 1),
				       .energy = BLOCK(tensors[CLPAC__TENSOR_ENERGY]),
				       .weights = BLOCK(tensors[CLPAC__TENSOR_NOISE_WEIGHTS]),
				       .length = NUMBER(phase->length), .n_strips = NUMBER(layout->n_strips),
				       .first_band = NUMBER(first), .factor = REAL(certain_noise)));
	}
	return CLPAC_OK;
}

clpac_status clpac__transform_responses(const clpac_context *context, const clpac__transforms *transforms,
					const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
					const clpac__filter *filters, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__transform_tables(transforms, tensors, err));
	if (tensors[CLPAC__TENSOR_COARSE_WEIGHTS])
		RETURN_IF_ERROR(coarse_weights(context, transforms, layout, tensors, filters, err));
	for (int use = 0; use < 2; use++)
		if (layout->banks[use].n)
			RETURN_IF_ERROR(bank_responses(context, transforms, layout, tensors, filters,
						       (clpac_band_use)use, lay_out_taps, err));
	if (layout->tap_stride)
		RETURN_IF_ERROR(noise_weights(context, layout, tensors, err));
	return CLPAC_OK;
}

/* Tap j of the discrete Hilbert transform of n samples, in closed form: (2/n) sum of sin(2 pi j k / n) over the
 * positive frequencies k. */
static double hilbert_tap(size_t j, size_t n)
{
	const double x = acos(-1.0) * (double)j / (double)n;
	const double m = (double)((n - 1) / 2);
	return 2.0 / (double)n * sin(m * x) * sin((m + 1) * x) / sin(x);
}

clpac_status clpac__transform_hilbert_kernel(const clpac_context *context, const clpac__transforms *transforms,
					     const clpac__layout *layout,
					     clpac_buffer *const tensors[CLPAC__TENSOR_COUNT], clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t length = layout->hilbert_length, half = length / 2 + 1, n = layout->n_samples;
	float *row;
	TRY(NEW_ARRAY(row, length));
	TRY(write_tables(transforms, tensors[CLPAC__TENSOR_FFT], err));
	for (size_t j = 1; j < n; j++) {
		row[j] = (float)hilbert_tap(j, n);
		row[length - j] = -row[j];
	}
	TRY(clear(tensors[CLPAC__TENSOR_FILTERED], err));
	TRY(clpac_buffer_write(tensors[CLPAC__TENSOR_FILTERED], 0, length * sizeof *row, row, err));
	TRY(clpac__transform(transforms, transforms->hilbert_forward, tensors[CLPAC__TENSOR_FILTERED],
			     tensors[CLPAC__TENSOR_HILBERT_SPECTRUM], tensors[CLPAC__TENSOR_FFT], 1, err));
	TRY(LAUNCH(context, hilbert_weights, 0, ITEMS(half, 1, 1),
		   .spectrum = BLOCK(tensors[CLPAC__TENSOR_HILBERT_SPECTRUM]),
		   .weights = BLOCK(tensors[CLPAC__TENSOR_HILBERT_WEIGHTS]), .n_half = NUMBER(half)));
done:
	clpac__free(row);
	return st;
}
