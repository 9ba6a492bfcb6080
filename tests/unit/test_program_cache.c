/* Compiled kernels on disk, without a device: whatever happens to a file or its folder, a reader gets the stored data
 * whole or nothing, and the next store replaces the file. */
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"
#include "coupling/opencl/opencl_compute.h"

static const char key[] = "clpac 0\ndevice made up\noptions none\n";
static unsigned char binary[64];
static char folder[1024], path[2048];

static void set_up(void)
{
	files_begin();
	snprintf(folder, sizeof folder, "%s", files_path("cache"));
	clpac__opencl_cache_path(folder, key, path, sizeof path);
	for (size_t i = 0; i < sizeof binary; i++)
		binary[i] = (unsigned char)(i * 37 + 1);
}

static void tear_down(void)
{
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	chmod(folder, 0700);
	files_end();
}

static bool store(void)
{
	return clpac__opencl_cache_write(folder, key, binary, sizeof binary);
}

/* True where the file is found; its content must then be the stored one. */
static bool is_there(void)
{
	size_t bytes = 0;
	unsigned char *found = clpac__opencl_cache_read(folder, key, &bytes);
	if (!found)
		return false;
	ck_assert_uint_eq(bytes, sizeof binary);
	ck_assert_mem_eq(found, binary, sizeof binary);
	clpac__free(found);
	return true;
}

static unsigned count_entries(const char *where)
{
	unsigned n = 0;
	DIR *open = opendir(where);
	ck_assert_ptr_nonnull(open);
	for (struct dirent *entry; (entry = readdir(open));)
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(open);
	return n;
}

static size_t read_file(unsigned char *data, size_t size)
{
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	const size_t n = fread(data, 1, size, file);
	fclose(file);
	return n;
}

static void write_file(const unsigned char *data, size_t n)
{
	FILE *file = fopen(path, "r+b");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, n, file), n);
	fclose(file);
	ck_assert_int_eq(truncate(path, (off_t)n), 0);
}

/* --- Damage ----------------------------------------------------------------------------------- */

FIXTURE(set_up, tear_down);

TEST(what_is_stored_is_found_again_and_only_by_its_own_key)
{
	size_t bytes;
	ck_assert(!is_there());
	ck_assert(store());
	ck_assert(is_there());
	ck_assert_ptr_null(clpac__opencl_cache_read(folder, "clpac 0\ndevice made up\noptions none", &bytes));
	ck_assert_ptr_null(clpac__opencl_cache_read(folder, "", &bytes));
	ck_assert(is_there());
}

TEST(a_flip_of_any_bit_of_any_byte_is_noticed)
{
	unsigned char whole[512], damaged[512];
	ck_assert(store());
	const size_t n = read_file(whole, sizeof whole);
	ck_assert_uint_eq(n, 40 + strlen(key) + sizeof binary);
	for (size_t i = 0; i < n; i++)
		for (unsigned bit = 1; bit < 256; bit <<= 1) {
			memcpy(damaged, whole, n);
			damaged[i] ^= (unsigned char)bit;
			write_file(damaged, n);
			ck_assert_msg(!is_there(), "byte %zu, bit %u", i, bit);
		}
	ck_assert(store());
	ck_assert(is_there());
	ck_assert_uint_eq(count_entries(folder), 1);
}

TEST(a_file_of_any_other_length_is_noticed)
{
	unsigned char whole[512] = {0};
	ck_assert(store());
	const size_t n = read_file(whole, sizeof whole);
	for (size_t length = 0; length <= n + 16; length++) {
		write_file(whole, length);
		ck_assert_msg(is_there() == (length == n), "%zu of %zu bytes", length, n);
	}
	ck_assert(store());
	ck_assert(is_there());
}

TEST(numbers_out_of_all_proportion_are_not_believed)
{
	static const uint64_t numbers[] = {0, 1, UINT64_MAX, UINT64_MAX - 39, 1ull << 63, 1ull << 32, 256ull << 20};
	unsigned char whole[512], damaged[512];
	ck_assert(store());
	const size_t n = read_file(whole, sizeof whole);
	for (size_t at = 16; at < 40; at += 8)
		for (size_t i = 0; i < COUNT(numbers); i++) {
			memcpy(damaged, whole, n);
			memcpy(damaged + at, &numbers[i], 8);
			write_file(damaged, n);
			ck_assert(!is_there());
		}
}

