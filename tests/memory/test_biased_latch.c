/* Biased latches: whoever is inside is alone, whichever way each thread came in. */
#include "runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include "assertions.h"
#include "base/latch.h"
#include "base/thread.h"

enum { ROUNDS = 200000, OTHERS = 2, OTHER_ROUNDS = 300 };

typedef struct shared {
	clpac__biased_latch latch;
	/* Plain on purpose: lost additions, or a half that is ahead of the other, show two threads inside. */
	uint64_t first, second;
	uint64_t n_torn, n_without_latch;
	atomic_bool is_over;
} shared;

static void visit(shared *all)
{
	all->n_torn += all->first != all->second;
	all->first++;
	atomic_signal_fence(memory_order_seq_cst); /* the compiler keeps both halves apart */
	all->second++;
}

static void *own(void *user)
{
	shared *all = user;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		const bool is_without = clpac__biased_latch_enter(&all->latch, 1);
		visit(all);
		all->n_without_latch += is_without;
		clpac__biased_latch_exit(&all->latch, is_without);
	}
	return NULL;
}

typedef struct other {
	shared *all;
	uint32_t thread;
} other;

static void *disturb(void *user)
{
	const other *self = user;
	for (int i = 0; i < OTHER_ROUNDS; i++) {
		clpac__biased_latch_take(&self->all->latch, self->thread);
		visit(self->all);
		clpac__biased_latch_leave(&self->all->latch);
		/* The owner comes in between often enough to be the owner again. */
		for (int k = 0; k < 50; k++)
			sched_yield();
	}
	return NULL;
}

TEST_EACH(one_thread_at_a_time_is_inside, 2)
{
	static shared all;
	all = (shared){0};
	if (_i && clpac__process_barrier_is_there())
		all.latch.owner = 1;
	pthread_t owner, threads[OTHERS];
	other others[OTHERS];
	ck_assert_int_eq(pthread_create(&owner, NULL, own, &all), 0);
	for (uint32_t i = 0; i < OTHERS; i++) {
		others[i] = (other){&all, 2 + i};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, disturb, &others[i]), 0);
	}
	pthread_join(owner, NULL);
	for (int i = 0; i < OTHERS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(all.n_torn, 0);
	ck_assert_uint_eq(all.first, ROUNDS + OTHERS * OTHER_ROUNDS);
	ck_assert_uint_eq(all.second, all.first);
}

TEST(a_thread_alone_becomes_the_owner_and_stays_it)
{
	static shared all;
	all = (shared){0};
	own(&all);
	ck_assert_uint_eq(all.first, ROUNDS);
	if (!clpac__process_barrier_is_there()) {
		ck_assert_uint_eq(all.n_without_latch, 0);
		return;
	}
	ck_assert_uint_ge(all.n_without_latch, ROUNDS - 1000);
	/* Its own visits by the latch do not end that, and one by another thread does. */
	clpac__biased_latch_take(&all.latch, 1);
	clpac__biased_latch_leave(&all.latch);
	ck_assert_uint_eq(all.latch.owner, 1);
	clpac__biased_latch_take(&all.latch, 2);
	clpac__biased_latch_leave(&all.latch);
	ck_assert_uint_eq(all.latch.owner, 0);
}
