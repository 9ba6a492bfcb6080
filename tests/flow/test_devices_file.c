/* Lists of devices in files: a list is read as it was written, and nothing in a file is trusted. */
#include "runner.h"

#include <clpac/devices.h>
#include <clpac/write.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "files.h"

static clpac_error err;

static const char *const machines[] = {"h100",	    "two_nvidia", "amd_two_platforms", "intel_integrated",
				       "pocl_only", "nothing",	  "broken_vendor",     "laptop"};

static const char *path_of(const char *name)
{
	static char path[4096];
	snprintf(path, sizeof path, "%s/machines/%s.json", getenv("CLPAC_TEST_DATA"), name);
	return path;
}

static clpac_device_list *read_list(const char *path)
{
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_read(path, &list, &err), err);
	return list;
}

static void check_same_device(const clpac_device *a, const clpac_device *b)
{
	ck_assert_str_eq(a->backend, b->backend);
	ck_assert_str_eq(a->platform_name, b->platform_name);
	ck_assert_int_eq(a->platform, b->platform);
	ck_assert_int_eq(a->index, b->index);
	ck_assert_int_eq(a->is_available, b->is_available);
	ck_assert_int_eq(a->is_duplicate, b->is_duplicate);
	ck_assert_int_eq(a->free_knowledge, b->free_knowledge);
	ck_assert_uint_eq(a->known, b->known);
	for (int i = 0; i < CLPAC_PROPERTY_COUNT; i++) {
		const clpac_property_info *info = clpac_device_property_info((clpac_device_property)i);
		const char *x = (const char *)a + info->offset, *y = (const char *)b + info->offset;
		ck_assert_msg(info->type == CLPAC_PROPERTY_IS_TEXT ? strcmp(x, y) == 0 : memcmp(x, y, info->size) == 0,
			      "%s of %s", info->name, a->name);
	}
}

static void check_same_list(const clpac_device_list *a, const clpac_device_list *b)
{
	ck_assert_uint_eq(clpac_devices_count(a), clpac_devices_count(b));
	for (size_t i = 0; i < clpac_devices_count(a); i++)
		check_same_device(clpac_devices_get(a, i), clpac_devices_get(b, i));
	ck_assert_uint_eq(clpac_platforms_count(a), clpac_platforms_count(b));
	for (size_t i = 0; i < clpac_platforms_count(a); i++) {
		const clpac_platform *x = clpac_platforms_get(a, i), *y = clpac_platforms_get(b, i);
		ck_assert_int_eq(x->index, y->index);
		ck_assert_int_eq(x->n_devices, y->n_devices);
		ck_assert_int_eq(x->status, y->status);
		ck_assert_str_eq(x->backend, y->backend);
		ck_assert_str_eq(x->name, y->name);
		ck_assert_str_eq(x->vendor, y->vendor);
		ck_assert_str_eq(x->version, y->version);
		ck_assert_str_eq(x->trouble, y->trouble);
	}
}

/* Writes a list and reads it again: the file's path, and the list that was read. */
static clpac_device_list *there_and_back(const clpac_device_list *list)
{
	const char *path = files_path("list.json");
	assert_works(clpac_devices_write(list, path, &(clpac_write_options){.overwrite = true}, &err), err);
	return read_list(path);
}

/* --- Written and read ------------------------------------------------------------------------- */

FIXTURE(files_begin, files_end);

TEST_EACH(a_recorded_machine_comes_back_as_it_was, COUNT(machines))
{
	clpac_device_list *list = read_list(path_of(machines[_i]));
	clpac_device_list *back = there_and_back(list);
	check_same_list(list, back);
	ck_assert_str_eq(clpac_devices_best(list)->name, clpac_devices_best(back)->name);
	clpac_devices_destroy(back);
	clpac_devices_destroy(list);
}

TEST_EACH(a_recorded_machine_is_written_as_it_stands_in_the_tree, COUNT(machines))
{
	clpac_device_list *list = read_list(path_of(machines[_i]));
	char *text = NULL;
	assert_works(clpac_devices_json(list, &text, &err), err);
	json_t *written = json_loads(text, 0, NULL), *stored = json_load_file(path_of(machines[_i]), 0, NULL);
	/* The version is that of the program that wrote the file. */
	json_object_del(written, "version");
	json_object_del(stored, "version");
	ck_assert(json_equal(written, stored));
	json_decref(written);
	json_decref(stored);
	free(text);
	clpac_devices_destroy(list);
}

