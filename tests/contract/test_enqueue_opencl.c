/* The laws of runs that stay on the device, on OpenCL devices. */
#include "runner.h"

#include "enqueue_laws.h"
#include "places.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("runs on OpenCL devices");
	suite_add_tcase(s, enqueue_laws(places_find("opencl")));
	suite_add_tcase(s, enqueue_arrangement_laws(places_find("opencl")));
	return s;
}
