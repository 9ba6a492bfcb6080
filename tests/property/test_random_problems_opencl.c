/* Random problems on every OpenCL device of this machine, with every FFT engine. */
#include "runner.h"

#include "contract/places.h"
#include "random_problems.h"

enum { N_PROBLEMS = 6 };

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("random problems on OpenCL devices");
	suite_add_tcase(s, random_problems("opencl", N_PROBLEMS, true));
	return s;
}
