/* The second seam: who transforms.
 *
 * An engine is one file and one line in engines.c.  It serves the two transforms that the method needs, both unscaled, in
 * single precision, many rows at a time:
 *
 *     forward   real rows of `length` floats, `stride_real` apart  ->  rows of length/2 + 1 complex, `stride_spectrum` apart
 *               X[k] = sum x[t] exp(-2 pi i k t / length)
 *     inverse   complex rows of `length`, `length` apart, in place
 *               z[t] = sum Z[k] exp(+2 pi i k t / length)
 *
 * A transform belongs to its queue and, like it, is used by one thread at a time; different transforms of different queues
 * may be made and run at once.
 */
#ifndef CLPAC_FFT_ENGINE_H
#define CLPAC_FFT_ENGINE_H

#include "backend/backend.h"

typedef enum clpac__fft_direction { CLPAC__FFT_FORWARD = 0, CLPAC__FFT_INVERSE } clpac__fft_direction;

typedef struct clpac__fft_shape {
	clpac__fft_direction direction;
	size_t length;          /* even */
	size_t rows;            /* most rows in a run */
	size_t stride_real;     /* forward: floats from one input row to the next, >= length */
	size_t stride_spectrum; /* forward: complex values from one output row to the next, >= length/2 + 1 */
} clpac__fft_shape;

typedef struct clpac__fft clpac__fft;

typedef struct clpac__fft_engine {
	const char *name;    /* "fftw", "kissfft", "clfft" */
	const char *backend; /* of the queues it can serve */

	/* The smallest length at or above n that the engine transforms well; always a multiple of 16, so that rows stay
	 * aligned for every vector width. */
	size_t (*next_length)(size_t n);

	/* Makes a transform.  Its working memory is a block of the given queue of `workspace_bytes` that the caller provides
	 * with every run; 0 when it needs none. */
	clpac_status (*create)(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err);
	size_t (*workspace_bytes)(const clpac__fft *fft);

	/* The same before the transform is made; NULL where only a made one can tell. */
	size_t (*workspace_for)(clpac__queue *queue, const clpac__fft_shape *shape);

	/* Transforms at least the first `rows` rows (an engine bound to its batch may transform up to shape.rows).
	 * Forward: input real rows, output spectrum.  Inverse: input == output. */
	clpac_status (*run)(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace, size_t rows,
			    clpac_error *err);
	void (*destroy)(clpac__fft *fft); /* NULL is fine */
} clpac__fft_engine;

/* The engines of this build, in order of preference, ended by NULL (engines.c). */
extern const clpac__fft_engine *const clpac__fft_engines[];

/* The engine with this name, or for "auto" and "" the first that serves the queue's backend.  An error names those there are. */
clpac_status clpac__fft_engine_find(const char *name, const clpac__queue *queue, const clpac__fft_engine **out,
				    clpac_error *err);

/* The smallest multiple of 16 at or above n with no prime factor above `largest` (2, 3, 5, 7, 11 or 13); 0 when
 * no size_t holds it. */
size_t clpac__good_length(size_t n, unsigned largest);

#endif
