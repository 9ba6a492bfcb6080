/* The hidden files of outputs. */
#include "recording/temporary_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <clpac/write.h>

/* --- Names ------------------------------------------------------------------------------------ */

/* The part of a long name that a temporary name repeats. */
enum { BIGGEST_NAME_PART = 200 };

static const char journal_ending[] = ".clpac-set";

void clpac__temporary_name(const char *name, const char *ending, char out[NAME_MAX + 1])
{
	static atomic_uint counter;
	snprintf(out, NAME_MAX + 1, ".%.*s.%ld-%u%s", BIGGEST_NAME_PART, name, (long)getpid(),
		 atomic_fetch_add(&counter, 1), ending);
}

bool clpac__is_temporary_name(const char *temporary, const char *name, const char *ending)
{
	size_t n = strnlen(name, BIGGEST_NAME_PART), length = strlen(temporary);
	if (!n || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || length > NAME_MAX)
		return false;
	if (length < n + 2 || temporary[0] != '.' || memcmp(temporary + 1, name, n) != 0 || temporary[n + 1] != '.')
		return false;
	const char *numbers = temporary + n + 2;
	size_t process = strspn(numbers, "0123456789"), counter = 0;
	if (process && numbers[process] == '-')
		counter = strspn(numbers + process + 1, "0123456789");
	return counter && strcmp(numbers + process + 1 + counter, ending) == 0;
}

void clpac__journal_name(const char *name, char out[NAME_MAX + 1])
{
	snprintf(out, NAME_MAX + 1, ".%.*s%s", BIGGEST_NAME_PART, name, journal_ending);
}

bool clpac__is_journal_name(const char *name)
{
	size_t n = strlen(name), m = sizeof journal_ending - 1;
	return name[0] == '.' && n > m + 1 && strcmp(name + n - m, journal_ending) == 0;
}

/* --- Of this process -------------------------------------------------------------------------- */

/* A fixed table of temporary files, so that a signal handler finds them without a lock and without memory that could be
 * freed under it.
 *
 * An entry is free, being changed by its owner, live, being put in place, being removed by clpac_output_abandon, or
 * abandoned. Owner and abandoner compete for a live entry by one compare-and-swap, and an entry that the abandoner took
 * is never used again: neither ever reads a name that the other is writing.
 *
 * Each waits while the other is between two states, since the process may end, or the folder be closed, right after it
 * returns. Owners block all signals on their thread meanwhile: a handler never waits for the thread that it
 * interrupted. An abandoner does not wait for another, which it may have interrupted; it removes the files once more.
 */

#include "base/process.h"

enum state { FREE = 0, CHANGING, LIVE, PLACING, REMOVING, ABANDONED };

struct clpac__live_file {
	atomic_int state;
	int folder;
	char name[NAME_MAX + 1];
};

/* Longest waits for another thread, since a dead network may hold it for ever.  A set that is being put in place is
 * whole within one of these, or else completed by the next reader. */
enum { MOST_FILES = 64, LONGEST_WAIT_MS = 1000, LONGEST_PLACING_MS = 10000 };

static clpac__live_file files[MOST_FILES];
static clpac__renewal renewal; /* in a child the parent's files are forgotten */
static atomic_bool is_abandoned;

static void wait_while(clpac__live_file *file, int state)
{
	const struct timespec millisecond = {0, 1000000};
	const int most = state == PLACING ? LONGEST_PLACING_MS : LONGEST_WAIT_MS;
	for (int i = 0; i < most && atomic_load(&file->state) == state; i++)
		nanosleep(&millisecond, NULL);
}

/* An entry in the state CHANGING; NULL where all are taken. */
static clpac__live_file *take_entry(void)
{
	if (clpac__renewal_begin(&renewal)) {
		for (int i = 0; i < MOST_FILES; i++)
			atomic_store(&files[i].state, FREE);
		clpac__renewal_end(&renewal, true);
	}
	for (int i = 0; i < MOST_FILES; i++) {
		int expected = FREE;
		if (atomic_compare_exchange_strong(&files[i].state, &expected, CHANGING))
			return &files[i];
	}
	return NULL;
}

clpac_status clpac__live_file_create(int folder, const char *name, clpac__live_file **out, int *descriptor,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	sigset_t all, before;
	*out = NULL;
	*descriptor = -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	clpac__live_file *file = take_entry();
	if (!file) {
		st = clpac__fail_native(err, CLPAC_ERROR_IO, EMFILE,
					"creating %s: %d files are being written already; finish one first", name,
					MOST_FILES);
		goto done;
	}
	file->folder = folder;
	snprintf(file->name, sizeof file->name, "%s", name);
	/* An abandoner that was not there at this question finds the entry, and waits. */
	errno = ECANCELED;
	if (!atomic_load(&is_abandoned))
		*descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	atomic_store(&file->state, *descriptor >= 0 ? LIVE : FREE);
	if (*descriptor >= 0)
		*out = file;
done:
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return st;
}

const char *clpac__live_file_name(const clpac__live_file *file)
{
	return file->name;
}

void clpac__live_file_leave(clpac__live_file *file, bool remove)
{
	sigset_t all, before;
	int expected = LIVE;
	if (!file)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (atomic_compare_exchange_strong(&file->state, &expected, CHANGING)) {
		if (remove)
			unlinkat(file->folder, file->name, 0);
		atomic_store(&file->state, FREE);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	wait_while(file, REMOVING);
}

bool clpac__live_file_hold(clpac__live_file *file)
{
	int expected = LIVE;
	return atomic_compare_exchange_strong(&file->state, &expected, PLACING);
}

void clpac__live_file_release(clpac__live_file *file, bool is_placed)
{
	atomic_store(&file->state, is_placed ? FREE : LIVE);
}

bool clpac__live_files_are_abandoned(void)
{
	return atomic_load(&is_abandoned);
}

void clpac_output_abandon(void)
{
	int number = errno;
	atomic_store(&is_abandoned, true);
	if (clpac__renewal_is_due(&renewal)) /* none of them is this process's own */
		return;
	for (int i = 0; i < MOST_FILES; i++) {
		int state = LIVE;
		wait_while(&files[i], CHANGING);
		wait_while(&files[i], PLACING);
		if (atomic_compare_exchange_strong(&files[i].state, &state, REMOVING)) {
			unlinkat(files[i].folder, files[i].name, 0);
			atomic_store(&files[i].state, ABANDONED);
		} else if (state == REMOVING) {
			unlinkat(files[i].folder, files[i].name, 0);
		}
	}
	errno = number;
}
