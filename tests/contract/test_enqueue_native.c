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
	suite_add_tcase(s, enqueue_laws(places_find("native")));
	return s;
}
