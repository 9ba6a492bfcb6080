/* The journal of a set where writes are short, where another writer holds it, and where a list is as long as it may be;
 * and folders that cannot be synced. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "recording/set_journal.h"
#include "recording/temporary_files.h"

static clpac_error err;
static int folder;

/* In the place of the C library's: a write takes a few bytes, or is interrupted; a descriptor is closed once. */
static bool are_short;
static unsigned n_writes, n_wrong_closes;
/* What syncing a folder ends with. */
static int folder_error;

ssize_t write(int file, const void *bytes, size_t n)
{
	if (!are_short)
		return syscall(SYS_write, file, bytes, n);
	if (n_writes++ % 3 == 2) {
		errno = EINTR;
		return -1;
	}
	return syscall(SYS_write, file, bytes, n < 3 ? n : 3);
}

int close(int file)
{
	const int result = (int)syscall(SYS_close, file);
	n_wrong_closes += result != 0 && errno == EBADF;
	return result;
}

int fsync(int file)
{
	struct stat facts;
	if (folder_error && fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
		errno = folder_error;
		return -1;
	}
	return (int)syscall(SYS_fsync, file);
}

static void begin(void)
{
	files_begin();
	folder = open(files_path("."), O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(folder, 0);
}

static void end(void)
{
	close(folder);
	ck_assert_uint_eq(n_wrong_closes, 0);
	files_end();
}

/* Writes and decides a list, and gives what its journal holds. */
static size_t write_list(char *content, size_t size)
{
	static const clpac__placement placements[] = {
		{.temporary = ".out.npz.1-2.tmp", .name = "out.npz", .older = ".out.npz.1-3.old", .may_replace = true},
		{.temporary = ".out.json.1-4.tmp", .name = "out.json", .older = ".out.json.1-5.old", .had_none = true}};
	clpac__set_journal *journal = NULL;
	assert_works(clpac__set_journal_open(folder, "out.npz", &journal, &err), err);
	assert_works(clpac__set_journal_list(journal, placements, COUNT(placements), &err), err);
	assert_works(clpac__set_journal_decide(journal, &err), err);
	const int file = open(files_path(".out.npz.clpac-set"), O_RDONLY);
	const ssize_t n = read(file, content, size);
	ck_assert_int_gt((int)n, 100);
	close(file);
	clpac__set_journal_close(journal, false);
	ck_assert_int_ne(access(files_path(".out.npz.clpac-set"), F_OK), 0);
	return (size_t)n;
}

FIXTURE(begin, end);

TEST(short_writes_write_the_same)
{
	char whole[1000], pieces[1000];
	const size_t n = write_list(whole, sizeof whole);
	are_short = true;
	const size_t n_pieces = write_list(pieces, sizeof pieces);
	are_short = false;
	ck_assert_uint_eq(n_pieces, n);
	ck_assert_mem_eq(pieces, whole, n);
	ck_assert_uint_gt(n_writes, n / 3);
}

TEST(who_does_not_wait_is_told_of_another_writer)
{
	clpac__set_journal *journal = NULL;
	assert_works(clpac__set_journal_open(folder, "out.npz", &journal, &err), err);
	ck_assert_int_eq(clpac__set_journal_settle(folder, "out.npz", false, &err), CLPAC_ERROR_IO);
	ck_assert_int_eq(err.native_code, EBUSY);
	ck_assert_ptr_nonnull(strstr(err.text, "another run"));
	assert_works(clpac__set_journal_settle(folder, "other.npz", false, &err), err);
	clpac__set_journal_close(journal, false);
	assert_works(clpac__set_journal_settle(folder, "out.npz", false, &err), err);
}

static void *close_later(void *journal)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	clpac__set_journal_close(journal, false);
	return NULL;
}

TEST(another_writer_is_waited_for)
{
	clpac__set_journal *journal = NULL, *next = NULL;
	pthread_t thread;
	assert_works(clpac__set_journal_open(folder, "out.npz", &journal, &err), err);
	ck_assert_int_eq(pthread_create(&thread, NULL, close_later, journal), 0);
	assert_works(clpac__set_journal_open(folder, "out.npz", &next, &err), err);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(access(files_path(".out.npz.clpac-set"), F_OK), 0);
	clpac__set_journal_close(next, false);
}

