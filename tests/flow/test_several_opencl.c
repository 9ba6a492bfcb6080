/* Each OpenCL device of this machine beside the native one in one run; where there are several, also two of them beside
 * it. */
#include "runner.h"

#include "assertions.h"
#include "contract/places.h"
#include "several_laws.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("opencl");
}

size_t members_open(size_t i, clpac_context *members[MAX_MEMBERS])
{
	clpac_error err;
	size_t n = 0;
	if (i == places_find("opencl")) { /* the way after those with one device */
		members[n++] = place_open(0);
		i = 1;
	}
	members[n++] = place_open(i);
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &members[n++], &err), err);
	return n;
}

Suite *suite(void)
{
	Suite *made = suite_create("OpenCL and native devices together");
	TCase *tests = tcase_create("laws");
	const size_t n_devices = places_find("opencl");
	several_laws_add(tests, n_devices > 1 ? n_devices + 1 : n_devices);
	suite_add_tcase(made, tests);
	return made;
}
