/* A plan from inside: what was decided and the buffers it holds. */
#ifndef CLPAC_PLAN_PLAN_H
#define CLPAC_PLAN_PLAN_H

#include <clpac/plan.h>
#include "plan/engine.h"
#include "plan/layout.h"
#include "plan/strategy.h"
#include "plan/transform.h"
#include "signal/filter.h"

/* One of a list of circular shifts; element 0 is the index itself.  Those of a chunk of surrogates stand in ascending
 * order. */
typedef struct clpac__shift {
	uint32_t samples;
	uint32_t number; /* of its surrogate, from 1 on */
	uint32_t place;	 /* in its chunk, from 0 on, of the surrogate whose number is this element's */
} clpac__shift;

struct clpac_plan {
	clpac_context *context;	 /* where it runs: the caller's, or fallback */
	clpac_context *fallback; /* owned; the native backend, when the device is too small */
	clpac__descent descent;	 /* how far down it had to go there */
	bool is_estimate;	 /* only what it would hold is asked: nothing is allocated */
	bool has_made_transforms;
	clpac_problem_copy *copy;
	const clpac_problem *problem; /* complete; for phases and amplitudes of the caller's own, without bands */
	clpac_plan_options options;
	clpac__filter *filters; /* n_phase + n_amplitude, phase first */
	clpac__layout layout;
	clpac_buffer *parts[CLPAC__PART_COUNT];
	clpac__transforms transforms;
	float mean_factor, norm; /* constants of the index: see cl/modulation_index.cl */
	clpac_report report;	 /* what is known before a run */
	double speed;		 /* series a second of the last batch; 0: there was none */
	char *problem_text;

	/* Host memory of a batch. */
	float *samples; /* NULL where the samples buffer is reachable by the host */
	float *offsets;
	int *exponents;	   /* series were scaled by 2^-exponent */
	uint8_t *troubles; /* enum clpac__trouble of each series of the problem */
	clpac__shift *shifts;
	float *rows; /* room for the largest array read back at once */

	/* Of runs that were put into the queue (enqueue.c). */
	clpac__shift *lists; /* of all series, or of a batch where all have the same; NULL until the first */
};

/* Takes over what is asked for, completed and checked. */
clpac_status clpac__plan_ask(clpac_plan *plan, const clpac_problem *problem, const clpac_plan_options *options,
			     clpac_error *err);

/* Makes an unfinished plan able to run with its layout: transforms, buffers, kernels, constants and spectra.
 * CLPAC_ERROR_NO_DEVICE_MEMORY: the layout is too large after all; clpac__plan_dismiss before the next try. */
clpac_status clpac__plan_equip(clpac_plan *plan, clpac_error *err);
/* Bytes that the plan's buffers take now, in the pool's size classes.  A run allocates nothing, so that this is its
 * peak too, whatever else the context's pool is used for meanwhile. */
uint64_t clpac__plan_taken(const clpac_plan *plan);
/* Lets go of all that clpac__plan_equip made. */
void clpac__plan_dismiss(clpac_plan *plan);

enum clpac__trouble { CLPAC__FINE = 0, CLPAC__NOT_FINITE, CLPAC__CONSTANT };

#endif
