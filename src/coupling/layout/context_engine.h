/* The part of a context that computing needs: kernels attached to its queue, and an FFT engine. */
#ifndef CLPAC_COUPLING_LAYOUT_CONTEXT_ENGINE_H
#define CLPAC_COUPLING_LAYOUT_CONTEXT_ENGINE_H

#include "memory/context/context.h"
#include "coupling/fft/engine.h"
#include "coupling/stages/compute.h"

/* Gives the context kernels and an engine if it has none.  A context has them from its opening on, unless it was opened
 * before libclpac was loaded, so every public function that computes calls this first.  Errors: those of
 * clpac__compute_get and clpac__fft_engine_find. */
clpac_status clpac__context_equip(clpac_context *context, clpac_error *err);

static inline const clpac__fft_engine *clpac__context_engine(const clpac_context *context)
{
	return atomic_load_explicit(&((clpac_context *)context)->engine, memory_order_acquire);
}

#endif
