/* A test program is a suite of Check and an answer to whether it can run here.
 *
 *     #include "runner.h"
 *
 *     START_TEST(a_band_above_nyquist_is_refused) { ... } END_TEST
 *
 *     Suite *suite(void) { ... }
 *
 * One program per requirement, since Check cannot skip a single test. */
#ifndef CLPAC_TESTS_RUNNER_H
#define CLPAC_TESTS_RUNNER_H

#include "test_thread.h"

/* Defined by a program that cannot run everywhere: why nothing of it can run here, as "no OpenCL device"; NULL when it
 * can.  Called once, before suite(). */
const char *skip_reason(void);

/* The tests.  Called only when nothing is skipped. */
Suite *suite(void);

/* Defined as 1 by a suite that touches a device: a forked child cannot use OpenCL that its parent touched.
 * The default is 0: every test in a process of its own, so that a crash is one failure and not the end. */
extern const int runner_no_fork;

#endif
