/* Closing in any order on OpenCL devices. */
#include "runner.h"

#include "closing_laws.h"
#include "targets.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return targets_find("opencl") ? NULL : "no OpenCL device that can be used (clpac devices says why)";
}

Suite *suite(void)
{
	Suite *s = suite_create("closing on OpenCL devices");
	closing_laws_add(s, targets_find("opencl"), 60);
	return s;
}
