/* Slots for the live buffers of a trace: small numbers in place of ids; the slot freed last is used next. */
#ifndef CLPAC_MEMORY_TRACE_TRACE_SLOTS_H
#define CLPAC_MEMORY_TRACE_TRACE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clpac__trace_slots {
	struct clpac__slot_entry {
		uint64_t id;
		size_t slot; /* SIZE_MAX: empty */
	} * entries;	     /* indexed by the id's hash */
	size_t n, capacity;  /* a power of two, or 0 */
	size_t *free_slots;
	size_t n_free, n_slots;
} clpac__trace_slots; /* zeroed: none */

/* False: no host memory. */
bool clpac__slots_take(clpac__trace_slots *slots, uint64_t id, size_t *slot);
/* SIZE_MAX: no such id. */
size_t clpac__slots_find(const clpac__trace_slots *slots, uint64_t id);
size_t clpac__slots_give(clpac__trace_slots *slots, uint64_t id);
void clpac__slots_free(clpac__trace_slots *slots);

#endif
