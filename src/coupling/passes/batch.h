/* A batch has all that changes while a plan runs: the buffers that kernels write, and the host's memory.  A plan has
 * one for each thread that has run it at the same time as others. */
#ifndef CLPAC_COUPLING_PASSES_BATCH_H
#define CLPAC_COUPLING_PASSES_BATCH_H

#include <clpac/plan.h>
#include "coupling/passes/transform.h"
#include "coupling/signal/random_phases.h"

typedef struct clpac__batch clpac__batch;

/* One element of a list of circular shifts; element 0 is the unshifted index.  The shifts of a chunk of surrogates are
 * in ascending order. */
typedef struct clpac__shift {
	uint32_t samples;
	uint32_t number; /* number of its surrogate, from 1 on */
	uint32_t place;	 /* index in its chunk, from 0 on, of the surrogate whose number is this element's */
} clpac__shift;

/* Memory on the host of surrogates whose amplitude is not a shifted one (variants.c); the members for other nulls are
 * NULL. */
typedef struct clpac__variants {
	const clpac_samples *samples; /* of the run; the batch begins with series `first` */
	size_t first;
	uint32_t *draws; /* of the batch: time blocks, segments */
	clpac__random_phases *phases;
	double *spectra; /* of the batch, once has_spectra is set: (series, n_samples / 2 + 1, 2) */
	float *series;	 /* n_samples */
	int *exponents;	 /* of the segments in the slots; linear measures only */
	bool has_spectra;
	size_t channel, segment, n_held; /* the segments in the slots; n_held 0: none */
	bool are_scored;		 /* whether the scores of these are there (linear_variants.c) */
} clpac__variants;

/* Takes what filters made of a batch, series first .. first + n - 1, in place of indices: the vectors of phases in
 * CLPAC__TENSOR_VECTORS and the amplitudes in CLPAC__TENSOR_AMPLITUDE, scaled by 2^-exponent.  Plans of several devices
 * call it at once, for different series. */
typedef struct clpac__consumer {
	clpac_status (*take)(void *user, const clpac_plan *plan, clpac__batch *batch, size_t first, size_t n,
			     clpac_error *err);
	void *user;
} clpac__consumer;

struct clpac__batch {
	clpac__batch *next;
	bool is_busy;		/* some thread runs with it */
	const clpac_plan *plan; /* for which the device memory is; NULL: there is none */

	clpac_buffer
		*tensors[CLPAC__TENSOR_COUNT]; /* the plan's constants among them; some are one buffer (layout.h) */
	enum clpac__time time;		       /* of the pass that began last */
	clpac__transforms transforms;	       /* which one thread at a time uses */
	double speed;			       /* series per second in the last batch; 0: none yet */

	float *samples;	     /* NULL if the host reaches the samples buffer */
	int *exponents;	     /* series were scaled by 2^-exponent */
	uint8_t *troubles;   /* enum clpac__trouble of each series of the problem */
	const double *means; /* to take off each series, of the run's input; NULL: its own (separate_windows.c) */
	const clpac__consumer *consumer; /* of the run's input: indices are not computed (erpac.c); NULL: they are */
	clpac__shift *shifts;
	float *rows;	      /* large enough for every array that is read back */
	float *distributions; /* behind them */

	/* The batch that was begun before the present one is stored (ahead.c): series first .. first + n - 1; n 0:
	 * none.
	 */
	struct {
		size_t first, n;
		int *exponents;
		clpac_status st; /* of its beginning */
		clpac_error why;
	} ahead;

	clpac__variants variants;
	struct clpac__channels *channels; /* of pairs, during a run (pairs.h); NULL otherwise */

	size_t first_summed, n_summed; /* shifts of the batch whose sums over slabs are there (slabs.c) */

	/* Surrogates of a linear measure that came with its observed indices, until they are taken (linear.c). */
	size_t n_ahead;

	/* For enqueued runs (enqueue.c). */
	clpac__shift *lists; /* for all series, or for one batch if all have the same; NULL until the first run */
	uint32_t *draws;     /* the same for time blocks; NULL for other nulls */
};

/* Measures side by side take turns in the same buffers.  Puts those of the measure that is number i of them in the
 * place of the first one's, or back. */
void clpac__measures_turn(clpac__batch *batch, size_t i);

/* Tells that the batch's next commands are those of a pass: buffers that live at different times may be one. */
clpac_status clpac__pass_begins(const clpac_plan *plan, clpac__batch *batch, enum clpac__time time, clpac_error *err);

#endif
