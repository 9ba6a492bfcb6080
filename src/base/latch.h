/* A lock for sections of a few dozen instructions with little contention: one exchange to take it, one store to
 * leave it.  A waiting thread yields now and then, so that the holder can run where there are fewer cores than
 * threads. */
#ifndef CLPAC_BASE_LATCH_H
#define CLPAC_BASE_LATCH_H

#include <sched.h>
#include <stdatomic.h>

typedef struct clpac__latch {
	atomic_bool is_taken;
} clpac__latch;

static inline void clpac__latch_take(clpac__latch *latch)
{
	enum { TRIES = 64 };
	for (unsigned n = 1; atomic_exchange_explicit(&latch->is_taken, 1, memory_order_acquire); n++)
		if (n % TRIES == 0)
			sched_yield();
}

static inline void clpac__latch_leave(clpac__latch *latch)
{
	atomic_store_explicit(&latch->is_taken, 0, memory_order_release);
}

#endif
