/* The laws of a store on simulated devices. */
#include "runner.h"

#include "store_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *s = suite_create("store on simulated devices");
	suite_add_tcase(s, store_laws(targets_find("simulated")));
	return s;
}
