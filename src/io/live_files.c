/* A fixed table of temporary files: a signal handler reads it without a lock, and no memory can be freed under it.
 *
 * An entry is free, being changed by its owner, or live.  The owner and the handler compete for a live entry by one
 * compare-and-swap, and an entry that the handler took is never used again, so that neither reads a name while the
 * other writes it. */
#include "io/live_files.h"

#include <clpac/io.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum state { FREE = 0, CHANGING, LIVE, ABANDONED };

struct clpac__live_file {
	atomic_int state;
	int folder;
	char name[NAME_MAX + 1];
};

enum { MOST_FILES = 64 };

static clpac__live_file files[MOST_FILES];
static atomic_bool is_abandoned;

clpac_status clpac__live_file_enter(int folder, const char *name, clpac__live_file **out, clpac_error *err)
{
	for (int i = 0; i < MOST_FILES; i++) {
		int expected = FREE;
		if (!atomic_compare_exchange_strong(&files[i].state, &expected, CHANGING))
			continue;
		files[i].folder = folder;
		snprintf(files[i].name, sizeof files[i].name, "%s", name);
		atomic_store(&files[i].state, LIVE);
		*out = &files[i];
		return CLPAC_OK;
	}
	return clpac__fail_native(err, CLPAC_ERROR_IO, EMFILE,
				  "creating %s: %d files are being written already; finish one first", name,
				  MOST_FILES);
}

const char *clpac__live_file_name(const clpac__live_file *file)
{
	return file->name;
}

void clpac__live_file_leave(clpac__live_file *file, bool remove)
{
	int expected = LIVE;
	if (!file || !atomic_compare_exchange_strong(&file->state, &expected, CHANGING))
		return;
	if (remove)
		unlinkat(file->folder, file->name, 0);
	atomic_store(&file->state, FREE);
}

bool clpac__live_files_are_abandoned(void)
{
	return atomic_load(&is_abandoned);
}

void clpac_output_abandon(void)
{
	int number = errno;
	atomic_store(&is_abandoned, true);
	for (int i = 0; i < MOST_FILES; i++) {
		int expected = LIVE;
		if (atomic_compare_exchange_strong(&files[i].state, &expected, ABANDONED))
			unlinkat(files[i].folder, files[i].name, 0);
	}
	errno = number;
}
