/* The laws of a store on every OpenCL device of this machine. */
#include "runner.h"

#include "store_laws.h"
#include "targets.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("store on OpenCL devices");
	suite_add_tcase(s, store_laws(targets_find("opencl")));
	return s;
}
