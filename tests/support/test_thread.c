#include "test_thread.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local bool is_test_thread;

void become_test_thread(void)
{
	is_test_thread = true;
}

void require_test_thread(const char *file, int line)
{
	if (is_test_thread)
		return;
	fprintf(stderr, "%s:%d: an assertion outside of the test's thread; note the failure and assert it there\n",
		file, line);
	abort();
}
