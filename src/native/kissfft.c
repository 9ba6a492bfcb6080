/* KissFFT (single precision) as an engine of the native backend: slower than FFTW, free of the GPL.
 *
 * A real transform's configuration holds its scratch memory, and a complex one cannot work in place without allocating:
 * so every worker has a configuration, or a row to copy from.  Lengths with factors of 2, 3 and 5 alone are transformed
 * without an allocation; for others KissFFT allocates a few numbers a row.
 */
#include "config.h"

#ifdef HAVE_KISSFFT

#include "native/rows.h"

#include <kiss_fft.h>
#include <kiss_fftr.h>
#include <string.h>

#include "base/memory.h"

struct clpac__fft {
	clpac__fft_rows rows;
	unsigned n_workers;
	kiss_fftr_cfg *forward;  /* one per worker */
	kiss_fft_cfg inverse;    /* only read by a transform out of place */
	kiss_fft_cpx **row;      /* inverse: one per worker */
};

static size_t kissfft_next_length(size_t n)
{
	return clpac__good_length(n, 5);
}

static size_t kissfft_workspace_bytes(const clpac__fft *fft)
{
	(void)fft;
	return 0;
}

static void kissfft_destroy(clpac__fft *fft)
{
	if (!fft)
		return;
	for (unsigned i = 0; i < fft->n_workers; i++) {
		clpac__free(fft->forward ? fft->forward[i] : NULL);
		clpac__free_pages(fft->row ? fft->row[i] : NULL);
	}
	clpac__free(fft->forward);
	clpac__free(fft->row);
	clpac__free(fft->inverse);
	clpac__free(fft);
}

static clpac_status make_forward(clpac__fft *fft, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	int length = (int)fft->rows.shape.length;
	fft->forward = clpac__alloc_array(fft->n_workers, sizeof *fft->forward);
	if (!fft->forward)
		FAIL_NO_MEMORY(fft->n_workers * sizeof *fft->forward);
	for (unsigned i = 0; i < fft->n_workers; i++) {
		size_t bytes = 0;
		kiss_fftr_alloc(length, 0, NULL, &bytes); /* asks for the size */
		void *memory = clpac__alloc_zero(bytes);
		if (!memory)
			FAIL_NO_MEMORY(bytes);
		fft->forward[i] = memory;
		if (kiss_fftr_alloc(length, 0, memory, &bytes) != memory)
			FAIL(CLPAC_ERROR_INTERNAL, "kissfft has no real transform of length %d", length);
	}
done:
	return st;
}

static clpac_status make_inverse(clpac__fft *fft, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	int length = (int)fft->rows.shape.length;
	size_t bytes = 0, row_bytes = fft->rows.shape.length * sizeof(kiss_fft_cpx);
	kiss_fft_alloc(length, 1, NULL, &bytes);
	fft->inverse = clpac__alloc_zero(bytes);
	if (!fft->inverse)
		FAIL_NO_MEMORY(bytes);
	if (kiss_fft_alloc(length, 1, fft->inverse, &bytes) != fft->inverse)
		FAIL(CLPAC_ERROR_INTERNAL, "kissfft has no complex transform of length %d", length);
	fft->row = clpac__alloc_array(fft->n_workers, sizeof *fft->row);
	if (!fft->row)
		FAIL_NO_MEMORY(fft->n_workers * sizeof *fft->row);
	for (unsigned i = 0; i < fft->n_workers; i++) {
		fft->row[i] = clpac__alloc_pages(row_bytes);
		if (!fft->row[i])
			FAIL_NO_MEMORY(row_bytes);
	}
done:
	return st;
}

static clpac_status kissfft_create(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__fft *fft = clpac__alloc_zero(sizeof *fft);
	if (!fft)
		FAIL_NO_MEMORY(sizeof *fft);
	TRY(clpac__fft_rows_set(&fft->rows, "kissfft", queue, shape, err));
	fft->n_workers = clpac__threads_count(clpac__native_threads(queue));
	TRY(shape->direction == CLPAC__FFT_FORWARD ? make_forward(fft, err) : make_inverse(fft, err));
	*out = fft;
	fft = NULL;
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
	memcpy(fft->row[worker], input, fft->rows.shape.length * sizeof(kiss_fft_cpx));
	kiss_fft(fft->inverse, fft->row[worker], (kiss_fft_cpx *)output);
}

static clpac_status kissfft_run(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
				size_t rows, clpac_error *err)
{
	(void)workspace;
	return clpac__fft_rows_run(&fft->rows, fft,
				   fft->rows.shape.direction == CLPAC__FFT_FORWARD ? forward_row : inverse_row, input,
				   output, rows, err);
}

extern const clpac__fft_engine clpac__fft_kissfft;
const clpac__fft_engine clpac__fft_kissfft = {
	.name = "kissfft",
	.backend = "native",
	.next_length = kissfft_next_length,
	.create = kissfft_create,
	.workspace_bytes = kissfft_workspace_bytes,
	.run = kissfft_run,
	.destroy = kissfft_destroy,
};

#else
typedef int clpac__no_kissfft; /* this build was configured without it */
#endif
