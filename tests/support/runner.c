/* main() of every test program: TAP on standard output. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>

/* Their addresses are NULL in a program that does not define them.  A weak definition here would not do: gcc folds its
 * value.
 */
extern const int runner_no_fork __attribute__((weak));
const char *skip_reason(void) __attribute__((weak));

int main(void)
{
	const char *why = skip_reason ? skip_reason() : NULL;
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return EXIT_SUCCESS;
	}

	become_test_thread();
	/* Check's own limit of 4 s is too short for kernels under a sanitizer. */
	setenv("CK_DEFAULT_TIMEOUT", "120", 0);
	SRunner *runner = srunner_create(suite());
	if (&runner_no_fork && runner_no_fork)
		srunner_set_fork_status(runner, CK_NOFORK);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);

	/* A driver that reads TAP has the verdicts already and would count a bad exit status as one more failure. */
	return n_failed == 0 || getenv("CLPAC_TEST_TAP") ? EXIT_SUCCESS : EXIT_FAILURE;
}
