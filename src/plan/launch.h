/* Launching a stage, every argument by the name that the kernel gives it:
 *
 *     TRY(LAUNCH(context, extend, 0, ITEMS(length, n_series, 1), .samples = BLOCK(samples), .n_samples = NUMBER(n),
 * ...));
 */
#ifndef CLPAC_PLAN_LAUNCH_H
#define CLPAC_PLAN_LAUNCH_H

#include "pool/pool.h"
#include "plan/engine.h"
#include "stages/compute.h"

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
	clpac__compute_launch(                                                                                         \
		(context)->queue,                                                                                      \
		&(clpac__launch){.n_bins = (unsigned)(bins), .items = sizes, CLPAC__STAGE(name, __VA_ARGS__)}, err)

#endif
