#include "coupling/passes/lives.h"

#include <clpac/memory/buffer.h>

#include "coupling/layout/test_settings.h"

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
