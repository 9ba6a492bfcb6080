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
	int largest = CLPAC__PART_COUNT;
	uint64_t most = 0;
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		if (!batch->parts[part] && clpac__has_own_buffer(&plan->layout, part) &&
		    plan->layout.bytes[part] > most) {
			most = plan->layout.bytes[part];
			largest = part;
		}
	return largest;
}

clpac_status clpac__batch_allocate(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	const clpac__layout *layout = &plan->layout;
	batch->plan = plan;
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		batch->parts[part] = plan->parts[part];
	for (int part = largest_left(plan, batch); part < CLPAC__PART_COUNT; part = largest_left(plan, batch))
		RETURN_IF_ERROR(clpac__allocate_block(plan->context->pool, layout->bytes[part], clpac__part_text(part),
						      &batch->parts[part], err));
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		if (layout->bytes[part])
			batch->parts[part] = batch->parts[layout->rooms[part]];
	/* No kernel writes the lanes beyond the last band; they must read as zero. */
	RETURN_IF_ERROR(clpac_buffer_fill(batch->parts[CLPAC__PART_AMPLITUDE], 0, layout->bytes[CLPAC__PART_AMPLITUDE],
					  0, err));
	for (int part = 0; part < CLPAC__PART_COUNT && layout->shifted.length; part++)
		if (clpac__part_kind(part) == CLPAC__PART_CHUNK && layout->bytes[part])
			RETURN_IF_ERROR(clpac_buffer_fill(batch->parts[part], 0, layout->bytes[part], 0, err));
	return CLPAC_OK;
}

clpac_status clpac__batch_reach(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	const clpac__layout *layout = &plan->layout;
	clpac__queue *queue = plan->context->queue;
	/* Parts of a row are there together; the distributions stay while others are read. */
	static const enum clpac__part read_back[][3] = {
		{CLPAC__PART_OBSERVED, CLPAC__PART_MOMENTS, CLPAC__PART_MAXIMA},
		{CLPAC__PART_COUNTS, CLPAC__PART_JITTER, CLPAC__PART_COUNT},
		{CLPAC__PART_CHUNK, CLPAC__PART_COUNT, CLPAC__PART_COUNT},
		{CLPAC__PART_CLUSTERS, CLPAC__PART_COUNT, CLPAC__PART_COUNT},
		{CLPAC__PART_HEAVIEST, CLPAC__PART_COUNT, CLPAC__PART_COUNT},
	};
	uint64_t largest = 0;
	for (size_t i = 0; i < sizeof read_back / sizeof *read_back; i++) {
		uint64_t together = 0;
		for (size_t k = 0; k < 3 && read_back[i][k] < CLPAC__PART_COUNT; k++)
			together += layout->bytes[read_back[i][k]];
		largest = together > largest ? together : largest;
	}
	batch->rows = clpac__alloc(largest + layout->bytes[CLPAC__PART_DISTRIBUTION]);
	batch->distributions = batch->rows ? batch->rows + largest / sizeof *batch->rows : NULL;
	batch->exponents = clpac__alloc_array(layout->batch, sizeof *batch->exponents);
	batch->ahead.exponents = clpac__alloc_array(layout->batch, sizeof *batch->ahead.exponents);
	batch->shifts = clpac__alloc_array(layout->batch * (layout->n_surrogates + 1), sizeof *batch->shifts);
	const enum clpac__part staged = layout->has_arrays ? CLPAC__PART_ARRAY : CLPAC__PART_SAMPLES;
	const bool is_reachable =
		queue->operations->host_pointer(queue, clpac__buffer_block(batch->parts[staged])) != NULL;
	if (!is_reachable)
		batch->samples = clpac__alloc(layout->bytes[staged]);
	if (!batch->rows || !batch->exponents || !batch->ahead.exponents || !batch->shifts ||
	    (!is_reachable && !batch->samples))
		RETURN_NO_MEMORY(largest + layout->bytes[CLPAC__PART_DISTRIBUTION] + layout->bytes[staged]);
	return CLPAC_OK;
}

/* Content of a batch's buffers that no kernel writes. */
static clpac_status fill(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__batch_reach(plan, batch, err));
	RETURN_IF_ERROR(clpac__variants_prepare(plan, batch, err));
	if (batch->transforms.engine)
		RETURN_IF_ERROR(clpac__transform_tables(&batch->transforms, batch->parts, err));
	return plan->context->queue->operations->finish(plan->context->queue, err);
}

clpac_status clpac__batch_equip(const clpac_plan *plan, clpac__batch *batch, clpac_error *err)
{
	if (plan->engine)
		RETURN_IF_ERROR(clpac__transforms_create(plan->context, &plan->layout, &batch->transforms, err));
	RETURN_IF_ERROR(clpac__batch_allocate(plan, batch, err));
	clpac__buffers_hold(batch->parts, CLPAC__PART_COUNT);
	const clpac_status st = fill(plan, batch, err);
	clpac__buffers_let_go(batch->parts, CLPAC__PART_COUNT);
	return st;
}

uint64_t clpac__batch_taken(const clpac__batch *batch)
{
	uint64_t bytes = 0;
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		if (batch->parts[part] && batch->plan->layout.rooms[part] == part)
			bytes += clpac_buffer_class(batch->parts[part]);
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
	for (int part = 0; part < CLPAC__PART_COUNT; part++)
		if (plan->parts[part] || plan->layout.rooms[part] != part)
			batch->parts[part] = NULL; /* the plan's, or released as another part's */
	clpac_buffer_release_batch(batch->parts, CLPAC__PART_COUNT);
	clpac__variants_dismiss(batch);
	FREE_ALL(batch->rows, batch->exponents, batch->ahead.exponents, batch->shifts, batch->samples);
	batch->rows = batch->distributions = batch->samples = NULL;
	batch->exponents = batch->ahead.exponents = NULL;
	batch->shifts = NULL;
	batch->plan = NULL;
}
