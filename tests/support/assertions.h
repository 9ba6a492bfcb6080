/* Assertions shared by tests of fallible functions. */
#ifndef CLPAC_TESTS_ASSERTIONS_H
#define CLPAC_TESTS_ASSERTIONS_H

#include "test_thread.h"
#include <math.h>
#include <string.h>
#include <clpac/status.h>
#include "base/memory.h"
#include "random.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A shortage of the host's memory names the bytes that an allocation was refused (clpac__fail_allocation), or a whole
 * that they are a part of.  Texts name their length, and grow by doubling, from 128. */
#define assert_names_bytes(err)                                                                                        \
	do {                                                                                                           \
		const uint64_t named = (err).wanted_bytes, failed = clpac__failed_bytes();                             \
		if ((err).status == CLPAC_ERROR_NO_MEMORY && named && failed)                                          \
			ck_assert_msg((named >= failed / 2 || failed <= 128) && named < UINT64_C(1) << 40,             \
				      "%llu bytes were refused: '%s'", (unsigned long long)failed, (err).text);        \
	} while (0)

/* Asserts that a call failed with this status and a text of one line that contains `part`. */
#define assert_refused(result, err, wanted, part)                                                                      \
	do {                                                                                                           \
		ck_assert_msg((result) == (wanted), "'%s' expected, got '%s': %s", clpac_status_text(wanted),          \
			      clpac_status_text(result), (result) ? (err).text : "");                                  \
		ck_assert_int_eq((err).status, (wanted));                                                              \
		ck_assert_msg(strstr((err).text, (part)) != NULL, "'%s' is not in '%s'", (part), (err).text);          \
		ck_assert_msg(strchr((err).text, '\n') == NULL, "more than one line: '%s'", (err).text);               \
		assert_names_bytes(err);                                                                               \
	} while (0)

/* Asserts success; `err` is the error that the call filled. */
#define assert_works(call, err)                                                                                        \
	do {                                                                                                           \
		clpac_status assert_st = (call);                                                                       \
		ck_assert_msg(assert_st == CLPAC_OK, "%s: %s", #call, assert_st ? (err).text : "");                    \
	} while (0)

/* The same where the error is a variable called err. */
#define OK(call) assert_works(call, err)

/* An assertion for models, which check millions of times: each ck_assert writes a mark even when it holds. */
#define assert_in_model(condition, seed, operation)                                                                    \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			ck_abort_msg("%s; seed %llu, operation %u", #condition, (unsigned long long)(seed),            \
				     (unsigned)(operation));                                                           \
	} while (0)

/* |a - b| <= tolerance; NaN is never close. */
#define assert_close(a, b, tolerance)                                                                                  \
	do {                                                                                                           \
		double close_a = (double)(a), close_b = (double)(b), close_t = (double)(tolerance);                    \
		ck_assert_msg(fabs(close_a - close_b) <= close_t, "%s is %.17g, %s is %.17g: %g apart, not %g", #a,    \
			      close_a, #b, close_b, fabs(close_a - close_b), close_t);                                 \
	} while (0)

/* Lets the 1st, 2nd, ... allocation of a call fail until the call succeeds without reaching the failing one; `release`
 * frees what success made.  Each failure must be reported; a leak on its way is left to the sanitizers. */
#define assert_survives_failing_allocations(call, release)                                                             \
	do {                                                                                                           \
		for (unsigned long failing = 1;; failing++) {                                                          \
			clpac__fail_allocation(failing, false);                                                        \
			clpac_status failing_st = (call);                                                              \
			unsigned long made = clpac__count_allocations();                                               \
			clpac__fail_allocation(0, false);                                                              \
			if (failing_st == CLPAC_OK) {                                                                  \
				release;                                                                               \
				ck_assert_msg(made < failing, "allocation %lu failed and no error was reported",       \
					      failing);                                                                \
				ck_assert_uint_gt(failing, 1);                                                         \
				break;                                                                                 \
			}                                                                                              \
			ck_assert_int_eq(failing_st, CLPAC_ERROR_NO_MEMORY);                                           \
		}                                                                                                      \
	} while (0)

#endif
