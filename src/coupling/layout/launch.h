/* Launches a stage, each argument by the name of the kernel's parameter:
 *
 *     TRY(LAUNCH(context, widen, 0, ITEMS(length, rows, 1), .real = BLOCK(real), .wide = BLOCK(wide),
 *                .length = NUMBER(length), .stride = NUMBER(length)));
 */
#ifndef CLPAC_COUPLING_LAYOUT_LAUNCH_H
#define CLPAC_COUPLING_LAYOUT_LAUNCH_H

#include "memory/pool/pool.h"
#include "coupling/layout/context_engine.h"
#include "coupling/stages/compute.h"
#include "coupling/registry/registry.h"

/* Values of arguments: a buffer of the pool, a count, a float. */
#define BLOCK(buffer) clpac__buffer_block(buffer)
#define NUMBER(count) ((uint32_t)(count))
#define REAL(value) ((float)(value))

/* Allocates a buffer whose block is there, so that no launch lacks it. */
static inline clpac_status clpac__allocate_block(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out,
						 clpac_error *err)
{
	RETURN_IF_ERROR(clpac_pool_allocate(pool, bytes, tag, out, err));
	clpac__buffers_hold(out, 1); /* another thread may be moving what stands still */
	const clpac_status st = clpac__buffer_make_block(*out, err);
	clpac__buffers_let_go(out, 1);
	return st;
}

#define ITEMS(fastest, middle, slowest)                                                                                \
	{                                                                                                              \
		(fastest), (middle), (slowest)                                                                         \
	}

/* Puts a stage into the context's queue.  bins is n_bins of clpac__launch.  The arguments follow sizes in any order,
 * each exactly once; the compiler checks this (coupling/stages/stages.h). */
#define LAUNCH(context, name, bins, sizes, ...)                                                                        \
	clpac__compute_launch(                                                                                         \
		(context)->queue,                                                                                      \
		&(clpac__launch){.n_bins = (unsigned)(bins), .items = sizes, CLPAC__STAGE(name, __VA_ARGS__)}, err)

/* The same for a fused stage: n_rows rows, with so many lanes of use to each. */
#define LAUNCH_ROWS(context, name, bins, n_rows, n_lanes, ...)                                                         \
	clpac__compute_launch((context)->queue,                                                                        \
			      &(clpac__launch){.n_bins = (unsigned)(bins),                                             \
					       .items = ITEMS(1, n_rows, 1),                                           \
					       .lanes = (n_lanes),                                                     \
					       CLPAC__STAGE(name, __VA_ARGS__)},                                       \
			      err)

#endif
