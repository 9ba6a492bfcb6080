/* Several native devices in one run: with one thread, with three, and with another instruction set. */
#include "runner.h"

#include "contract/places.h"
#include "several_laws.h"

size_t members_open(size_t i, clpac_context *members[MAX_MEMBERS])
{
	const size_t n = places_find("native");
	members[0] = place_open(0);
	members[1] = place_open(1);
	if (!i)
		return 2;
	members[2] = place_open(n - 1);
	return 3;
}

Suite *suite(void)
{
	Suite *made = suite_create("several native devices");
	TCase *tests = tcase_create("laws");
	several_laws_add(tests, 2);
	suite_add_tcase(made, tests);
	return made;
}
