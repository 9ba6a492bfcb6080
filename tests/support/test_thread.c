#include "test_thread.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local bool is_test_thread;
/* The last mark; only the test's thread gets here. */
static const char *marked_file;
static int marked_line;

void become_test_thread(void)
{
	is_test_thread = true;
	marked_file = NULL;
}

void require_test_thread(const char *file, int line)
{
	if (is_test_thread)
		return;
	fprintf(stderr, "%s:%d: an assertion outside of the test's thread; note the failure and assert it there\n",
		file, line);
	abort();
}

void mark_place(const char *file, int line)
{
	require_test_thread(file, line);
	if (file == marked_file && line == marked_line)
		return;
	marked_file = file;
	marked_line = line;
	(_mark_point)(file, line);
}
