/* What the OpenCL backend promises beyond the laws of a queue: programs, their cache on disk, and what is said when it
 * fails. */
#include "runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl/opencl.h"
#include "targets.h"

const int runner_no_fork = 1;

static char folder[256];
static clpac__opencl_queue *queue;
static clpac_options options;
static clpac_error err;
static unsigned n_logged[3];
static char logged[1024];

#define OK(call) ck_assert_msg((call) == CLPAC_OK, "%s: %s", #call, err.text)

static void log_line(void *user, clpac_log_level level, const char *text)
{
	ck_assert_ptr_eq(user, folder);
	ck_assert_ptr_null(strchr(text, '\n'));
	n_logged[level]++;
	if (level == CLPAC_LOG_WARNING)
		snprintf(logged, sizeof logged, "%s", text);
}

static void open_queue(int i)
{
	clpac__queue *opened = NULL;
	OK(targets_get((size_t)i)->backend->open(&targets_get((size_t)i)->device, &options, &opened, &err));
	queue = clpac__opencl_of(opened);
}

static void close_queue(void)
{
	if (queue)
		queue->base.operations->close(&queue->base);
	queue = NULL;
}

static void set_up(void)
{
	const char *base = getenv("CLPAC_TEST_BUILDDIR");
	snprintf(folder, sizeof folder, "%s/clpac-cache-XXXXXX", base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	options = (clpac_options){.log = log_line, .log_user = folder};
	snprintf(options.cache, sizeof options.cache, "%s/a/b", folder);
	memset(n_logged, 0, sizeof n_logged);
	*logged = 0;
}

static void remove_tree(const char *path)
{
	DIR *open = opendir(path);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		char inner[1024];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
		if (unlink(inner) != 0)
			remove_tree(inner);
	}
	if (open)
		closedir(open);
	rmdir(path);
}

static void tear_down(void)
{
	close_queue();
	remove_tree(folder);
}

/* --- Programs ---------------------------------------------------------------------------------------------- */

static const char small_source[] = "__kernel void k(__global float *x) { x[get_global_id(0)] = 1.0f; }\n";

static void build(const char *source, const char *flags)
{
	cl_program program = NULL;
	OK(clpac__opencl_build(queue, source, flags, &program, &err));
	ck_assert_ptr_nonnull(program);
	clReleaseProgram(program);
}

START_TEST(every_stage_becomes_a_kernel_once_per_number_of_bins)
{
	open_queue(_i);
	OK(queue->base.operations->prepare(&queue->base, 0, &err));
	ck_assert_uint_eq(queue->n_compiled, 1);
	OK(queue->base.operations->prepare(&queue->base, 0, &err));
	OK(queue->base.operations->prepare(&queue->base, 18, &err)); /* the one that 0 stands for */
	ck_assert_uint_eq(queue->n_compiled, 1);
	OK(queue->base.operations->prepare(&queue->base, 7, &err));
	ck_assert_uint_eq(queue->n_compiled, 2);
	OK(queue->base.operations->prepare(&queue->base, 18, &err));
	ck_assert_uint_eq(queue->n_compiled, 2);
	for (size_t i = 0; i < CLPAC__STAGE_COUNT; i++) {
		size_t group = queue->programs->groups[i];
		ck_assert_ptr_nonnull(queue->programs->kernels[i]);
		ck_assert_uint_eq(group & (group - 1), 0);
	}
}
END_TEST

START_TEST(the_source_names_the_place_of_every_line)
{
	char *source = NULL;
	OK(clpac__opencl_source(&source, &err));
	const char *prelude = strstr(source, "#line 1 \"cl/prelude.cl\"\n");
	ck_assert_ptr_nonnull(prelude);
	ck_assert_ptr_nonnull(strstr(source, "#line 1 \"cl/extend.cl\"\n"));
	ck_assert_ptr_null(strstr(prelude + 1, "#line 1 \"cl/prelude.cl\"\n"));
	ck_assert_ptr_null(strstr(source, "#include \""));
	free(source);
}
END_TEST

