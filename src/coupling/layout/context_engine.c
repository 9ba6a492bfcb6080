/* Attaches kernels and an FFT engine to a context. */
#include "coupling/layout/context_engine.h"
#include "coupling/registry/registry.h"

clpac_status clpac__context_equip(clpac_context *context, clpac_error *err)
{
	clpac__compute *compute;
	const clpac__fft_engine *engine;
	if (clpac__context_engine(context))
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac__compute_get(context->queue, &compute, err));
	RETURN_IF_ERROR(clpac__fft_engine_find(context->options.fft, context->queue, &engine, err));
	atomic_store_explicit(&context->engine, engine, memory_order_release);
	return CLPAC_OK;
}

/* libclpac-memory opens contexts and does not know this library, so the library registers itself when it is loaded. */
__attribute__((constructor)) static void begin(void)
{
	clpac__context_extend(clpac__context_equip);
}

__attribute__((destructor)) static void end(void)
{
	clpac__context_extend(NULL);
}
