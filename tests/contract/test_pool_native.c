/* The laws of a pool on the native backend. */
#include "runner.h"

#include "handle_laws.h"
#include "ladder_laws.h"
#include "pool_laws.h"
#include "targets.h"
#include "transfer_laws.h"
#include "use_laws.h"

const char *skip_reason(void)
{
	return targets_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("pool on native memory");
	suite_add_tcase(s, pool_laws(targets_find("native")));
	suite_add_tcase(s, watch_laws(targets_find("native")));
	suite_add_tcase(s, handle_laws(targets_find("native")));
	suite_add_tcase(s, ladder_laws(targets_find("native")));
	suite_add_tcase(s, use_laws(targets_find("native")));
	suite_add_tcase(s, use_thread_laws(targets_find("native")));
	suite_add_tcase(s, transfer_laws(targets_find("native")));
	suite_add_tcase(s, pool_stage_laws(targets_find("native")));
	return s;
}
