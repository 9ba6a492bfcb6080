/* The laws of a pool on simulated devices. */
#include "runner.h"

#include "handle_laws.h"
#include "ladder_laws.h"
#include "pool_laws.h"
#include "targets.h"
#include "transfer_laws.h"
#include "use_laws.h"

Suite *suite(void)
{
	Suite *s = suite_create("pool on simulated devices");
	suite_add_tcase(s, pool_laws(targets_find("simulated")));
	suite_add_tcase(s, watch_laws(targets_find("simulated")));
	suite_add_tcase(s, handle_laws(targets_find("simulated")));
	suite_add_tcase(s, ladder_laws(targets_find("simulated")));
	suite_add_tcase(s, use_laws(targets_find("simulated")));
	suite_add_tcase(s, use_thread_laws(targets_find("simulated")));
	suite_add_tcase(s, transfer_laws(targets_find("simulated")));
	return s;
}
