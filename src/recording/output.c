/* Output files: write under a temporary name, sync, rename. */
#include "recording/output_parts.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "recording/placement.h"
#include "recording/set_journal.h"
#include "recording/temporary_files.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY /* O_PATH also opens a folder that may be entered and not listed */
#endif

enum { NAME_ATTEMPTS = 1000 };

/* Bytes of one call, so that a cancelled write ends between two. */
enum { MOST_AT_ONCE = 4 << 20 };

/* Follows symbolic links, so that a link stays a link and the file behind it is replaced. */
static clpac_status find_target(clpac__output *output, clpac_error *err)
{
	const char *path = output->path;
	struct stat facts;
	if (!*path)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the output path is empty: give the name of a file");
	if (stat(path, &facts) != 0) {
		if (errno != ENOENT)
			RETURN_SYSTEM_ERROR("creating %s", path);
		/* A dangling link counts as a name that is taken. */
		if (!output->may_replace && lstat(path, &facts) == 0) {
			errno = EEXIST;
			RETURN_SYSTEM_ERROR(
				"%s is a symbolic link to a file that does not exist; remove it or choose another name",
				path);
		}
		output->target = clpac__strdup(path);
	} else if (S_ISDIR(facts.st_mode)) {
		errno = EISDIR;
		RETURN_SYSTEM_ERROR("creating %s: give the name of a file, not of a folder", path);
	} else if (S_ISREG(facts.st_mode)) {
		if (!output->may_replace) {
			errno = EEXIST;
			RETURN_SYSTEM_ERROR("%s is left as it is; choose another name or ask to overwrite", path);
		}
		output->replaces = true;
		output->mode = facts.st_mode & 0777;
		output->target = realpath(path, NULL);
		if (!output->target && errno != ENOMEM)
			RETURN_SYSTEM_ERROR("creating %s", path);
	} else {
		output->is_direct = true;
		output->target = clpac__strdup(path);
	}
	if (!output->target)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the name of %s", path);
	return CLPAC_OK;
}

static clpac_status open_folder(clpac__output *output, clpac_error *err)
{
	char *slash = strrchr(output->target, '/');
	output->name = slash ? slash + 1 : output->target;
	if (!*output->name) {
		errno = EISDIR;
		RETURN_SYSTEM_ERROR("creating %s: give the name of a file, not of a folder", output->path);
	}
	if (strlen(output->name) > NAME_MAX) {
		errno = ENAMETOOLONG;
		RETURN_SYSTEM_ERROR("creating %s", output->path);
	}
	char *folder =
		!slash ? clpac__strdup(".")
		       : clpac__strndup(output->target, slash == output->target ? 1 : (size_t)(slash - output->target));
	if (!folder)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the name of %s", output->path);
	output->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int number = errno;
	clpac__free(folder);
	errno = number;
	if (output->folder < 0)
		RETURN_SYSTEM_ERROR("creating %s: its folder cannot be opened", output->path);
	return CLPAC_OK;
}

/* Locks the temporary file, so that nobody takes it for that of a dead process.  False where somebody did, between its
 * creation and the lock, and removed it. */
static bool lock_temporary(clpac__output *output)
{
	struct stat facts;
	/* Failing is harmless: where there are no locks, nobody removes another's files. */
	while (flock(output->file, LOCK_EX) != 0 && errno == EINTR)
		;
	return fstat(output->file, &facts) != 0 || facts.st_nlink > 0;
}

static void close_temporary(clpac__output *output)
{
	close(output->file);
	output->is_open = false;
	clpac__live_file_leave(output->live, true);
	output->live = NULL;
}

/* Skips names of files that a killed process left. */
static clpac_status open_temporary(clpac__output *output, clpac_error *err)
{
	for (int attempt = 0; attempt < NAME_ATTEMPTS && !output->is_open; attempt++) {
		char name[NAME_MAX + 1];
		clpac__temporary_name(output->name, CLPAC__TEMPORARY, name);
		RETURN_IF_ERROR(clpac__live_file_create(output->folder, name, &output->live, &output->file, err));
		output->is_open = output->file >= 0;
		if (clpac__live_files_are_abandoned())
			RETURN_ERROR(CLPAC_ERROR_CANCELLED, "creating %s: the program is ending", output->path);
		if (!output->is_open && errno != EEXIST)
			RETURN_SYSTEM_ERROR("creating %s", output->path);
		if (output->is_open && !lock_temporary(output))
			close_temporary(output);
	}
	if (!output->is_open)
		RETURN_SYSTEM_ERROR("creating %s: %d temporary names in its folder are taken", output->path,
				    NAME_ATTEMPTS);
	/* Keeps the permissions of the replaced file.  Failing is harmless: some file systems have none. */
	if (output->replaces)
		(void)!fchmod(output->file, output->mode);
	return CLPAC_OK;
}

