/* Launching a stage in one readable line:
 *
 *     TRY(LAUNCH(context, extend, 0, ITEMS(stride, n_series, 1), B(samples), B(extended), U(n), U(pad), ...));
 *
 * B is a buffer, U a count, F a float, in the order of backend/stages.def.
 */
#ifndef CLPAC_PLAN_LAUNCH_H
#define CLPAC_PLAN_LAUNCH_H

#include "pool/pool.h"
#include "plan/engine.h"

#define B(buffer)                                                                                                      \
	{                                                                                                              \
		.block = clpac__buffer_block(buffer)                                                                   \
	}
#define U(count)                                                                                                       \
	{                                                                                                              \
		.number = (uint32_t)(count)                                                                            \
	}
#define F(value)                                                                                                       \
	{                                                                                                              \
		.real = (float)(value)                                                                                 \
	}
#define ITEMS(fastest, middle, slowest)                                                                                \
	{                                                                                                              \
		(fastest), (middle), (slowest)                                                                         \
	}

#define LAUNCH(context, name, bins, sizes, ...)                                                                        \
	clpac__launch_stage((context),                                                                                 \
			    &(clpac__launch){.stage = CLPAC__STAGE_##name,                                             \
					     .n_bins = (unsigned)(bins),                                               \
					     .items = sizes,                                                           \
					     .arguments = {__VA_ARGS__}},                                              \
			    sizeof((clpac__argument[]){__VA_ARGS__}) / sizeof(clpac__argument), err)

/* Puts a stage into the context's queue.  n_arguments is how many were written down: a kernel whose parameters changed
 * under its caller is an internal error here, and not a wrong number somewhere. */
clpac_status clpac__launch_stage(const clpac_context *context, const clpac__launch *launch, size_t n_arguments,
				 clpac_error *err);

#endif
