/* Launching a stage, every argument by the name that the kernel gives it:
 *
 *     TRY(LAUNCH(context, extend, 0, ITEMS(length, n_series, 1), .samples = BLOCK(samples), .n_samples = NUMBER(n),
 * ...));
 */
#ifndef CLPAC_PLAN_LAUNCH_H
#define CLPAC_PLAN_LAUNCH_H

#include "memory/pool.h"
#include "plan/context.h"
#include "stages/stages.h"

/* The value of an argument: a buffer of the pool, a count, a float. */
#define BLOCK(buffer) clpac__buffer_block(buffer)
#define NUMBER(count) ((uint32_t)(count))
#define REAL(value) ((float)(value))

#define ITEMS(fastest, middle, slowest)                                                                                \
	{                                                                                                              \
		(fastest), (middle), (slowest)                                                                         \
	}

/* Puts a stage into the context's queue.  bins is as n_bins of clpac__launch; the arguments follow sizes, in any order
 * and each once, as the compiler checks (stages/stages.h). */
#define LAUNCH(context, name, bins, sizes, ...)                                                                        \
	clpac__launch_stage(                                                                                           \
		(context),                                                                                             \
		&(clpac__launch){.n_bins = (unsigned)(bins), .items = sizes, CLPAC__STAGE(name, __VA_ARGS__)}, err)

static inline clpac_status clpac__launch_stage(const clpac_context *context, const clpac__launch *launch,
					       clpac_error *err)
{
	return context->queue->operations->launch(context->queue, launch, err);
}

#endif
