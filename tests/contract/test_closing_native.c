/* Closing in any order on native devices. */
#include "runner.h"

#include "closing_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *s = suite_create("closing on native devices");
	suite_add_tcase(s, closing_laws(targets_find("native"), 500));
	return s;
}
