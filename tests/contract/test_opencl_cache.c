/* Compiled programs on disk, as a queue stores and finds them. */
#include "runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assertions.h"
#include "base/environment.h"
#include "opencl_fixture.h"

const int runner_no_fork = 1;

static const char small_source[] = "__kernel void k(__global float *x) { x[get_global_id(0)] = 1.0f; }\n";

/* Opens a queue whose driver keeps compiled programs itself, or leaves that to clpac. */
static void open_keeping(int i, bool driver_keeps)
{
	open_queue(i);
	queue->quirks.keeps_programs = driver_keeps;
}

static void build(const char *source, const char *flags)
{
	cl_program program = NULL;
	OK(clpac__opencl_build(kernels_of(&queue->base), source, flags, &program, &err));
	clpac__opencl_tell(queue);
	ck_assert_ptr_nonnull(program);
	clReleaseProgram(program);
}

/* The one file in the cache folder; fails the test when there is another number of files. */
static const char *the_file(void)
{
	static char path[1024];
	unsigned n = 0;
	DIR *open = opendir(options.cache);
	ck_assert_ptr_nonnull(open);
	for (struct dirent *entry; (entry = readdir(open));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", options.cache, entry->d_name);
		n++;
	}
	closedir(open);
	ck_assert_uint_eq(n, 1);
	return path;
}

/* Builds a program and asserts whether it came from the cache or was compiled. */
static void expect(bool from_cache)
{
	unsigned n_compiled = kernels_of(&queue->base)->n_compiled,
		 n_from_cache = kernels_of(&queue->base)->n_from_cache;
	build(small_source, "-cl-std=CL1.2");
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled - n_compiled, !from_cache);
	ck_assert_uint_eq(kernels_of(&queue->base)->n_from_cache - n_from_cache, from_cache);
}

START_TEST(a_program_is_compiled_once_and_then_loaded)
{
	struct stat facts;
	open_keeping(_i, false);
	expect(false);
	expect(true);
	ck_assert_int_eq(stat(the_file(), &facts), 0);
	ck_assert_int_eq(facts.st_mode & 0777, 0600);
	ck_assert_int_eq(stat(options.cache, &facts), 0);
	ck_assert_int_eq(facts.st_mode & 0777, 0700);
	close_queue();
	open_keeping(_i, false);
	expect(true);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 0);
}

START_TEST(another_source_or_option_is_another_program)
{
	open_keeping(_i, false);
	expect(false);
	build(small_source, "-cl-std=CL1.2 -DX=2");
	build("__kernel void k(__global float *x) { x[get_global_id(0)] = 2.0f; }\n", "-cl-std=CL1.2");
	ck_assert_uint_eq(kernels_of(&queue->base)->n_compiled, 3);
	ck_assert_uint_eq(kernels_of(&queue->base)->n_from_cache, 0);
}

START_TEST(another_driver_or_device_is_another_program)
{
	open_keeping(_i, false);
	expect(false);
	queue->base.device.driver[0]++;
	expect(false);
	queue->base.device.name[0]++;
	expect(false);
}

static long size_of(const char *path)
{
	struct stat facts;
	ck_assert_int_eq(stat(path, &facts), 0);
	return (long)facts.st_size;
}

/* Opens the cache's file for a change at an offset. */
static void overwrite(long offset, const void *data, size_t n)
{
	int file = open(the_file(), O_WRONLY);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(lseek(file, offset, SEEK_SET), offset);
	ck_assert_int_eq(write(file, data, n), n);
	close(file);
}

START_TEST(a_damaged_file_is_ignored_and_replaced)
{
	open_keeping(_i, false);
	expect(false);
	long size = size_of(the_file());
	/* One byte each: of the magic, of each number, of the key, of the binary, and the last one. */
	const long places[] = {0, 16, 24, 32, 40, 60, size / 2, size - 1};
	for (size_t i = 0; i < COUNT(places); i++) {
		expect(true);
		unsigned char byte;
		int file = open(the_file(), O_RDONLY);
		ck_assert_int_eq(pread(file, &byte, 1, places[i]), 1);
		close(file);
		byte ^= 0x41;
		overwrite(places[i], &byte, 1);
		expect(false);
	}
	const long sizes[] = {0, 1, 39, 40, 100, size - 1};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		expect(true);
		ck_assert_int_eq(truncate(the_file(), sizes[i]), 0);
		expect(false);
	}
	expect(true);
	ck_assert_int_eq(truncate(the_file(), size + 1), 0);
	expect(false);
	expect(true);
	overwrite(24, "\xff\xff\xff\xff\xff\xff\xff\xff", 8); /* an absurd length */
	expect(false);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 0);
}

