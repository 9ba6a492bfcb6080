/* A test program is a suite of Check and an answer to whether it can run here.
 *
 *     #include "runner.h"
 *
 *     START_TEST(a_band_above_nyquist_is_refused) { ... } END_TEST
 *
 *     Suite *suite(void) { ... }
 *
 * A program whose tests all need the same has a skip_reason; one of whose tests needs more than the others adds that by
 * add_test_unless. */
#ifndef CLPAC_TESTS_RUNNER_H
#define CLPAC_TESTS_RUNNER_H

#include <stdbool.h>
#include "test_thread.h"

/* Defined by a program that cannot run everywhere: why nothing of it can run here, as "no OpenCL device"; NULL when it
 * can.  Called once, before suite(). */
const char *skip_reason(void);

/* The tests.  Called only when the program is not skipped. */
Suite *suite(void);

/* Adds a test to a case; one that cannot run here, for the reason `why`, becomes a SKIP of its name. */
#define add_test_unless(why, tcase, test) add_loop_test_unless(why, tcase, test, 0, 1)
#define add_loop_test_unless(why, tcase, test, from, to)                                                               \
	do {                                                                                                           \
		if (!skip_test(why, #test))                                                                            \
			tcase_add_loop_test(tcase, test, from, to);                                                    \
	} while (0)
/* False where there is no reason. */
bool skip_test(const char *why, const char *name);

/* Defined as 1 by a suite that touches a device: a forked child cannot use OpenCL that its parent touched.
 * The default is 0: every test in a process of its own, so that a crash is one failure and not the end. */
extern const int runner_no_fork;

#endif
