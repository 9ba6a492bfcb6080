/* Launching a stage in one readable line:
 *
 *     TRY(LAUNCH(context, extend, 0, ITEMS(stride, n_series, 1), B(samples), B(extended), U(n), U(pad), ...));
 *
 * B is a buffer, U a count, F a float, in the order of backend/stages.def.
 */
#ifndef CLPAC_PLAN_LAUNCH_H
#define CLPAC_PLAN_LAUNCH_H

#include "memory/pool.h"
#include "plan/context.h"

#define B(buffer) {.block = clpac__buffer_block(buffer)}
#define U(count) {.number = (uint32_t)(count)}
#define F(value) {.real = (float)(value)}
#define ITEMS(fastest, middle, slowest) {(fastest), (middle), (slowest)}

#define LAUNCH(context, name, bins, sizes, ...)                                                            \
	(context)->queue->operations->launch((context)->queue,                                             \
					     &(clpac__launch){.stage = CLPAC__STAGE_##name,                \
							      .n_bins = (unsigned)(bins),                  \
							      .items = sizes,                              \
							      .arguments = {__VA_ARGS__}},                 \
					     err)

#endif
