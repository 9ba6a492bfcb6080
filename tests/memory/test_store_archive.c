/* A store written to a file and read again; files that were damaged. */
#include "runner.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "assertions.h"
#include "store_truth.h"

static simulated_device device;
static clpac_pool *pool;
static clpac_store *store;
static clpac_error err;
static char path[64];

static void begin(void)
{
	pool = open_pool(&device, 8 << 20, NULL);
	assert_works(clpac_store_create(pool, &(clpac_store_options){.host_bytes = 1 << 20}, &store, &err), err);
	snprintf(path, sizeof path, "/tmp/clpac-archive-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
}

static void end(void)
{
	unlink(path);
	end_store(store, pool, &device);
}

/* --- What is synced --- */

/* The last file that was synced: which, and how long it was then; the last folder, and which file had the name of the
 * store then; and whether syncing a file fails, and how syncing a folder does. */
static struct {
	struct stat facts, folder, named;
	bool fails;
	int folder_error;
} synced;

int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
	struct stat facts;
	ck_assert_int_eq(fstat(file, &facts), 0);
	errno = EIO;
	if (S_ISDIR(facts.st_mode)) {
		synced.folder = facts;
		ck_assert_int_eq(stat(path, &synced.named), 0);
		errno = synced.folder_error;
		return synced.folder_error ? -1 : 0;
	}
	synced.facts = facts;
	return synced.fails ? -1 : 0; /* nothing is lost in a test when no disk is waited for */
}

static struct stat facts_of_file(void)
{
	struct stat facts;
	ck_assert_int_eq(stat(path, &facts), 0);
	return facts;
}

static unsigned char *content_of_file(size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	fseek(file, 0, SEEK_END);
	*bytes = (size_t)ftell(file);
	rewind(file);
	unsigned char *content = malloc(*bytes);
	ck_assert_uint_eq(fread(content, 1, *bytes, file), *bytes);
	fclose(file);
	return content;
}

static void write_file(const unsigned char *content, size_t bytes)
{
	unlink(path); /* some file systems write a file that was emptied to the disk at once */
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(content, 1, bytes, file), bytes);
	fclose(file);
}

/* One entry on the device, one on the host, one of two arrays. */
static void fill(void)
{
	const clpac_stored_array arrays[] = {
		{.name = "first", .type = "uint8", .shape = {2}, .bytes = 2, .data = "ab"},
		{.name = "second", .type = "uint8", .shape = {3}, .bytes = 3, .data = "cde"},
	};
	clpac_metadata about = {.type = "byte",
				.shape = {4, 25},
				.file = "a.edf",
				.file_bytes = 7,
				.file_time_ns = -3,
				.text = "band=alpha"};
	put_pattern(store, pool, "host", 99, 2);
	ck_assert_uint_gt(clpac_store_evict(store, pool, 1), 0);
	assert_works(clpac_store_put(store, "device", take_pattern(pool, 100, 1), &about, CLPAC_PUT_FAIL, &err), err);
	assert_works(clpac_store_save(store, "arrays", 2, arrays, NULL, CLPAC_PUT_FAIL, &err), err);
}

TEST(what_was_written_is_read_into_another_store)
{
	size_t n = 0;
	begin();
	fill();
	put_pattern(store, pool, "large", 3 << 20, 5);
	assert_works(clpac_store_write(store, path, NULL, &err), err);
	assert_refused(clpac_store_read(store, path, CLPAC_PUT_FAIL, &n, &err), err, CLPAC_ERROR_ARGUMENT, "already");
	ck_assert_uint_eq(clpac_store_delete_prefix(store, NULL), 4);
	assert_works(clpac_store_read(store, path, CLPAC_PUT_FAIL, &n, &err), err);
	ck_assert_uint_eq(n, 4);
	check_pattern(store, "host", 99, 2);
	check_pattern(store, "device", 100, 1);
	check_pattern(store, "large", 3 << 20, 5);
	clpac_entry *entry = hold(store, "device");
	const clpac_metadata *about = clpac_entry_metadata(entry);
	ck_assert_str_eq(about->type, "byte");
	ck_assert_uint_eq(about->shape[1], 25);
	ck_assert_str_eq(about->file, "a.edf");
	ck_assert_uint_eq(about->file_bytes, 7);
	ck_assert_int_eq(about->file_time_ns, -3);
	ck_assert_str_eq(about->text, "band=alpha");
	clpac_entry_release(entry);
	entry = hold(store, "arrays");
	const clpac_stored_array *second = clpac_entry_array(entry, "second");
	char bytes[3];
	ck_assert_uint_eq(second->shape[0], 3);
	assert_works(clpac_store_get(store, "arrays", second->offset, 3, bytes, &err), err);
	ck_assert_mem_eq(bytes, "cde", 3);
	clpac_entry_release(entry);
	/* Keys that are there are kept or replaced. */
	assert_works(clpac_store_delete(store, "host", &err), err);
	put_pattern(store, pool, "host", 10, 9);
	assert_works(clpac_store_read(store, path, CLPAC_PUT_KEEP, NULL, &err), err);
	check_pattern(store, "host", 10, 9);
	assert_works(clpac_store_read(store, path, CLPAC_PUT_REPLACE, NULL, &err), err);
	check_pattern(store, "host", 99, 2);
	/* A part of the keys; none. */
	assert_works(clpac_store_write(store, path, "d", &err), err);
	assert_works(clpac_store_read(store, path, CLPAC_PUT_KEEP, &n, &err), err);
	ck_assert_uint_eq(n, 1);
	assert_works(clpac_store_write(store, path, "no such", &err), err);
	assert_works(clpac_store_read(store, path, CLPAC_PUT_FAIL, &n, &err), err);
	ck_assert_uint_eq(n, 0);
	end();
}

