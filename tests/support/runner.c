/* main() of every test program: TAP on standard output. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

#ifndef _WIN32
/* Drivers are tried by the program of this build, as by an installed library: a test may have threads.  The address is
 * NULL in a program without devices. */
extern const char *clpac__opencl_probe_program __attribute__((weak));
static char probe_program[1024];

static void use_probe_program(void)
{
	const char *folder = getenv("CLPAC_TEST_BUILDDIR");
	if (!&clpac__opencl_probe_program || !folder)
		return;
	snprintf(probe_program, sizeof probe_program, "%s/clpac-probe", folder);
	clpac__opencl_probe_program = probe_program;
}
#else
static void use_probe_program(void)
{
}
#endif

/* TAP lines of skipped tests, which Check cannot express. */
static char skipped[4096];
static int n_skipped;

bool skip_test(const char *why, const char *name)
{
	const size_t used = strlen(skipped);
	if (!why)
		return false;
	snprintf(skipped + used, sizeof skipped - used, "%s # SKIP %s\n", name, why);
	n_skipped++;
	return true;
}

/* Copies Check's TAP from a file, then appends the skipped tests. */
static void print_with_skipped(FILE *tap)
{
	char line[8192], *name = skipped;
	int n_run = 0;
	rewind(tap);
	while (fgets(line, sizeof line, tap))
		if (sscanf(line, "1..%d", &n_run) != 1)
			fputs(line, stdout);
	for (int i = 1; i <= n_skipped; i++) {
		const int length = (int)strcspn(name, "\n");
		printf("ok %d - %.*s\n", n_run + i, length, name);
		name += length + 1;
	}
	printf("1..%d\n", n_run + n_skipped);
}

/* Tests that entered themselves, in the order of the file. */
static runner_test *first, **end = &first;

void runner_enter(runner_test *test)
{
	*end = test;
	end = &test->next;
}

Suite *runner_suite(void)
{
	Suite *made = suite_create("tests");
	TCase *all = tcase_create("tests");
	if (runner_around.before || runner_around.behind)
		tcase_add_checked_fixture(all, runner_around.before, runner_around.behind);
	if (runner_seconds)
		tcase_set_timeout(all, runner_seconds);
	for (const runner_test *one = first; one; one = one->next) {
		const char *why;
		const int n = one->times(&why);
		if (!skip_test(why, one->test.name))
			tcase_add_loop_test(all, &one->test, 0, n);
	}
	suite_add_tcase(made, all);
	return made;
}

int main(int argc, char **argv)
{
	clpac__program_begins(argc, argv);
	const char *why = skip_reason();
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return EXIT_SUCCESS;
	}

	use_probe_program();
	become_test_thread();
	/* Check's own limit of 4 s is too short for kernels under a sanitizer. */
	setenv("CK_DEFAULT_TIMEOUT", "120", 0);
	SRunner *runner = srunner_create(suite());
	if (runner_no_fork)
		srunner_set_fork_status(runner, CK_NOFORK);
	char path[] = "/tmp/clpac-tap-XXXXXX";
	FILE *tap = NULL;
	if (n_skipped) {
		const int file = mkstemp(path);
		tap = file < 0 ? NULL : fdopen(file, "r");
		if (!tap) {
			perror(path);
			return EXIT_FAILURE;
		}
	}
	srunner_set_tap(runner, tap ? path : "-");
	srunner_run_all(runner, CK_SILENT);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (tap) {
		print_with_skipped(tap);
		fclose(tap);
		unlink(path);
	}

	/* A driver that reads TAP has the verdicts already and would count a bad exit status as one more failure. */
	return n_failed == 0 || getenv("CLPAC_TEST_TAP") ? EXIT_SUCCESS : EXIT_FAILURE;
}
