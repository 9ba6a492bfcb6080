/* The laws of a queue on every OpenCL device of this machine. */
#include "runner.h"

#include "order_laws.h"
#include "queue_laws.h"
#include "settle_laws.h"
#include "targets.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("OpenCL queue");
	suite_add_tcase(s, queue_laws(targets_find("opencl")));
	suite_add_tcase(s, settle_laws(targets_find("opencl")));
	suite_add_tcase(s, block_laws(targets_find("opencl")));
	suite_add_tcase(s, order_laws(targets_find("opencl")));
	suite_add_tcase(s, order_thread_laws(targets_find("opencl")));
	return s;
}