clpac_status clpac__output_open(const char *path, bool overwrite, clpac__output **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__output *made = clpac__alloc_zero(sizeof *made);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "creating %s: the host has no memory left for %zu bytes", path,
		     sizeof *made);
	made->folder = made->file = made->lock = -1;
	made->may_replace = overwrite;
	if (!(made->path = clpac__strdup(path)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the name of %s", path);
	TRY(find_target(made, err));
	if (made->is_direct) {
		made->file = open(made->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (made->file < 0)
			FAIL_SYSTEM("opening %s", path);
		made->is_open = true;
	} else {
		TRY(open_folder(made, err));
		clpac__leftovers_collect(made->folder, made->name);
		TRY(open_temporary(made, err));
	}
	*out = made, made = NULL;
done:
	clpac__output_discard(made);
	return st;
}

clpac_status clpac__output_open_way(const char *path, const clpac__output_way *way, clpac__output **out,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__output *made = NULL;
	if (way->write && way->set)
		FAIL(CLPAC_ERROR_ARGUMENT, "writing %s: a function and a set are given; give one of them", path);
	if (!way->write) {
		TRY(clpac__output_open(path, way->overwrite, &made, err));
		TRY(clpac__output_join(made, way->set, err));
	} else {
		TRY(NEW(made));
		made->folder = made->file = made->lock = -1;
		made->write = way->write;
		made->write_user = way->user;
		TRY(NEW_COPY(made->path, path));
	}
	*out = made;
	made = NULL;
done:
	clpac__output_discard(made);
	return st;
}

/* --- To a function ------------------------------------------------------------------------------ */

static clpac_status keep(clpac__output *output, const char *next, size_t bytes, uint64_t position, clpac_error *err)
{
	size_t end, room;
	if (!clpac__size_add((size_t)position, bytes, &end) || !clpac__size_add(end, end / 2, &room))
		RETURN_NO_MEMORY(bytes);
	if (end > output->room) {
		unsigned char *grown = clpac__realloc_array(output->whole, room, 1);
		if (!grown)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "writing %s: the host has no memory left for %zu bytes",
				     output->path, room);
		output->whole = grown;
		output->room = room;
	}
	memcpy(output->whole + position, next, bytes);
	output->n_whole = end > output->n_whole ? end : output->n_whole;
	return clpac_cancel_check(err);
}

static clpac_status hand_over(const clpac__output *output, clpac_error *err)
{
	for (size_t at = 0; at < output->n_whole; at += MOST_AT_ONCE) {
		const size_t left = output->n_whole - at, n = left < MOST_AT_ONCE ? left : MOST_AT_ONCE;
		RETURN_IF_ERROR(clpac_cancel_check(err));
		if (!output->write(output->write_user, output->whole + at, n))
			RETURN_ERROR(CLPAC_ERROR_IO, "writing %s: its function took no more after %zu of %zu bytes",
				     output->path, at, output->n_whole);
	}
	return CLPAC_OK;
}

/* --- To a file ---------------------------------------------------------------------------------- */

static clpac_status write_now(clpac__output *output, const char *next, size_t bytes, uint64_t position,
			      clpac_error *err)
{
	if (output->write)
		return keep(output, next, bytes, position, err);
	while (bytes) {
		size_t piece = bytes < MOST_AT_ONCE ? bytes : MOST_AT_ONCE;
		RETURN_IF_ERROR(clpac_cancel_check(err));
		ssize_t n = write(output->file, next, piece);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			RETURN_SYSTEM_ERROR("writing %s after %llu bytes", output->path, (unsigned long long)position);
		next += n;
		bytes -= (size_t)n;
		position += (uint64_t)n;
	}
	return CLPAC_OK;
}

static clpac_status write_kept(clpac__output *output, clpac_error *err)
{
	const size_t n = output->n_kept;
	output->n_kept = 0;
	return write_now(output, output->kept, n, output->position - n, err);
}

clpac_status clpac__output_write(clpac__output *output, const void *data, size_t bytes, clpac_error *err)
{
	if (bytes > sizeof output->kept - output->n_kept)
		RETURN_IF_ERROR(write_kept(output, err));
	if (bytes > sizeof output->kept) {
		RETURN_IF_ERROR(write_now(output, data, bytes, output->position, err));
	} else if (bytes) {
		memcpy(output->kept + output->n_kept, data, bytes);
		output->n_kept += bytes;
	}
	output->position += bytes;
	return CLPAC_OK;
}

clpac_status clpac__output_seek(clpac__output *output, uint64_t offset, clpac_error *err)
{
	if (offset == output->position)
		return CLPAC_OK;
	RETURN_IF_ERROR(write_kept(output, err));
	if (!output->write && lseek(output->file, (off_t)offset, SEEK_SET) < 0)
		RETURN_SYSTEM_ERROR("writing %s: it cannot be written out of order", output->path);
	output->position = offset;
	return CLPAC_OK;
}

uint64_t clpac__output_tell(const clpac__output *output)
{
	return output->position;
}

clpac_status clpac__output_join(clpac__output *output, clpac_output_set *set, clpac_error *err)
{
	if (set && output->is_direct)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s is a device or a pipe, which cannot appear together with other files: give the name "
			     "of a file",
			     output->path);
	output->set = set;
	return CLPAC_OK;
}

