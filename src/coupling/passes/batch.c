/* The buffers of a batch: which pass and which measure has them. */
#include "coupling/passes/batch.h"

#include <clpac/memory/buffer.h>

#include "coupling/layout/test_settings.h"
#include "coupling/passes/plan.h"

void clpac__measures_turn(clpac__batch *batch, size_t i)
{
	for (size_t own = 0; i && own < CLPAC__OWN_TENSORS; own++) {
		clpac_buffer **first = &batch->tensors[clpac__own_tensors[own]];
		clpac_buffer **other = &batch->tensors[CLPAC__TENSOR_FURTHER + (i - 1) * CLPAC__OWN_TENSORS + own];
		clpac_buffer *moved = *first;
		*first = *other;
		*other = moved;
	}
}

clpac_status clpac__pass_begins(const clpac_plan *plan, clpac__batch *batch, enum clpac__time time, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const enum clpac__time before = batch->time;
	batch->time = time;
	for (int tensor = 0; tensor < CLPAC__TENSOR_COUNT && clpac__for_tests.are_lives_marked; tensor++) {
		const bool was_alive = l->lives[tensor] >> before & 1, is_alive = l->lives[tensor] >> time & 1;
		if (l->bytes[tensor] && was_alive != is_alive)
			RETURN_IF_ERROR(clpac_buffer_fill(batch->tensors[tensor], 0, l->bytes[tensor], UINT8_MAX, err));
	}
	return CLPAC_OK;
}
