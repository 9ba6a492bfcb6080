/* The second seam: who transforms.
 *
 * An engine is one file and one line in engines.c.  It serves the two transforms that the method needs, both unscaled,
 * in single precision, many rows at a time:
 *
 *     forward   real rows of `length` floats, `stride_real` apart  ->  rows of length/2 + 1 complex, `stride_spectrum`
 * apart X[k] = sum x[t] exp(-2 pi i k t / length) inverse   complex rows of `length`, `length` apart, in place z[t] =
 * sum Z[k] exp(+2 pi i k t / length)
 *
 * A transform belongs to its queue and is used by one thread at a time; different transforms, of one queue too, may be
 * made, run and destroyed at once.
 */
#ifndef CLPAC_FFT_ENGINE_H
#define CLPAC_FFT_ENGINE_H

#include "backend/backend.h"

typedef enum clpac__fft_direction { CLPAC__FFT_FORWARD = 0, CLPAC__FFT_INVERSE } clpac__fft_direction;

typedef struct clpac__fft_shape {
	clpac__fft_direction direction;
	size_t length;		/* from 1; what an engine takes of it, `accepts` says */
	size_t rows;		/* most rows in a run */
	size_t stride_real;	/* forward: floats from one input row to the next, >= length */
	size_t stride_spectrum; /* forward: complex values from one output row to the next, >= length/2 + 1 */
} clpac__fft_shape;

typedef struct clpac__fft clpac__fft;

typedef struct clpac__fft_engine {
	const char *name;    /* "fftw", "kissfft", "clfft", "vkfft" */
	const char *backend; /* of the queues it can serve */

	/* The smallest length at or above n that the engine transforms well; always a multiple of 16, so that rows stay
	 * aligned for every vector width. */
	size_t (*next_length)(size_t n);

	/* Whether the engine can serve the queue's device, and, where a shape is given, such a transform: CLPAC_OK, or
	 * why not.  What it accepts `create` makes, unless memory or the driver fail.  NULL: only create tells. */
	clpac_status (*accepts)(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err);

	/* Makes a transform.  Its working memory is a block of the given queue of `workspace_bytes` that the caller
	 * provides with every run; 0 when it needs none. */
	clpac_status (*create)(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err);
	size_t (*workspace_bytes)(const clpac__fft *fft);

	/* The same before the transform is made; NULL where only a made one can tell. */
	size_t (*workspace_for)(clpac__queue *queue, const clpac__fft_shape *shape);

	/* Bytes of tables that a made transform reads in every run, and has no memory of its own for; NULL, or 0: none.
	 * They lie in the workspace behind the workspace_bytes of every transform that shares it: write_tables puts
	 * them there once, before the first run, at a multiple of part_alignment and of 64, and whoever runs the
	 * transform hands the same block, or the same bytes in another, to each run. */
	size_t (*table_bytes)(const clpac__fft *fft);
	clpac_status (*write_tables)(clpac__fft *fft, clpac__block *workspace, size_t offset, clpac_error *err);

	/* Transforms at least the first `rows` rows (an engine bound to its batch may transform up to shape.rows).
	 * Forward: input real rows, output spectrum.  Inverse: input == output. */
	clpac_status (*run)(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			    size_t rows, clpac_error *err);
	void (*destroy)(clpac__fft *fft); /* NULL is fine */
} clpac__fft_engine;

/* The engines of this build, in order of preference, ended by NULL (engines.c). */
extern const clpac__fft_engine *const clpac__fft_engines[];

/* Whether a name leaves the choice to clpac: NULL, "" and "auto". */
bool clpac__fft_is_auto(const char *name);

/* The engine that serves a queue's device best at a length (choice.c); at length 0 at most lengths.  NULL where none
 * accepts it.  Engines of one backend that are chosen by length have the same next_length. */
const clpac__fft_engine *clpac__fft_choose(const clpac__queue *queue, size_t length);

/* The engine with this name, or by choice.  CLPAC_ERROR_ARGUMENT for a name that is none of this build for the queue's
 * backend, with those there are; CLPAC_ERROR_UNSUPPORTED where the engine cannot serve the device, with the reason. */
clpac_status clpac__fft_engine_find(const char *name, const clpac__queue *queue, const clpac__fft_engine **out,
				    clpac_error *err);

/* The smallest multiple of 16 at or above n with no prime factor above `largest` (2, 3, 5, 7, 11 or 13); 0 when
 * no size_t holds it. */
size_t clpac__good_length(size_t n, unsigned largest);

#endif