clpac_status clpac__output_lend(clpac__output *output, const char **path, clpac_error *err)
{
	const char *name = clpac__live_file_name(output->live);
	const size_t folder = (size_t)(output->name - output->target);
	if (!(output->written_at = clpac__alloc(folder + strlen(name) + 1)))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the name of %s", output->path);
	memcpy(output->written_at, output->target, folder);
	strcpy(output->written_at + folder, name);
	*path = output->written_at;
	return CLPAC_OK;
}

/* The lock is kept by another descriptor. */
clpac_status clpac__output_finish(clpac__output *output, clpac_error *err)
{
	RETURN_IF_ERROR(write_kept(output, err));
	/* Pipes and other files that cannot be synced report EINVAL or EROFS. */
	if (fsync(output->file) != 0 && !(output->is_direct && (errno == EINVAL || errno == EROFS)))
		RETURN_SYSTEM_ERROR("writing %s", output->path);
	if (!output->is_direct && (output->lock = fcntl(output->file, F_DUPFD_CLOEXEC, 0)) < 0)
		RETURN_SYSTEM_ERROR("writing %s", output->path);
	output->is_open = false;
	if (close(output->file) != 0 && errno != EINTR)
		RETURN_SYSTEM_ERROR("writing %s", output->path);
	return CLPAC_OK;
}

clpac_status clpac__output_commit(clpac__output *output, clpac_error *err)
{
	if (output->write) {
		RETURN_IF_ERROR(write_kept(output, err));
		return hand_over(output, err);
	}
	RETURN_IF_ERROR(clpac__output_finish(output, err));
	if (output->is_direct)
		return CLPAC_OK;
	if (output->set) {
		return clpac__output_set_add(output->set, output, err);
	}
	int number =
		clpac__place(output->folder, clpac__live_file_name(output->live), output->name, output->may_replace);
	if (number && clpac__live_files_are_abandoned())
		RETURN_ERROR(CLPAC_ERROR_CANCELLED, "writing %s: the program is ending", output->path);
	errno = number;
	if (number)
		RETURN_SYSTEM_ERROR("putting %s in its place", output->path);
	clpac__live_file_leave(output->live, false);
	output->live = NULL;
	errno = clpac__folder_sync(output->folder);
	if (errno)
		RETURN_SYSTEM_ERROR("%s is in its place, but its folder could not be synced", output->path);
	return CLPAC_OK;
}

void clpac__output_destroy(clpac__output *output)
{
	if (output->is_open)
		close(output->file);
	clpac__live_file_leave(output->live, true);
	if (output->lock >= 0)
		close(output->lock);
	if (output->folder >= 0)
		close(output->folder);
	FREE_ALL(output->whole, output->written_at, output->target, output->path, output);
}

void clpac__output_discard(clpac__output *output)
{
	if (output && !output->is_in_set)
		clpac__output_destroy(output);
}
