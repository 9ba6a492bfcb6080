/* The journal of a set where writes are short, and where another writer holds it. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "recording/set_journal.h"

static clpac_error err;
static int folder;

/* In the place of the C library's: a write takes a few bytes, or is interrupted; a descriptor is closed once. */
static bool are_short;
static unsigned n_writes, n_wrong_closes;

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

START_TEST(short_writes_write_the_same)
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
END_TEST

START_TEST(who_does_not_wait_is_told_of_another_writer)
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
END_TEST

static void *close_later(void *journal)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	clpac__set_journal_close(journal, false);
	return NULL;
}

START_TEST(another_writer_is_waited_for)
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
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("journal");
	TCase *tests = tcase_create("journal");
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, short_writes_write_the_same);
	tcase_add_test(tests, who_does_not_wait_is_told_of_another_writer);
	tcase_add_test(tests, another_writer_is_waited_for);
	suite_add_tcase(suite, tests);
	return suite;
}
