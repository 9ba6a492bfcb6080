/* Check, with assertions that end a test from its own thread only: from another thread they would jump out of a stack
 * that is not theirs, or end the process without a verdict.  Here every assertion, even one that holds, first checks
 * its thread and ends the program with its place in the source when it is the wrong one.  Worker threads record what
 * they found, and the test asserts it once it has joined them.
 *
 * All tests include this header instead of check.h; tests/lint/helpers.test sees to it. */
#ifndef CLPAC_TESTS_TEST_THREAD_H
#define CLPAC_TESTS_TEST_THREAD_H

#include <check.h>

/* Makes the calling thread the one that may assert; a forked child's only thread inherits it. */
void become_test_thread(void);

/* In any other thread: ends the program, with this place in the sources on standard error. */
void require_test_thread(const char *file, int line);

/* Tells Check that this place was reached, which it prints if the test crashes later.  Check writes each mark to a
 * file, so only a place other than the last is told: an assertion about every element of an array costs one mark. */
void mark_place(const char *file, int line);

/* The two functions that all of Check's macros expand to. */
#define _mark_point(file, line) mark_place(file, line)
#define _ck_assert_failed(file, line, ...) (require_test_thread(file, line), _ck_assert_failed(file, line, __VA_ARGS__))

#endif