/* As many files as a set may have, with the longest names that there are: the names of a set's files have no more
 * bytes. */
typedef struct long_names {
	char temporary[NAME_MAX + 1], name[NAME_MAX + 1], older[NAME_MAX + 1];
} long_names;

/* A hidden name repeats 200 bytes of the name; the numbers fill it. */
static void make_hidden(const char *name, const char *ending, char out[NAME_MAX + 1])
{
	char numbers[NAME_MAX + 1];
	const size_t n = NAME_MAX - 202 - strlen(ending);
	memset(numbers, '1', n);
	numbers[n / 2] = '-';
	snprintf(out, NAME_MAX + 1, ".%.200s.%.*s%s", name, (int)n, numbers, ending);
}

TEST(a_set_of_many_files_with_long_names_is_completed)
{
	static long_names names[CLPAC__MOST_IN_SET];
	static clpac__placement placements[CLPAC__MOST_IN_SET];
	clpac__set_journal *journal = NULL;
	for (size_t i = 0; i < COUNT(names); i++) {
		long_names *n = &names[i];
		memset(n->name, 'n', NAME_MAX);
		n->name[i] = 'm';
		make_hidden(n->name, CLPAC__TEMPORARY, n->temporary);
		make_hidden(n->name, CLPAC__OLDER, n->older);
		ck_assert_uint_eq(strlen(n->temporary), NAME_MAX);
		ck_assert(clpac__is_temporary_name(n->temporary, n->name, CLPAC__TEMPORARY));
		placements[i] = (clpac__placement){.folder = folder,
						   .temporary = n->temporary,
						   .name = n->name,
						   .older = n->older,
						   .had_none = true};
		files_write_text(n->temporary, n->name);
	}
	assert_works(clpac__set_journal_open(folder, names[0].name, &journal, &err), err);
	assert_works(clpac__set_journal_list(journal, placements, COUNT(placements), &err), err);
	assert_works(clpac__set_journal_decide(journal, &err), err);
	clpac__set_journal_close(journal, true); /* as a writer that ends here */
	assert_works(clpac__set_journal_settle(folder, names[0].name, false, &err), err);
	for (size_t i = 0; i < COUNT(names); i++) {
		ck_assert_msg(access(files_path(names[i].name), F_OK) == 0, "file %zu is not in its place", i);
		ck_assert_int_ne(access(files_path(names[i].temporary), F_OK), 0);
	}
}

TEST(a_set_of_too_many_files_is_left_alone)
{
	static clpac__placement placements[CLPAC__MOST_IN_SET + 1];
	clpac__set_journal *journal = NULL;
	for (size_t i = 0; i < COUNT(placements); i++)
		placements[i] = (clpac__placement){.folder = folder,
						   .temporary = ".a.1-1.tmp",
						   .name = "a",
						   .older = ".a.1-2.old",
						   .had_none = true};
	files_write_text(".a.1-1.tmp", "a");
	assert_works(clpac__set_journal_open(folder, "a", &journal, &err), err);
	assert_works(clpac__set_journal_list(journal, placements, COUNT(placements), &err), err);
	assert_works(clpac__set_journal_decide(journal, &err), err);
	clpac__set_journal_close(journal, true);
	assert_works(clpac__set_journal_settle(folder, "a", false, &err), err);
	ck_assert_int_ne(access(files_path("a"), F_OK), 0);
}

/* Systems that cannot sync a folder say so in several ways, and what was written is no worse for it. */
TEST(a_folder_that_cannot_be_synced_is_no_failure)
{
	static const int harmless[] = {EINVAL, EROFS, EOPNOTSUPP, ENOSYS}, others[] = {EIO, ENOSPC, EDQUOT};
	for (size_t i = 0; i < COUNT(harmless); i++) {
		folder_error = harmless[i];
		ck_assert_msg(clpac__folder_sync(folder) == 0, "%s", strerror(harmless[i]));
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		folder_error = others[i];
		ck_assert_int_eq(clpac__folder_sync(folder), others[i]);
	}
	folder_error = 0;
	ck_assert_int_eq(clpac__folder_sync(folder), 0);
}
