/* Makes and closes the OpenCL kernels of a queue. */
#include "config.h"

#include "coupling/opencl/opencl_compute.h"

#include "base/environment.h"
#include "base/memory.h"

/* Bounds of a command.  CUDA's devices have 65 535 groups in y and z ("Technical Specifications per Compute Capability"
 * of NVIDIA's CUDA C++ Programming Guide), and OpenCL on them tells nobody.  Windows ends a command after 2 s ("Timeout
 * detection and recovery" of Microsoft's WDDM documentation); 2^35 loads of four bytes take a card 0.3 s at 500 GB/s,
 * and 2^33 a GPU in the host's memory 1.4 s at 25 GB/s, until a second was measured (opencl_launch.c). */
enum { MOST_GROUPS = 65535 };
#define LOADS_AT_FIRST ((uint64_t)1 << 33)

/* A CPU's vectors are as wide as its registers.  Any other device computes a lane in an item, whatever it reports: with
 * vectors of four the sums of an item's bins leave its registers. */
unsigned clpac__opencl_vector_width(const clpac_device *device, unsigned wanted)
{
	const unsigned own = device->kind == CLPAC_DEVICE_OPENCL_CPU ? device->vector_width_float : 1;
	const unsigned width = wanted ? wanted : own;
	return width >= 16 ? 16 : width >= 8 ? 8 : width >= 4 ? 4 : 1;
}

static clpac_status prepare(clpac__compute *compute, unsigned n_bins, clpac_error *err)
{
	clpac__opencl_enter(clpac__opencl_of(compute->queue));
	clpac__threads *threads;
	clpac_status st = clpac__opencl_threads(clpac__opencl_of(compute->queue), &threads, err);
	if (!st)
		st = clpac__opencl_prepare((clpac__opencl_compute *)compute, n_bins, err);
	clpac__opencl_leave(clpac__opencl_of(compute->queue));
	return st;
}

static clpac_status launch(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	clpac__opencl_enter(clpac__opencl_of(compute->queue));
	const clpac_status st = clpac__opencl_launch((clpac__opencl_compute *)compute, launch, err);
	clpac__opencl_leave(clpac__opencl_of(compute->queue));
	return st;
}

static void share(clpac__compute *compute, size_t n, clpac__host_task *task, void *context)
{
	clpac__threads *threads;
	if (clpac__opencl_threads(clpac__opencl_of(compute->queue), &threads, NULL) == CLPAC_OK && threads) {
		clpac__compute_share_on(threads, n, task, context);
		return;
	}
	for (size_t i = 0; i < n; i++)
		task(context, i);
}

static void close_compute(clpac__compute *compute)
{
	clpac__opencl_compute *own = (clpac__opencl_compute *)compute;
	if (own->at_close)
		own->at_close();
	clpac__opencl_programs_destroy(own);
	pthread_mutex_destroy(&own->compiling);
	pthread_mutex_destroy(&own->arguments);
	clpac__free(own);
}

static const clpac__compute_operations operations = {
	.prepare = prepare, .launch = launch, .share = share, .close = close_compute};

static clpac_status make(clpac__queue *queue, clpac__compute **out, clpac_error *err)
{
	clpac__opencl_compute *made = NULL;
	clpac__compute *root = NULL;
	clpac__opencl_queue *own = clpac__opencl_of(queue);

	if (queue->vector_width > 1 && queue->vector_width != 4 && queue->vector_width != 8 &&
	    queue->vector_width != 16)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "vector_width is %u: give 1, 4, 8 or 16, or 0 to let the device decide",
			     queue->vector_width);
	if (own->root != own)
		RETURN_IF_ERROR(clpac__compute_attach(&own->root->base, &clpac__compute_opencl, &root, err));
	RETURN_IF_ERROR(NEW(made));
	made->base.operations = &operations;
	made->base.queue = queue;
	made->base.vector_width =
		root ? root->vector_width : clpac__opencl_vector_width(&queue->device, queue->vector_width);
	atomic_init(&made->base.most_steps, own->quirks.most_steps);
	made->root = root ? (clpac__opencl_compute *)root : made;
	made->most_groups = MOST_GROUPS;
	atomic_init(&made->base.most_loads,
		    queue->device.kind == CLPAC_DEVICE_INTEGRATED_GPU ? LOADS_AT_FIRST : CLPAC__OPENCL_MOST_LOADS);
	pthread_mutex_init(&made->arguments, NULL); /* cannot fail with default attributes */
	pthread_mutex_init(&made->compiling, NULL);
	if (!root && !own->quirks.keeps_programs)
		clpac__cache_folder(queue->cache, made->cache, sizeof made->cache);
	*out = &made->base;
	return CLPAC_OK;
}

const clpac__compute_backend clpac__compute_opencl = {.name = "opencl", .make = make};
