/* Stacks: cached blocks of a magazine, one stack per size class, the block released last on top.  They have no order by
 * age over the classes and no lock. */
#ifndef CLPAC_MEMORY_POOL_STACKS_H
#define CLPAC_MEMORY_POOL_STACKS_H

#include "memory/pool/handle.h"

typedef struct clpac__stack {
	clpac_buffer *top; /* chained through `below` */
	uint32_t count;
	uint32_t next; /* in the chain of the classes that had a block: index plus 1; 0: not in it */
} clpac__stack;

typedef struct clpac__stacks {
	size_t count;
	clpac__stack *classes;
	uint64_t bytes;
	uint32_t first; /* of that chain, which ends with CLPAC__STACKS_END */
} clpac__stacks;

#define CLPAC__STACKS_END UINT32_MAX

clpac_status clpac__stacks_create(clpac__stacks *stacks, unsigned n_classes, clpac_error *err);
void clpac__stacks_destroy(clpac__stacks *stacks); /* they are empty; zeroed ones are fine */

/* The block on top among those that belong to this queue or to none; NULL: there is none.  O(1) except for blocks of
 * other queues that are passed over. */
static inline clpac_buffer *clpac__stacks_take(clpac__stacks *stacks, unsigned class_index,
					       const clpac__pool_queue *home)
{
	clpac__stack *stack = &stacks->classes[class_index];
	clpac_buffer **link = &stack->top, *buffer;
	for (; (buffer = *link); link = &buffer->below) {
		const clpac__pool_queue *of = atomic_load_explicit(&buffer->home, memory_order_relaxed);
		if (of == home || !of) {
			*link = buffer->below;
			stack->count--;
			stacks->count--;
			stacks->bytes -= buffer->class_bytes;
			return buffer;
		}
	}
	return NULL;
}

static inline void clpac__stacks_put(clpac__stacks *stacks, clpac_buffer *buffer)
{
	clpac__stack *stack = &stacks->classes[buffer->class_index];
	buffer->below = stack->top;
	stack->top = buffer;
	stack->count++;
	stacks->count++;
	stacks->bytes += buffer->class_bytes;
	if (__builtin_expect(!stack->next, 0)) {
		stack->next = stacks->first;
		stacks->first = buffer->class_index + 1;
	}
}

/* Takes all blocks, and returns them chained through `below`, the oldest first. */
clpac_buffer *clpac__stacks_empty(clpac__stacks *stacks);

#endif
