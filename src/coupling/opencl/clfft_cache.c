/* clFFT's own cache of compiled kernels, made safe.
 *
 * clFFT 2.12 keeps its kernels in the folder that the environment variable CLFFT_CACHE_PATH names when clfftSetup runs;
 * there is no other way to set it.  clFFT writes files in place, without a checksum, trusts every length in a file,
 * never replaces a damaged one, and aborts the process if a file's first byte is wrong.  So clpac gives it a folder
 * that only this user can write, and keeps a seal there for each of clFFT's files, in the format of clpac's own cache:
 * size and checksum of the content.  Files without a seal, or with other content, are removed before clFFT reads them.
 *
 * Files that another process is writing have no seal yet and may be removed, which costs that entry and nothing else.
 * clFFT itself notices a file that is half written, by its length.
 */
#include "config.h"

#include "coupling/opencl/clfft_cache.h"
#include "coupling/opencl/clfft_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"
#include "coupling/opencl/opencl_compute.h"

static const char variable[] = "CLFFT_CACHE_PATH";

enum {
	DEPTH = 4, /* FOLDER/VENDOR/DEVICE/DRIVER/KERNEL/FILE */
	MAX_PATH = 2048,
	MOST_BYTES = 64 << 20, /* total of all files, so that checking them takes milliseconds */
};

/* clFFT's folder, written before threads start and read under clFFT's lock.  Empty: clFFT keeps nothing, or uses a
 * folder that is not clpac's. */
static char folder[512];
/* Version of the library that is loaded, with which every checksum begins: the folder is named after the version that
 * clpac was built with, before the library is loaded.  Guarded by clFFT's lock. */
static uint64_t version;

typedef struct seal {
	uint64_t bytes, sum;
} seal;

/* Whether only this user can write a folder, or, if it does not exist, whether it can be made. */
static bool can_be_ours(const char *path)
{
	struct stat facts;
	char above[sizeof folder];
	if (lstat(path, &facts) == 0)
		return S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() && !(facts.st_mode & (S_IWGRP | S_IWOTH)) &&
		       faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
	snprintf(above, sizeof above, "%s", path);
	for (char *slash; (slash = strrchr(above, '/')) && slash > above;) {
		*slash = 0;
		if (stat(above, &facts) == 0)
			return S_ISDIR(facts.st_mode) && faccessat(AT_FDCWD, above, W_OK | X_OK, AT_EACCESS) == 0;
	}
	return false;
}

clpac_status clpac__clfft_cache_name(const clpac_options *options, clpac_error *err)
{
	char above[sizeof folder], wanted[sizeof folder];
	const char *set = clpac__environment(variable);
	if (set && strcmp(set, folder) != 0) { /* set by the user */
		*folder = 0;
		return CLPAC_OK;
	}
	clpac__cache_folder(options->cache, above, sizeof above);
	const int length = snprintf(wanted, sizeof wanted, "%s/clfft-%d.%d.%d", above, clfftVersionMajor,
				    clfftVersionMinor, clfftVersionPatch);
	if (!*above || length < 0 || (size_t)length >= sizeof wanted || !can_be_ours(wanted)) {
		/* clFFT would print to standard error about a folder that it cannot use. */
		*folder = 0;
		unsetenv(variable);
		return CLPAC_OK;
	}
	if (setenv(variable, wanted, 1) != 0)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the variable %s",
				   variable);
	memcpy(folder, wanted, sizeof folder);
	return CLPAC_OK;
}

/* Adds data to a checksum, eight bytes at a time.  Every step is reversible, so files that differ in one place have
 * different sums. */
static uint64_t add(uint64_t sum, const unsigned char *data, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 8) {
		uint64_t word = 0;
		memcpy(&word, data + at, bytes - at < 8 ? bytes - at : 8);
		sum ^= word;
		sum = (sum << 29 | sum >> 35) * 0x9e3779b97f4a7c15u;
	}
	return sum;
}

/* Measures size and checksum of one of clFFT's files; false if others could have written it, or it cannot be read. */
static bool measure(const char *path, seal *out)
{
	unsigned char part[1 << 16];
	struct stat facts;
	ssize_t n = -1;
	size_t filled = 0;
	seal found = {.sum = version};
	const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return false;
	if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
	    !(facts.st_mode & (S_IWGRP | S_IWOTH)) && facts.st_size <= MOST_BYTES)
		while ((n = read(file, part + filled, sizeof part - filled)) > 0) {
			found.bytes += (uint64_t)n;
			filled += (size_t)n;
			if (filled == sizeof part) {
				found.sum = add(found.sum, part, filled);
				filled = 0;
			}
		}
	close(file);
	found.sum = add(found.sum, part, filled);
	*out = found;
	return n == 0 && found.bytes;
}

static bool read_seal(const char *path, seal *out)
{
	size_t bytes = 0;
	unsigned char *stored = clpac__opencl_cache_read(folder, path, &bytes);
	const bool is_good = stored && bytes == sizeof *out;
	if (is_good)
		memcpy(out, stored, sizeof *out);
	clpac__free(stored);
	return is_good;
}

static void check_file(const char *path, uint64_t *all_bytes)
{
	seal found, kept;
	char file[MAX_PATH];
	const bool is_whole =
		measure(path, &found) && read_seal(path, &kept) && found.bytes == kept.bytes && found.sum == kept.sum;
	if (is_whole && (*all_bytes += found.bytes) <= MOST_BYTES)
		return;
	unlink(path);
	clpac__opencl_cache_path(folder, path, file, sizeof file);
	unlink(file);
}

static void seal_file(const char *path, uint64_t *unused)
{
	seal found, kept;
	(void)unused;
	if (!read_seal(path, &kept) && measure(path, &found))
		clpac__opencl_cache_write(folder, path, (const unsigned char *)&found, sizeof found);
}

static void visit_files(const char *path, int depth, void (*visit)(const char *path, uint64_t *user), uint64_t *user)
{
	char inner[MAX_PATH];
	DIR *open = opendir(path);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (size_t)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= sizeof inner)
			continue;
		if (depth)
			visit_files(inner, depth - 1, visit, user);
		else
			visit(inner, user);
	}
	if (open)
		closedir(open);
}

void clpac__clfft_cache_check(void)
{
	uint64_t bytes = 0;
	cl_uint major, minor, patch;
	if (!*folder || clpac__clfft_load(NULL) != CLPAC_OK)
		return;
	if (clfftGetVersion(&major, &minor, &patch) == CLFFT_SUCCESS)
		version = (uint64_t)major << 42 | (uint64_t)minor << 21 | patch;
	clpac__cache_make_folder(folder);
	visit_files(folder, DEPTH, check_file, &bytes);
}

void clpac__clfft_cache_seal(void)
{
	if (*folder)
		visit_files(folder, DEPTH, seal_file, NULL);
}