TEST(a_file_with_a_changed_byte_is_refused_and_changes_nothing)
{
	size_t bytes;
	begin();
	fill();
	assert_works(clpac_store_write(store, path, NULL, &err), err);
	clpac_store_delete_prefix(store, NULL);
	unsigned char *content = content_of_file(&bytes);
	for (size_t i = 0; i < bytes; i++)
		for (unsigned bit = 0; bit < 8; bit += 7) {
			content[i] ^= (unsigned char)(1u << bit);
			write_file(content, bytes);
			clpac_status st = clpac_store_read(store, path, CLPAC_PUT_FAIL, NULL, &err);
			ck_assert_msg(st == CLPAC_ERROR_FORMAT && strstr(err.text, path), "byte %zu, bit %u: '%s' %s",
				      i, bit, clpac_status_text(st), st ? err.text : "");
			content[i] ^= (unsigned char)(1u << bit);
		}
	ck_assert(!clpac_store_exists(store, "arrays"));
	free(content);
	end();
}

TEST(a_file_cut_short_or_with_more_is_refused)
{
	size_t bytes;
	begin();
	fill();
	assert_works(clpac_store_write(store, path, NULL, &err), err);
	clpac_store_delete_prefix(store, NULL);
	unsigned char *content = content_of_file(&bytes);
	for (size_t i = 0; i < bytes; i++) {
		write_file(content, i);
		assert_refused(clpac_store_read(store, path, CLPAC_PUT_FAIL, NULL, &err), err, CLPAC_ERROR_FORMAT,
			       path);
	}
	content = realloc(content, bytes + 1);
	content[bytes] = 0;
	write_file(content, bytes + 1);
	assert_refused(clpac_store_read(store, path, CLPAC_PUT_FAIL, NULL, &err), err, CLPAC_ERROR_FORMAT,
		       "more follows");
	free(content);
	end();
}

TEST(files_that_cannot_be_read_or_written_are_errors)
{
	begin();
	fill();
	assert_refused(clpac_store_read(store, "/no/such", CLPAC_PUT_FAIL, NULL, &err), err, CLPAC_ERROR_IO,
		       "/no/such");
	assert_refused(clpac_store_read(store, "/tmp", CLPAC_PUT_FAIL, NULL, &err), err, CLPAC_ERROR_IO, "/tmp");
	assert_refused(clpac_store_write(store, "/no/such/file", NULL, &err), err, CLPAC_ERROR_IO, "/no/such/file");
	assert_survives_failing_allocations(clpac_store_write(store, path, NULL, &err), (void)0);
	clpac_store_delete_prefix(store, NULL);
	assert_survives_failing_allocations(clpac_store_read(store, path, CLPAC_PUT_REPLACE, NULL, &err), (void)0);
	clpac_store_delete_prefix(store, NULL);
	end();
}

/* A machine that loses its power meanwhile leaves the old file or the new one. */
TEST(a_file_is_synced_as_a_whole_before_it_gets_its_name)
{
	begin();
	fill();
	const ino_t before = facts_of_file().st_ino;
	memset(&synced, 0, sizeof synced);
	synced.fails = true;
	assert_refused(clpac_store_write(store, path, NULL, &err), err, CLPAC_ERROR_IO, path);
	ck_assert_uint_eq(facts_of_file().st_ino, before);
	memset(&synced, 0, sizeof synced);
	assert_works(clpac_store_write(store, path, NULL, &err), err);
	const struct stat after = facts_of_file();
	ck_assert_uint_ne(after.st_ino, before);
	ck_assert_uint_eq(synced.facts.st_ino, after.st_ino);
	ck_assert_int_gt(after.st_size, 0);
	ck_assert_int_eq(synced.facts.st_size, after.st_size);
	end();
}

TEST(its_folder_is_synced_when_it_has_its_name)
{
	begin();
	fill();
	struct stat folder;
	ck_assert_int_eq(stat("/tmp", &folder), 0);
	memset(&synced, 0, sizeof synced);
	assert_works(clpac_store_write(store, path, NULL, &err), err);
	ck_assert_uint_eq(synced.folder.st_ino, folder.st_ino);
	ck_assert_uint_eq(synced.named.st_ino, facts_of_file().st_ino);
	static const int harmless[] = {EINVAL, EROFS, EOPNOTSUPP, ENOSYS}, others[] = {EIO, ENOSPC};
	for (size_t i = 0; i < COUNT(harmless); i++) {
		synced.folder_error = harmless[i];
		assert_works(clpac_store_write(store, path, NULL, &err), err);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		synced.folder_error = others[i];
		assert_refused(clpac_store_write(store, path, NULL, &err), err, CLPAC_ERROR_IO,
			       "folder could not be synced");
	}
	end();
}
