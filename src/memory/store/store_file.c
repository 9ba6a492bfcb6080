/* Spill files: raw bytes in a folder of the store's own; their checksum is kept in memory.
 *
 * No other process can use these files, so they are not synced to the disk.  A killed process leaves its folder,
 * clpac-store-XXXXXX, which may be removed.
 */
#include "memory/store/store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"

enum {
	PIECE_BYTES = 1 << 20, /* a multiple of eight, for the checksum */
	NAME_SIZE = 32
};

struct clpac__spill_folder {
	char *path; /* for messages and for removing the folder */
	int descriptor;
	atomic_ullong last_number;
};

clpac_status clpac__spill_folder_create(const char *parent, clpac__spill_folder **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const char ending[] = "/clpac-store-XXXXXX";
	clpac__spill_folder *made = clpac__alloc_zero(sizeof *made);
	char whole[PATH_MAX];
	size_t bytes = strlen(parent) + sizeof ending;
	if (!made)
		FAIL_NO_MEMORY(sizeof *made);
	made->descriptor = -1;
	/* An absolute path, since the process may change its working directory. */
	if (!realpath(*parent ? parent : ".", whole))
		FAIL_SYSTEM("a store's folder \"%s\" cannot be used", parent);
	bytes = strlen(whole) + sizeof ending;
	TRY(NEW_BYTES(made->path, bytes));
	snprintf(made->path, bytes, "%s%s", whole, ending);
	if (!mkdtemp(made->path)) {
		int number = errno;
		clpac__free(made->path);
		made->path = NULL;
		st = clpac__fail_system(err, number, "nothing can be made in a store's folder \"%s\"", parent);
		goto done;
	}
	made->descriptor = open(made->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (made->descriptor < 0)
		FAIL_SYSTEM("a store's folder \"%s\" cannot be opened", made->path);
	*out = made, made = NULL;
done:
	clpac__spill_folder_destroy(made);
	return st;
}

void clpac__spill_folder_destroy(clpac__spill_folder *folder)
{
	if (!folder)
		return;
	if (folder->descriptor >= 0)
		close(folder->descriptor);
	if (folder->path)
		rmdir(folder->path);
	FREE_ALL(folder->path, folder);
}

static void make_name(char name[NAME_SIZE], uint64_t number, const char *ending)
{
	snprintf(name, NAME_SIZE, "%llu%s", (unsigned long long)number, ending);
}

static clpac_status write_all(int file, const char *next, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(file, next, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return CLPAC_ERROR_IO;
		next += n;
		bytes -= (size_t)n;
	}
	return CLPAC_OK;
}

clpac_status clpac__spill_write(clpac__spill_folder *folder, const char *key, size_t bytes, clpac__piece_function *fill,
				void *user, uint64_t *number, uint64_t *checksum, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t own = atomic_fetch_add(&folder->last_number, 1) + 1, hash = own;
	size_t piece_bytes = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
	char name[NAME_SIZE], temporary[NAME_SIZE];
	int file = -1;
	bool is_there = false;
	char *piece = clpac__alloc(piece_bytes);
	if (!piece)
		FAIL(CLPAC_ERROR_NO_MEMORY, "entry \"%s\": the host has no memory left for %zu bytes", key,
		     piece_bytes);
	make_name(name, own, "");
	make_name(temporary, own, ".part");
	file = openat(folder->descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		FAIL_SYSTEM("entry \"%s\" cannot be moved to a file in %s", key, folder->path);
	is_there = true;
	for (size_t offset = 0; offset < bytes; offset += piece_bytes) {
		size_t n = bytes - offset < piece_bytes ? bytes - offset : piece_bytes;
		TRY(fill(user, offset, n, piece, err));
		hash = clpac__hash(piece, n, hash);
		if (write_all(file, piece, n) != CLPAC_OK)
			FAIL_SYSTEM("entry \"%s\" of %zu bytes cannot be moved to %s/%s", key, bytes, folder->path,
				    name);
	}
	int closed = close(file);
	file = -1;
	if (closed != 0 && errno != EINTR)
		FAIL_SYSTEM("entry \"%s\" of %zu bytes cannot be moved to %s/%s", key, bytes, folder->path, name);
	if (renameat(folder->descriptor, temporary, folder->descriptor, name) != 0)
		FAIL_SYSTEM("entry \"%s\" of %zu bytes cannot be moved to %s/%s", key, bytes, folder->path, name);
	is_there = false;
	*number = own;
	*checksum = hash;
done:
	if (file >= 0)
		close(file);
	if (is_there)
		unlinkat(folder->descriptor, temporary, 0);
	clpac__free(piece);
	return st;
}

/* Reads as many bytes as there are, up to the given number; -1 with errno. */
static ssize_t read_upto(int file, char *next, size_t bytes)
{
	size_t done = 0;
	while (done < bytes) {
		ssize_t n = read(file, next + done, bytes - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

clpac_status clpac__spill_read(clpac__spill_folder *folder, const char *key, uint64_t number, size_t bytes,
			       uint64_t checksum, clpac__piece_function *use, void *user, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t hash = number;
	size_t piece_bytes = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
	char name[NAME_SIZE];
	struct stat facts;
	int file = -1;
	char *piece = clpac__alloc(piece_bytes);
	make_name(name, number, "");
	if (!piece)
		FAIL(CLPAC_ERROR_NO_MEMORY, "entry \"%s\": the host has no memory left for %zu bytes", key,
		     piece_bytes);
	file = openat(folder->descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (file < 0 || fstat(file, &facts) != 0)
		FAIL_SYSTEM("entry \"%s\" cannot be read from %s/%s", key, folder->path, name);
	if ((uint64_t)facts.st_size != bytes)
		FAIL(CLPAC_ERROR_FORMAT,
		     "entry \"%s\": its file %s/%s has %llu bytes instead of %zu, somebody changed it; delete the key",
		     key, folder->path, name, (unsigned long long)facts.st_size, bytes);
	for (size_t offset = 0; offset < bytes; offset += piece_bytes) {
		size_t n = bytes - offset < piece_bytes ? bytes - offset : piece_bytes;
		ssize_t got = read_upto(file, piece, n);
		if (got < 0)
			FAIL_SYSTEM("entry \"%s\" cannot be read from %s/%s", key, folder->path, name);
		if ((size_t)got < n)
			FAIL(CLPAC_ERROR_FORMAT,
			     "entry \"%s\": its file %s/%s ends after %zu of %zu bytes; delete the key", key,
			     folder->path, name, offset + (size_t)got, bytes);
		hash = clpac__hash(piece, n, hash);
		TRY(use(user, offset, n, piece, err));
	}
	if (hash != checksum)
		FAIL(CLPAC_ERROR_FORMAT,
		     "entry \"%s\": its file %s/%s is not what was written (checksum %016llx instead of %016llx); "
		     "delete the key",
		     key, folder->path, name, (unsigned long long)hash, (unsigned long long)checksum);
done:
	if (file >= 0)
		close(file);
	clpac__free(piece);
	return st;
}

void clpac__spill_remove(clpac__spill_folder *folder, uint64_t number)
{
	char name[NAME_SIZE];
	make_name(name, number, "");
	unlinkat(folder->descriptor, name, 0);
}
