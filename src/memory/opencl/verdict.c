/* One file of one fixed length, so that reading it allocates nothing and takes microseconds.
 *
 * A library that a vendor's file names without a folder is looked for as the dynamic loader does, but for its list of
 * known libraries: that file's own time stands for what it lists, and so for the libraries that drivers need in turn.
 */
#include "memory/opencl/verdict.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <clpac/version.h>
#include "base/environment.h"
#include "base/hash.h"
#include "base/system.h"
#include "memory/opencl/calls.h"
#include "memory/opencl/libraries.h"

extern char **environ;

enum { MAX_PATH = 1200, BAD_FOR_S = 3600, BAD_FOR_MOST_S = 7 * 24 * 3600 };

/* With the NUL, so that two texts are not one. */
static uint64_t hash_text(uint64_t start, const char *text)
{
	return clpac__hash(start, text, strlen(text) + 1);
}

/* Adds a file's times and size, or that it is not there.  The time of the last change of its inode notices a file that
 * was replaced by one of the same time. */
static uint64_t hash_file(uint64_t start, const char *path)
{
	struct stat facts;
	int64_t known[5] = {-1};
	if (stat(path, &facts) == 0) {
		known[0] = facts.st_size;
		known[1] = facts.st_mtim.tv_sec;
		known[2] = facts.st_mtim.tv_nsec;
		known[3] = facts.st_ctim.tv_sec;
		known[4] = facts.st_ctim.tv_nsec;
	}
	return clpac__hash(hash_text(start, path), known, sizeof known);
}

static uint64_t hash_in_folder(uint64_t start, const char *folder, size_t length, const char *name)
{
	char path[MAX_PATH];
	if (!length || (size_t)snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name) >= sizeof path)
		return start;
	return hash_file(start, path);
}

/* Adds a library wherever it may be found. */
static uint64_t hash_library(uint64_t start, const char *name)
{
	static const char *const usual[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"};
	Dl_info libc;
	start = hash_text(start, name);
	if (strchr(name, '/'))
		return hash_file(start, name);
	const char *folders = clpac__environment("LD_LIBRARY_PATH");
	for (size_t length; folders; folders = folders[length] ? folders + length + 1 : NULL) {
		length = strcspn(folders, ":;");
		start = hash_in_folder(start, folders, length, name);
	}
	/* The folder of the C library, which differs between systems. */
	void *in_libc = dlsym(RTLD_DEFAULT, "getpid");
	if (in_libc && dladdr(in_libc, &libc) && libc.dli_fname && strrchr(libc.dli_fname, '/'))
		start = hash_in_folder(start, libc.dli_fname, (size_t)(strrchr(libc.dli_fname, '/') - libc.dli_fname),
				       name);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		start = hash_in_folder(start, usual[i], strlen(usual[i]), name);
	return start;
}

/* A sum, since the order of the variables means nothing. */
static uint64_t hash_environment(void)
{
	uint64_t sum = 0;
	for (char **entry = environ; entry && *entry; entry++)
		if (clpac__environment_is_of_drivers(*entry))
			sum += hash_text(CLPAC__HASH_START, *entry);
	return sum;
}

/* What every driver may depend on. */
static uint64_t hash_system(void)
{
	char boot[64] = "";
	uint64_t state = hash_text(CLPAC__HASH_START, CLPAC_VERSION_STRING), sum = hash_environment();
	state = clpac__hash(state, &sum, sizeof sum);
	const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		const ssize_t n = read(file, boot, sizeof boot - 1);
		boot[n > 0 ? n : 0] = 0;
		close(file);
	}
	return hash_text(state, boot);
}

static uint64_t hash_driver(uint64_t start, const char *vendor)
{
	char library[CLPAC__VENDOR_PATH];
	start = hash_file(start, vendor);
	return clpac__vendor_library(vendor, library) ? hash_library(start, library) : start;
}

/* A sum over the names in a folder that begin so, whose order means nothing. */
static uint64_t sum_names(const char *folder, const char *const *prefixes, size_t n)
{
	uint64_t sum = 0;
	DIR *open = opendir(folder);
	for (struct dirent *entry; open && (entry = readdir(open));)
		for (size_t i = 0; i < n; i++)
			if (strncmp(entry->d_name, prefixes[i], strlen(prefixes[i])) == 0)
				sum += hash_text(CLPAC__HASH_START, entry->d_name);
	if (open)
		closedir(open);
	return sum;
}

/* The devices that drivers of GPUs open, which come and go while the system runs. */
static uint64_t hash_devices(uint64_t start)
{
	static const char *const cards[] = {"card", "renderD"};
	static const char *const others[] = {"nvidia", "kfd", "accel", "mali", "dxg", "kgsl"};
	const uint64_t sums[] = {sum_names("/dev/dri", cards, sizeof cards / sizeof *cards),
				 sum_names("/dev", others, sizeof others / sizeof *others)};
	return clpac__hash(start, sums, sizeof sums);
}

