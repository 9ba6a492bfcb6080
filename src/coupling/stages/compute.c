/* Kernels attached to a queue, and the host's own work beside them. */
#include "coupling/stages/compute.h"

static void close_attachment(clpac__attachment *attachment)
{
	clpac__compute *compute = (clpac__compute *)attachment;
	compute->operations->close(compute);
}

clpac_status clpac__compute_attach(clpac__queue *queue, const clpac__compute_backend *backend, clpac__compute **out,
				   clpac_error *err)
{
	clpac__attachment *there = NULL;
	*out = clpac__compute_of(queue);
	if (*out)
		return CLPAC_OK;
	RETURN_IF_ERROR(backend->make(queue, out, err));
	(*out)->attachment.close = close_attachment;
	(*out)->queue = queue;
	/* Another thread may have attached its kernels first. */
	if (!atomic_compare_exchange_strong(&queue->attachment, &there, &(*out)->attachment)) {
		close_attachment(&(*out)->attachment);
		*out = (clpac__compute *)there;
	}
	return CLPAC_OK;
}

typedef struct shared_job {
	clpac__host_task *task;
	void *context;
} shared_job;

static void run_shared(void *context, size_t chunk, unsigned worker)
{
	(void)worker;
	const shared_job *job = context;
	job->task(job->context, chunk);
}

void clpac__compute_share_on(clpac__threads *threads, size_t n, clpac__host_task *task, void *context)
{
	clpac__threads_run(threads, n, run_shared, &(shared_job){task, context});
}

void clpac__compute_share(clpac__queue *queue, size_t n, clpac__host_task *task, void *context)
{
	clpac__compute *compute = clpac__compute_of(queue);
	if (compute && compute->operations->share && n > 1) {
		compute->operations->share(compute, n, task, context);
		return;
	}
	for (size_t i = 0; i < n; i++)
		task(context, i);
}
