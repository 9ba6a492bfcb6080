/* Biased latches: the ways that are rarely taken. */
#include "base/latch.h"

#include "base/thread.h"

enum { MANY_IN_A_ROW = 1000 }; /* a thousand exchanges cost about ten times what taking the ownership away does */

void clpac__biased_latch_take(clpac__biased_latch *latch, uint32_t thread)
{
	clpac__latch_take(&latch->latch);
	const uint32_t owner = atomic_load_explicit(&latch->owner, memory_order_relaxed);
	if (latch->last != thread)
		latch->last = 0;
	if (!owner || owner == thread)
		return;
	atomic_store(&latch->owner, 0);
	clpac__process_barrier();
	for (unsigned n = 1; atomic_load(&latch->is_inside); n++)
		if (n % 64 == 0)
			sched_yield();
}

void clpac__biased_latch_enter_slowly(clpac__biased_latch *latch, uint32_t thread)
{
	clpac__latch_take(&latch->latch);
	const uint32_t owner = atomic_load_explicit(&latch->owner, memory_order_relaxed);
	if (owner) {
		clpac__latch_leave(&latch->latch);
		clpac__biased_latch_take(latch, thread);
		return;
	}
	if (latch->last != thread) {
		latch->last = thread;
		latch->n_in_a_row = 0;
	}
	if (++latch->n_in_a_row == MANY_IN_A_ROW) {
		latch->n_in_a_row = 0;
		if (clpac__process_barrier_is_there())
			atomic_store_explicit(&latch->owner, thread, memory_order_relaxed);
	}
}
