/* Closing in any order on native devices. */
#include "runner.h"

#include "closing_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *s = suite_create("closing on native devices");
	closing_laws_add(s, targets_find("native"), 500);
	return s;
}
