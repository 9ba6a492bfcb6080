/* What the host FFT engines share: the rows of a transform, checked and spread over the threads of the queue. */
#ifndef CLPAC_NATIVE_COMPUTE_NATIVE_FFT_ROWS_H
#define CLPAC_NATIVE_COMPUTE_NATIVE_FFT_ROWS_H

#include "fft/engine.h"
#include "native/memory/native_block.h"
#include "native/memory/native_queue.h"

/* Begins every host engine's transform. */
typedef struct clpac__fft_rows {
	const char *engine;
	clpac__native_queue *queue;
	clpac__fft_shape shape;
} clpac__fft_rows;

/* Whether a shape (NULL is fine) is one for an engine that counts with int; the text of the error names the engine. */
clpac_status clpac__fft_rows_check(const char *engine, const clpac__fft_shape *shape, bool takes_odd, clpac_error *err);

/* Begins a transform of a shape that was checked. */
void clpac__fft_rows_set(clpac__fft_rows *rows, const char *engine, clpac__queue *queue, const clpac__fft_shape *shape);

/* Transforms one row.  Forward: real -> complex.  Inverse: input == output, complex. */
typedef void clpac__fft_row(clpac__fft *fft, const float *input, float *output, unsigned worker);

/* Runs one row after the other on all threads, after checking that the blocks hold them. */
clpac_status clpac__fft_rows_run(const clpac__fft_rows *rows, clpac__fft *fft, clpac__fft_row *row, clpac__block *input,
				 clpac__block *output, size_t n_rows, clpac_error *err);

#endif
