/* The inside of a plan: its decisions, and the buffers that no run changes. */
#ifndef CLPAC_COUPLING_PASSES_PLAN_H
#define CLPAC_COUPLING_PASSES_PLAN_H

#include <pthread.h>
#include <clpac/plan.h>
#include "base/flat.h"
#include "base/process.h"
#include "coupling/layout/context_engine.h"
#include "coupling/passes/batch.h"
#include "coupling/layout/layout.h"
#include "coupling/layout/strategy.h"
#include "coupling/signal/filter.h"

/* A plan and the smaller ones that took its place: each was made when a run of the one before it was refused memory,
 * and stays as it was made.  A lock lets one thread at a time give out batches or go down. */
typedef struct clpac__runs {
	pthread_mutex_t lock;  /* of all below, and of each plan's `smaller` and device memory */
	clpac__batch *batches; /* all there are, those without device memory too; the last made first */
} clpac__runs;

struct clpac_plan {
	unsigned process;	/* that made it (base/process.h) */
	clpac_context *context; /* where the plan runs: the caller's context, or fallback */
	clpac_context
		*given; /* the caller's, held so that it may be closed before the plan; NULL in an internal plan */
	clpac_context *fallback; /* held; on the native backend, if the device is too small */
	clpac__search search;	 /* which layout was reached there */
	bool is_estimate;	 /* only the sizes are wanted: nothing is allocated */
	bool has_made_transforms;
	clpac_problem_copy *copy;
	const clpac_problem *problem; /* complete; without bands for the caller's phases and amplitudes */
	clpac_plan_options options;
	clpac__flat_lengths flat; /* of stretches at one value, which give NaN; least 0: they are kept */
	clpac__filter *filters;	  /* n_phase + n_amplitude, phase first */
	clpac__layout layout;
	clpac_buffer
		*tensors[CLPAC__TENSOR_COUNT]; /* those that no run changes (clpac__tensor_is_constant); others NULL */
	const clpac__fft_engine *engine;       /* of the transforms that were made; NULL: none yet */
	float mean_factor, norm;	       /* constants of the index: see cl/modulation_index.cl */
	clpac_report report;		       /* members known before a run */
	char *problem_text;

	clpac_plan *smaller; /* took this one's place, and shares its copy, filters, text and runs; NULL: none */
	clpac__runs *runs;   /* NULL in an estimate */
};

enum clpac__trouble { CLPAC__FINE = 0, CLPAC__NOT_FINITE, CLPAC__CONSTANT, CLPAC__FLAT };

#endif
