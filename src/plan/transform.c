/* Spectra: of series, of filters, of the Hilbert kernel. */
#include "plan/transform.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pool/pool.h"
#include "plan/launch.h"

enum { FORWARD, INVERSE, HILBERT_FORWARD, HILBERT_INVERSE, N_TRANSFORMS };

/* The shapes of the transforms that a layout needs; length 0: not needed. */
static void describe(const clpac__layout *layout, clpac__fft_shape shapes[N_TRANSFORMS])
{
	const size_t bands = layout->batch * layout->group_bands;
	for (int i = 0; i < N_TRANSFORMS; i++) {
		const bool is_hilbert = i == HILBERT_FORWARD || i == HILBERT_INVERSE;
		const size_t length = is_hilbert ? layout->hilbert_length : layout->length;
		shapes[i] = (clpac__fft_shape){
			.direction = i == FORWARD || i == HILBERT_FORWARD ? CLPAC__FFT_FORWARD : CLPAC__FFT_INVERSE,
			.length = length,
			.rows = i == FORWARD ? layout->batch : bands,
			.stride_real = length,
			.stride_spectrum = is_hilbert ? layout->hilbert_stride : layout->spectrum_stride,
		};
	}
}

uint64_t clpac__transforms_workspace(const clpac_context *context, const clpac__layout *layout, bool *is_exact)
{
	clpac__fft_shape shapes[N_TRANSFORMS];
	uint64_t most = 0;
	*is_exact = clpac__context_engine(context)->workspace_for != NULL;
	describe(layout, shapes);
	for (int i = 0; i < N_TRANSFORMS; i++) {
		const clpac__fft_shape *shape = &shapes[i];
		if (!shape->length)
			continue;
		const uint64_t data = (uint64_t)shape->rows * shape->length * 8;
		const uint64_t bytes = *is_exact ? clpac__context_engine(context)->workspace_for(context->queue, shape)
				       : shape->direction == CLPAC__FFT_FORWARD ? 2 * data
										: data;
		most = bytes > most ? bytes : most;
	}
	return most;
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

/* Places the tables one after the other, behind the shared workspace. */
static void place_tables(clpac__transforms *transforms, size_t alignment)
{
	const clpac__fft *const all[N_TRANSFORMS] = {transforms->forward, transforms->inverse,
						     transforms->hilbert_forward, transforms->hilbert_inverse};
	const size_t align = alignment > 64 ? alignment : 64;
	for (int i = 0; i < N_TRANSFORMS; i++) {
		const size_t bytes = table_bytes(transforms, all[i]);
		if (!bytes)
			continue;
		transforms->tables_at[i] = clpac__round_up(transforms->workspace_bytes, align);
		transforms->workspace_bytes = transforms->tables_at[i] + bytes;
	}
}

static clpac_status write_tables(const clpac__transforms *transforms, clpac_buffer *workspace, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__fft *const all[N_TRANSFORMS] = {transforms->forward, transforms->inverse, transforms->hilbert_forward,
					       transforms->hilbert_inverse};
	for (int i = 0; i < N_TRANSFORMS; i++)
		if (table_bytes(transforms, all[i]))
			TRY(transforms->engine->write_tables(all[i], clpac__buffer_block(workspace),
							     transforms->tables_at[i], err));
done:
	return st;
}

clpac_status clpac__transforms_create(const clpac_context *context, const clpac__layout *layout, clpac__transforms *out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t longest = layout->length > layout->hilbert_length ? layout->length : layout->hilbert_length;
	clpac__transforms made = {.engine = engine_for(context, longest)};
	clpac__fft **const all[N_TRANSFORMS] = {&made.forward, &made.inverse, &made.hilbert_forward,
						&made.hilbert_inverse};
	clpac__fft_shape shapes[N_TRANSFORMS];
	describe(layout, shapes);
	for (int i = 0; i < N_TRANSFORMS; i++) {
		if (!shapes[i].length)
			continue;
		TRY(made.engine->create(context->queue, &shapes[i], all[i], err));
		const size_t bytes = made.engine->workspace_bytes(*all[i]);
		made.workspace_bytes = bytes > made.workspace_bytes ? bytes : made.workspace_bytes;
	}
	place_tables(&made, context->queue->part_alignment);
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

/* Clears rows.  An engine may transform all rows that it was made for, and two real rows as one complex one: stale
 * values in unwritten rows, NaN perhaps, would spread to the others. */
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
	TRY(write_tables(transforms, parts[CLPAC__PART_FFT], err));
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
		TRY(LAUNCH(context, response, 0, ITEMS(half, rows, 1), .spectrum = BLOCK(parts[CLPAC__PART_SPECTRUM]),
			   .response = BLOCK(parts[CLPAC__PART_RESPONSE]), .n_half = NUMBER(half),
			   .spectrum_stride = NUMBER(layout->spectrum_stride), .first_band = NUMBER(first),
			   .scale = REAL(1.0 / (double)layout->length)));
	}
done:
	clpac__free(row);
	return st;
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
					     const clpac__layout *layout, clpac_buffer *const parts[CLPAC__PART_COUNT],
					     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t length = layout->hilbert_length, half = length / 2 + 1, n = layout->n_samples;
	float *row = clpac__alloc_array(length, sizeof *row);
	if (!row)
		FAIL_NO_MEMORY(length * sizeof *row);
	TRY(write_tables(transforms, parts[CLPAC__PART_FFT], err));
	for (size_t j = 1; j < n; j++) {
		row[j] = (float)hilbert_tap(j, n);
		row[length - j] = -row[j];
	}
	TRY(clear(parts[CLPAC__PART_FILTERED], err));
	TRY(clpac_buffer_write(parts[CLPAC__PART_FILTERED], 0, length * sizeof *row, row, err));
	TRY(clpac__transform(transforms, transforms->hilbert_forward, parts[CLPAC__PART_FILTERED],
			     parts[CLPAC__PART_HILBERT_SPECTRUM], parts[CLPAC__PART_FFT], 1, err));
	TRY(LAUNCH(context, hilbert_weights, 0, ITEMS(half, 1, 1),
		   .spectrum = BLOCK(parts[CLPAC__PART_HILBERT_SPECTRUM]),
		   .weights = BLOCK(parts[CLPAC__PART_HILBERT_WEIGHTS]), .n_half = NUMBER(half)));
done:
	clpac__free(row);
	return st;
}
