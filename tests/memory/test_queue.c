/* Who closes a queue. */
#include "runner.h"

#include "memory/seam/backend.h"

static unsigned n_closed;

static void count(clpac__queue *queue)
{
	(void)queue;
	n_closed++;
}

static const clpac__queue_operations operations = {.close = count};

START_TEST(the_last_holder_closes_it)
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
END_TEST

START_TEST(one_whose_owner_closes_it_is_not_held)
{
	clpac__queue queue = {.operations = &operations};
	atomic_init(&queue.n_holders, 0);
	ck_assert(!clpac__queue_hold(&queue));
	ck_assert_uint_eq(atomic_load(&queue.n_holders), 0);
	ck_assert_uint_eq(n_closed, 0);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("queue");
	TCase *holders = tcase_create("holders");
	tcase_add_test(holders, the_last_holder_closes_it);
	tcase_add_test(holders, one_whose_owner_closes_it_is_not_held);
	suite_add_tcase(suite, holders);
	return suite;
}
