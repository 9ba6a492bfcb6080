/* A plan's memory on the native backend: every instruction set, with one thread or three. */
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
	const size_t n_places = places_sample("native");
	suite_add_tcase(s, memory_laws(n_places, N_PROBLEMS, false, NULL));
	suite_add_tcase(s, memory_arrangement_laws(n_places));
	return s;
}
