/* A plan's memory on the native backend: every instruction set, one thread and three. */
#include "runner.h"

#include "contract/places.h"
#include "memory_laws.h"

enum { N_PROBLEMS = 20 };

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("memory of plans on native devices");
	suite_add_tcase(s, memory_laws(places_find("native"), N_PROBLEMS, false, NULL));
	suite_add_tcase(s, memory_arrangement_laws(places_find("native")));
	return s;
}
