/* Spectra: of series, of filters, of the Hilbert kernel. */
#include "plan/transform.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "memory/pool.h"
#include "plan/launch.h"

static clpac_status make(const clpac__transforms *transforms, clpac__queue *queue, clpac__fft_direction direction,
			 size_t length, size_t rows, size_t stride_spectrum, clpac__fft **out, clpac_error *err)
{
	const clpac__fft_shape shape = {
		.direction = direction,
		.length = length,
		.rows = rows,
		.stride_real = length,
		.stride_spectrum = stride_spectrum,
	};
	return transforms->engine->create(queue, &shape, out, err);
}

clpac_status clpac__transforms_create(const clpac_context *context, const clpac__layout *layout, clpac__transforms *out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = context->queue;
	const size_t bands = layout->batch * layout->group_bands;
	clpac__transforms made = {.engine = context->engine};
	if (layout->length) {
		TRY(make(&made, queue, CLPAC__FFT_FORWARD, layout->length, layout->batch, layout->spectrum_stride,
			 &made.forward, err));
		TRY(make(&made, queue, CLPAC__FFT_INVERSE, layout->length, bands, layout->spectrum_stride,
			 &made.inverse, err));
	}
	if (layout->hilbert_length) {
		TRY(make(&made, queue, CLPAC__FFT_FORWARD, layout->hilbert_length, bands, layout->hilbert_stride,
			 &made.hilbert_forward, err));
		TRY(make(&made, queue, CLPAC__FFT_INVERSE, layout->hilbert_length, bands, layout->hilbert_stride,
			 &made.hilbert_inverse, err));
	}
	clpac__fft *const all[] = {made.forward, made.inverse, made.hilbert_forward, made.hilbert_inverse};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const size_t bytes = all[i] ? made.engine->workspace_bytes(all[i]) : 0;
		if (bytes > made.workspace_bytes)
			made.workspace_bytes = bytes;
	}
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
	transforms->engine->destroy(transforms->forward);
	transforms->engine->destroy(transforms->inverse);
	transforms->engine->destroy(transforms->hilbert_forward);
	transforms->engine->destroy(transforms->hilbert_inverse);
	*transforms = (clpac__transforms){0};
}

clpac_status clpac__transform(const clpac__transforms *transforms, clpac__fft *fft, clpac_buffer *input,
			      clpac_buffer *output, clpac_buffer *workspace, size_t rows, clpac_error *err)
{
	return transforms->engine->run(fft, clpac__buffer_block(input), clpac__buffer_block(output),
				       workspace ? clpac__buffer_block(workspace) : NULL, rows, err);
}

/* An engine may transform all rows that it was made for, two real ones as one complex one: what another user left in
 * those not written yet, NaN perhaps, would reach the others. */
static clpac_status clear(clpac_buffer *rows, clpac_error *err)
{
	return clpac_buffer_fill(rows, 0, clpac_buffer_bytes(rows), 0, err);
}

clpac_status clpac__transform_responses(const clpac_context *context, const clpac__transforms *transforms,
					const clpac__layout *layout, clpac_buffer *const parts[CLPAC__PART_COUNT],
					const clpac__filter *filters, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t half = layout->length / 2 + 1;
	float *row = clpac__alloc_array(layout->length, sizeof *row);
	if (!row)
		FAIL_NO_MEMORY(layout->length * sizeof *row);
	TRY(clear(parts[CLPAC__PART_EXTENDED], err));
	for (size_t first = 0; first < n; first += layout->batch) {
		const size_t rows = n - first < layout->batch ? n - first : layout->batch;
		for (size_t i = 0; i < rows; i++) {
			const clpac__filter *filter = &filters[first + i];
			memset(row, 0, layout->length * sizeof *row);
			for (size_t tap = 0; tap < filter->n_taps; tap++)
				row[tap] = (float)filter->taps[tap];
			TRY(clpac_buffer_write(parts[CLPAC__PART_EXTENDED], i * layout->length * sizeof *row,
					       layout->length * sizeof *row, row, err));
		}
		TRY(clpac__transform(transforms, transforms->forward, parts[CLPAC__PART_EXTENDED],
				     parts[CLPAC__PART_SPECTRUM], parts[CLPAC__PART_FFT], rows, err));
		TRY(LAUNCH(context, response, 0, ITEMS(half, rows, 1), B(parts[CLPAC__PART_SPECTRUM]),
			   B(parts[CLPAC__PART_RESPONSE]), U(half), U(layout->spectrum_stride), U(first),
			   F(1.0 / (double)layout->length)));
	}
done:
	clpac__free(row);
	return st;
}

/* Tap j of the discrete Hilbert transform of n samples: (2/n) sum over the positive frequencies of sin(2 pi j k / n).
 */
static double hilbert_tap(size_t j, size_t n)
{
	const double x = acos(-1.0) * (double)j / (double)n;
	const double m = (double)((n - 1) / 2);
	return 2.0 / (double)n * sin(m * x) * sin((m + 1) * x) / sin(x);
}

clpac_status clpac__transform_hilbert_kernel(const clpac_context *context, const clpac__transforms *transforms,
					     const clpac__layout *layout, clpac_buffer *const parts[CLPAC__PART_COUNT],
					     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t length = layout->hilbert_length, half = length / 2 + 1, n = layout->n_samples;
	float *row = clpac__alloc_array(length, sizeof *row);
	if (!row)
		FAIL_NO_MEMORY(length * sizeof *row);
	for (size_t j = 1; j < n; j++) {
		row[j] = (float)hilbert_tap(j, n);
		row[length - j] = -row[j];
	}
	TRY(clear(parts[CLPAC__PART_FILTERED], err));
	TRY(clpac_buffer_write(parts[CLPAC__PART_FILTERED], 0, length * sizeof *row, row, err));
	TRY(clpac__transform(transforms, transforms->hilbert_forward, parts[CLPAC__PART_FILTERED],
			     parts[CLPAC__PART_HILBERT_SPECTRUM], parts[CLPAC__PART_FFT], 1, err));
	TRY(LAUNCH(context, hilbert_weights, 0, ITEMS(half, 1, 1), B(parts[CLPAC__PART_HILBERT_SPECTRUM]),
		   B(parts[CLPAC__PART_HILBERT_WEIGHTS]), U(half)));
done:
	clpac__free(row);
	return st;
}
