/* KissFFT (single precision) as an engine of the native backend: slower than FFTW, free of the GPL.
 *
 * A real transform's configuration contains its scratch memory, so every worker has one of its own.  A complex
 * transform cannot work in place without allocating, so every worker has a row of the workspace to copy from.  Lengths
 * with no factors but 2, 3 and 5 need no allocation; for others KissFFT allocates a few numbers per row.
 */
#include "config.h"

#ifdef HAVE_KISSFFT

#include "coupling/native/native_fft_rows.h"

#include <kiss_fft.h>
#include <kiss_fftr.h>
#include <string.h>

#include "base/memory.h"

struct clpac__fft {
	clpac__fft_rows rows;
	unsigned n_workers;
	kiss_fftr_cfg *forward;	    /* one per worker */
	kiss_fft_cfg inverse;	    /* shared: a transform out of place only reads it */
	unsigned char *rows_copied; /* during an inverse run: the workspace, one row per worker */
};

enum { ALIGNMENT = 64 }; /* bytes, of a worker's row */

static size_t row_bytes(const clpac__fft_shape *shape)
{
	return clpac__round_up(shape->length * sizeof(kiss_fft_cpx), ALIGNMENT);
}

static size_t kissfft_next_length(size_t n)
{
	return clpac__good_length(n, 5);
}

/* As for FFTW, whose machine took 9 to 15 ns a value: the factors matter less. */
static double kissfft_cost(const clpac__queue *queue, size_t length)
{
	(void)queue;
	const double by_size = length <= 1 << 14 ? 1 : length <= 1 << 16 ? 1.25 : length <= 1 << 18 ? 2.2 : 5;
	return 10 * by_size * (double)length;
}

static size_t kissfft_workspace_for(clpac__queue *queue, const clpac__fft_shape *shape)
{
	const bool is_forward = shape->direction == CLPAC__FFT_FORWARD;
	return is_forward ? 0 : clpac__threads_count(clpac__native_threads(queue)) * row_bytes(shape);
}

static size_t kissfft_workspace_bytes(const clpac__fft *fft)
{
	return kissfft_workspace_for(&fft->rows.queue->base, &fft->rows.shape);
}

static void kissfft_destroy(clpac__fft *fft)
{
	if (!fft)
		return;
	for (unsigned i = 0; i < fft->n_workers; i++)
		clpac__free(fft->forward ? fft->forward[i] : NULL);
	FREE_ALL(fft->forward, fft->inverse, fft);
}

/* Odd lengths are refused for real transforms, which KissFFT computes as complex ones of half the length. */
static clpac_status kissfft_accepts(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err)
{
	(void)queue;
	return clpac__fft_rows_check("kissfft", shape, shape && shape->direction == CLPAC__FFT_INVERSE, err);
}

static clpac_status make_forward(clpac__fft *fft, clpac_error *err)
{
	int length = (int)fft->rows.shape.length;
	RETURN_IF_ERROR(NEW_ARRAY(fft->forward, fft->n_workers));
	for (unsigned i = 0; i < fft->n_workers; i++) {
		size_t bytes = 0;
		kiss_fftr_alloc(length, 0, NULL, &bytes); /* asks for the size */
		void *memory = clpac__alloc_zero(bytes);
		if (!memory)
			RETURN_NO_MEMORY(bytes);
		fft->forward[i] = memory;
		if (kiss_fftr_alloc(length, 0, memory, &bytes) != memory)
			RETURN_ERROR(CLPAC_ERROR_INTERNAL, "kissfft has no real transform of length %d", length);
	}
	return CLPAC_OK;
}

static clpac_status make_inverse(clpac__fft *fft, clpac_error *err)
{
	int length = (int)fft->rows.shape.length;
	size_t bytes = 0;
	kiss_fft_alloc(length, 1, NULL, &bytes);
	fft->inverse = clpac__alloc_zero(bytes);
	if (!fft->inverse)
		RETURN_NO_MEMORY(bytes);
	if (kiss_fft_alloc(length, 1, fft->inverse, &bytes) != fft->inverse)
		RETURN_ERROR(CLPAC_ERROR_INTERNAL, "kissfft has no complex transform of length %d", length);
	return CLPAC_OK;
}

static clpac_status kissfft_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__fft *fft = NULL;
	TRY(kissfft_accepts(queue, shape, err));
	TRY(NEW(fft));
	clpac__fft_rows_set(&fft->rows, "kissfft", queue, shape);
	fft->n_workers = clpac__threads_count(clpac__native_threads(queue));
	TRY(shape->direction == CLPAC__FFT_FORWARD ? make_forward(fft, err) : make_inverse(fft, err));
	*out = fft, fft = NULL;
done:
	kissfft_destroy(fft);
	return st;
}

static void forward_row(clpac__fft *fft, const float *input, float *output, unsigned worker)
{
	kiss_fftr(fft->forward[worker], input, (kiss_fft_cpx *)output);
}

static void inverse_row(clpac__fft *fft, const float *input, float *output, unsigned worker)
{
	void *copy = fft->rows_copied + worker * row_bytes(&fft->rows.shape);
	memcpy(copy, input, fft->rows.shape.length * sizeof(kiss_fft_cpx));
	kiss_fft(fft->inverse, copy, (kiss_fft_cpx *)output);
}

static clpac_status kissfft_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
				size_t rows, clpac_error *err)
{
	const bool is_forward = fft->rows.shape.direction == CLPAC__FFT_FORWARD;
	const size_t needed = kissfft_workspace_bytes(fft), given = workspace ? clpac__native_bytes(workspace) : 0;
	if (given < needed)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "kissfft inverse: the workspace has %zu bytes and needs %zu", given, needed);
	fft->rows_copied = workspace ? clpac__native_data(workspace) : NULL;
	return clpac__fft_rows_run(&fft->rows, fft, is_forward ? forward_row : inverse_row, input, output, rows, err);
}

extern const clpac__fft_engine clpac__fft_kissfft;
const clpac__fft_engine clpac__fft_kissfft = {
	.name = "kissfft",
	.backend = "native",
	.next_length = kissfft_next_length,
	.cost = kissfft_cost,
	.accepts = kissfft_accepts,
	.create = kissfft_create,
	.workspace_bytes = kissfft_workspace_bytes,
	.workspace_for = kissfft_workspace_for,
	.run = kissfft_run,
	.destroy = kissfft_destroy,
};

#else
typedef int clpac__no_kissfft; /* this build was configured without it */
#endif
