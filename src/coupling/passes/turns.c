#include "coupling/passes/turns.h"

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