START_TEST(a_source_that_does_not_compile_is_reported_with_the_drivers_words)
{
	cl_program program = NULL;
	open_queue(_i);
	clpac_status st =
		clpac__opencl_build(queue,
				    "#line 7 \"cl/nonsense.cl\"\n__kernel void k(void) { undeclared_thing = 1; }\n",
				    "-DX=1", &program, &err);
	ck_assert_int_eq(st, CLPAC_ERROR_BUILD);
	ck_assert_ptr_null(program);
	ck_assert_int_eq(err.native_code, CL_BUILD_PROGRAM_FAILURE);
	ck_assert_msg(strstr(err.text, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11)") &&
			      strstr(err.text, "undeclared_thing") && strstr(err.text, queue->base.device.name) &&
			      strstr(err.text, "-DX=1"),
		      "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	ck_assert_uint_eq(queue->n_compiled, 0);
}
END_TEST

START_TEST(a_long_log_is_cut_to_the_errors_size)
{
	enum { LINES = 2000 };
	static char source[LINES * 40];
	cl_program program = NULL;
	size_t n = 0;
	open_queue(_i);
	for (int i = 0; i < LINES; i++)
		n += (size_t)snprintf(source + n, sizeof source - n, "int f%d(int a) { return %d + q%d; }\n", i, i, i);
	ck_assert_int_eq(clpac__opencl_build(queue, source, "", &program, &err), CLPAC_ERROR_BUILD);
	ck_assert_uint_lt(strlen(err.text), sizeof err.text);
	ck_assert_msg(strstr(err.text, "q0"), "%s", err.text);
}
END_TEST

START_TEST(every_vector_width_builds)
{
	static const unsigned widths[] = {1, 4, 8, 16};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		options.vector_width = widths[i];
		open_queue(_i);
		ck_assert_uint_eq(queue->base.vector_width, widths[i]);
		OK(queue->base.operations->prepare(&queue->base, 5, &err));
		close_queue();
	}
}
END_TEST

START_TEST(a_vector_width_between_is_refused)
{
	static const unsigned widths[] = {2, 3, 5, 32};
	clpac__queue *opened = NULL;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		options.vector_width = widths[i];
		ck_assert_int_eq(targets_get((size_t)_i)
					 ->backend->open(&targets_get((size_t)_i)->device, &options, &opened, &err),
				 CLPAC_ERROR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(err.text, "vector_width"));
		ck_assert_ptr_null(opened);
	}
}
END_TEST

START_TEST(the_devices_own_width_is_rounded_to_one_that_kernels_have)
{
	clpac_device device = targets_get((size_t)_i)->device;
	static const unsigned widths[][2] = {{0, 1}, {1, 1}, {2, 1}, {4, 4}, {8, 8}, {15, 8}, {16, 16}, {32, 16}};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		clpac__queue *opened = NULL;
		device.vector_width_float = widths[i][0];
		OK(targets_get((size_t)_i)->backend->open(&device, NULL, &opened, &err));
		ck_assert_uint_eq(opened->vector_width, widths[i][1]);
		opened->operations->close(opened);
	}
}
END_TEST

START_TEST(a_device_of_an_old_list_is_not_mistaken_for_another)
{
	clpac__queue *opened = NULL;
	clpac_device device = targets_get((size_t)_i)->device;
	strcpy(device.name, "Voodoo 2");
	ck_assert_int_eq(targets_get((size_t)_i)->backend->open(&device, &options, &opened, &err),
			 CLPAC_ERROR_NO_DEVICE);
	ck_assert_msg(strstr(err.text, "\"Voodoo 2\" is another one"), "%s", err.text);
	device.platform = 63;
	ck_assert_int_eq(targets_get((size_t)_i)->backend->open(&device, &options, &opened, &err),
			 CLPAC_ERROR_NO_DEVICE);
	ck_assert_msg(strstr(err.text, "\"Voodoo 2\" is gone now: list the devices again"), "%s", err.text);
	ck_assert_ptr_null(opened);
}
END_TEST

/* --- Launches ---------------------------------------------------------------------------------------------- */

