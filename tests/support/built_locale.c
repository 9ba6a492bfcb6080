#include "built_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static pid_t owner;

static void remove_folder(void)
{
	char command[128];
	if (getpid() != owner)
		return; /* a forked test ends */
	snprintf(command, sizeof command, "rm -rf %s", folder);
	if (system(command) != 0)
		printf("# %s could not be removed\n", folder);
}

static bool has_folder(void)
{
	if (*folder)
		return true;
	strcpy(folder, "/tmp/clpac-locale-XXXXXX");
	if (!mkdtemp(folder)) {
		*folder = 0;
		return false;
	}
	owner = getpid();
	return atexit(remove_folder) == 0;
}

bool can_build_locale(const char *name)
{
	char command[256];
	if (!has_folder())
		return false;
	snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s.UTF-8 >/dev/null 2>&1", name, folder, name);
	return system(command) == 0;
}

bool use_built_locale(const char *name)
{
	char locale[64];
	snprintf(locale, sizeof locale, "%s.UTF-8", name);
	return setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, locale);
}
