/* Lengths, tables and launches of the transforms in lanes. */
#include "coupling/fft/lanes.h"

#include <math.h>

#include "base/memory.h"
#include "shared/radices.h"

enum { MULTIPLE = 16, TABLE_BYTES = CLPAC_TABLE_UNIT * sizeof(float) };

bool clpac__lanes_takes(size_t length)
{
	return length && length % MULTIPLE == 0;
}

/* Multiples of 32, so that the first two passes of both ways have radix 4. */
size_t clpac__lanes_next_length(size_t n)
{
	if (n <= MULTIPLE)
		return MULTIPLE;
	const size_t half = clpac__good_length(n / 2 + n % 2, 5);
	return half > SIZE_MAX / 2 ? 0 : 2 * half;
}

/* The values that passes take: those of a real row are half as many complex ones. */
static size_t values_of(const clpac__fft_shape *shape)
{
	return shape->direction == CLPAC__FFT_FORWARD ? shape->length / 2 : shape->length;
}

size_t clpac__lanes_planes_bytes(const clpac__fft_shape *shape, size_t n_items)
{
	size_t bytes;
	return clpac__size_mul(CLPAC_PLANES(values_of(shape)) * sizeof(float), n_items, &bytes) ? bytes : SIZE_MAX;
}

size_t clpac__lanes_table_bytes(const clpac__fft_shape *shape)
{
	const size_t h = values_of(shape);
	size_t floats = shape->direction == CLPAC__FFT_FORWARD ? 2 * h : 0;
	for (unsigned run = 1, radix; run < h; run *= radix) {
		radix = next_radix((unsigned)h / run);
		floats += floats_of_pass((unsigned)h, radix, run);
	}
	return clpac__round_up(floats * sizeof(float), TABLE_BYTES);
}

/* exp(2 pi i k / n), k < n, from an angle of an eighth of a turn at most, whose cosine and sine are the most exact. */
static void root_of_unity(size_t k, size_t n, float *re, float *im)
{
	const double pi = 3.14159265358979323846;
	const size_t eighth = 8 * k / n, quarter = (eighth + 1) / 2; /* the nearest quarter of a turn */
	const double angle = pi / 2 * ((4 * (double)k - (double)(quarter * n)) / (double)n);
	const double cosine = cos(angle), sine = sin(angle);
	const double turned[4][2] = {{cosine, sine}, {-sine, cosine}, {-cosine, -sine}, {sine, -cosine}};
	*re = (float)turned[quarter % 4][0];
	*im = (float)turned[quarter % 4][1];
}

/* The floats of a pass; returns the place behind them. */
static float *write_pass(float *table, unsigned h, unsigned radix, unsigned run)
{
	const size_t left = h / run, times = repeated(radix, run), m = left / radix * times;
	for (size_t j = 1; j < radix; j++, table += 2 * m)
		for (size_t i = 0; i < m; i++)
			root_of_unity(j * (i / times), left, table + i, table + m + i);
	if (has_own_sums(radix))
		return table;
	for (size_t k = 0; k < radix; k++)
		root_of_unity(k, radix, table + k, table + radix + k);
	return table + 2 * radix;
}

clpac_status clpac__lanes_write_table(clpac__queue *queue, const clpac__fft_shape *shape, clpac__block *workspace,
				      size_t offset, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t h = values_of(shape), bytes = clpac__lanes_table_bytes(shape);
	float *table = clpac__alloc_zero(bytes), *at = table;
	if (!table)
		RETURN_NO_MEMORY(bytes);
	for (unsigned run = 1, radix; run < h; run *= radix) {
		radix = next_radix((unsigned)h / run);
		at = write_pass(at, (unsigned)h, radix, run);
	}
	if (shape->direction == CLPAC__FFT_FORWARD)
		for (size_t k = 0; k < h; k++)
			root_of_unity(k, shape->length, at + k, at + h + k);
	st = queue->operations->write(queue, workspace, offset, bytes, table, err);
	clpac__free(table);
	return st;
}

/* Shares the rows of a launch out among as many items as planes were made for. */
static clpac_status launch(clpac__compute *compute, size_t n_items, clpac__launch *launch, clpac_error *err)
{
	struct clpac__transform_rows_arguments *with = &launch->arguments.transform_rows;
	with->rows_of_item = (uint32_t)((with->n_rows - 1) / n_items + 1);
	launch->items[1] = (with->n_rows - 1) / with->rows_of_item + 1;
	return compute->operations->launch(compute, launch, err);
}

clpac_status clpac__lanes_launch(clpac__compute *compute, const clpac__fft_shape *shape, size_t n_items, size_t offset,
				 clpac__block *input, clpac__block *output, clpac__block *workspace, size_t rows,
				 clpac_error *err)
{
	const bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	clpac__launch all = {
		.items = {1, 1, 1},
		CLPAC__STAGE(transform_rows, .from = input, .gains = input, .to = output, .workspace = workspace,
			     .kind = is_forward ? CLPAC_FORWARD : CLPAC_INVERSE, .length = (uint32_t)shape->length,
			     .stride_from = (uint32_t)(is_forward ? shape->stride_real : 2 * shape->length),
			     .stride_to = (uint32_t)(2 * (is_forward ? shape->stride_spectrum : shape->length)),
			     .first_band = 0, .n_bands = 1, .n_rows = (uint32_t)rows, .rows_of_item = 1,
			     .factors = (uint32_t)(offset / TABLE_BYTES)),
	};
	return launch(compute, n_items, &all, err);
}

clpac_status clpac__lanes_launch_bands(clpac__compute *compute, const clpac__fft_shape *shape, size_t n_items,
				       size_t offset, const clpac__fft_bands *bands, clpac__block *workspace,
				       clpac_error *err)
{
	clpac__launch all = {
		.items = {1, 1, 1},
		CLPAC__STAGE(transform_rows, .from = bands->spectrum, .gains = bands->response, .to = bands->output,
			     .workspace = workspace, .kind = CLPAC_PRODUCTS, .length = (uint32_t)shape->length,
			     .stride_from = (uint32_t)(2 * shape->length), .stride_to = (uint32_t)(2 * shape->length),
			     .first_band = (uint32_t)bands->first_band, .n_bands = (uint32_t)bands->n_bands,
			     .n_rows = (uint32_t)(bands->n * bands->n_bands), .rows_of_item = 1,
			     .factors = (uint32_t)(offset / TABLE_BYTES)),
	};
	return launch(compute, n_items, &all, err);
}

/* Nanoseconds of a value of inverse rows on one machine (EPYC with AVX-512, 1 MiB of second-level cache a core),
 * rounded.  The same on every device: it decides into which sections a series is cut, and so about bits. */
double clpac__lanes_cost(const clpac__queue *queue, size_t length)
{
	(void)queue;
	const double of_value = length <= 1 << 10   ? 0.45
				: length <= 1 << 12 ? 0.6
				: length <= 1 << 14 ? 0.8
				: length <= 1 << 16 ? 1.5
				: length <= 1 << 18 ? 3
						    : 6;
	return of_value * (double)length;
}
