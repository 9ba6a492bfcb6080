/* The shapes of a layout's transforms, and the memory that they work in. */
#include "coupling/layout/transform_shapes.h"

#include "base/memory.h"

/* Forward and inverse of the phase bank, of the amplitude bank, of the kept samples; then those of all shifts. */
enum { N_OF_BANKS = 6, HILBERT = 4 };

void clpac__transforms_describe(const clpac__layout *layout, clpac__fft_shape shapes[CLPAC__TRANSFORMS])
{
	const clpac__shifted *shifted = &layout->shifted;
	const bool are_joined = clpac__layout_joins_banks(layout);
	for (int i = 0; i < N_OF_BANKS; i++) {
		const clpac__bank *bank = i < HILBERT ? &layout->banks[i / 2] : NULL;
		const bool is_forward = i % 2 == 0;
		const size_t of_bank = !bank ? 0 : is_forward ? bank->length : clpac__bank_values(bank);
		const size_t length = bank ? of_bank : layout->hilbert_length;
		const size_t rows = clpac__layout_filtered(layout) * (bank ? bank->sections : layout->group_bands);
		/* Those of joined banks are the phases'. */
		const bool is_needed = !are_joined || i / 2 != CLPAC_AMPLITUDE;
		const size_t bands = are_joined || !bank ? layout->group_bands
							 : clpac__layout_group(layout, (clpac_band_use)(i / 2));
		shapes[i] = (clpac__fft_shape){
			.direction = !is_forward	       ? CLPAC__FFT_INVERSE
				     : bank && layout->is_wide ? CLPAC__FFT_WIDE
							       : CLPAC__FFT_FORWARD,
			.length = is_needed ? length : 0,
			.rows = bank && !is_forward ? rows * bands : rows,
			.stride_real = length,
			.stride_spectrum = bank ? length : layout->hilbert_stride,
		};
	}
	shapes[N_OF_BANKS] = (clpac__fft_shape){.direction = CLPAC__FFT_FORWARD,
						.length = shifted->length,
						.rows = layout->batch * layout->n_amplitude,
						.stride_real = shifted->length,
						.stride_spectrum = shifted->length};
	shapes[N_OF_BANKS + 1] = (clpac__fft_shape){
		.direction = CLPAC__FFT_INVERSE, .length = shifted->length, .rows = shifted->phases * shifted->n_pairs};
	shapes[N_OF_BANKS + 2] = (clpac__fft_shape){.direction = CLPAC__FFT_INVERSE,
						    .length = shifted->n_values,
						    .rows = shifted->phases * shifted->bands * shifted->n_pairs};
}

static bool are_equal(const clpac__fft_shape *a, const clpac__fft_shape *b)
{
	return a->direction == b->direction && a->length == b->length && a->rows == b->rows &&
	       a->stride_real == b->stride_real && a->stride_spectrum == b->stride_spectrum;
}

size_t clpac__first_of_shape(const clpac__fft_shape shapes[CLPAC__TRANSFORMS], size_t i)
{
	size_t first = 0;
	while (!are_equal(&shapes[first], &shapes[i]))
		first++;
	return first;
}

size_t clpac__transforms_rows(const clpac__layout *layout)
{
	clpac__fft_shape shapes[CLPAC__TRANSFORMS];
	size_t most = 0;
	clpac__transforms_describe(layout, shapes);
	for (int i = 0; i < CLPAC__TRANSFORMS; i++)
		if (shapes[i].length && shapes[i].rows > most)
			most = shapes[i].rows;
	return most;
}

size_t clpac__tables_at(const clpac__queue *queue, size_t bytes)
{
	return clpac__round_up(bytes, queue->part_alignment > 64 ? queue->part_alignment : 64);
}

/* The bytes of a workspace with the tables of all transforms behind it, as passes/transform.c places them. */
static uint64_t with_tables(const clpac_context *context, const clpac__fft_shape shapes[CLPAC__TRANSFORMS],
			    uint64_t bytes)
{
	const clpac__fft_engine *engine = clpac__context_engine(context);
	for (size_t i = 0; engine->table_for && i < CLPAC__TRANSFORMS; i++)
		if (shapes[i].length && clpac__first_of_shape(shapes, i) == i)
			bytes = clpac__tables_at(context->queue, (size_t)bytes) + engine->table_for(&shapes[i]);
	return bytes;
}

uint64_t clpac__transforms_workspace(const clpac_context *context, const clpac__layout *layout, bool *is_exact)
{
	clpac__fft_shape shapes[CLPAC__TRANSFORMS];
	uint64_t most = 0;
	*is_exact = clpac__context_engine(context)->workspace_for != NULL;
	clpac__transforms_describe(layout, shapes);
	for (int i = 0; i < CLPAC__TRANSFORMS; i++) {
		const clpac__fft_shape *shape = &shapes[i];
		if (!shape->length)
			continue;
		const uint64_t data = (uint64_t)shape->rows * shape->length * 8;
		const uint64_t bytes = *is_exact ? clpac__context_engine(context)->workspace_for(context->queue, shape)
				       : shape->direction == CLPAC__FFT_FORWARD ? 2 * data
										: data;
		most = bytes > most ? bytes : most;
	}
	return with_tables(context, shapes, most);
}
