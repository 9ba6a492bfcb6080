/* Buffers moved beside the work of other threads, on native memory. */
#include "runner.h"

#include "moving_laws.h"
#include "targets.h"

/* ThreadSanitizer starts no threads in a child of a process that has some, as the list of devices makes it. */
const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return targets_missing("native");
}

Suite *suite(void)
{
	Suite *made = suite_create("moving on native memory");
	/* One instruction set, with one thread and with several. */
	enum { TARGETS = 2 };
	const size_t n = targets_find("native");
	suite_add_tcase(made, moving_laws(n < TARGETS ? n : TARGETS));
	return made;
}
