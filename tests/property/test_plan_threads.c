/* One plan of the native device, run by several threads.  Built with ThreadSanitizer, this also checks for races. */
#include "contract/places.h"
#include "plan_thread_laws.h"

/* Drivers start threads while devices are looked for; a forked child can start none after that under
 * ThreadSanitizer. */
const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("one plan for several threads");
	suite_add_tcase(s, plan_thread_laws(places_sample("native")));
	return s;
}