TEST(a_file_under_the_name_of_another_key_is_not_taken)
{
	char other[2048];
	size_t bytes;
	ck_assert(store());
	clpac__opencl_cache_path(folder, "another key", other, sizeof other);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_ptr_null(clpac__opencl_cache_read(folder, "another key", &bytes));
	ck_assert(!is_there());
}

TEST(lack_of_memory_is_a_miss)
{
	ck_assert(store());
	for (unsigned long k = 1;; k++) {
		clpac__fail_allocation(k, false);
		const bool was_there = is_there();
		clpac__fail_allocation(0, false);
		if (was_there) {
			ck_assert_uint_eq(k, 3);
			break;
		}
	}
}

/* --- Other things in the file's place --------------------------------------------------------- */

TEST(what_is_no_file_of_ones_own_is_ignored_and_replaced)
{
	char elsewhere[2048];
	struct stat facts;
	snprintf(elsewhere, sizeof elsewhere, "%s", files_path("elsewhere"));
	for (int kind = 0; kind < 6; kind++) {
		ck_assert(store());
		switch (kind) {
		case 0: /* a link to a valid file */
			ck_assert_int_eq(rename(path, elsewhere), 0);
			ck_assert_int_eq(symlink(elsewhere, path), 0);
			break;
		case 1: /* a link to nothing */
			unlink(path);
			ck_assert_int_eq(symlink(files_path("nowhere"), path), 0);
			break;
		case 2: /* a pipe, on which a careless open would block */
			unlink(path);
			ck_assert_int_eq(mkfifo(path, 0600), 0);
			break;
		case 3:
			ck_assert_int_eq(chmod(path, 0620), 0);
			break;
		case 4:
			ck_assert_int_eq(chmod(path, 0602), 0);
			break;
		default:
			if (geteuid() != 0) /* only root can give a file away */
				continue;
			ck_assert_int_eq(chown(path, 1, (gid_t)-1), 0);
		}
		ck_assert_msg(!is_there(), "kind %d", kind);
		ck_assert(store());
		ck_assert_int_eq(lstat(path, &facts), 0);
		ck_assert(S_ISREG(facts.st_mode) && (facts.st_mode & 0777) == 0600 && facts.st_uid == geteuid());
		ck_assert(is_there());
	}
	ck_assert_int_ne(access(files_path("nowhere"), F_OK), 0); /* nothing was written through the link */
}

TEST(a_folder_under_the_files_name_is_an_error_and_left_alone)
{
	ck_assert(store());
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(!is_there());
	ck_assert(!store());
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_uint_eq(count_entries(folder), 1); /* no temporary file */
}

/* --- The folder ------------------------------------------------------------------------------- */

static void become_nobody(void)
{
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
}

TEST(a_folder_that_may_not_be_written_is_an_error_and_can_be_read)
{
	chmod(files_path("."), 0777);
	become_nobody(); /* root could write anywhere */
	ck_assert(store());
	ck_assert_int_eq(chmod(folder, 0500), 0);
	ck_assert(!store());
	ck_assert_int_eq(errno, EACCES);
	ck_assert(is_there());
	ck_assert_int_eq(chmod(folder, 0), 0);
	ck_assert(!store() && !is_there());
	ck_assert_int_eq(chmod(folder, 0700), 0);
	ck_assert(is_there());
	ck_assert_uint_eq(count_entries(folder), 1);
}

TEST_UNLESS(geteuid() ? "only root can play two users" : NULL, in_a_folder_of_someone_else_nothing_of_his_is_taken)
{
	chmod(files_path("."), 0755);
	ck_assert(store()); /* folder and file belong to the other user */
	chmod(folder, 0755);
	chmod(path, 0644);
	become_nobody();
	ck_assert(!is_there());
	ck_assert(!store());
	ck_assert_int_eq(errno, EACCES);
	ck_assert(!is_there());

	/* A sticky folder: all may write, and nobody may remove another's file. */
	ck_assert_int_eq(seteuid(0), 0);
	chmod(folder, 01777);
	become_nobody();
	ck_assert(!is_there());
	ck_assert(!store());
	ck_assert(errno == EPERM || errno == EACCES);
	ck_assert_int_eq(seteuid(0), 0);
	unlink(path);
	become_nobody();
	ck_assert(store() && is_there());
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_uint_eq(count_entries(folder), 1);
	ck_assert(!is_there()); /* the same with the users exchanged */
}

