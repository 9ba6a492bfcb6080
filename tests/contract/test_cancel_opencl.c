/* Cancelled calls on an OpenCL device. */
#include "runner.h"

#include "cancel_laws.h"
#include "places.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("cancelled calls on an OpenCL device");
	places_find("opencl");
	cancel_laws_add(s, 0);
	return s;
}