/* With no padding "extend" copies, so that every work-item's trace is seen. */
START_TEST(every_work_item_runs_once_whatever_their_number)
{
	static const size_t lengths[] = {1, 2, 63, 64, 65, 96, 127, 640, 2003, 4113}, rows[] = {1, 3, 70};
	enum { LARGEST = 4113 * 70 };
	static float put[LARGEST], got[LARGEST];
	open_queue(_i);
	const clpac__queue_operations *on = queue->base.operations;
	clpac__block *from = NULL, *to = NULL;
	OK(on->create(&queue->base, sizeof put, &from, &err));
	OK(on->create(&queue->base, sizeof got, &to, &err));
	for (size_t i = 0; i < LARGEST; i++)
		put[i] = (float)i;
	OK(on->write(&queue->base, from, 0, sizeof put, put, &err));
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
			uint32_t n = (uint32_t)lengths[l];
			size_t all = lengths[l] * rows[r];
			OK(on->fill(&queue->base, to, 0, sizeof got, 0xff, &err));
			OK(on->launch(&queue->base,
				      &(clpac__launch){.stage = CLPAC__STAGE_extend,
						       .items = {n, rows[r], 1},
						       .arguments = {{.block = from},
								     {.block = to},
								     {.number = n},
								     {.number = 0},
								     {.number = n},
								     {.number = n}}},
				      &err));
			OK(on->read(&queue->base, to, 0, sizeof got, got, &err));
			ck_assert_mem_eq(got, put, all * sizeof *got);
			for (size_t i = all; i < LARGEST && i < all + 1000; i++)
				ck_assert(got[i] != got[i]); /* all bits set: NaN, as it was filled */
		}
	}
	on->release(&queue->base, from);
	on->release(&queue->base, to);
}
END_TEST

START_TEST(more_work_items_than_can_be_counted_are_refused)
{
	open_queue(_i);
	const clpac__queue_operations *on = queue->base.operations;
	clpac__block *block = NULL;
	OK(on->create(&queue->base, 64, &block, &err));
	clpac__launch launch = {.stage = CLPAC__STAGE_extend,
				.items = {64, SIZE_MAX / 8, 1024},
				.arguments = {{.block = block}, {.block = block}}};
	ck_assert_int_eq(on->launch(&queue->base, &launch, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "extend on") && strstr(err.text, "are too many"), "%s", err.text);
	on->release(&queue->base, block);
}
END_TEST

/* --- The cache --------------------------------------------------------------------------------------------- */

/* The one file in the cache folder; fails the test when there is another number of them. */
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

/* Builds and expects it from the source, or from the cache. */
static void expect(bool from_cache)
{
	unsigned n_compiled = queue->n_compiled, n_from_cache = queue->n_from_cache;
	build(small_source, "-cl-std=CL1.2");
	ck_assert_uint_eq(queue->n_compiled - n_compiled, !from_cache);
	ck_assert_uint_eq(queue->n_from_cache - n_from_cache, from_cache);
}

START_TEST(a_program_is_compiled_once_and_then_loaded)
{
	struct stat facts;
	open_queue(_i);
	expect(false);
	expect(true);
	ck_assert_int_eq(stat(the_file(), &facts), 0);
	ck_assert_int_eq(facts.st_mode & 0777, 0600);
	ck_assert_int_eq(stat(options.cache, &facts), 0);
	ck_assert_int_eq(facts.st_mode & 0777, 0700);
	close_queue();
	open_queue(_i);
	expect(true);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 0);
}
END_TEST

START_TEST(another_source_or_option_is_another_program)
{
	open_queue(_i);
	expect(false);
	build(small_source, "-cl-std=CL1.2 -DX=2");
	build("__kernel void k(__global float *x) { x[get_global_id(0)] = 2.0f; }\n", "-cl-std=CL1.2");
	ck_assert_uint_eq(queue->n_compiled, 3);
	ck_assert_uint_eq(queue->n_from_cache, 0);
}
END_TEST

START_TEST(another_driver_or_device_is_another_program)
{
	open_queue(_i);
	expect(false);
	queue->base.device.driver[0]++;
	expect(false);
	queue->base.device.name[0]++;
	expect(false);
}
END_TEST

static long size_of(const char *path)
{
	struct stat facts;
	ck_assert_int_eq(stat(path, &facts), 0);
	return (long)facts.st_size;
}

/* Opens the cache's file for change at a place. */
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
	open_queue(_i);
	expect(false);
	long size = size_of(the_file());
	/* A byte of the magic, of each number, of the key, of the binary, and its last one. */
	const long places[] = {0, 16, 24, 32, 40, 60, size / 2, size - 1};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
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
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		expect(true);
		ck_assert_int_eq(truncate(the_file(), sizes[i]), 0);
		expect(false);
	}
	expect(true);
	ck_assert_int_eq(truncate(the_file(), size + 1), 0);
	expect(false);
	expect(true);
	overwrite(24, "\xff\xff\xff\xff\xff\xff\xff\xff", 8); /* a length out of all proportion */
	expect(false);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 0);
}
END_TEST

