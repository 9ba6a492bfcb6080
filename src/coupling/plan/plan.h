/* The inside of a plan: its decisions and its buffers. */
#ifndef CLPAC_COUPLING_PLAN_PLAN_H
#define CLPAC_COUPLING_PLAN_PLAN_H

#include <clpac/plan.h>
#include "coupling/plan/context_engine.h"
#include "coupling/plan/layout.h"
#include "coupling/plan/strategy.h"
#include "coupling/plan/transform.h"
#include "coupling/signal/filter.h"
#include "coupling/signal/random_phases.h"

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
	uint32_t *draws; /* of the batch: blocks, segments */
	clpac__random_phases *phases;
	double *spectra; /* of the batch, once has_spectra is set: (series, n_samples / 2 + 1, 2) */
	float *series;	 /* n_samples */
	int *exponents;	 /* of the segments in the slots; linear measures only */
	bool has_spectra;
	size_t channel, segment, n_held; /* the segments in the slots; n_held 0: none */
	bool are_scored;		 /* whether the scores of these are there (linear_variants.c) */
} clpac__variants;

/* Takes what filters made of a batch, series first .. first + n - 1, in place of indices: the vectors of phases in
 * CLPAC__PART_VECTORS and the amplitudes in CLPAC__PART_AMPLITUDE, scaled by 2^-exponent.  Plans of several devices
 * call it at once, for different series. */
typedef struct clpac__taker {
	clpac_status (*take)(void *user, clpac_plan *plan, size_t first, size_t n, clpac_error *err);
	void *user;
} clpac__taker;

struct clpac_plan {
	clpac_context *context; /* where the plan runs: the caller's context, or fallback */
	clpac_context
		*given; /* the caller's, held so that it may be closed before the plan; NULL in an internal plan */
	clpac_context *fallback; /* owned; on the native backend, if the device is too small */
	clpac__descent descent;	 /* which layout was reached there */
	bool is_estimate;	 /* only the sizes are wanted: nothing is allocated */
	bool has_made_transforms;
	clpac_problem_copy *copy;
	const clpac_problem *problem; /* complete; without bands for the caller's phases and amplitudes */
	clpac_plan_options options;
	clpac__filter *filters; /* n_phase + n_amplitude, phase first */
	clpac__layout layout;
	clpac_buffer *parts[CLPAC__PART_COUNT];
	clpac__transforms transforms;
	float mean_factor, norm; /* constants of the index: see cl/modulation_index.cl */
	clpac_report report;	 /* members known before a run */
	double speed;		 /* series per second in the last batch; 0: none yet */
	char *problem_text;

	/* Host memory of a batch. */
	float *samples;	     /* NULL if the host reaches the samples buffer */
	int *exponents;	     /* series were scaled by 2^-exponent */
	uint8_t *troubles;   /* enum clpac__trouble of each series of the problem */
	const double *means; /* to take off each series, of whoever set them; NULL: its own (separate_windows.c) */
	const clpac__taker *taker; /* of whoever set it: indices are not computed (erpac.c); NULL: they are */
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

	size_t first_summed, n_summed; /* shifts of the batch whose sums over windows are there (windows.c) */

	/* Surrogates of a linear measure that came with its observed indices, until they are taken (linear.c). */
	size_t n_ahead;

	/* For enqueued runs (enqueue.c). */
	clpac__shift *lists; /* for all series, or for one batch if all have the same; NULL until the first run */
	uint32_t *draws;     /* the same for blocks; NULL for other nulls */
};

/* Copies options and problem into the plan, completed and checked. */
clpac_status clpac__plan_ask(clpac_plan *plan, const clpac_problem *problem, const clpac_plan_options *options,
			     clpac_error *err);

/* Makes the plan able to run with its layout: transforms, buffers, kernels, constants, spectra.
 * CLPAC_ERROR_NO_DEVICE_MEMORY: the layout is too large after all; call clpac__plan_dismiss before the next attempt. */
clpac_status clpac__plan_equip(clpac_plan *plan, clpac_error *err);
/* The bytes that the plan's buffers take, in the pool's size classes.  A run allocates nothing, so this is also its
 * peak, whatever else uses the context's pool meanwhile. */
uint64_t clpac__plan_taken(const clpac_plan *plan);
/* Frees everything that clpac__plan_equip made. */
void clpac__plan_dismiss(clpac_plan *plan);

enum clpac__trouble { CLPAC__FINE = 0, CLPAC__NOT_FINITE, CLPAC__CONSTANT };

#endif
