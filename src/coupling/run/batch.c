/* Makes what a run changes: a batch's buffers, transforms and memory on the host. */
#include "coupling/run/making.h"

#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/passes/variants.h"
#include "coupling/layout/launch.h"

clpac_status clpac__batch_create(size_t n_series, clpac__batch **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__batch *made;
	TRY(NEW(made));
	TRY(NEW_ARRAY(made->troubles, n_series));
	*out = made, made = NULL;
done:
	clpac__batch_destroy(made);
	return st;
}

void clpac__batch_destroy(clpac__batch *batch)
{
	if (!batch)
		return;
	FREE_ALL(batch->troubles, batch);
}

/* The largest buffer not yet allocated.  Allocating in this order lets small buffers fill the gaps between large ones,
 * so that a pool with no bytes to spare suffices. */
static int largest_left(const clpac_plan *plan, const clpac__batch *batch)
{
	int largest = CLPAC__TENSOR_COUNT;
	uint64_t most = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		if (!batch->tensors[tensor] && clpac__has_own_buffer(&plan->layout, tensor) &&
		    plan->layout.bytes[tensor] > most) {
			most = plan->layout.bytes[tensor];
			largest = tensor;
		}
	return largest;
}

clpac_status clpac__batch_allocate(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	const clpac__layout *layout = &plan->layout;
	batch->plan = plan;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		batch->tensors[tensor] = plan->tensors[tensor];
	for (int tensor = largest_left(plan, batch); tensor < CLPAC__TENSOR_COUNT; tensor = largest_left(plan, batch))
		RETURN_IF_ERROR(clpac__allocate_block(plan->context->pool, layout->bytes[tensor],
						      clpac__tensor_text(tensor), &batch->tensors[tensor], err));
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		if (layout->bytes[tensor])
			batch->tensors[tensor] = batch->tensors[layout->rooms[tensor]];
	/* No kernel writes the lanes beyond the last band; they must read as zero. */
	RETURN_IF_ERROR(clpac_buffer_fill(batch->tensors[CLPAC__TENSOR_AMPLITUDE], 0,
					  layout->bytes[CLPAC__TENSOR_AMPLITUDE], 0, err));
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT && layout->shifted.length; tensor++)
		if (clpac__tensor_kind(tensor) == CLPAC__TENSOR_CHUNK && layout->bytes[tensor])
			RETURN_IF_ERROR(clpac_buffer_fill(batch->tensors[tensor], 0, layout->bytes[tensor], 0, err));
	return CLPAC_OK;
}

clpac_status clpac__batch_reach(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	const clpac__layout *layout = &plan->layout;
	clpac__queue *queue = plan->context->queue;
	/* Tensors of a row are there together; the distributions stay while others are read. */
	static const enum clpac__tensor read_back[][3] = {
		{CLPAC__TENSOR_OBSERVED, CLPAC__TENSOR_MOMENTS, CLPAC__TENSOR_MAXIMA},
		{CLPAC__TENSOR_COUNTS, CLPAC__TENSOR_JITTER, CLPAC__TENSOR_COUNT},
		{CLPAC__TENSOR_CHUNK, CLPAC__TENSOR_COUNT, CLPAC__TENSOR_COUNT},
		{CLPAC__TENSOR_CLUSTERS, CLPAC__TENSOR_COUNT, CLPAC__TENSOR_COUNT},
		{CLPAC__TENSOR_HEAVIEST, CLPAC__TENSOR_COUNT, CLPAC__TENSOR_COUNT},
	};
	uint64_t largest = 0;
	for (size_t i = 0; i < sizeof read_back / sizeof *read_back; i++) {
		uint64_t together = 0;
		for (size_t k = 0; k < 3 && read_back[i][k] < CLPAC__TENSOR_COUNT; k++)
			together += layout->bytes[read_back[i][k]];
		largest = together > largest ? together : largest;
	}
	batch->rows = clpac__alloc(largest + layout->bytes[CLPAC__TENSOR_DISTRIBUTION]);
	batch->distributions = batch->rows ? batch->rows + largest / sizeof *batch->rows : NULL;
	batch->exponents = clpac__alloc_array(layout->batch, sizeof *batch->exponents);
	batch->ahead.exponents = clpac__alloc_array(layout->batch, sizeof *batch->ahead.exponents);
	batch->shifts = clpac__alloc_array(layout->batch * (layout->n_surrogates + 1), sizeof *batch->shifts);
	const enum clpac__tensor staged = layout->has_arrays ? CLPAC__TENSOR_ARRAY : CLPAC__TENSOR_SAMPLES;
	const bool is_reachable =
		queue->operations->host_pointer(queue, clpac__buffer_block(batch->tensors[staged])) != NULL;
	if (!is_reachable)
		batch->samples = clpac__alloc(layout->bytes[staged]);
	if (!batch->rows || !batch->exponents || !batch->ahead.exponents || !batch->shifts ||
	    (!is_reachable && !batch->samples))
		RETURN_NO_MEMORY(largest + layout->bytes[CLPAC__TENSOR_DISTRIBUTION] + layout->bytes[staged]);
	return CLPAC_OK;
}

/* Content of a batch's buffers that no kernel writes. */
static clpac_status fill(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__batch_reach(plan, batch, err));
	RETURN_IF_ERROR(clpac__variants_prepare(plan, batch, err));
	if (batch->transforms.engine)
		RETURN_IF_ERROR(clpac__transform_tables(&batch->transforms, batch->tensors, err));
	return plan->context->queue->operations->finish(plan->context->queue, err);
}

clpac_status clpac__batch_equip(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	if (plan->engine)
		RETURN_IF_ERROR(clpac__transforms_create(plan->context, &plan->layout, &batch->transforms, err));
	RETURN_IF_ERROR(clpac__batch_allocate(plan, batch, err));
	clpac__buffers_hold(batch->tensors, CLPAC__TENSOR_COUNT);
	const clpac_status st = fill(plan, batch, err);
	clpac__buffers_let_go(batch->tensors, CLPAC__TENSOR_COUNT);
	return st;
}

uint64_t clpac__batch_taken(const clpac__batch *batch)
{
	uint64_t bytes = 0;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		if (batch->tensors[tensor] && batch->plan->layout.rooms[tensor] == tensor)
			bytes += clpac_buffer_class(batch->tensors[tensor]);
	return bytes;
}

/* Waits for enqueued runs, if there were any, and frees the host memory they used. */
static void forget_enqueued(const clpac_plan *plan, clpac__batch *batch)
{
	if (!batch->lists)
		return;
	plan->context->queue->operations->finish(plan->context->queue, NULL);
	FREE_ALL(batch->lists, batch->draws);
	batch->lists = NULL;
	batch->draws = NULL;
}

void clpac__batch_dismiss(const clpac_plan *plan, clpac__batch *batch)
{
	forget_enqueued(plan, batch);
	clpac__transforms_destroy(&batch->transforms);
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT; tensor++)
		if (plan->tensors[tensor] || plan->layout.rooms[tensor] != tensor)
			batch->tensors[tensor] = NULL; /* the plan's, or released as another tensor's */
	clpac_buffer_release_batch(batch->tensors, CLPAC__TENSOR_COUNT);
	clpac__variants_dismiss(batch);
	FREE_ALL(batch->rows, batch->exponents, batch->ahead.exponents, batch->shifts, batch->samples);
	batch->rows = batch->distributions = batch->samples = NULL;
	batch->exponents = batch->ahead.exponents = NULL;
	batch->shifts = NULL;
	batch->plan = NULL;
}
