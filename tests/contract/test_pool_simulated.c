/* The laws of a pool on simulated devices. */
#include "runner.h"

#include "pool_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *s = suite_create("pool on simulated devices");
	suite_add_tcase(s, pool_laws(targets_find("simulated")));
	suite_add_tcase(s, watch_laws(targets_find("simulated")));
	return s;
}
