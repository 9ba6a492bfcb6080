/* Who closes a queue. */
#include "runner.h"

#include "memory/backend/backend.h"

static unsigned n_closed;

static void count(clpac__queue *queue)
{
	(void)queue;
	n_closed++;
}

static const clpac__queue_operations operations = {.close = count};

TEST(the_last_holder_closes_it)
{
	clpac__queue queue = {.operations = &operations};
	atomic_init(&queue.n_holders, 1);
	ck_assert(clpac__queue_hold(&queue));
	ck_assert(clpac__queue_hold(&queue));
	clpac__queue_let_go(&queue);
	clpac__queue_let_go(&queue);
	ck_assert_uint_eq(n_closed, 0);
	clpac__queue_let_go(&queue);
	ck_assert_uint_eq(n_closed, 1);
	clpac__queue_let_go(NULL);
	ck_assert_uint_eq(n_closed, 1);
}

TEST(one_whose_owner_closes_it_is_not_held)
{
	clpac__queue queue = {.operations = &operations};
	atomic_init(&queue.n_holders, 0);
	ck_assert(!clpac__queue_hold(&queue));
	ck_assert_uint_eq(atomic_load(&queue.n_holders), 0);
	ck_assert_uint_eq(n_closed, 0);
}