START_TEST(a_file_that_others_could_have_written_is_ignored_and_replaced)
{
	struct stat facts;
	open_keeping(_i, false);
	expect(false);
	ck_assert_int_eq(chmod(the_file(), 0666), 0);
	expect(false);
	ck_assert_int_eq(stat(the_file(), &facts), 0);
	ck_assert_int_eq(facts.st_mode & 0777, 0600);
	expect(true);

	char elsewhere[sizeof folder + 16];
	snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
	ck_assert_int_eq(rename(the_file(), elsewhere), 0);
	char path[1024];
	snprintf(path, sizeof path, "%s", options.cache);
	expect(false);
	snprintf(path, sizeof path, "%s", the_file());
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink(elsewhere, path), 0);
	expect(false);
	ck_assert_int_eq(lstat(path, &facts), 0);
	ck_assert(S_ISREG(facts.st_mode));
	if (geteuid() == 0) { /* only the superuser can give a file away */
		ck_assert_int_eq(chown(path, 1, (gid_t)-1), 0);
		expect(false);
		expect(true);
	}
}

START_TEST(a_folder_that_cannot_be_written_is_told_and_costs_time_only)
{
	FILE *file;
	char path[sizeof folder + 16];
	snprintf(path, sizeof path, "%s/file", folder);
	ck_assert_ptr_nonnull(file = fopen(path, "w"));
	fclose(file);
	snprintf(options.cache, sizeof options.cache, "%s/below", path);
	open_keeping(_i, false);
	expect(false);
	expect(false);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 2);
	ck_assert_msg(strstr(logged, path) && strstr(logged, "Not a directory"), "%s", logged);
	close_queue();

	if (geteuid() != 0) { /* the superuser may write anywhere */
		snprintf(options.cache, sizeof options.cache, "%s/closed", folder);
		ck_assert_int_eq(mkdir(options.cache, 0500), 0);
		open_keeping(_i, false);
		expect(false);
		expect(false);
		ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 4);
	}
}

START_TEST(a_cache_that_is_switched_off_touches_no_disk)
{
	char untouched[sizeof folder + 16];
	snprintf(untouched, sizeof untouched, "%s/a", folder);
	strcpy(options.cache, "none");
	open_keeping(_i, false);
	ck_assert_str_eq(kernels_of(&queue->base)->cache, "");
	expect(false);
	expect(false);
	ck_assert_int_ne(access(untouched, F_OK), 0);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 0);
}

START_TEST(what_the_driver_keeps_itself_is_not_kept_twice)
{
	open_keeping(_i, true);
	expect(false);
	expect(false);
	ck_assert_int_ne(access(options.cache, F_OK), 0);
}

START_TEST(the_cache_is_in_the_users_home_by_default)
{
	char path[512], small[8];
	clpac__cache_folder("", path, sizeof path);
	ck_assert(!*path || (path[0] == '/' && strstr(path, "/.cache/clpac")));
	clpac__cache_folder("/somewhere", path, sizeof path);
	ck_assert_str_eq(path, "/somewhere");
	clpac__cache_folder("/somewhere", small, sizeof small); /* too long: no cache, and no other path */
	ck_assert_str_eq(small, "");
}

const char *skip_reason(void)
{
	return targets_missing("opencl");
}

Suite *suite(void)
{
	int n = (int)targets_find("opencl");
	Suite *s = suite_create("OpenCL programs on disk");
	TCase *c = tcase_create("cache");
	tcase_add_checked_fixture(c, set_up_folder, tear_down_folder);
	tcase_add_loop_test(c, a_program_is_compiled_once_and_then_loaded, 0, n);
	tcase_add_loop_test(c, another_source_or_option_is_another_program, 0, n);
	tcase_add_loop_test(c, another_driver_or_device_is_another_program, 0, n);
	tcase_add_loop_test(c, a_damaged_file_is_ignored_and_replaced, 0, n);
	tcase_add_loop_test(c, a_file_that_others_could_have_written_is_ignored_and_replaced, 0, n);
	tcase_add_loop_test(c, a_folder_that_cannot_be_written_is_told_and_costs_time_only, 0, n);
	tcase_add_loop_test(c, a_cache_that_is_switched_off_touches_no_disk, 0, n);
	tcase_add_loop_test(c, what_the_driver_keeps_itself_is_not_kept_twice, 0, n);
	tcase_add_test(c, the_cache_is_in_the_users_home_by_default);
	suite_add_tcase(s, c);
	return s;
}
