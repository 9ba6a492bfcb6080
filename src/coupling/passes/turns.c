#include "coupling/passes/turns.h"

void clpac__measures_turn(clpac__batch *batch, size_t i)
{
	for (size_t own = 0; i && own < CLPAC__OWN_PARTS; own++) {
		clpac_buffer **first = &batch->parts[clpac__own_parts[own]];
		clpac_buffer **other = &batch->parts[CLPAC__PART_FURTHER + (i - 1) * CLPAC__OWN_PARTS + own];
		clpac_buffer *moved = *first;
		*first = *other;
		*other = moved;
	}
}
