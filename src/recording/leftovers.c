/* A temporary file whose lock is free has no writer: the system takes the locks of a dead process away.  Process
 * numbers would not do, since they come again and mean another process in another container. */
#include "recording/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "recording/set_journal.h"
#include "recording/temporary_name.h"

enum { MOST_AT_ONCE = 32 };

typedef struct leftover {
	char name[NAME_MAX + 1];
	int file;
} leftover;

static bool has_name(const leftover *left, int folder)
{
	struct stat named, own;
	return fstatat(folder, left->name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(left->file, &own) == 0 &&
	       named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

/* Opens and locks a file of a dead writer; false where its writer lives, or it is not this user's. */
static bool take(leftover *left, int folder, const char *name)
{
	struct stat facts;
	snprintf(left->name, sizeof left->name, "%s", name);
	left->file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (left->file < 0)
		return false;
	if (fstat(left->file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
	    flock(left->file, LOCK_EX | LOCK_NB) == 0)
		return true;
	close(left->file);
	return false;
}

static size_t take_all(int folder, const char *name, leftover found[MOST_AT_ONCE])
{
	size_t n = 0;
	int file = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = file < 0 ? NULL : fdopendir(file);
	if (!list && file >= 0)
		close(file);
	for (struct dirent *entry; list && n < MOST_AT_ONCE && (entry = readdir(list));)
		if (clpac__is_temporary_name(entry->d_name, name, CLPAC__TEMPORARY))
			n += take(&found[n], folder, entry->d_name);
	if (list)
		closedir(list);
	return n;
}

void clpac__leftovers_collect(int folder, const char *name)
{
	leftover found[MOST_AT_ONCE];
	size_t n = take_all(folder, name, found);
	/* Asked after the locks were taken: no other writer can decide on a set with these files any more, and those in
	 * the set of a dead one get their names now. */
	bool are_free = clpac__set_journals_settle(folder, NULL) == CLPAC_OK;
	for (size_t i = 0; i < n; i++) {
		if (are_free && has_name(&found[i], folder))
			unlinkat(folder, found[i].name, 0);
		close(found[i].file);
	}
}

clpac_status clpac__leftovers_settle(const char *path, bool waits, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	/* A run that was killed may not have put this file in its place yet: then the path itself tells the folder. */
	char *target = realpath(path, NULL), *copy = target ? NULL : clpac__strdup(path);
	char *whole = target ? target : copy, *slash = whole ? strrchr(whole, '/') : NULL;
	const char *name = slash ? slash + 1 : whole;
	int folder = -1;
	if (!whole)
		FAIL_NO_MEMORY(strlen(path) + 1);
	if (slash)
		*slash = 0;
	folder = open(!slash ? "." : *whole ? whole : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		FAIL_SYSTEM("opening the folder of %s", path);
	TRY(clpac__set_journal_settle(folder, name, waits, err));
done:
	if (folder >= 0)
		close(folder);
	clpac__free(target);
	clpac__free(copy);
	return st;
}
