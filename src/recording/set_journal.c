/* Texts that end with a zero byte: the magic; for every file how it is placed, its temporary name, its name and the
 * second name of the file that it replaces; "listed"; and, once the set is decided, "decided".  A text that is not
 * whole was never written, so that a journal that broke off counts as far as it was written.
 *
 * A journal is believed where the user of this process owns it, and may name only files of its own folder that this
 * user owns, with the temporary names that outputs have: a folder of strangers' files cannot make anybody rename his.
 */
#include "recording/set_journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "recording/temporary_files.h"

struct clpac__set_journal {
	int folder, file;
	char name[NAME_MAX + 1];
};

enum { BIGGEST_JOURNAL = CLPAC__MOST_IN_SET * 4 * (NAME_MAX + 1), LONGEST_WAIT_MS = 10000, WAIT_MS = 10 };

static const char magic[] = "clpac set 1", listed[] = "listed", decided[] = "decided";

/* --- Its content ------------------------------------------------------------------------------- */

struct content {
	char *bytes, *next, *end;
	clpac__placement placements[CLPAC__MOST_IN_SET];
	size_t n;
	bool is_listed, is_decided;
};

static const char *next_text(struct content *content)
{
	char *text = content->next, *end = memchr(text, 0, (size_t)(content->end - text));
	if (!end)
		return NULL;
	content->next = end + 1;
	return text;
}

/* A file of another program that happens to have the name is left alone. */
static bool is_ours(const struct content *content)
{
	size_t bytes = (size_t)(content->end - content->bytes);
	return memcmp(content->bytes, magic, bytes < sizeof magic ? bytes : sizeof magic) == 0;
}

