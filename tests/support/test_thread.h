/* Check, whose assertions end a test from its own thread only: from another they jump out of a stack that is not
 * theirs, or end the process without a verdict. Here every assertion, one that holds as well, asks for its thread first
 * and ends the program with its place when it is the wrong one. Workers note what they found, and the test asserts it
 * once it has joined them.
 *
 * All tests include this header instead of check.h; tests/lint/helpers.test sees to it. */
#ifndef CLPAC_TESTS_TEST_THREAD_H
#define CLPAC_TESTS_TEST_THREAD_H

#include <check.h>

/* Makes the calling thread the one that may assert; a forked child's only thread inherits it. */
void become_test_thread(void);

/* Ends the program, with this place in the sources on standard error, in any other thread. */
void require_test_thread(const char *file, int line);

/* The two that all of Check's macros come to. */
#define _mark_point(file, line) (require_test_thread(file, line), _mark_point(file, line))
#define _ck_assert_failed(file, line, ...) (require_test_thread(file, line), _ck_assert_failed(file, line, __VA_ARGS__))

#endif
