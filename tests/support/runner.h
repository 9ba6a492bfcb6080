/* A test program is a file of tests, and a reason to skip it where it cannot run.
 *
 *     #include "runner.h"
 *
 *     TEST(a_band_above_nyquist_is_refused)
 *     {
 *         ...
 *     }
 *
 * Tests run in the order of the file.  A program whose tests all share one requirement defines skip_reason.  A program
 * that takes tests from other files (laws), or as many as there are devices, enters them itself: it begins them with
 * Check's START_TEST and defines suite. */
#ifndef CLPAC_TESTS_RUNNER_H
#define CLPAC_TESTS_RUNNER_H

#include <stdbool.h>
#include "test_thread.h"

/* Each of these that a program may leave out has a file of its own in defaults/: the linker takes it from the archive
 * where nobody else defines it. */

/* Defined by a program that cannot run everywhere.  Returns why it cannot run here, such as "no OpenCL device", or NULL
 * when it can.  Called once, before suite(). */
const char *skip_reason(void);

/* A test, which enters itself among those of its program. */
#define TEST(name) TEST_EACH_UNLESS(NULL, name, 1)
/* The same for each _i from 0 to n - 1. */
#define TEST_EACH(name, n) TEST_EACH_UNLESS(NULL, name, n)
/* A test that cannot run here, for the reason `why`, becomes a SKIP under its name; NULL: it can. */
#define TEST_UNLESS(why, name) TEST_EACH_UNLESS(why, name, 1)

/* Both expressions are evaluated before the tests run, and only where the program is not skipped. */
#define TEST_EACH_UNLESS(why, name, n)                                                                                 \
	static void name(int _i);                                                                                      \
	static int name##_times(const char **reason)                                                                   \
	{                                                                                                              \
		*reason = (why);                                                                                       \
		return (int)(n);                                                                                       \
	}                                                                                                              \
	__attribute__((constructor)) static void name##_enters(void)                                                   \
	{                                                                                                              \
		static runner_test entry = {{#name, name, __FILE__, __LINE__}, name##_times, NULL};                    \
		runner_enter(&entry);                                                                                  \
	}                                                                                                              \
	static void name(int _i __attribute__((unused)))

typedef struct runner_test runner_test;
struct runner_test {
	TTest test;
	int (*times)(const char **reason);
	runner_test *next;
};
void runner_enter(runner_test *test);

/* What is called before and behind each test of the file. */
#define FIXTURE(before, behind) const runner_fixture runner_around = {before, behind}
typedef struct runner_fixture {
	void (*before)(void), (*behind)(void);
} runner_fixture;
extern const runner_fixture runner_around;

/* How long each test of the file may take, where that is more than 120 s. */
#define SECONDS(most) const int runner_seconds = most
extern const int runner_seconds;

/* Defined by a program that enters its tests itself; called only when the program is not skipped. */
Suite *suite(void);
/* The tests that entered themselves. */
Suite *runner_suite(void);

/* Adds a test to a case.  A test that cannot run here, for the reason `why`, becomes a SKIP under its name. */
#define add_loop_test_unless(why, tcase, test, from, to)                                                               \
	do {                                                                                                           \
		if (!skip_test(why, #test))                                                                            \
			tcase_add_loop_test(tcase, test, from, to);                                                    \
	} while (0)
/* False where there is no reason to skip. */
bool skip_test(const char *why, const char *name);

/* Defined as 1 by a suite that touches a device: a forked child cannot use OpenCL that its parent touched.  The default
 * is 0: every test runs in a process of its own, so that a crash fails one test and not the program. */
extern const int runner_no_fork;

#endif
