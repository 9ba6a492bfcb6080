/* Maps of real recordings on every OpenCL device of this machine. */
#include "runner.h"

#include "comodulogram_laws.h"
#include "contract/places.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	if (comodulograms_missing())
		return comodulograms_missing();
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("comodulograms on OpenCL devices");
	suite_add_tcase(s, comodulogram_laws(places_find("opencl")));
	return s;
}
