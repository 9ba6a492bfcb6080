/* Random problems on the native backend: every instruction set, with one thread or three, every FFT engine. */
#include "runner.h"

#include "contract/places.h"
#include "random_problems.h"

enum { N_PROBLEMS = 60 };

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("random problems on native devices");
	suite_add_tcase(s, random_problems("native", N_PROBLEMS, false));
	return s;
}
