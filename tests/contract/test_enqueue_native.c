/* The laws of runs that stay on the device, on native devices. */
#include "runner.h"

#include "enqueue_laws.h"
#include "places.h"

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("runs on native devices");
	const size_t n = places_sample("native");
	suite_add_tcase(s, enqueue_laws(n));
	suite_add_tcase(s, enqueue_arrangement_laws(n));
	return s;
}
