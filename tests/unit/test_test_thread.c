/* Assertions belong to the test's thread (tests/support/test_thread.h); the guard that enforces this can fail. */
#include "runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *assert_what_holds(void *unused)
{
	ck_assert(true);
	return unused;
}

static void *assert_what_does_not(void *unused)
{
	ck_abort_msg("in a worker");
	return unused;
}

static void run(void *(*work)(void *))
{
	static const struct rlimit none = {0, 0};
	pthread_t thread;
	setrlimit(RLIMIT_CORE, &none); /* the process will end by a signal */
	if (pthread_create(&thread, NULL, work, NULL) == 0)
		pthread_join(thread, NULL);
}

START_TEST(an_assertion_that_holds_in_a_worker_ends_the_program)
{
	run(assert_what_holds);
}

START_TEST(an_assertion_that_fails_in_a_worker_ends_the_program)
{
	run(assert_what_does_not);
}

START_TEST(the_only_thread_of_a_child_may_assert)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		ck_assert(true);
		_exit(7);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 7);
}

Suite *suite(void)
{
	Suite *suite = suite_create("the test's thread");
	TCase *t = tcase_create("assertions");
	tcase_add_test_raise_signal(t, an_assertion_that_holds_in_a_worker_ends_the_program, SIGABRT);
	tcase_add_test_raise_signal(t, an_assertion_that_fails_in_a_worker_ends_the_program, SIGABRT);
	tcase_add_test(t, the_only_thread_of_a_child_may_assert);
	suite_add_tcase(suite, t);
	return suite;
}
