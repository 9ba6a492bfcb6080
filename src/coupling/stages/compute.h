/* The interface of computation: the kernels of a queue's device.
 *
 * Kernels are attached to a queue of libclpac-memory when they are first needed, and live as long as the queue.  Stages
 * run in the queue's order, among its transfers.
 *
 * Threads: as for queues (memory/backend/backend.h).
 */
#ifndef CLPAC_COUPLING_STAGES_COMPUTE_H
#define CLPAC_COUPLING_STAGES_COMPUTE_H

#include "memory/native/native.h"
#include "memory/backend/backend.h"
#include "coupling/stages/stages.h"

typedef struct clpac__compute clpac__compute;

/* A piece of the host's own work beside the kernels, as of one series of many.  It writes what no other piece uses. */
typedef void clpac__host_task(void *context, size_t number);

typedef struct clpac__compute_operations {
	/* Makes the kernels of usual plans ready, those that depend on n_bins for it (0: only the others).  A backend
	 * may leave others to their first launch. */
	clpac_status (*prepare)(clpac__compute *compute, unsigned n_bins, clpac_error *err);
	clpac_status (*launch)(clpac__compute *compute, const clpac__launch *launch, clpac_error *err);
	/* As clpac__compute_share; NULL: one after the other. */
	void (*share)(clpac__compute *compute, size_t n, clpac__host_task *task, void *context);
	void (*close)(clpac__compute *compute);
} clpac__compute_operations;

/* The common first member of every backend's kernels. */
struct clpac__compute {
	clpac__attachment attachment; /* must be first: attached to the queue */
	const clpac__compute_operations *operations;
	clpac__queue *queue;
	unsigned vector_width; /* amplitude bands per vector in the kernels: 1, 4, 8 or 16 */
	atomic_uint
		most_steps; /* of an item's loops in one launch, after which the device gives them up; 0: none known */
	_Atomic uint64_t most_loads; /* of all items of a command (stages/loads.h); 0: any number */
	char instruction_set[32];    /* native: "baseline", "avx2", "avx512"; elsewhere "" */
};

/* A compute backend, with the same name as the backend whose queues it serves. */
typedef struct clpac__compute_backend {
	const char *name;
	/* Makes kernels for a queue, following the options that it was opened with; the caller attaches them. */
	clpac_status (*make)(clpac__queue *queue, clpac__compute **out, clpac_error *err);
} clpac__compute_backend;

/* The kernels of a queue of this backend, made and attached if it has none yet.  Errors: CLPAC_ERROR_ARGUMENT for
 * options that no kernel of this build serves, CLPAC_ERROR_UNSUPPORTED, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__compute_attach(clpac__queue *queue, const clpac__compute_backend *backend, clpac__compute **out,
				   clpac_error *err);

/* The kernels attached to a queue; NULL before. */
static inline clpac__compute *clpac__compute_of(const clpac__queue *queue)
{
	return (clpac__compute *)atomic_load_explicit(&((clpac__queue *)queue)->attachment, memory_order_acquire);
}

/* Runs task(context, i) for each i below n and returns when all are done: on the threads of the native device, which
 * would have nothing to do meanwhile, or on as many that an OpenCL device's kernels keep for this. */
void clpac__compute_share(clpac__queue *queue, size_t n, clpac__host_task *task, void *context);

/* The same on these threads. */
void clpac__compute_share_on(clpac__threads *threads, size_t n, clpac__host_task *task, void *context);

#endif
