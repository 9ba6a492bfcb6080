/* The folder of caches, for an account with a home and one without. */
#include "runner.h"
#include "assertions.h"
#include "files.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/environment.h"

static char home[PATH_MAX];

/* Stands in for the system's list of accounts. */
int getpwuid_r(uid_t user, struct passwd *entry, char *room, size_t size, struct passwd **found)
{
	(void)user;
	(void)room;
	(void)size;
	*entry = (struct passwd){.pw_dir = home};
	*found = entry;
	return 0;
}

FIXTURE(files_begin, files_end);

TEST(a_home_that_exists_has_a_cache)
{
	char folder[PATH_MAX], expected[PATH_MAX];
	snprintf(home, sizeof home, "%s", files_path("."));
	snprintf(expected, sizeof expected, "%.3000s/.cache/clpac", home);
	clpac__cache_folder("", folder, sizeof folder);
	ck_assert_str_eq(folder, expected);
	ck_assert(clpac__cache_make_folder(folder));
}

TEST(a_home_that_does_not_exist_is_not_made)
{
	char folder[PATH_MAX];
	snprintf(home, sizeof home, "%s", files_path("nobody"));
	clpac__cache_folder("", folder, sizeof folder);
	ck_assert_str_eq(folder, "");
}

TEST(a_folder_that_is_named_needs_no_home)
{
	char folder[PATH_MAX], named[PATH_MAX];
	struct stat facts;
	snprintf(home, sizeof home, "%s", files_path("nobody"));
	snprintf(named, sizeof named, "%s", files_path("a/b"));
	clpac__cache_folder(named, folder, sizeof folder);
	ck_assert_str_eq(folder, named);
	ck_assert(clpac__cache_make_folder(folder));
	ck_assert_int_eq(stat(named, &facts), 0);
	clpac__cache_folder("none", folder, sizeof folder);
	ck_assert_str_eq(folder, "");
}