TEST(this_machine_comes_back_as_it_was)
{
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_find(&list, &err), err);
	clpac_device_list *back = there_and_back(list);
	check_same_list(list, back);
	clpac_devices_destroy(back);
	clpac_devices_destroy(list);
}

static clpac_device strange_device(void)
{
	clpac_device device = {
		.kind = CLPAC_DEVICE_OTHER, .backend = "opencl", .platform_name = "Strange", .index = 4095};
	memset(device.name, 'n', sizeof device.name - 1);
	memset(device.extensions, 'e', sizeof device.extensions - 1);
	strcpy(device.board, "\xC3\xA9\xE2\x82\xAC \"quoted\" \\ back");
	device.memory_bytes = device.max_allocation_bytes = UINT64_MAX;
	device.cache_bytes = (uint64_t)1 << 63;
	device.local_bytes = INT64_MAX;
	device.vendor_id = device.clock_mhz = UINT32_MAX;
	device.free_knowledge = CLPAC_ESTIMATED;
	return device;
}

TEST(extreme_values_come_back)
{
	const clpac_platform platform = {
		.backend = "opencl", .name = "Strange", .status = INT32_MIN, .trouble = "all of it"};
	clpac_device devices[2] = {strange_device(), strange_device()};
	devices[1].index = 0;
	devices[1].known = (uint64_t)1 << CLPAC_PROPERTY_KIND | (uint64_t)1 << CLPAC_PROPERTY_HAS_FP16 |
			   (uint64_t)1 << CLPAC_PROPERTY_PCI | (uint64_t)1 << CLPAC_PROPERTY_FREE_BYTES;
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_make(devices, 2, &platform, 1, &list, &err), err);
	clpac_device_list *back = there_and_back(list);
	check_same_list(list, back);
	ck_assert_uint_eq(clpac_devices_get(back, 0)->max_allocation_bytes, UINT64_MAX);
	ck_assert(clpac_device_knows(clpac_devices_get(back, 0), CLPAC_PROPERTY_FREE_BYTES));
	ck_assert(!clpac_device_knows(clpac_devices_get(back, 1), CLPAC_PROPERTY_FREE_BYTES));
	clpac_devices_destroy(back);
	clpac_devices_destroy(list);
}

TEST(texts_that_are_no_text_are_written_so_that_they_can_be_read)
{
	const clpac_platform platform = {.backend = "opencl", .name = "a\x1b[31mb\n"};
	clpac_device device = strange_device(), short_one = strange_device();
	memset(device.name, '\xff', sizeof device.name - 1);
	short_one.index = 1;
	strcpy(short_one.name, "Arc \xAE");
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_make((clpac_device[]){device, short_one}, 2, &platform, 1, &list, &err), err);
	clpac_device_list *back = there_and_back(list);
	ck_assert_str_eq(clpac_platforms_get(back, 0)->name, "a?[31mb?");
	ck_assert_str_eq(clpac_devices_get(back, 0)->name, "Arc ?");
	ck_assert_uint_eq(strspn(clpac_devices_get(back, 1)->name, "?"), sizeof device.name - 1);
	clpac_devices_destroy(back);
	clpac_devices_destroy(list);
}

TEST(an_empty_list_comes_back_empty)
{
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_make(NULL, 0, NULL, 0, &list, &err), err);
	clpac_device_list *back = there_and_back(list);
	check_same_list(list, back);
	clpac_devices_destroy(back);
	clpac_devices_destroy(list);
}

/* --- Malformed files -------------------------------------------------------------------------- */

#define refuse(path, part)                                                                                             \
	do {                                                                                                           \
		clpac_device_list *refuse_list = NULL;                                                                 \
		assert_refused(clpac_devices_read(path, &refuse_list, &err), err, CLPAC_ERROR_FORMAT, part);           \
		ck_assert_ptr_null(refuse_list);                                                                       \
	} while (0)

/* One file, rewritten in place: creating new files takes a disk too long. */
static int open_changing(const char **path)
{
	*path = files_write("changing.json", "", 0);
	const int file = open(*path, O_WRONLY);
	ck_assert_int_ge(file, 0);
	return file;
}

