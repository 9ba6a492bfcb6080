/* The laws of a pool on every OpenCL device of this machine. */
#include "runner.h"

#include "handle_laws.h"
#include "ladder_laws.h"
#include "pool_laws.h"
#include "targets.h"
#include "transfer_laws.h"
#include "use_laws.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("pool on OpenCL devices");
	suite_add_tcase(s, pool_laws(targets_find("opencl")));
	suite_add_tcase(s, watch_laws(targets_find("opencl")));
	suite_add_tcase(s, handle_laws(targets_find("opencl")));
	suite_add_tcase(s, ladder_laws(targets_find("opencl")));
	suite_add_tcase(s, use_laws(targets_find("opencl")));
	suite_add_tcase(s, use_thread_laws(targets_find("opencl")));
	suite_add_tcase(s, transfer_laws(targets_find("opencl")));
	suite_add_tcase(s, pool_stage_laws(targets_find("opencl")));
	return s;
}