/* The disk is full after a given number of bytes. */
TEST(a_write_that_breaks_off_anywhere_leaves_the_old_file_and_nothing_else)
{
	struct rlimit limit;
	unsigned char whole[512];
	signal(SIGXFSZ, SIG_IGN);
	ck_assert(store());
	const size_t n = read_file(whole, sizeof whole);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	for (size_t room = 0; room < n; room++) {
		limit.rlim_cur = room;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		const bool is_stored = store();
		const int error = errno;
		limit.rlim_cur = limit.rlim_max;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		ck_assert(!is_stored);
		ck_assert_int_eq(error, EFBIG);
		ck_assert(is_there());
		ck_assert_uint_eq(count_entries(folder), 1);
	}
}

TEST(folders_above_are_made_for_the_owner_alone)
{
	struct stat facts;
	umask(0);
	snprintf(folder, sizeof folder, "%s", files_path("x/y/z"));
	clpac__opencl_cache_path(folder, key, path, sizeof path);
	ck_assert(store() && is_there());
	static const char *const made[] = {"x", "x/y", "x/y/z"};
	for (size_t i = 0; i < COUNT(made); i++) {
		ck_assert_int_eq(stat(files_path(made[i]), &facts), 0);
		ck_assert_uint_eq(facts.st_mode & 0777, 0700);
	}
	ck_assert_int_eq(stat(path, &facts), 0);
	ck_assert_uint_eq(facts.st_mode & 0777, 0600);

	memset(folder, 'x', sizeof folder - 1);
	*folder = '/';
	ck_assert(!store());
	ck_assert_int_eq(errno, ENAMETOOLONG);
}

/* --- Several processes ------------------------------------------------------------------------ */

enum { LARGE = 200000, WRITERS = 2, READERS = 2, STORES = 150 };

/* Stores a binary whose every byte names its writer. */
static void write_many(unsigned char mine)
{
	static unsigned char large[LARGE];
	memset(large, mine, sizeof large);
	for (int i = 0; i < STORES; i++)
		if (!clpac__opencl_cache_write(folder, key, large, sizeof large - mine))
			_exit(1);
	_exit(0);
}

/* Reads until a file says to stop; returns 0 when everything read was whole. */
static void read_many(const char *over)
{
	unsigned n_seen = 0;
	bool is_last;
	do {
		is_last = access(over, F_OK) == 0;
		size_t bytes = 0;
		unsigned char *found = clpac__opencl_cache_read(folder, key, &bytes);
		if (!found)
			continue;
		n_seen++;
		if (bytes != (size_t)(LARGE - found[0]) || found[0] < 1 || found[0] > WRITERS)
			_exit(1);
		for (size_t i = 1; i < bytes; i++)
			if (found[i] != found[0])
				_exit(2);
		clpac__free(found);
	} while (!is_last);
	_exit(n_seen ? 0 : 3);
}

TEST(two_processes_that_write_at_once_leave_whole_files_at_every_moment)
{
	char over[2048];
	pid_t children[WRITERS + READERS];
	int status;
	snprintf(over, sizeof over, "%s", files_path("over"));
	for (int i = 0; i < WRITERS + READERS; i++) {
		children[i] = fork();
		ck_assert_int_ge(children[i], 0);
		if (children[i] == 0) {
			if (i < WRITERS)
				write_many((unsigned char)(i + 1));
			read_many(over);
		}
	}
	for (int i = 0; i < WRITERS + READERS; i++) {
		if (i == WRITERS)
			files_write_text("over", "");
		ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d: status %d", i, status);
	}
	ck_assert_uint_eq(count_entries(folder), 1);
}
