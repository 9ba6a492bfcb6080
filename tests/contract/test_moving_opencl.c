/* Buffers moved beside the work of other threads, on OpenCL devices. */
#include "runner.h"

#include "moving_laws.h"
#include "targets.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	Suite *made = suite_create("moving on OpenCL devices");
	suite_add_tcase(made, moving_laws(targets_find("opencl")));
	return made;
}