uint64_t clpac__driver_state(const char *file)
{
	return hash_driver(hash_system(), file);
}

uint64_t clpac__verdict_state(void)
{
	clpac__vendors vendors;
	char library[CLPAC__OPENCL_LIBRARY_SIZE];
	uint64_t state = hash_devices(hash_system());
	state = hash_file(state, "/etc/ld.so.cache");
	for (const char *const *name = clpac__opencl_libraries; *name; name++)
		state = hash_library(state, *name);
	if (*clpac__opencl_named(library))
		state = hash_library(state, library);
	clpac__vendors_list(&vendors);
	for (size_t i = 0; i < vendors.n; i++)
		state = hash_driver(state, vendors.files[i]);
	return state;
}

double clpac__bad_driver_holds_s(int64_t n_times)
{
	double holds_s = BAD_FOR_S;
	for (int64_t i = 1; i < n_times && holds_s < BAD_FOR_MOST_S; i++)
		holds_s *= 2;
	return holds_s < BAD_FOR_MOST_S ? holds_s : BAD_FOR_MOST_S;
}

bool clpac__bad_driver_is_held(const clpac__bad_driver *bad, double limit_s)
{
	const double age_s = (double)((int64_t)time(NULL) - bad->when_s);
	/* A driver that hung for a short limit may start within a longer one. */
	return age_s >= 0 && age_s <= clpac__bad_driver_holds_s(bad->n_times) &&
	       (bad->result.end != CLPAC__PROBE_HUNG || bad->limit_s >= limit_s) &&
	       bad->state == clpac__driver_state(bad->file);
}

/* The file.  All is set to zero before it is filled, so that what pads it is known too. */
typedef struct kept {
	char magic[16];
	clpac__verdict verdict;
	uint64_t checksum; /* of all members before it */
} kept;

static const char magic[16] = "clpac drivers 2";

static bool name_file(const char *folder, char path[MAX_PATH])
{
	return *folder && (size_t)snprintf(path, MAX_PATH, "%s/drivers.clpac", folder) < MAX_PATH;
}

bool clpac__verdict_read(const char *folder, clpac__verdict *out)
{
	char path[MAX_PATH];
	struct stat facts;
	kept read_kept;
	if (!name_file(folder, path))
		return false;
	const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return false;
	const bool is_whole = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
			      !(facts.st_mode & (S_IWGRP | S_IWOTH)) && facts.st_size == (off_t)sizeof read_kept &&
			      read(file, &read_kept, sizeof read_kept) == (ssize_t)sizeof read_kept;
	close(file);
	clpac__verdict *verdict = &read_kept.verdict;
	if (!is_whole || memcmp(read_kept.magic, magic, sizeof magic) != 0 ||
	    read_kept.checksum != clpac__hash(CLPAC__HASH_START, &read_kept, offsetof(kept, checksum)) ||
	    verdict->n_bad < 0 || verdict->n_bad > CLPAC__MOST_BAD)
		return false;
	for (size_t i = 0; i < CLPAC__MOST_BAD; i++)
		verdict->bad[i].file[CLPAC__VENDOR_PATH - 1] = 0;
	*out = *verdict;
	return true;
}

/* Member by member: what pads the file stays zero. */
static void copy_verdict(const clpac__verdict *from, clpac__verdict *to)
{
	to->state = from->state;
	to->result.end = from->result.end;
	to->result.detail = from->result.detail;
	to->limit_s = from->limit_s;
	to->when_s = from->when_s;
	to->n_bad = from->n_bad;
	for (int64_t i = 0; i < from->n_bad; i++) {
		const clpac__bad_driver *bad = &from->bad[i];
		snprintf(to->bad[i].file, sizeof to->bad[i].file, "%s", bad->file);
		to->bad[i].state = bad->state;
		to->bad[i].result.end = bad->result.end;
		to->bad[i].result.detail = bad->result.detail;
		to->bad[i].limit_s = bad->limit_s;
		to->bad[i].when_s = bad->when_s;
		to->bad[i].n_times = bad->n_times;
	}
}

void clpac__verdict_write(const char *folder, const clpac__verdict *verdict)
{
	char path[MAX_PATH], temporary[MAX_PATH];
	kept written;
	if (!name_file(folder, path) || !clpac__cache_make_folder(folder) ||
	    (size_t)snprintf(temporary, sizeof temporary, "%s/.new-XXXXXX", folder) >= sizeof temporary)
		return;
	memset(&written, 0, sizeof written);
	memcpy(written.magic, magic, sizeof magic);
	copy_verdict(verdict, &written.verdict);
	written.checksum = clpac__hash(CLPAC__HASH_START, &written, offsetof(kept, checksum));
	const int file = mkstemp(temporary); /* only the owner can read or write it */
	if (file < 0)
		return;
	const bool is_written = write(file, &written, sizeof written) == (ssize_t)sizeof written;
	if (close(file) != 0 || !is_written || rename(temporary, path) != 0)
		unlink(temporary);
}
