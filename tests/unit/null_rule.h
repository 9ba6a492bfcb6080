/* Tests of the rule for NULL (clpac/status.h) from a table, one row for each pointer that a public function takes:
 *
 *     NEEDS(function, parameter, call)        the call with NULL is refused by name
 *     EMPTY(function, parameter, condition)   a function without an error gives the empty value
 *     FINE(function, parameter, call)         a function that gives nothing does nothing
 *     FREE(function, parameter, "meaning")    NULL has a meaning of its own, which other tests use
 *     NONE(function, "reason")                there is no pointer to give
 *
 * A program defines NULL_ROWS, the table's file, and what its rows name, before it includes this.  Arguments beside the
 * NULL need not be good: pointers are checked before anything else happens.  tests/lint/declared.test compares the
 * tables with the headers and the libraries. */
#ifndef CLPAC_TESTS_NULL_RULE_H
#define CLPAC_TESTS_NULL_RULE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "runner.h"
#include "assertions.h"

typedef struct null_row {
	const char *function, *parameter;
	clpac_status (*call)(clpac_error *err); /* NULL: a function without an error */
	bool (*is_empty)(void);
} null_row;

#define NEEDS(function, parameter, ...)                                                                                \
	static clpac_status function##__##parameter(clpac_error *err)                                                  \
	{                                                                                                              \
		return __VA_ARGS__;                                                                                    \
	}
#define EMPTY(function, parameter, ...)                                                                                \
	static bool function##__##parameter(void)                                                                      \
	{                                                                                                              \
		return __VA_ARGS__;                                                                                    \
	}
#define FINE(function, parameter, ...) EMPTY(function, parameter, (__VA_ARGS__, true))
#define FREE(function, parameter, meaning)
#define NONE(function, reason)
#include NULL_ROWS
#undef NEEDS
#undef EMPTY
#undef FINE

#define NEEDS(function, parameter, ...) {#function, #parameter, function##__##parameter, NULL},
#define EMPTY(function, parameter, ...) {#function, #parameter, NULL, function##__##parameter},
#define FINE(function, parameter, ...) EMPTY(function, parameter)
static const null_row null_rows[] = {
#include NULL_ROWS
};
enum { NULL_ROW_COUNT = COUNT(null_rows) };

/* The i-th row; with and without somebody who wants to know. */
static void assert_null_rule(int i)
{
	const null_row *row = &null_rows[i];
	clpac_error err = {0};
	char wanted[128];
	if (!row->call) {
		ck_assert_msg(row->is_empty(), "%s: %s NULL does not give the empty value", row->function,
			      row->parameter);
		return;
	}
	snprintf(wanted, sizeof wanted, "%s: %s is NULL", row->function, row->parameter);
	const clpac_status st = row->call(&err);
	ck_assert_msg(st == CLPAC_ERROR_ARGUMENT, "%s: %s NULL gives '%s'", row->function, row->parameter,
		      clpac_status_text(st));
	ck_assert_int_eq(err.status, CLPAC_ERROR_ARGUMENT);
	ck_assert_str_eq(err.text, wanted);
	ck_assert_int_eq(row->call(NULL), CLPAC_ERROR_ARGUMENT);
}

#endif