/* False where the list broke off, or names anything but files that outputs may have. */
static bool parse(struct content *content, int folder)
{
	const char *text = next_text(content);
	if (!text || strcmp(text, magic) != 0)
		return false;
	while ((text = next_text(content)) && strcmp(text, listed) != 0) {
		const char *temporary = next_text(content), *name = next_text(content), *older = next_text(content);
		if (content->n == CLPAC__MOST_IN_SET || strlen(text) != 2 || !temporary || !name || !older ||
		    !clpac__is_temporary_name(temporary, name, CLPAC__TEMPORARY) ||
		    !clpac__is_temporary_name(older, name, CLPAC__OLDER))
			return false;
		struct stat facts;
		clpac__placement *p = &content->placements[content->n++];
		*p = (clpac__placement){.folder = folder, .temporary = temporary, .name = name, .older = older};
		p->may_replace = text[0] == 'r';
		p->had_none = text[1] == 'n';
		p->has_older = fstatat(folder, older, &facts, AT_SYMLINK_NOFOLLOW) == 0;
		if ((p->has_older && facts.st_uid != geteuid()) ||
		    (fstatat(folder, temporary, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
		     (facts.st_uid != geteuid() || !S_ISREG(facts.st_mode))))
			return false;
	}
	content->is_listed = text != NULL;
	text = text ? next_text(content) : NULL;
	content->is_decided = text && strcmp(text, decided) == 0;
	return content->is_listed;
}

static clpac_status read_content(const clpac__set_journal *journal, struct content *content, clpac_error *err)
{
	size_t bytes = 0;
	RETURN_IF_ERROR(NEW_BYTES(content->bytes, BIGGEST_JOURNAL));
	while (bytes < BIGGEST_JOURNAL) {
		ssize_t n = pread(journal->file, content->bytes + bytes, BIGGEST_JOURNAL - bytes, (off_t)bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			RETURN_SYSTEM_ERROR("reading %s", journal->name);
		if (n == 0)
			break;
		bytes += (size_t)n;
	}
	content->next = content->bytes;
	content->end = content->bytes + bytes;
	return CLPAC_OK;
}

/* Completes a decided set; takes an undecided one back. */
static clpac_status settle(const clpac__set_journal *journal, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct content content = {0};
	size_t failed = 0;
	struct stat facts;
	if (fstat(journal->file, &facts) == 0 && facts.st_size == 0)
		goto done;
	TRY(read_content(journal, &content, err));
	if (!is_ours(&content)) {
		errno = EPERM;
		FAIL_SYSTEM("%s is not a list of files that clpac left: rename it", journal->name);
	}
	if (!parse(&content, journal->folder))
		goto done;
	if (content.is_decided) {
		int number = clpac__placements_apply(content.placements, content.n, &failed);
		if (number && !clpac__placements_undo(content.placements, content.n)) {
			errno = number;
			FAIL_SYSTEM("completing the files of an interrupted run: putting %s in its place",
				    content.placements[failed].name);
		}
		clpac__folder_sync(journal->folder);
	}
	if (!clpac__placements_finish(content.placements, content.n))
		FAIL_SYSTEM("removing what an interrupted run left beside %s", content.placements[0].name);
done:
	clpac__free(content.bytes);
	return st;
}

/* --- Its file ----------------------------------------------------------------------------------- */

static void wait_a_little(void)
{
	const struct timespec delay = {0, WAIT_MS * 1000000};
	nanosleep(&delay, NULL);
}

static bool is_still_there(const clpac__set_journal *journal)
{
	struct stat named, own;
	return fstatat(journal->folder, journal->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       fstat(journal->file, &own) == 0 && named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

static bool has_no_locks(int number)
{
	return number == ENOLCK || number == EOPNOTSUPP || number == ENOSYS || number == EINVAL;
}

/* Opens the journal and takes its lock.  ENOENT, without an error's text, where there is none and none is created. */
static clpac_status open_locked(clpac__set_journal *journal, bool creates, bool waits, clpac_error *err)
{
	struct stat facts;
	for (int waited_ms = 0;; waited_ms += WAIT_MS) {
		const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | (creates ? O_CREAT : 0);
		journal->file = openat(journal->folder, journal->name, flags, 0600);
		if (journal->file < 0)
			RETURN_SYSTEM_ERROR("opening %s, which lists the files of a run", journal->name);
		if (fstat(journal->file, &facts) != 0)
			RETURN_SYSTEM_ERROR("opening %s, which lists the files of a run", journal->name);
		if (!S_ISREG(facts.st_mode) || facts.st_uid != geteuid() || facts.st_nlink > 1) {
			errno = EPERM;
			RETURN_SYSTEM_ERROR("%s is not a list of files that a run of this user left: remove it",
					    journal->name);
		}
		bool is_locked = flock(journal->file, LOCK_EX | LOCK_NB) == 0 || has_no_locks(errno);
		/* The writer before removes its journal with the lock on it: then the lock is on a file without name.
		 */
		if (is_locked && is_still_there(journal))
			break;
		close(journal->file);
		journal->file = -1;
		if (waited_ms >= LONGEST_WAIT_MS || (!is_locked && !waits)) {
			errno = EBUSY;
			RETURN_SYSTEM_ERROR("%s: another run is putting its files in place", journal->name);
		}
		if (!is_locked)
			wait_a_little();
	}
	return CLPAC_OK;
}

static clpac_status open_journal(int folder, const char *name, bool creates, bool waits, clpac__set_journal **out,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__set_journal *made;
	TRY(NEW(made));
	made->folder = folder;
	made->file = -1;
	snprintf(made->name, sizeof made->name, "%s", name);
	TRY(open_locked(made, creates, waits, err));
	TRY(settle(made, err));
	if (ftruncate(made->file, 0) != 0)
		FAIL_SYSTEM("emptying %s, which lists the files of a run", made->name);
	*out = made, made = NULL;
done:
	clpac__set_journal_close(made, true);
	return st;
}

clpac_status clpac__set_journal_open(int folder, const char *name, clpac__set_journal **out, clpac_error *err)
{
	char own[NAME_MAX + 1];
	clpac__journal_name(name, own);
	return open_journal(folder, own, true, true, out, err);
}

static clpac_status append(clpac__set_journal *journal, const char *text, size_t bytes, clpac_error *err)
{
	while (bytes) {
		ssize_t n = write(journal->file, text, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			RETURN_SYSTEM_ERROR("writing %s, which lists the files of a run", journal->name);
		text += n;
		bytes -= (size_t)n;
	}
	return CLPAC_OK;
}

static clpac_status sync_journal(clpac__set_journal *journal, clpac_error *err)
{
	if (fsync(journal->file) != 0)
		RETURN_SYSTEM_ERROR("writing %s, which lists the files of a run", journal->name);
	int number = clpac__folder_sync(journal->folder);
	if (number) {
		errno = number;
		RETURN_SYSTEM_ERROR("syncing the folder of %s", journal->name);
	}
	return CLPAC_OK;
}

clpac_status clpac__set_journal_list(clpac__set_journal *journal, const clpac__placement *placements, size_t n,
				     clpac_error *err)
{
	RETURN_IF_ERROR(append(journal, magic, sizeof magic, err));
	for (size_t i = 0; i < n; i++) {
		const clpac__placement *p = &placements[i];
		const char how[3] = {p->may_replace ? 'r' : 'k', p->had_none ? 'n' : 'o', 0};
		RETURN_IF_ERROR(append(journal, how, sizeof how, err));
		RETURN_IF_ERROR(append(journal, p->temporary, strlen(p->temporary) + 1, err));
		RETURN_IF_ERROR(append(journal, p->name, strlen(p->name) + 1, err));
		RETURN_IF_ERROR(append(journal, p->older, strlen(p->older) + 1, err));
	}
	RETURN_IF_ERROR(append(journal, listed, sizeof listed, err));
	return sync_journal(journal, err);
}

clpac_status clpac__set_journal_decide(clpac__set_journal *journal, clpac_error *err)
{
	RETURN_IF_ERROR(append(journal, decided, sizeof decided, err));
	return sync_journal(journal, err);
}

void clpac__set_journal_close(clpac__set_journal *journal, bool keep)
{
	if (!journal)
		return;
	/* Removed before the lock is given up: the next writer makes a journal of its own. */
	if (journal->file >= 0 && !keep)
		unlinkat(journal->folder, journal->name, 0);
	if (journal->file >= 0)
		close(journal->file);
	clpac__free(journal);
}

static clpac_status settle_named(int folder, const char *name, bool waits, clpac_error *err)
{
	clpac__set_journal *journal = NULL;
	clpac_error why = {0};
	clpac_status st = open_journal(folder, name, false, waits, &journal, &why);
	if (st == CLPAC_ERROR_IO && why.native_code == ENOENT)
		return CLPAC_OK;
	if (st != CLPAC_OK && err)
		*err = why;
	clpac__set_journal_close(journal, false);
	return st;
}

clpac_status clpac__set_journal_settle(int folder, const char *name, bool waits, clpac_error *err)
{
	char own[NAME_MAX + 1];
	clpac__journal_name(name, own);
	return settle_named(folder, own, waits, err);
}

/* The same for every journal of a folder that may be listed. */
static clpac_status set_journals_settle(int folder, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	int file = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = file < 0 ? NULL : fdopendir(file);
	if (!list && file >= 0)
		close(file);
	for (struct dirent *entry; list && (entry = readdir(list));)
		if (clpac__is_journal_name(entry->d_name))
			TRY(settle_named(folder, entry->d_name, false, err));
done:
	if (list)
		closedir(list);
	return st;
}

/* --- Leftovers in a folder -------------------------------------------------------------------- */

/* A temporary file whose lock is free has no writer: the system takes the locks of a dead process away.  Process
 * numbers would not do, since they come again and mean another process in another container. */

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
	bool are_free = set_journals_settle(folder, NULL) == CLPAC_OK;
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
	FREE_ALL(target, copy);
	return st;
}
