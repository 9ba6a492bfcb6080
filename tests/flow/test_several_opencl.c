/* Each OpenCL device of this machine beside the native one, in one run. */
#include "runner.h"

#include "assertions.h"
#include "contract/places.h"
#include "several_laws.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_find("opencl") ? NULL : "no OpenCL device that can be used (clpac devices says why)";
}

size_t members_open(size_t i, clpac_context *members[MAX_MEMBERS])
{
	clpac_error err;
	members[0] = place_open(i);
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native"}, &members[1], &err), err);
	return 2;
}

Suite *suite(void)
{
	Suite *made = suite_create("OpenCL and native devices together");
	TCase *tests = tcase_create("laws");
	several_laws_add(tests, places_find("opencl"));
	suite_add_tcase(made, tests);
	return made;
}