static void rewrite(int file, const void *data, size_t n)
{
	ck_assert_int_eq(pwrite(file, data, n, 0), (ssize_t)n);
	ck_assert_int_eq(ftruncate(file, (off_t)n), 0);
}

TEST(a_file_cut_anywhere_is_refused)
{
	const char *path;
	const int file = open_changing(&path);
	bytes whole = files_content(path_of("nothing"));
	for (size_t n = 0; n + 2 < whole.n; n++) { /* only the last newline may be missing */
		rewrite(file, whole.data, n);
		refuse(path, "changing.json");
	}
	close(file);
	bytes_free(&whole);
}

TEST(whatever_byte_is_changed_the_answer_is_a_list_or_an_error)
{
	static const char others[] = "\0\"}9-[\xff";
	const char *path;
	const int file = open_changing(&path);
	bytes whole = files_content(path_of("nothing"));
	size_t n_refused = 0;
	for (size_t at = 0; at < whole.n; at++) {
		const unsigned char kept = whole.data[at];
		whole.data[at] = (unsigned char)others[at % (sizeof others - 1)];
		rewrite(file, whole.data, whole.n);
		clpac_device_list *list = NULL;
		const clpac_status st = clpac_devices_read(path, &list, &err);
		if (st == CLPAC_OK)
			ck_assert_ptr_nonnull(clpac_devices_get(list, 0));
		else
			ck_assert_int_eq(st, CLPAC_ERROR_FORMAT);
		n_refused += st != CLPAC_OK;
		clpac_devices_destroy(list);
		whole.data[at] = kept;
	}
	ck_assert_uint_gt(n_refused, whole.n / 4);
	close(file);
	bytes_free(&whole);
}

static const char head[] = "{\"format\": \"clpac devices\", \"format_version\": 1, ";

/* A whole file around one device and its platform; either may be malformed. */
static const char *write_one(const char *device_members, const char *platform_members)
{
	static char text[8192];
	snprintf(text, sizeof text,
		 "%s\"devices\": [{\"backend\": \"opencl\", \"platform\": 0, \"index\": 0, \"platform_name\": \"P\", "
		 "\"is_available\": true%s%s}], \"platforms\": [{\"backend\": \"opencl\", \"index\": 0, \"n_devices\": "
		 "1, "
		 "\"status\": 0, \"name\": \"P\"%s%s}]}",
		 head, *device_members ? ", " : "", device_members, *platform_members ? ", " : "", platform_members);
	return files_write_text("one.json", text);
}

TEST(what_is_left_out_is_unknown)
{
	clpac_device_list *list = read_list(write_one("", ""));
	const clpac_device *device = clpac_devices_get(list, 0);
	ck_assert_uint_eq(device->known, 0);
	ck_assert_int_eq(device->kind, CLPAC_DEVICE_OTHER);
	ck_assert_int_eq(device->free_knowledge, CLPAC_UNKNOWN);
	clpac_devices_destroy(list);
}

TEST(members_that_are_not_known_are_passed_over)
{
	clpac_device_list *list = read_list(write_one("\"selection\": 7, \"colour\": [1, {}]", "\"taste\": null"));
	ck_assert_uint_eq(clpac_devices_count(list), 1);
	clpac_devices_destroy(list);
}

