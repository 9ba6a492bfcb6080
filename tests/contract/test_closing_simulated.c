/* Closing in any order on simulated devices. */
#include "runner.h"

#include "closing_laws.h"
#include "targets.h"

Suite *suite(void)
{
	Suite *s = suite_create("closing on simulated devices");
	closing_laws_add(s, targets_find("simulated"), 0);
	return s;
}
