/* The table of compute backends, and the kernels of a queue.  A new backend is one folder, its one exported object, and
 * one line here. */
#include "config.h"

#include "coupling/stages/compute.h"

#include <string.h>

extern const clpac__compute_backend clpac__compute_native;
#ifdef HAVE_OPENCL
extern const clpac__compute_backend clpac__compute_opencl;
#endif

static const clpac__compute_backend *const backends[] = {
	&clpac__compute_native,
#ifdef HAVE_OPENCL
	&clpac__compute_opencl,
#endif
};

static void close_attachment(clpac__attachment *attachment)
{
	clpac__compute *compute = (clpac__compute *)attachment;
	compute->operations->close(compute);
}

static clpac_status make(clpac__queue *queue, clpac__compute **out, clpac_error *err)
{
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
		if (strcmp(backends[i]->name, queue->device.backend) == 0)
			return backends[i]->make(queue, out, err);
	return clpac__fail(err, CLPAC_ERROR_UNSUPPORTED, "this build has no kernels for the \"%s\" device %s",
			   queue->device.backend, queue->device.name);
}

clpac_status clpac__compute_get(clpac__queue *queue, clpac__compute **out, clpac_error *err)
{
	clpac__attachment *there = NULL;
	*out = clpac__compute_of(queue);
	if (*out)
		return CLPAC_OK;
	RETURN_IF_ERROR(make(queue, out, err));
	(*out)->attachment.close = close_attachment;
	(*out)->queue = queue;
	/* Another thread may have attached its kernels first. */
	if (!atomic_compare_exchange_strong(&queue->attachment, &there, &(*out)->attachment)) {
		close_attachment(&(*out)->attachment);
		*out = (clpac__compute *)there;
	}
	return CLPAC_OK;
}

clpac_status clpac__compute_launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	clpac__compute *compute;
	clpac_status st = clpac__compute_get(queue, &compute, err);
	return st == CLPAC_OK ? compute->operations->launch(compute, launch, err) : st;
}

clpac_status clpac__compute_prepare(clpac__queue *queue, unsigned n_bins, clpac_error *err)
{
	clpac__compute *compute;
	clpac_status st = clpac__compute_get(queue, &compute, err);
	return st == CLPAC_OK ? compute->operations->prepare(compute, n_bins, err) : st;
}

void clpac__compute_share(clpac__queue *queue, size_t n, clpac__host_task *task, void *context)
{
	clpac__compute *compute = clpac__compute_of(queue);
	if (compute && compute->operations->share) {
		compute->operations->share(compute, n, task, context);
		return;
	}
	for (size_t i = 0; i < n; i++)
		task(context, i);
}
