/* Compiled kernels on disk, one file per key:
 *
 *     16 bytes  magic, with the format's number
 *      8 bytes  length of the key
 *      8 bytes  length of the binary
 *      8 bytes  checksum of key and binary
 *               the key: all that the binary depends on, as text
 *               the binary, as the driver gave it
 *
 * Numbers are in this machine's byte order.  A binary is code that the driver will run, so a file counts only if it is
 * whole, and a plain file of this user that nobody else can write.  Anything else is a miss, and the next store
 * replaces it.
 */
#include "coupling/opencl/opencl_compute.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/hash.h"
#include "base/memory.h"

typedef struct header {
	char magic[16];
	uint64_t key_bytes, binary_bytes, checksum;
} header;

static const char magic[16] = "clpac kernels 1";

enum { MAX_FILE = 256 << 20, MAX_PATH = 640 };

void clpac__opencl_cache_path(const char *folder, const char *key, char *path, size_t size)
{
	snprintf(path, size, "%s/%016" PRIx64 ".clpac", folder, clpac__hash(CLPAC__HASH_START, key, strlen(key)));
}

static bool read_all(int file, void *target, size_t bytes)
{
	unsigned char *at = target;
	while (bytes) {
		ssize_t n = read(file, at, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool write_all(int file, const void *source, size_t bytes)
{
	const unsigned char *at = source;
	while (bytes) {
		ssize_t n = write(file, at, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

unsigned char *clpac__opencl_cache_read(const char *folder, const char *key, size_t *bytes)
{
	char path[MAX_PATH];
	struct stat facts;
	header head;
	size_t key_bytes = strlen(key);
	char *stored_key = NULL;
	unsigned char *binary = NULL;
	bool is_good = false;

	clpac__opencl_cache_path(folder, key, path, sizeof path);
	int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return NULL;
	if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != geteuid() ||
	    (facts.st_mode & (S_IWGRP | S_IWOTH)) || facts.st_size > MAX_FILE)
		goto done;
	if (!read_all(file, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) != 0 ||
	    head.key_bytes != key_bytes || head.binary_bytes > MAX_FILE ||
	    (uint64_t)facts.st_size != sizeof head + head.key_bytes + head.binary_bytes)
		goto done;
	stored_key = clpac__alloc(key_bytes);
	binary = clpac__alloc((size_t)head.binary_bytes);
	if (!stored_key || !binary || !read_all(file, stored_key, key_bytes) ||
	    !read_all(file, binary, (size_t)head.binary_bytes) || memcmp(stored_key, key, key_bytes) != 0)
		goto done;
	is_good = clpac__hash(clpac__hash(CLPAC__HASH_START, key, key_bytes), binary, (size_t)head.binary_bytes) ==
		  head.checksum;
done:
	close(file);
	clpac__free(stored_key);
	if (!is_good) {
		clpac__free(binary);
		return NULL;
	}
	*bytes = (size_t)head.binary_bytes;
	return binary;
}

bool clpac__opencl_cache_write(const char *folder, const char *key, const unsigned char *binary, size_t bytes)
{
	char path[MAX_PATH], temporary[MAX_PATH];
	size_t key_bytes = strlen(key);
	header head = {.key_bytes = key_bytes, .binary_bytes = bytes};
	memcpy(head.magic, magic, sizeof magic);
	head.checksum = clpac__hash(clpac__hash(CLPAC__HASH_START, key, key_bytes), binary, bytes);

	if (!clpac__cache_make_folder(folder))
		return false;
	clpac__opencl_cache_path(folder, key, path, sizeof path);
	snprintf(temporary, sizeof temporary, "%s/.new-XXXXXX", folder);
	int file = mkstemp(temporary); /* only the owner can read or write it */
	if (file < 0)
		return false;
	bool is_written = write_all(file, &head, sizeof head) && write_all(file, key, key_bytes) &&
			  write_all(file, binary, bytes);
	int error = errno;
	is_written = (close(file) == 0) && is_written;
	if (is_written && rename(temporary, path) == 0)
		return true;
	error = is_written ? errno : error;
	unlink(temporary);
	errno = error;
	return false;
}
