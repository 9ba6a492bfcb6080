/* What computing needs of a context: kernels attached to its queue, and an FFT engine. */
#ifndef CLPAC_PLAN_ENGINE_H
#define CLPAC_PLAN_ENGINE_H

#include "context/context.h"
#include "fft/engine.h"
#include "stages/compute.h"

/* Finds both where the context has none yet: it has them from its opening on, unless it was opened before libclpac was
 * loaded.  Every public function that computes in a context begins with this.  Errors: those of clpac__compute_get and
 * clpac__fft_engine_find. */
clpac_status clpac__context_equip(clpac_context *context, clpac_error *err);

static inline const clpac__fft_engine *clpac__context_engine(const clpac_context *context)
{
	return atomic_load_explicit(&((clpac_context *)context)->engine, memory_order_acquire);
}

#endif
