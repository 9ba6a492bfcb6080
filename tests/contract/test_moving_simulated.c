/* Buffers moved beside the work of other threads, on simulated devices. */
#include "runner.h"

#include "moving_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *made = suite_create("moving on simulated devices");
	suite_add_tcase(made, moving_laws(targets_find("simulated")));
	return made;
}
