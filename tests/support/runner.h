/* A test program is a suite of Check and a reason to skip it where it cannot run.
 *
 *     #include "runner.h"
 *
 *     START_TEST(a_band_above_nyquist_is_refused) { ... } END_TEST
 *
 *     Suite *suite(void) { ... }
 *
 * A program whose tests all share one requirement defines skip_reason; a single test with a requirement of its own is
 * added by add_test_unless. */
#ifndef CLPAC_TESTS_RUNNER_H
#define CLPAC_TESTS_RUNNER_H

#include <stdbool.h>
#include "test_thread.h"

/* Defined by a program that cannot run everywhere.  Returns why it cannot run here, such as "no OpenCL device", or NULL
 * when it can.  Called once, before suite(). */
const char *skip_reason(void);

/* The tests.  Called only when the program is not skipped. */
Suite *suite(void);

/* Adds a test to a case.  A test that cannot run here, for the reason `why`, becomes a SKIP under its name. */
#define add_test_unless(why, tcase, test) add_loop_test_unless(why, tcase, test, 0, 1)
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