static const struct {
	const char *device, *platform, *part;
} wrong_members[] = {
	{"\"clock_mhz\": -1", "", "devices[0].clock_mhz"},
	{"\"clock_mhz\": 1.5", "", "devices[0].clock_mhz"},
	{"\"clock_mhz\": 4294967296", "", "devices[0].clock_mhz"},
	{"\"clock_mhz\": \"many\"", "", "devices[0].clock_mhz"},
	{"\"memory_bytes\": \"18446744073709551616\"", "", "devices[0].memory_bytes"},
	{"\"memory_bytes\": \"-1\"", "", "devices[0].memory_bytes"},
	{"\"memory_bytes\": \"\"", "", "devices[0].memory_bytes"},
	{"\"memory_bytes\": \"1 \"", "", "devices[0].memory_bytes"},
	{"\"memory_bytes\": true", "", "devices[0].memory_bytes"},
	{"\"has_fp64\": 1", "", "devices[0].has_fp64"},
	{"\"has_fp64\": \"yes\"", "", "devices[0].has_fp64"},
	{"\"kind\": \"toaster\"", "", "devices[0].kind is no kind"},
	{"\"kind\": 1", "", "devices[0].kind is no kind"},
	{"\"name\": 7", "", "devices[0].name must be a text"},
	{"\"name\": \"a\\u001b[2J\"", "", "devices[0].name holds a control character"},
	{"\"vendor\": \"a\\nb\"", "", "devices[0].vendor holds a control character"},
	{"\"uuid\": \"0123456789012345678901234567890123456789\"", "", "devices[0].uuid is longer than 39 bytes"},
	{"\"free_knowledge\": \"perhaps\"", "", "devices[0].free_knowledge"},
	{"\"free_knowledge\": 2", "", "devices[0].free_knowledge"},
	{"\"index\": 0", "", "duplicate"},
	{"", "\"vendor\": 3", "platforms[0].vendor must be a text"},
	{"", "\"trouble\": \"\\u0007\"", "platforms[0].trouble holds a control character"},
};

TEST_EACH(a_member_that_is_wrong_is_named, COUNT(wrong_members))
{
	refuse(write_one(wrong_members[_i].device, wrong_members[_i].platform), wrong_members[_i].part);
}

#define DEVICE(backend, platform, index)                                                                               \
	"{\"backend\": \"" backend "\", \"platform\": " platform ", \"index\": " index                                 \
	", \"platform_name\": \"P\", \"is_available\": true}"
#define PLATFORM(backend, index)                                                                                       \
	"{\"backend\": \"" backend "\", \"index\": " index ", \"n_devices\": 1, \"status\": 0, \"name\": \"P\"}"
#define LIST(devices, platforms) "\"devices\": [" devices "], \"platforms\": [" platforms "]}"

static const struct {
	const char *text, *part;
	bool has_head; /* the text follows the head */
} wrong_files[] = {
	{"", "not JSON", false},
	{"{}", "no list of devices", false},
	{"[]", "no list of devices", false},
	{"7", "not JSON", false},
	{"null", "not JSON", false},
	{"\x93NUMPY", "not JSON", false},
	{"{\"format\": 1}", "no list of devices", false},
	{"{\"format\": \"clpac result\", \"format_version\": 1}", "no list of devices", false},
	{"{\"format\": \"clpac devices\"}", "format_version is not 1", false},
	{"{\"format\": \"clpac devices\", \"format_version\": 2}", "format_version is not 1", false},
	{"{\"format\": \"clpac devices\", \"format_version\": \"1\"}", "format_version is not 1", false},
	{"\"devices\": []}", "platforms is missing", true},
	{"\"devices\": {}, \"platforms\": []}", "devices is missing, or no list", true},
	{"\"devices\": [7], \"platforms\": []}", "devices[0] is no object", true},
	{LIST("{}", ""), "devices[0].backend is missing", true},
	{LIST(DEVICE("cuda", "0", "0"), ""), "devices[0].backend must be native or opencl", true},
	{LIST(DEVICE("opencl", "-1", "0"), ""), "devices[0].platform must be a whole number from 0 to 4095", true},
	{LIST(DEVICE("opencl", "0", "4096"), ""), "devices[0].index must be", true},
	{LIST(DEVICE("opencl", "0", "99999999999999999999"), ""), "not JSON", true},
	{LIST(DEVICE("native", "0", "0"), ""), "devices[0].platform must be a whole number from -1 to -1", true},
	{LIST(DEVICE("opencl", "0", "0"), ""), "devices[0] is of platform 0, which is not among platforms", true},
	{LIST(DEVICE("opencl", "0", "0"), PLATFORM("native", "0")), "devices[0] is of platform 0", true},
	{LIST(DEVICE("opencl", "0", "0") "," DEVICE("opencl", "0", "0"), PLATFORM("opencl", "0")),
	 "devices[1] has the numbers of devices[0]", true},
	{LIST("", "{\"backend\": \"opencl\", \"index\": 0}"), "platforms[0].n_devices must be", true},
	{LIST("", "{\"backend\": \"opencl\", \"index\": 0, \"n_devices\": -1}"), "platforms[0].n_devices must be",
	 true},
	{LIST("", PLATFORM("opencl", "0")) " and more", "not JSON", true},
};

