/* The version at run time, in the headers, and for pkg-config. */
#include "runner.h"
#include "assertions.h"

#include <clpac/version.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(the_library_tells_the_version_of_its_headers)
{
	char numbers[64];
	snprintf(numbers, sizeof numbers, "%d.%d.%d", CLPAC_VERSION_MAJOR, CLPAC_VERSION_MINOR, CLPAC_VERSION_PATCH);
	ck_assert_str_eq(clpac_version(), CLPAC_VERSION_STRING);
	ck_assert_str_eq(clpac_version(), numbers);
}

static const char *const modules[] = {"clpac-memory", "clpac", "clpac-io", "clpac-analysis"};

TEST_EACH(pkg_config_tells_the_same, COUNT(modules))
{
	const char *build = getenv("CLPAC_TEST_BUILDDIR");
	char path[1024], line[256], wanted[80];
	bool is_found = false;
	snprintf(path, sizeof path, "%s/%s.pc", build ? build : ".", modules[_i]);
	snprintf(wanted, sizeof wanted, "Version: %s\n", clpac_version());
	FILE *file = fopen(path, "r");
	ck_assert_msg(file, "%s cannot be opened", path);
	while (fgets(line, sizeof line, file))
		if (strncmp(line, "Version:", 8) == 0) {
			ck_assert_str_eq(line, wanted);
			is_found = true;
		}
	fclose(file);
	ck_assert(is_found);
}
