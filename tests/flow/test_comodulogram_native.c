/* Maps of real recordings on the native backend: every instruction set, with one thread or three. */
#include "runner.h"

#include "comodulogram_laws.h"
#include "contract/places.h"

const char *skip_reason(void)
{
	if (comodulograms_missing())
		return comodulograms_missing();
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("comodulograms on native devices");
	suite_add_tcase(s, comodulogram_laws(places_sample("native")));
	return s;
}
