/* The laws of a store on the native backend. */
#include "runner.h"

#include "store_laws.h"
#include "targets.h"

const char *skip_reason(void)
{
	return targets_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("store on native memory");
	suite_add_tcase(s, store_laws(targets_find("native")));
	return s;
}
