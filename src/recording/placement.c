/* Renaming one file is atomic, renaming several is not.  The files that are replaced keep a second name until all new
 * ones are in place, so that a name that is refused in the middle does not leave parts of two sets. */
#include "recording/placement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool are_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_no_hard_links(int number)
{
	return number == EPERM || number == EOPNOTSUPP || number == ENOSYS || number == EMLINK;
}

/* Gives the file its name unless the name is taken; atomic where the file system has hard links. */
static int place_without_replacing(int folder, const char *temporary, const char *name)
{
	struct stat facts, own;
	if (linkat(folder, temporary, folder, name, 0) == 0)
		return 0;
	int number = errno;
	if (number == EEXIST && fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
	    fstatat(folder, temporary, &own, AT_SYMLINK_NOFOLLOW) == 0 && are_same(&facts, &own))
		return 0;
	if (!has_no_hard_links(number))
		return number;
	/* No hard links here (FAT, some network file systems): a file created between these two calls would be
	 * replaced. */
	if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0)
		return EEXIST;
	return renameat(folder, temporary, folder, name) == 0 ? 0 : errno;
}

int clpac__place(int folder, const char *temporary, const char *name, bool may_replace)
{
	if (may_replace)
		return renameat(folder, temporary, folder, name) == 0 ? 0 : errno;
	int number = place_without_replacing(folder, temporary, name);
	/* A second name of a file in place does no harm, and the next run collects it. */
	if (number == 0)
		unlinkat(folder, temporary, 0);
	return number;
}

void clpac__placements_look(clpac__placement *placements, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct stat facts;
		clpac__placement *p = &placements[i];
		p->had_none = fstatat(p->folder, p->name, &facts, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
	}
}

void clpac__placements_keep_older(clpac__placement *placements, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		clpac__placement *p = &placements[i];
		p->has_older =
			!p->had_none && p->may_replace && linkat(p->folder, p->name, p->folder, p->older, 0) == 0;
	}
}

int clpac__placements_apply(clpac__placement *placements, size_t n, size_t *failed)
{
	for (size_t i = 0; i < n; i++) {
		clpac__placement *p = &placements[i];
		struct stat facts;
		int number = 0;
		if (fstatat(p->folder, p->temporary, &facts, AT_SYMLINK_NOFOLLOW) != 0)
			number = errno == ENOENT ? 0 : errno;
		else if (p->may_replace)
			number = renameat(p->folder, p->temporary, p->folder, p->name) == 0 ? 0 : errno;
		else
			number = place_without_replacing(p->folder, p->temporary, p->name);
		*failed = i;
		if (number)
			return number;
		p->is_placed = true;
	}
	return 0;
}

bool clpac__placements_undo(clpac__placement *placements, size_t n)
{
	bool is_whole = true;
	for (size_t i = n; i-- > 0;) {
		clpac__placement *p = &placements[i];
		if (!p->is_placed)
			continue;
		/* The new file gets its temporary name first: whoever completes an undoing that breaks off finds every
		 * new file again. */
		bool is_kept = linkat(p->folder, p->name, p->folder, p->temporary, 0) == 0 || errno == EEXIST;
		if (p->has_older)
			is_whole &= is_kept && renameat(p->folder, p->older, p->folder, p->name) == 0;
		else if (p->had_none)
			is_whole &= is_kept ? unlinkat(p->folder, p->name, 0) == 0
					    : renameat(p->folder, p->name, p->folder, p->temporary) == 0;
		else
			is_whole = false;
		p->is_placed = !is_whole;
	}
	return is_whole;
}

static bool remove_name(int folder, const char *name)
{
	return unlinkat(folder, name, 0) == 0 || errno == ENOENT;
}

bool clpac__placements_finish(clpac__placement *placements, size_t n)
{
	bool are_gone = true;
	for (size_t i = 0; i < n; i++) {
		const clpac__placement *p = &placements[i];
		if (p->is_placed)
			are_gone &= remove_name(p->folder, p->temporary);
		if (p->has_older)
			are_gone &= remove_name(p->folder, p->older);
	}
	return are_gone;
}

int clpac__folder_sync(int folder)
{
	/* A descriptor of O_PATH cannot be synced.  A folder that may be entered and not listed cannot be opened. */
	int file = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file < 0)
		return errno == EACCES ? 0 : errno;
	int number = fsync(file) == 0 ? 0 : errno;
	close(file);
	return number == EINVAL || number == EROFS || number == EOPNOTSUPP || number == ENOSYS ? 0 : number;
}
