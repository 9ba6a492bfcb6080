/* OpenCL's loader by its path: named by an option, one for a process, and no other file in its place. */
#include "runner.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/context.h>
#include <clpac/memory/opencl.h>
#include "assertions.h"
#include "files.h"
#define CLPAC__OPENCL_BARE_NAMES
#include "memory/opencl/calls.h"

static clpac_error err;
static char first[1200], second[1200]; /* two copies of the system's loader */
static clpac_options options;

static void copy_file(const char *from, const char *to)
{
	char bytes[4096];
	size_t n;
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	ck_assert(in && out);
	while ((n = fread(bytes, 1, sizeof bytes, in)))
		ck_assert_uint_eq(fwrite(bytes, 1, n, out), n);
	fclose(in);
	ck_assert_int_eq(fclose(out), 0);
}

/* The path of the system's loader; false where there is none. */
static bool find_loader(char *path, size_t size)
{
	Dl_info facts;
	void *opened = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
	void *call = opened ? dlsym(opened, "clGetPlatformIDs") : NULL;
	const bool is_found = call && dladdr(call, &facts);
	if (is_found)
		snprintf(path, size, "%s", facts.dli_fname);
	if (opened)
		dlclose(opened);
	return is_found;
}

const char *skip_reason(void)
{
	char path[1200];
	return find_loader(path, sizeof path) ? NULL : "OpenCL's loader is not installed";
}

static void set_up(void)
{
	char system[1200];
	files_begin();
	setenv("OCL_ICD_VENDORS", files_path("."), 1); /* no driver */
	ck_assert(find_loader(system, sizeof system));
	snprintf(first, sizeof first, "%s", files_path("libOpenCL-first.so"));
	snprintf(second, sizeof second, "%s", files_path("libOpenCL-second.so"));
	copy_file(system, first);
	copy_file(system, second);
	snprintf(options.cache, sizeof options.cache, "none");
}

static void name_library(const char *path)
{
	snprintf(options.opencl_library, sizeof options.opencl_library, "%s", path);
}

static void check_refused(const char *path, const char *part)
{
	clpac_device_list *list = NULL;
	name_library(path);
	assert_refused(clpac_devices_find_for(&options, &list, &err), err, CLPAC_ERROR_ARGUMENT, part);
	ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
	ck_assert_str_eq(err.member, "opencl_library");
	ck_assert_ptr_null(list);
}

/* The loader that is in use. */
static const char *in_use(void)
{
	static char path[CLPAC__OPENCL_LIBRARY_SIZE];
	return clpac__opencl_named(path);
}

FIXTURE(set_up, files_end);

TEST(the_loader_of_a_path_is_used_and_keeps_its_symbols)
{
	clpac_device_list *list = NULL, *again = NULL;
	name_library(first);
	strcpy(options.device, "all");
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	ck_assert_str_eq(in_use(), first);
	/* Drivers were tried by the same loader first: there are none. */
	const clpac_platform *none = clpac_platforms_get(list, clpac_platforms_count(list) - 1);
	ck_assert_str_eq(none->backend, "opencl");
	ck_assert_int_eq(none->status, -1001);
	Dl_info facts;
	ck_assert(dladdr((void *)clpac__opencl_calls.clBuildProgram, &facts));
	ck_assert_str_eq(facts.dli_fname, first);
	/* The list is the process's, with the path and without it. */
	assert_works(clpac_devices_find_for(&options, &again, &err), err);
	ck_assert_ptr_eq(again, list);
	clpac_devices_destroy(again);
	assert_works(clpac_devices_find(&again, &err), err);
	ck_assert_ptr_eq(again, list);
	clpac_devices_destroy(again);
	clpac_devices_destroy(list);
}

TEST(a_path_of_nothing_is_refused_and_leaves_the_choice_open)
{
	clpac_device_list *list = NULL;
	check_refused(files_path("none.so"), "cannot be loaded");
	check_refused("libclpac-no-such-loader.so.1", "cannot be loaded");
	name_library(second);
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	ck_assert_str_eq(in_use(), second);
	clpac_devices_destroy(list);
}

TEST(a_file_that_is_no_library_is_refused)
{
	files_write_text("text.so", "no library\n");
	check_refused(files_path("text.so"), "cannot be loaded");
	check_refused(files_path("."), "cannot be loaded");
	check_refused("libm.so.6", "lacks clBuildProgram");
	ck_assert_str_eq(in_use(), "");
}

TEST(a_second_context_with_another_path_is_refused)
{
	clpac_context *context = NULL, *other = NULL;
	strcpy(options.device, "best");
	name_library(first);
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	name_library(second);
	assert_refused(clpac_context_open(NULL, &options, &other, &err), err, CLPAC_ERROR_ARGUMENT,
		       "is not the loader that this process uses");
	ck_assert_msg(strstr(err.text, first) && strstr(err.text, second), "%s", err.text);
	check_refused(files_path("none.so"), "is not the loader that this process uses");
	name_library(first);
	assert_works(clpac_context_open(NULL, &options, &other, &err), err);
	clpac_context_close(other);
	clpac_context_close(context);
}

TEST(a_path_after_another_loader_is_refused)
{
	char why[256];
	ck_assert_msg(clpac__opencl_load(why, sizeof why), "%s", why);
	check_refused(first, "the one of the system or the application");
}

TEST(the_path_of_the_loader_that_is_in_use_is_taken)
{
	char why[256], path[1200];
	clpac_device_list *list = NULL;
	Dl_info facts;
	ck_assert_msg(clpac__opencl_load(why, sizeof why), "%s", why);
	ck_assert(dladdr((void *)clpac__opencl_calls.clBuildProgram, &facts));
	snprintf(path, sizeof path, "%s", facts.dli_fname);
	name_library(path);
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	clpac_devices_destroy(list);
}

TEST(the_native_device_asks_for_no_loader)
{
	clpac_context *context = NULL;
	strcpy(options.device, "native");
	name_library(files_path("none.so"));
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	clpac_context_close(context);
	ck_assert_str_eq(in_use(), "");
}
