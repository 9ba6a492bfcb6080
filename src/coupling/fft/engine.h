/* The interface of FFT engines.
 *
 * An engine is one file and one line in coupling/registry/registry.c.  It serves the two transforms that the method
 * needs, both unscaled, in single precision, many rows at a time:
 *
 *     forward   in:  real rows of `length` floats, `stride_real` apart
 *               out: rows of length/2 + 1 complex values, `stride_spectrum` apart
 *               X[k] = sum x[t] exp(-2 pi i k t / length);
 *               engines that complete spectra write all `length` values where rows have room for them
 *     inverse   in place: complex rows of `length`, `length` apart
 *               z[t] = sum Z[k] exp(+2 pi i k t / length)
 *
 * An engine whose forward transforms are complex ones inside, with real rows copied before and half spectra behind,
 * serves a third, which spares the caller both copies (`is_wide`):
 *
 *     wide      in place: complex rows of `length`, `length` apart; for imaginary parts of 0 the values 0 .. length/2
 *               are those of the forward transform, bit for bit, and no row is rounded by another
 *
 * A transform belongs to its queue and is used by one thread at a time.  Different transforms, also of one queue, may
 * be made, run and destroyed at once.
 */
#ifndef CLPAC_COUPLING_FFT_ENGINE_H
#define CLPAC_COUPLING_FFT_ENGINE_H

#include "memory/backend/backend.h"

typedef enum clpac__fft_direction { CLPAC__FFT_FORWARD = 0, CLPAC__FFT_INVERSE, CLPAC__FFT_WIDE } clpac__fft_direction;

typedef struct clpac__fft_shape {
	clpac__fft_direction direction;
	size_t length;		/* 1 or more; `accepts` tells which lengths an engine takes */
	size_t rows;		/* most rows in a run */
	size_t stride_real;	/* forward: floats from one input row to the next, >= length */
	size_t stride_spectrum; /* forward: complex values from one output row to the next, >= length/2 + 1 */
} clpac__fft_shape;

typedef struct clpac__fft clpac__fft;

/* The largest error of a transform at a length of the engine's next_length: root of mean squares, relative to that of
 * the result.  The margin within which phase bins are decided exactly is derived from it (coupling/passes/transform.c);
 * tests/contract/fft_lengths.c holds every engine to it. */
#define CLPAC__FFT_ERROR 3e-7

/* Inverse transforms of rows that are products: of n spectra with n_bands responses each, number first_band and up. */
typedef struct clpac__fft_bands {
	clpac__block *spectrum; /* (n, length) c8, whole ones */
	clpac__block *response; /* (bands, length) f4 */
	clpac__block *output;	/* (n, n_bands, length) c8 */
	size_t n, first_band, n_bands;
} clpac__fft_bands;

typedef struct clpac__fft_engine {
	const char *name;    /* "lanes", "clfft", "vkfft" */
	const char *backend; /* backend of the queues it can serve */
	bool is_wide;	     /* it serves wide transforms; the engines that a queue chooses among agree */

	bool completes; /* forward spectra with a stride of `length` or more are whole; else `mirror` makes them so */

	/* The smallest length, n or more, that the engine transforms fast.  Always a multiple of 16, so that rows stay
	 * aligned for every vector width. */
	size_t (*next_length)(size_t n);

	/* The time that a row of a good length takes, in any unit: nanoseconds of some machine.  It decides into how
	 * many sections a series is cut (coupling/layout/sections.c), never a number.  NULL: as long as the row. */
	double (*cost)(const clpac__queue *queue, size_t length);

	/* Whether the engine can serve the queue's device and, if a shape is given, transform that shape: CLPAC_OK, or
	 * the reason why not.  `create` makes whatever is accepted, unless memory or the driver fail.  NULL: only
	 * `create` tells. */
	clpac_status (*accepts)(const clpac__queue *queue, const clpac__fft_shape *shape, clpac_error *err);

	/* Makes a transform.  Its workspace is a block of the given queue of `workspace_bytes` (0: none is needed),
	 * which the caller provides with every run. */
	clpac_status (*create)(clpac__queue *queue, const clpac__fft_shape *shape, clpac__fft **out, clpac_error *err);
	size_t (*workspace_bytes)(const clpac__fft *fft);

	/* workspace_bytes before the transform is made; NULL if only a finished transform can tell. */
	size_t (*workspace_for)(clpac__queue *queue, const clpac__fft_shape *shape);

	/* Bytes of tables that a transform reads in every run and cannot store itself; NULL or 0: none.  The tables lie
	 * in the workspace, behind the workspace_bytes of every transform that shares it.  write_tables writes them
	 * once, before the first run, at a multiple of part_alignment and of 64; each run must then get the same block,
	 * or another with the same bytes. */
	size_t (*table_bytes)(const clpac__fft *fft);
	/* table_bytes before the transform is made; NULL if there are none, or only a finished transform can tell. */
	size_t (*table_for)(const clpac__fft_shape *shape);
	clpac_status (*write_tables)(clpac__fft *fft, clpac__block *workspace, size_t offset, clpac_error *err);

	/* Transforms at least the first `rows` rows (an engine bound to its batch may transform up to shape.rows).
	 * Forward: input real rows, output spectrum.  Inverse and wide: input == output. */
	clpac_status (*run)(clpac__fft *fft, clpac__block *input, clpac__block *output, clpac__block *workspace,
			    size_t rows, clpac_error *err);
	/* Inverse: makes n * n_bands rows, as many as shape.rows at most, and transforms them.  NULL: select_bands
	 * makes them, for `run`. */
	clpac_status (*run_bands)(clpac__fft *fft, const clpac__fft_bands *bands, clpac__block *workspace,
				  clpac_error *err);
	void (*destroy)(clpac__fft *fft); /* NULL is fine */
} clpac__fft_engine;

/* The smallest multiple of 16, n or more, with no prime factor above `largest` (2, 3, 5, 7, 11 or 13); 0 if it does not
 * fit in a size_t. */
size_t clpac__good_length(size_t n, unsigned largest);

/* The engine's cost of a row. */
double clpac__fft_cost(const clpac__fft_engine *engine, const clpac__queue *queue, size_t length);

#endif
