/* Outputs that replace others together.
 *
 *   1. Every file is written and synced under its temporary name.  One that others write is synced at the commit.
 *   2. The journal is created and locked; it lists the files, and is synced.
 *   3. The files that will be replaced get a second name.
 *   4. The journal says "decided", and is synced: from here on the set will be completed, by this process or by the
 * next that writes or reads there.
 *   5. The files get their names, and the folder is synced.
 *   6. Second names and journal are removed.
 *
 * Files that lie in several folders, through symbolic links, are placed without a journal. */
#include "recording/output_parts.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "recording/placement.h"
#include "recording/set_journal.h"
#include "recording/temporary_files.h"

struct clpac_output_set {
	unsigned process; /* that opened it, and whose its temporary files are */
	clpac__output *outputs[CLPAC__MOST_IN_SET];
	size_t n;
	char older[CLPAC__MOST_IN_SET][NAME_MAX + 1];
};

clpac_status clpac_output_set_open(clpac_output_set **out, clpac_error *err)
{
	NEED(out);
	clpac_output_set *made;
	RETURN_IF_ERROR(NEW(made));
	made->process = clpac__process;
	*out = made;
	return CLPAC_OK;
}

clpac_status clpac__output_set_add(clpac_output_set *set, clpac__output *output, clpac_error *err)
{
	NEED_HERE(set);
	if (set->n == CLPAC__MOST_IN_SET)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is one more than the %d files that may appear together",
			     output->path, CLPAC__MOST_IN_SET);
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->outputs[i]->target, output->target) == 0)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is among the files that appear together already",
				     output->path);
	set->outputs[set->n++] = output;
	output->is_in_set = true;
	return CLPAC_OK;
}

clpac_status clpac_output_set_create(clpac_output_set *set, const char *path, bool overwrite, const char **temporary,
				     clpac_error *err)
{
	NEED(set, path, temporary);
	NEED_HERE(set);
	clpac_status st = CLPAC_OK;
	clpac__output *made = NULL;
	const char *written_at = NULL;
	TRY(clpac__output_open(path, overwrite, &made, err));
	TRY(clpac__output_join(made, set, err));
	TRY(clpac__output_lend(made, &written_at, err));
	TRY(clpac__output_set_add(set, made, err));
	*temporary = written_at;
done:
	clpac__output_discard(made);
	return st;
}

static bool are_in_one_folder(const clpac_output_set *set)
{
	struct stat first, other;
	for (size_t i = 0; i < set->n; i++)
		if (fstat(set->outputs[0]->folder, &first) != 0 || fstat(set->outputs[i]->folder, &other) != 0 ||
		    first.st_dev != other.st_dev || first.st_ino != other.st_ino)
			return false;
	return true;
}

/* Names that came since the outputs were opened. */
static clpac_status check_names(const clpac_output_set *set, const clpac__placement *placements, clpac_error *err)
{
	for (size_t i = 0; i < set->n; i++)
		if (!placements[i].may_replace && !placements[i].had_none) {
			errno = EEXIST;
			RETURN_SYSTEM_ERROR("putting %s in its place", set->outputs[i]->path);
		}
	return CLPAC_OK;
}

/* Steps 2 to 6.  *is_placed: the files are in place, or will be by the next process that comes. */
static clpac_status place(clpac_output_set *set, clpac__placement *placements, bool *is_placed, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__set_journal *journal = NULL;
	const int folder = set->outputs[0]->folder;
	bool keeps_journal = false;
	size_t failed;
	*is_placed = false;
	const bool has_journal = set->n > 1 && are_in_one_folder(set);
	if (has_journal)
		TRY(clpac__set_journal_open(folder, set->outputs[0]->name, &journal, err));
	clpac__placements_look(placements, set->n);
	TRY(check_names(set, placements, err));
	/* Without a journal nobody would remove second names after this process was killed. */
	if (has_journal) {
		TRY(clpac__set_journal_list(journal, placements, set->n, err));
		clpac__placements_keep_older(placements, set->n);
		TRY(clpac__set_journal_decide(journal, err));
	}
	int number = clpac__placements_apply(placements, set->n, &failed);
	if (number && clpac__placements_undo(placements, set->n)) {
		errno = number;
		FAIL_SYSTEM("putting %s in its place; all files are as they were", set->outputs[failed]->path);
	}
	*is_placed = keeps_journal = number != 0;
	errno = number;
	if (number && has_journal)
		FAIL_SYSTEM("putting %s in its place, after others of its set; the next run or reading completes it",
			    set->outputs[failed]->path);
	if (number)
		FAIL_SYSTEM("putting %s in its place, after others of its set", set->outputs[failed]->path);
	*is_placed = true;
	for (size_t i = 0; i < set->n && !number; i++)
		number = clpac__folder_sync(set->outputs[i]->folder);
	errno = number;
	if (number)
		FAIL_SYSTEM("%s is in its place, but its folder could not be synced", set->outputs[0]->path);
done:
	/* A second name that cannot be removed now is removed by whoever finds the list. */
	if (!keeps_journal)
		keeps_journal = !clpac__placements_finish(placements, set->n);
	clpac__set_journal_close(journal, keeps_journal);
	return st;
}

/* Keeps all files from clpac_output_abandon; false where it was there first. */
static bool hold(clpac_output_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (!clpac__live_file_hold(set->outputs[i]->live)) {
			while (i-- > 0)
				clpac__live_file_release(set->outputs[i]->live, false);
			return false;
		}
	return true;
}

static void release(clpac_output_set *set, bool is_placed)
{
	for (size_t i = 0; i < set->n; i++) {
		clpac__live_file_release(set->outputs[i]->live, is_placed);
		if (is_placed)
			set->outputs[i]->live = NULL;
	}
}

clpac_status clpac_output_set_commit(clpac_output_set *set, clpac_error *err)
{
	NEED(set);
	NEED_HERE(set);
	clpac_status st = CLPAC_OK;
	sigset_t all, before;
	clpac__placement placements[CLPAC__MOST_IN_SET];
	bool is_placed = false;
	if (!set->n)
		return st;
	for (size_t i = 0; i < set->n; i++)
		if (set->outputs[i]->is_open)
			RETURN_IF_ERROR(clpac__output_finish(set->outputs[i], err));
	for (size_t i = 0; i < set->n; i++) {
		const clpac__output *output = set->outputs[i];
		clpac__temporary_name(output->name, CLPAC__OLDER, set->older[i]);
		placements[i] = (clpac__placement){
			.folder = output->folder,
			.temporary = clpac__live_file_name(output->live),
			.name = output->name,
			.older = set->older[i],
			.may_replace = output->may_replace,
		};
	}
	/* A handler on this thread would wait for this thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (hold(set)) {
		st = place(set, placements, &is_placed, err);
		release(set, is_placed);
	} else {
		st = clpac__fail(err, CLPAC_ERROR_CANCELLED, "writing %s: the program is ending",
				 set->outputs[0]->path);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return st;
}

void clpac_output_set_close(clpac_output_set *set)
{
	if (!set || clpac__is_foreign(set->process))
		return;
	for (size_t i = 0; i < set->n; i++)
		clpac__output_destroy(set->outputs[i]);
	clpac__free(set);
}
