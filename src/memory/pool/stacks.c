/* Stacks: cached blocks of a magazine. */
#include "memory/pool/stacks.h"

#include "base/memory.h"

clpac_status clpac__stacks_create(clpac__stacks *stacks, unsigned n_classes, clpac_error *err)
{
	*stacks = (clpac__stacks){.classes = clpac__alloc_array(n_classes, sizeof *stacks->classes),
				  .first = CLPAC__STACKS_END};
	if (!stacks->classes)
		RETURN_NO_MEMORY(n_classes * sizeof *stacks->classes);
	return CLPAC_OK;
}

void clpac__stacks_destroy(clpac__stacks *stacks)
{
	clpac__free(stacks->classes);
	*stacks = (clpac__stacks){0};
}

static bool is_older(const clpac_buffer *a, const clpac_buffer *b)
{
	return a->released_ns < b->released_ns ||
	       (a->released_ns == b->released_ns && a->released_order < b->released_order);
}

/* One chain of two, each with the oldest first. */
static clpac_buffer *merge(clpac_buffer *a, clpac_buffer *b)
{
	clpac_buffer *first = NULL, **end = &first;
	while (a && b) {
		clpac_buffer **older = is_older(a, b) ? &a : &b;
		*end = *older;
		end = &(*older)->below;
		*older = *end;
	}
	*end = a ? a : b;
	return first;
}

/* A stack turned round: what was released first comes first. */
static clpac_buffer *turn(clpac_buffer *stack)
{
	clpac_buffer *chain = NULL;
	while (stack) {
		clpac_buffer *buffer = stack;
		stack = buffer->below;
		buffer->below = chain;
		chain = buffer;
	}
	return chain;
}

clpac_buffer *clpac__stacks_empty(clpac__stacks *stacks)
{
	/* Chains of 2^k classes each, as a binary counter counts. */
	clpac_buffer *chains[32] = {0}, *all = NULL;
	while (stacks->first != CLPAC__STACKS_END) {
		clpac__stack *stack = &stacks->classes[stacks->first - 1];
		clpac_buffer *chain = turn(stack->top);
		unsigned k = 0;
		for (; chains[k]; chains[k++] = NULL)
			chain = merge(chain, chains[k]);
		chains[k] = chain;
		stacks->first = stack->next;
		*stack = (clpac__stack){0};
	}
	for (unsigned k = 0; k < 32; k++)
		all = merge(all, chains[k]);
	stacks->count = 0;
	stacks->bytes = 0;
	return all;
}
