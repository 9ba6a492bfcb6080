/* Cancelled calls on the native device. */
#include "runner.h"

#include "cancel_laws.h"
#include "places.h"

const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("cancelled calls on the native device");
	const size_t n = places_sample("native");
	cancel_laws_add(s, n - 1);
	return s;
}
