/* One context of the native device for several threads.  Built with ThreadSanitizer, this also checks for races. */
#include "runner.h"

#include "contract/places.h"
#include "contract/sharing_laws.h"
#include "contract/targets.h"

/* Drivers start threads while devices are looked for; a forked child can start none after that under
 * ThreadSanitizer. */
const int runner_no_fork = 1;

const char *skip_reason(void)
{
	return places_missing("native");
}

START_TEST(every_engine_transforms_for_several_threads)
{
	const target *where = targets_get((size_t)_i);
	sharing_check_engines(&where->device, where->options, where->label);
}

Suite *suite(void)
{
	Suite *s = suite_create("a context for several threads");
	suite_add_tcase(s, sharing_laws(places_find("native")));
	TCase *t = tcase_create("engines");
	tcase_add_loop_test(t, every_engine_transforms_for_several_threads, 0, (int)places_find("native"));
	suite_add_tcase(s, t);
	return s;
}
