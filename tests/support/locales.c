#include "locales.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "test_thread.h"

const char *const locale_languages[N_LOCALES] = {"de_DE", "ps_AF"};

/* The last line that the script printed: a folder, or the reason why there is none. */
static char line[4096];

#ifdef _WIN32
static int run_script(const char *language)
{
	snprintf(line, sizeof line, "no locale %s: a script for a shell makes them", language);
	return 77;
}
#else
static int run_script(const char *language)
{
	char command[4096];
	const char *sources = getenv("CLPAC_TEST_SRCDIR");
	snprintf(line, sizeof line, "CLPAC_TEST_SRCDIR is not set: run it by make check");
	if (!sources)
		return 77;
	snprintf(command, sizeof command, "sh '%s/tests/support/locale.sh' %s", sources, language);
	FILE *output = popen(command, "r");
	if (!output)
		return -1;
	while (fgets(line, sizeof line, output))
		line[strcspn(line, "\n")] = '\0';
	const int status = pclose(output);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

const char *locale_missing(void)
{
	for (int i = 0; i < N_LOCALES; i++)
		if (run_script(locale_languages[i]) == 77)
			return line;
	return NULL;
}

void locale_begin(const char *language)
{
	char number[16], wanted[16];
	ck_assert_msg(run_script(language) == 0, "%s", line);
	ck_assert_int_eq(setenv("LOCPATH", line, 1), 0);
	ck_assert_msg(setlocale(LC_ALL, language) != NULL, "%s in %s", language, line);
	snprintf(number, sizeof number, "%.1f", 0.5);
	snprintf(wanted, sizeof wanted, "0%s5", strcmp(language, "de_DE") == 0 ? "," : "\xd9\xab");
	ck_assert_str_eq(number, wanted);
}

void locale_end(void)
{
	setlocale(LC_ALL, "C");
}
