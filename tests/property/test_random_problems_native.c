/* Random problems on the native backend: every instruction set, one thread and three. */
#include "runner.h"

#include "contract/places.h"
#include "random_problems.h"

enum { N_PROBLEMS = 100 };

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("random problems on native devices");
	suite_add_tcase(s, random_problems(places_find("native"), N_PROBLEMS, false));
	return s;
}
