/* The part that host FFT engines share: checking the rows of a transform and spreading them over the queue's
 * threads. */
#ifndef CLPAC_COUPLING_NATIVE_NATIVE_FFT_ROWS_H
#define CLPAC_COUPLING_NATIVE_NATIVE_FFT_ROWS_H

#include "coupling/fft/engine.h"
#include "memory/native/native.h"

/* The common first member of every host engine's transform. */
typedef struct clpac__fft_rows {
	const char *engine;
	clpac__native_queue *queue;
	clpac__fft_shape shape;
} clpac__fft_rows;

/* Whether an engine that counts with int can transform a shape (NULL is fine); the error's text names the engine. */
clpac_status clpac__fft_rows_check(const char *engine, const clpac__fft_shape *shape, bool takes_odd, clpac_error *err);

/* Initialises the rows of a transform; the shape must have been checked. */
void clpac__fft_rows_set(clpac__fft_rows *rows, const char *engine, clpac__queue *queue, const clpac__fft_shape *shape);

/* Whether the blocks of a run hold n_rows rows, and the transform was made for so many; input == output unless it is
 * forward. */
clpac_status clpac__fft_rows_fit(const clpac__fft_rows *rows, const clpac__block *input, const clpac__block *output,
				 size_t n_rows, clpac_error *err);

/* Transforms one row.  Forward: real -> complex.  Inverse: input == output, complex. */
typedef void clpac__fft_row(clpac__fft *fft, const float *input, float *output, unsigned worker);

/* Transforms n_rows rows on all threads, after checking that the blocks hold them. */
clpac_status clpac__fft_rows_run(const clpac__fft_rows *rows, clpac__fft *fft, clpac__fft_row *row, clpac__block *input,
				 clpac__block *output, size_t n_rows, clpac_error *err);

#endif
