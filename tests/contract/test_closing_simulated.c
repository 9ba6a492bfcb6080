/* Closing in any order on simulated devices. */
#include "runner.h"

#include "closing_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *s = suite_create("closing on simulated devices");
	suite_add_tcase(s, closing_laws(targets_find("simulated"), 0));
	return s;
}
