/* Stages on the simulated device. */
#include "simulated.h"

static clpac_status prepare(clpac__compute *compute, unsigned n_bins, clpac_error *err)
{
	(void)n_bins;
	return simulated_prepare(compute->queue, err);
}

static clpac_status launch(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	clpac__block *blocks[CLPAC__MAX_ARGUMENTS] = {0};
	const clpac__stage_facts *stage = clpac__stage_get(launch->stage);
	if (!stage)
		return simulated_launch(compute->queue, launch, NULL, 0, err);
	for (size_t i = 0; i < stage->n_arguments; i++)
		if (stage->arguments[i].kind == CLPAC__ARGUMENT_BUFFER)
			blocks[i] = clpac__argument_block(launch, &stage->arguments[i]);
	return simulated_launch(compute->queue, launch, blocks, stage->n_arguments, err);
}

static void close_compute(clpac__compute *compute)
{
	(void)compute; /* a member of the queue */
}

static const clpac__compute_operations operations = {.prepare = prepare, .launch = launch, .close = close_compute};

static void attach(simulated_queue *queue)
{
	queue->compute = (clpac__compute){.operations = &operations, .queue = &queue->base, .vector_width = 4};
	atomic_store(&queue->base.attachment, &queue->compute.attachment);
}

void simulated_computes(simulated_device *device)
{
	device->attach = attach;
	attach(&device->own);
}