TEST_EACH(a_file_that_is_no_list_of_devices_is_refused, COUNT(wrong_files))
{
	char text[2048];
	snprintf(text, sizeof text, "%s%s", wrong_files[_i].has_head ? head : "", wrong_files[_i].text);
	refuse(files_write_text("wrong.json", text), wrong_files[_i].part);
}

TEST(lists_too_long_to_be_believed_are_refused)
{
	bytes made = {0};
	bytes_add(&made, head, strlen(head));
	bytes_add(&made, "\"platforms\": [], \"devices\": [", 29);
	for (int i = 0; i < 513; i++)
		bytes_add(&made, i ? ",{}" : "{}", i ? 3 : 2);
	bytes_add(&made, "]}", 2);
	refuse(files_write("long.json", made.data, made.n), "513 devices are more than any machine has");
	bytes_free(&made);
}

TEST(files_too_large_to_be_believed_are_refused_before_they_are_read)
{
	const char *path = files_write_text("large.json", head);
	/* A sparse file: a size of 2^40, no disk space used. */
	ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
	refuse(path, "1099511627776 bytes are more than any list of devices has");
}

TEST(depth_without_end_is_refused)
{
	static char deep[1 << 20];
	memset(deep, '[', sizeof deep - 1);
	refuse(files_write_text("deep.json", deep), "not JSON");
}

/* --- Files that cannot be read or written ------------------------------------------------------ */

TEST(what_cannot_be_opened_is_told_with_the_systems_number)
{
	clpac_device_list *list = NULL;
	ck_assert_int_eq(clpac_devices_read(files_path("none.json"), &list, &err), CLPAC_ERROR_IO);
	ck_assert_int_eq(err.native_code, ENOENT);
	ck_assert_int_eq(clpac_devices_read(files_path("."), &list, &err), CLPAC_ERROR_IO);
	ck_assert_ptr_null(list);
}

TEST(a_file_that_exists_is_replaced_when_asked_only)
{
	clpac_device_list *list = read_list(path_of("nothing"));
	const char *path = files_write_text("there.json", "mine");
	ck_assert_int_eq(clpac_devices_write(list, path, NULL, &err), CLPAC_ERROR_IO);
	ck_assert_int_eq(err.native_code, EEXIST);
	bytes kept = files_content(path);
	ck_assert_uint_eq(kept.n, 4);
	bytes_free(&kept);
	assert_works(clpac_devices_write(list, path, &(clpac_write_options){.overwrite = true}, &err), err);
	clpac_device_list *back = read_list(path);
	check_same_list(list, back);
	clpac_devices_destroy(back);
	ck_assert_int_eq(clpac_devices_write(list, files_path("no/such/folder.json"), NULL, &err), CLPAC_ERROR_IO);
	clpac_devices_destroy(list);
}

/* --- Failing allocations ---------------------------------------------------------------------- */

static unsigned long n_requests, failing_request;

static void *request(size_t n)
{
	return ++n_requests == failing_request ? NULL : malloc(n);
}

/* Writing only: Jansson's parser (2.14) writes beyond its buffer when it gets no larger one. */
TEST(whichever_allocation_of_json_fails_it_is_reported)
{
	clpac_device_list *list = read_list(path_of("nothing"));
	char *whole = NULL;
	assert_works(clpac_devices_json(list, &whole, &err), err);
	json_set_alloc_funcs(request, free);
	for (failing_request = 1;; failing_request++) {
		char *text = NULL;
		n_requests = 0;
		const clpac_status st = clpac_devices_json(list, &text, &err);
		if (st == CLPAC_OK) {
			ck_assert(strcmp(text, whole) == 0);
			free(text);
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
			ck_assert_ptr_null(text);
		}
		if (n_requests < failing_request)
			break;
	}
	ck_assert_uint_gt(failing_request, 100);
	free(whole);
	clpac_devices_destroy(list);
}

TEST(without_memory_for_the_list_reading_says_so)
{
	clpac_device_list *list = NULL;
	assert_survives_failing_allocations(clpac_devices_read(path_of("nothing"), &list, &err),
					    clpac_devices_destroy(list));
}

const char *skip_reason(void)
{
	return getenv("CLPAC_TEST_DATA") ? NULL : "CLPAC_TEST_DATA is not set: run it by make check";
}