START_TEST(a_file_that_others_could_have_written_is_ignored_and_replaced)
{
	struct stat facts;
	open_queue(_i);
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
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_told_and_costs_time_only)
{
	FILE *file;
	char path[sizeof folder + 16];
	snprintf(path, sizeof path, "%s/file", folder);
	ck_assert_ptr_nonnull(file = fopen(path, "w"));
	fclose(file);
	snprintf(options.cache, sizeof options.cache, "%s/below", path);
	open_queue(_i);
	expect(false);
	expect(false);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 2);
	ck_assert_msg(strstr(logged, path) && strstr(logged, "Not a directory"), "%s", logged);
	close_queue();

	if (geteuid() != 0) { /* the superuser writes where it likes */
		snprintf(options.cache, sizeof options.cache, "%s/closed", folder);
		ck_assert_int_eq(mkdir(options.cache, 0500), 0);
		open_queue(_i);
		expect(false);
		expect(false);
		ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 4);
	}
}
END_TEST

START_TEST(a_cache_that_is_switched_off_touches_no_disk)
{
	char untouched[sizeof folder + 16];
	snprintf(untouched, sizeof untouched, "%s/a", folder);
	strcpy(options.cache, "none");
	open_queue(_i);
	ck_assert_str_eq(queue->cache, "");
	expect(false);
	expect(false);
	ck_assert_int_ne(access(untouched, F_OK), 0);
	ck_assert_uint_eq(n_logged[CLPAC_LOG_WARNING], 0);
}
END_TEST

START_TEST(the_cache_is_in_the_users_home_by_default)
{
	char path[512], small[8];
	clpac__opencl_cache_folder("", path, sizeof path);
	ck_assert(!*path || (path[0] == '/' && strstr(path, "/.cache/clpac")));
	clpac__opencl_cache_folder("/somewhere", path, sizeof path);
	ck_assert_str_eq(path, "/somewhere");
	clpac__opencl_cache_folder("/somewhere", small,
				   sizeof small); /* too long to be kept: no cache, and not another one */
	ck_assert_str_eq(small, "");
}
END_TEST

const char *skip_reason(void)
{
	return targets_find("opencl") ? NULL : "no OpenCL device that can be used (clpac devices says why)";
}

Suite *suite(void)
{
	int n = (int)targets_find("opencl");
	Suite *s = suite_create("OpenCL");
	TCase *c = tcase_create("programs, launches, cache");
	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, every_stage_becomes_a_kernel_once_per_number_of_bins, 0, n);
	tcase_add_test(c, the_source_names_the_place_of_every_line);
	tcase_add_loop_test(c, a_source_that_does_not_compile_is_reported_with_the_drivers_words, 0, n);
	tcase_add_loop_test(c, a_long_log_is_cut_to_the_errors_size, 0, n);
	tcase_add_loop_test(c, every_vector_width_builds, 0, n);
	tcase_add_loop_test(c, a_vector_width_between_is_refused, 0, n);
	tcase_add_loop_test(c, the_devices_own_width_is_rounded_to_one_that_kernels_have, 0, n);
	tcase_add_loop_test(c, a_device_of_an_old_list_is_not_mistaken_for_another, 0, n);
	tcase_add_loop_test(c, every_work_item_runs_once_whatever_their_number, 0, n);
	tcase_add_loop_test(c, more_work_items_than_can_be_counted_are_refused, 0, n);
	tcase_add_loop_test(c, a_program_is_compiled_once_and_then_loaded, 0, n);
	tcase_add_loop_test(c, another_source_or_option_is_another_program, 0, n);
	tcase_add_loop_test(c, another_driver_or_device_is_another_program, 0, n);
	tcase_add_loop_test(c, a_damaged_file_is_ignored_and_replaced, 0, n);
	tcase_add_loop_test(c, a_file_that_others_could_have_written_is_ignored_and_replaced, 0, n);
	tcase_add_loop_test(c, a_folder_that_cannot_be_written_is_told_and_costs_time_only, 0, n);
	tcase_add_loop_test(c, a_cache_that_is_switched_off_touches_no_disk, 0, n);
	tcase_add_test(c, the_cache_is_in_the_users_home_by_default);
	suite_add_tcase(s, c);
	return s;
}
