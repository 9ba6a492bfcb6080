/* A lock for sections of a few dozen instructions with little contention: one exchange to take it, one store to
 * leave it.  A waiting thread yields now and then, so that the holder can run where there are fewer cores than
 * threads. */
#ifndef CLPAC_BASE_LATCH_H
#define CLPAC_BASE_LATCH_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* A lock that one thread, its owner, enters without an atomic exchange, as long as no other thread wants it.
 *
 * The owner notes that it is inside and then looks whether it is still the owner.  Another thread takes the latch of
 * all others, takes the ownership away, has the system make every running thread of the process pass a memory barrier
 * (membarrier(2)), and waits until the owner is outside.  So the owner pays for two plain stores and two loads, and
 * whoever disturbs it pays for a system call.  After that all threads use the latch of all others, until one thread has
 * taken it many times in a row (D. Dice, M. Moir, W. Scherer, "Quickly Reacquirable Locks", 2003).
 *
 * Without membarrier there are no owners.
 */

typedef struct clpac__biased_latch {
	_Atomic uint32_t owner; /* a thread; 0: nobody.  Changes with the latch held */
	atomic_bool is_inside;	/* the owner, without the latch */
	clpac__latch latch;
	uint32_t last, n_in_a_row; /* the thread that entered last by the latch; guarded by it */
} clpac__biased_latch;

/* For the thread that is meant to be the owner: enters, and says whether without the latch.  Threads are numbered from
 * 1 on. */
static inline bool clpac__biased_latch_enter(clpac__biased_latch *latch, uint32_t thread);
static inline void clpac__biased_latch_exit(clpac__biased_latch *latch, bool is_without);

/* For any thread, the owner too.  Not within enter and exit. */
void clpac__biased_latch_take(clpac__biased_latch *latch, uint32_t thread);
static inline void clpac__biased_latch_leave(clpac__biased_latch *latch)
{
	clpac__latch_leave(&latch->latch);
}

/* Enters by the latch; after many times in a row the thread becomes the owner. */
void clpac__biased_latch_enter_slowly(clpac__biased_latch *latch, uint32_t thread);

/* True when the thread is the owner, and has entered. */
static inline bool clpac__biased_latch_enter_as_owner(clpac__biased_latch *latch, uint32_t thread)
{
	if (__builtin_expect(atomic_load_explicit(&latch->owner, memory_order_relaxed) == thread, 1)) {
		atomic_store_explicit(&latch->is_inside, true, memory_order_relaxed);
		/* The compiler keeps this order; membarrier of the other side makes the processor keep it. */
		atomic_signal_fence(memory_order_seq_cst);
		if (__builtin_expect(atomic_load_explicit(&latch->owner, memory_order_relaxed) == thread, 1))
			return true;
		atomic_store_explicit(&latch->is_inside, false, memory_order_release);
	}
	return false;
}

static inline bool clpac__biased_latch_enter(clpac__biased_latch *latch, uint32_t thread)
{
	if (clpac__biased_latch_enter_as_owner(latch, thread))
		return true;
	clpac__biased_latch_enter_slowly(latch, thread);
	return false;
}

static inline void clpac__biased_latch_exit(clpac__biased_latch *latch, bool is_without)
{
	if (__builtin_expect(is_without, 1))
		atomic_store_explicit(&latch->is_inside, false, memory_order_release);
	else
		clpac__biased_latch_leave(latch);
}

#endif
