/* OpenCL tried out in a child process, over made-up drivers: all of them, or those of one vendor, crash, hang or exit
 * inside one of their calls. */
#include "runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <clpac/memory/context.h>
#include "assertions.h"
#include "memory/device/list.h"
#include "memory/device/probe_child.h"
#include "memory/device/selection.h"
#include "files.h"
#include "memory/opencl/opencl.h"
#include "memory/opencl/verdict.h"

/* Time limits. fair_s is short enough to wait for, and long enough for a child that does nothing. */
static const double long_s = 60, short_s = 0.2, fair_s = 1.5;

typedef void behaviour(void);

/* How each call misbehaves: in every process but the tame one, and whatever drivers are tried unless one is guilty. */
static behaviour *in_platform_ids, *in_platform_info, *in_device_ids, *in_device_info;
static pid_t tame = -1;	      /* the process in which nothing misbehaves */
static const char *guilty[2]; /* names of the vendors' files that cause the trouble together; NULL: any */
static unsigned n_looks;
static clpac__discovery found;
static clpac_error err;

/* Whether the loader would read a vendor's file of this name. */
static bool is_tried(const char *name)
{
	char path[1200];
	const char *vendors = getenv("OCL_ICD_VENDORS");
	if (!name || !vendors || strstr(vendors, name))
		return true;
	snprintf(path, sizeof path, "%s/%s", vendors, name);
	return access(path, F_OK) == 0;
}

static void misbehave(behaviour *how)
{
	if (how && getpid() != tame && is_tried(guilty[0]) && is_tried(guilty[1]))
		how();
}

static void crash(void)
{
	volatile int *volatile nowhere = (volatile int *)64; /* not NULL: a sanitizer would exit before the crash */
	*nowhere = 1;
}

static void hang(void)
{
	for (;;)
		pause();
}

static void leave(void)
{
	exit(0);
}

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
	misbehave(in_platform_ids);
	n_looks++;
	if (room)
		ids[0] = (cl_platform_id)&found;
	*n = 1;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id id, cl_platform_info what, size_t room, void *value,
					size_t *size)
{
	(void)id;
	misbehave(in_platform_info);
	if (what != CL_PLATFORM_NAME)
		return CL_INVALID_VALUE;
	if (size)
		*size = 5;
	if (value && room >= 5)
		memcpy(value, "Made", 5);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL device_ids(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids,
				     cl_uint *n)
{
	(void)id;
	(void)type;
	misbehave(in_device_ids);
	if (room)
		ids[0] = (cl_device_id)&found;
	*n = 1;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size)
{
	(void)id;
	(void)what;
	(void)room;
	(void)value;
	(void)size;
	misbehave(in_device_info);
	return CL_INVALID_VALUE;
}

static const clpac__opencl_functions functions = {NULL, platform_ids, platform_info, device_ids, device_info};

/* An empty folder replaces the vendors' one, so that this machine's files are not tried. */
static void set_up(void)
{
	files_begin();
	setenv("OCL_ICD_VENDORS", files_path("."), 1);
	tame = getpid();
	clpac__opencl_probe_by = clpac__probe; /* the program has not these drivers: children are copies of this one */
}

static void tear_down(void)
{
	clpac__discovery_clear(&found);
	files_end();
}

static void discover(double limit_s)
{
	clpac__discovery_clear(&found);
	found.probe_s = limit_s;
	n_looks = 0;
	ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
}

/* The message that says why OpenCL was left out, where nothing else of OpenCL is listed. */
static const char *left_out(double limit_s)
{
	discover(limit_s);
	ck_assert_uint_eq(n_looks, 0); /* no look in this process */
	ck_assert(found.is_left_out);
	ck_assert_uint_eq(found.list.n_devices, 0);
	ck_assert_uint_eq(found.list.n_platforms, 1);
	const clpac_platform *platform = found.list.platforms;
	ck_assert_int_eq(platform->status, CLPAC_PLATFORM_LEFT_OUT);
	ck_assert_int_eq(platform->index, -1);
	ck_assert_int_eq(platform->n_devices, 0);
	ck_assert_str_eq(platform->backend, "opencl");
	ck_assert_str_eq(platform->name, "OpenCL");
	ck_assert_uint_lt(strlen(platform->trouble), sizeof platform->trouble - 1); /* not cut off */
	return platform->trouble;
}

#define check_said(said, part) ck_assert_msg(strstr((said), (part)) != NULL, "'%s' is not in '%s'", (part), (said))

FIXTURE(set_up, tear_down);

TEST(drivers_that_start_well_are_then_looked_at_here)
{
	discover(long_s);
	ck_assert(!found.is_left_out);
	ck_assert_uint_eq(n_looks, 1);
	ck_assert_uint_eq(found.list.n_platforms, 1);
	ck_assert_uint_eq(found.list.n_devices, 1);
	ck_assert_str_eq(found.list.platforms->name, "Made");
}

TEST(without_a_limit_nothing_is_tried_out)
{
	in_platform_ids = crash; /* in children only */
	discover(0);
	ck_assert(!found.is_left_out);
	ck_assert_uint_eq(found.list.n_devices, 1);
}

TEST(a_crash_in_any_call_leaves_opencl_out)
{
	behaviour **calls[] = {&in_platform_ids, &in_platform_info, &in_device_ids, &in_device_info};
	for (size_t i = 0; i < COUNT(calls); i++) {
		*calls[i] = crash;
		const char *said = left_out(long_s);
		check_said(said,
			   "a driver crashes when it starts (SIGSEGV 11): take the files out of /etc/OpenCL/vendors");
		check_said(said, "name one that works in OCL_ICD_VENDORS");
		*calls[i] = abort;
		check_said(left_out(long_s), "a driver crashes when it starts (SIGABRT 6)");
		*calls[i] = NULL;
	}
}

TEST(a_hang_is_told_with_the_limit)
{
	in_platform_ids = hang;
	check_said(left_out(short_s), "a driver does not start within 0.2 s: ");
	in_platform_ids = NULL;
	in_device_ids = hang;
	check_said(left_out(short_s), "a driver does not start within 0.2 s: ");
}

TEST(a_driver_that_ends_the_program_is_told)
{
	in_platform_ids = leave;
	check_said(left_out(long_s), "a driver ends the program when it starts: ");
}

/* Drivers of three files, one of which is guilty; the path of its file. */
static const char *make_three(void)
{
	static char path[2048];
	snprintf(path, sizeof path, "%s/b-bad.icd", files_path("."));
	files_write_text("a-good.icd", "liba.so\n");
	files_write_text("c-good.icd", "libc.so\n");
	files_write_text("notes.txt", "bad.icd\n");
	files_write_text("b-bad.icd", "libb.so\n");
	guilty[0] = "b-bad.icd";
	return path;
}

/* The first reason why a driver was left out. */
static const char *first_left_out(void)
{
	for (size_t i = 0; i < found.list.n_platforms; i++)
		if (found.list.platforms[i].status == CLPAC_PLATFORM_LEFT_OUT)
			return found.list.platforms[i].trouble;
	return "(nothing is left out)";
}

/* Beside it, the others are looked at in this process, whose loader finds their files alone. */
TEST_EACH(the_vendor_whose_file_is_to_blame_is_left_out_alone, 3)
{
	static const struct {
		behaviour *how;
		const char *said;
	} cases[] = {{crash, "crashes when it starts (SIGSEGV 11): remove "},
		     {hang, "does not start within 1.5 s: remove "},
		     {leave, "ends the program when it starts: remove "}};
	make_three();
	tame = -1; /* this process misbehaves too, where it is given the guilty file */
	in_platform_ids = cases[_i].how;
	discover(fair_s);
	ck_assert_uint_eq(n_looks, 1);
	ck_assert(!found.is_left_out);
	ck_assert_uint_eq(found.list.n_devices, 1);
	ck_assert_uint_eq(found.list.n_platforms, 2);
	ck_assert_str_eq(found.list.platforms[0].name, "Made");
	check_said(first_left_out(), cases[_i].said);
	check_said(first_left_out(), "b-bad.icd or repair its driver");
	ck_assert_str_eq(getenv("OCL_ICD_VENDORS"), files_path(".")); /* the application's variable is unchanged */
	/* It stays out in this process, and is told of in later looks too. */
	ck_assert(clpac__opencl_leaves_out(make_three()));
	in_platform_ids = NULL;
	discover(0);
	ck_assert_uint_eq(found.list.n_devices, 1);
	check_said(first_left_out(), cases[_i].said);
}

static void set_one_more(void *user)
{
	snprintf(user, 2048, "%s", getenv("OCL_ICD_VENDORS"));
	setenv("MADE_BY_A_DRIVER", "1", 1);
}

/* Drivers set variables of their own when they start. */
TEST(the_environment_is_as_before_but_for_what_drivers_set)
{
	char seen[2048] = "";
	char *const first = getenv("OCL_ICD_VENDORS");
	ck_assert(clpac__vendors_with("/made/up", set_one_more, seen));
	ck_assert_str_eq(seen, "/made/up");
	ck_assert_ptr_eq(getenv("OCL_ICD_VENDORS"), first);
	ck_assert_str_eq(getenv("MADE_BY_A_DRIVER"), "1");
	unsetenv("OCL_ICD_VENDORS");
	unsetenv("MADE_BY_A_DRIVER");
	ck_assert(clpac__vendors_with("/made/up", set_one_more, seen));
	ck_assert_str_eq(seen, "/made/up");
	ck_assert_ptr_null(getenv("OCL_ICD_VENDORS"));
	ck_assert_str_eq(getenv("MADE_BY_A_DRIVER"), "1");
}

TEST(the_variable_may_name_a_single_file)
{
	setenv("OCL_ICD_VENDORS", make_three(), 1);
	in_platform_ids = crash;
	check_said(left_out(long_s), "b-bad.icd or repair");
}

TEST(where_each_vendor_alone_is_fine_none_is_blamed)
{
	files_write_text("a.icd", "liba.so\n");
	files_write_text("b.icd", "libb.so\n");
	guilty[0] = "a.icd"; /* neither crashes alone, both together do */
	guilty[1] = "b.icd";
	in_platform_ids = crash;
	check_said(left_out(long_s), "take the files out");
}

TEST(lack_of_memory_for_the_sentence_is_an_error)
{
	in_platform_ids = crash;
	clpac__discovery_clear(&found);
	found.probe_s = long_s;
	clpac__fail_allocation(1, false);
	ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_ERROR_NO_MEMORY);
	clpac__fail_allocation(0, false);
	ck_assert_uint_eq(found.list.n_platforms, 0);
}

/* --- The look of this process itself ---------------------------------------------------------- */

/* Replaces the loader's function, whose table the library has: misbehaves as told, then finds no platform. */
CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
	(void)room;
	(void)ids;
	(void)n;
	misbehave(in_platform_ids);
	n_looks++;
	return -1001;
}

static const clpac_platform *opencl_of(const clpac_device_list *list)
{
	for (size_t i = 0; i < clpac_platforms_count(list); i++)
		if (strcmp(clpac_platforms_get(list, i)->backend, "opencl") == 0)
			return clpac_platforms_get(list, i);
	ck_abort_msg("OpenCL is not told of");
	return NULL;
}

/* The number of times that this process queried the drivers, and the list's message about them. */
static void check_look(clpac_device_list *list, unsigned n, int status)
{
	ck_assert_str_eq(clpac_devices_best(list)->backend, "native");
	ck_assert_int_eq(opencl_of(list)->status, status);
	ck_assert_uint_eq(n_looks, n);
	clpac_devices_destroy(list);
}

TEST(what_was_left_out_is_tried_again_before_it_is_used)
{
	clpac_device_list *list = NULL, *same = NULL;
	in_platform_ids = crash;
	assert_works(clpac_devices_find_probed(long_s, &list, &err), err);
	assert_works(clpac_devices_find(&same, &err), err);
	ck_assert_ptr_eq(same, list);
	clpac_devices_destroy(same);
	check_look(list, 0, CLPAC_PLATFORM_LEFT_OUT);
	/* A plain second look does not run into the trouble again. */
	assert_works(clpac_devices_refresh(&list, &err), err);
	check_look(list, 0, CLPAC_PLATFORM_LEFT_OUT);
	in_platform_ids = NULL; /* repaired */
	assert_works(clpac_devices_refresh(&list, &err), err);
	check_look(list, 1, -1001);
	/* The drivers already run in this process; a child could not tell how they would start. */
	in_platform_ids = crash;
	assert_works(clpac_devices_refresh_probed(long_s, &list, &err), err);
	check_look(list, 2, -1001);
}

TEST(a_look_without_a_probe_makes_no_child)
{
	clpac_device_list *list = NULL;
	in_platform_ids = crash; /* in children only */
	assert_works(clpac_devices_find_probed(CLPAC_PROBE_NONE, &list, &err), err);
	check_look(list, 1, -1001);
}

TEST(a_look_that_is_told_nothing_tries_the_drivers)
{
	clpac_options options = {0};
	clpac_device_list *list = NULL;
	snprintf(options.cache, sizeof options.cache, "%s", files_path("cache"));
	in_platform_ids = crash;
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	check_look(list, 0, CLPAC_PLATFORM_LEFT_OUT);
	in_platform_ids = NULL; /* repaired: a look again tries again, whatever is kept */
	assert_works(clpac_devices_refresh(&list, &err), err);
	check_look(list, 1, -1001);
}

/* --- Without the program ------------------------------------------------------------------------ */

static unsigned n_forks;

static void count_fork(void)
{
	n_forks++;
}

static void lose_program(void)
{
	clpac__opencl_probe_by = NULL;
	clpac__opencl_probe_program = files_path("clpac-probe"); /* not there */
	ck_assert_int_eq(pthread_atfork(count_fork, NULL, NULL), 0);
}

TEST(without_the_program_drivers_are_entered_untried_and_nothing_is_forked)
{
	clpac_device_list *list = NULL;
	clpac__verdict verdict;
	clpac_options options = {0};
	const clpac_device *device;
	lose_program();
	snprintf(options.cache, sizeof options.cache, "%s", files_path("cache"));
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	check_said(opencl_of(list)->trouble,
		   "drivers were started untried, since clpac-probe is not beside the library");
	ck_assert_int_eq(clpac_devices_select(list, "gpu", 0, &device, &err), CLPAC_ERROR_NO_DEVICE);
	ck_assert_ptr_null(strstr(err.text, "(4")); /* it is no reason against a device */
	check_look(list, 1, CLPAC_PLATFORM_UNTRIED);
	ck_assert_uint_eq(n_forks, 0);
	ck_assert(!clpac__verdict_read(files_path("cache"), &verdict));
}

TEST(without_the_program_a_verdict_that_is_kept_serves)
{
	files_write_text("bad.icd", "liba.so\n");
	in_platform_ids = crash;
	for (int has_program = 1; has_program >= 0; has_program--) {
		clpac__discovery_clear(&found);
		found.probe_s = long_s;
		snprintf(found.cache, sizeof found.cache, "%s", files_path("cache"));
		ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
		ck_assert(found.is_left_out);
		check_said(first_left_out(), "bad.icd or repair its driver");
		lose_program();
	}
	ck_assert_uint_eq(n_forks, 0);
}

/* One that is there and cannot tell is no reason to go without a trial. */
TEST(a_program_that_says_nothing_leaves_opencl_out)
{
	lose_program();
	files_write_text("clpac-probe", "#!/bin/sh\nexit 1\n");
	ck_assert_int_eq(chmod(clpac__opencl_probe_program, 0700), 0);
	check_said(left_out(long_s), "no process could be made to try it in (it gave no answer)");
	ck_assert_uint_eq(n_forks, 0);
}

/* --- The verdict that is kept ------------------------------------------------------------------- */

/* Discovery as by a process of its own, with the verdicts in a folder of the test. */
static const char *discover_by_verdict(bool is_anew)
{
	clpac__discovery_clear(&found);
	found.probe_s = long_s;
	found.is_anew = is_anew;
	n_looks = 0;
	snprintf(found.cache, sizeof found.cache, "%s", files_path("cache"));
	ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
	ck_assert_uint_eq(found.list.n_platforms, 1);
	ck_assert_int_eq(found.list.platforms->status, found.is_left_out ? CLPAC_PLATFORM_LEFT_OUT : 0);
	return found.is_left_out ? found.list.platforms->trouble : NULL;
}

TEST(a_good_verdict_is_kept_until_the_drivers_change)
{
	files_write_text("good.icd", "liba.so\n");
	ck_assert_ptr_null(discover_by_verdict(false));
	in_platform_ids = crash; /* in children, of which none is made now */
	ck_assert_ptr_null(discover_by_verdict(false));
	files_write_text("good.icd", "libaa.so\n");
	check_said(discover_by_verdict(false), "good.icd or repair its driver");
}

TEST(a_bad_verdict_is_kept_with_its_words_until_it_is_asked_anew)
{
	char said[512];
	files_write_text("bad.icd", "liba.so\n");
	in_platform_ids = crash;
	snprintf(said, sizeof said, "%s", discover_by_verdict(false));
	check_said(said, "bad.icd or repair its driver");
	in_platform_ids = NULL; /* repaired, which no file tells */
	ck_assert_str_eq(discover_by_verdict(false), said);
	ck_assert_ptr_null(discover_by_verdict(true));
	ck_assert_ptr_null(discover_by_verdict(false)); /* what was asked anew is kept too */
}

/* Makes what is kept older. */
static void age(int64_t seconds)
{
	clpac__verdict verdict;
	ck_assert(clpac__verdict_read(files_path("cache"), &verdict));
	verdict.when_s -= seconds;
	for (int64_t i = 0; i < verdict.n_bad; i++)
		verdict.bad[i].when_s -= seconds;
	clpac__verdict_write(files_path("cache"), &verdict);
}

TEST(a_bad_verdict_is_forgotten_after_an_hour)
{
	files_write_text("bad.icd", "liba.so\n");
	in_platform_ids = crash;
	ck_assert_ptr_nonnull(discover_by_verdict(false));
	in_platform_ids = NULL;
	age(3500);
	ck_assert_ptr_nonnull(discover_by_verdict(false));
	age(200);
	ck_assert_ptr_null(discover_by_verdict(false));
}

TEST(a_driver_that_fails_again_is_left_out_for_twice_as_long)
{
	files_write_text("bad.icd", "liba.so\n");
	in_platform_ids = crash;
	ck_assert_ptr_nonnull(discover_by_verdict(false));
	age(3700);
	ck_assert_ptr_nonnull(discover_by_verdict(false)); /* tried, and bad again */
	in_platform_ids = NULL;
	age(7100);
	ck_assert_ptr_nonnull(discover_by_verdict(false));
	age(200);
	ck_assert_ptr_null(discover_by_verdict(false));
	ck_assert(clpac__bad_driver_holds_s(1) == 3600 && clpac__bad_driver_holds_s(2) == 7200);
	ck_assert(clpac__bad_driver_holds_s(1000) == 7 * 24 * 3600);
}

/* A driver beside the bad one changes: the bad one is not entered for that. */
TEST(a_bad_driver_is_remembered_when_others_change)
{
	clpac__verdict verdict;
	make_three();
	clpac__discovery_clear(&found);
	found.probe_s = long_s;
	snprintf(found.cache, sizeof found.cache, "%s", files_path("cache"));
	in_platform_ids = crash;
	ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
	ck_assert_uint_eq(found.list.n_platforms, 2);
	ck_assert(clpac__verdict_read(files_path("cache"), &verdict));
	const uint64_t before = verdict.state;
	const int64_t then_s = verdict.bad[0].when_s -= 100;
	clpac__verdict_write(files_path("cache"), &verdict);
	files_write_text("a-good.icd", "libaa.so\n");
	clpac__discovery_clear(&found);
	found.probe_s = long_s;
	snprintf(found.cache, sizeof found.cache, "%s", files_path("cache"));
	ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
	ck_assert_uint_eq(found.list.n_platforms, 2);
	ck_assert(clpac__verdict_read(files_path("cache"), &verdict));
	ck_assert(verdict.state != before);
	ck_assert_int_eq(verdict.n_bad, 1);
	ck_assert_int_eq(verdict.bad[0].n_times, 1);
	ck_assert_int_eq(verdict.bad[0].when_s, then_s); /* as it was found before */
}

TEST(a_hang_within_a_short_limit_says_nothing_about_a_longer_one)
{
	clpac__verdict verdict = {.state = clpac__verdict_state(),
				  .result = {CLPAC__PROBE_HUNG, 0},
				  .limit_s = long_s - 1,
				  .when_s = time(NULL)};
	clpac__verdict_write(files_path("cache"), &verdict);
	ck_assert_ptr_null(discover_by_verdict(false));
	verdict.limit_s = long_s;
	clpac__verdict_write(files_path("cache"), &verdict);
	check_said(discover_by_verdict(false), "does not start within 60 s");
}

TEST(a_probe_that_could_not_be_made_leaves_no_verdict)
{
	clpac__verdict verdict;
	const struct rlimit none = {0, 0};
	struct rlimit before;
	getrlimit(RLIMIT_NOFILE, &before);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){none.rlim_cur, before.rlim_max});
	clpac__discovery_clear(&found);
	found.probe_s = long_s;
	snprintf(found.cache, sizeof found.cache, "%s", files_path("cache"));
	const clpac_status st = clpac__opencl_discover(&functions, &found, &err);
	setrlimit(RLIMIT_NOFILE, &before);
	ck_assert_int_eq(st, CLPAC_OK);
	check_said(found.list.platforms->trouble, "no process could be made to try it in");
	ck_assert(!clpac__verdict_read(files_path("cache"), &verdict));
}

/* The made-up device tells no kind, so it is none that would be chosen before the native one. */
TEST(drivers_without_a_wanted_device_are_not_entered)
{
	static const char *const best[] = {"", "best", "gpu", "all", "native", "0:0", "cpu"};
	for (size_t i = 0; i < COUNT(best); i++)
		ck_assert_int_eq(clpac__selection_kinds(best[i]) != 0, i < 2 || i == 4);
	for (int is_known = 0; is_known < 2; is_known++) {
		clpac__discovery_clear(&found);
		found.probe_s = long_s;
		found.wanted_kinds = clpac__selection_kinds("best");
		n_looks = 0;
		snprintf(found.cache, sizeof found.cache, "%s", files_path("cache"));
		ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
		ck_assert(found.is_passed_over && !found.is_left_out);
		ck_assert_uint_eq(found.list.n_platforms, 0);
		ck_assert_uint_eq(n_looks, 0);
		in_platform_ids = crash; /* the second time the verdict is known */
	}
}

/* A verdict that was made without a limit of address space says nothing of a process that has one. */
TEST(under_a_limit_of_address_space_drivers_are_tried_anew)
{
	clpac__verdict verdict;
	struct rlimit before;
	ck_assert_ptr_null(discover_by_verdict(false));
	ck_assert(clpac__verdict_read(files_path("cache"), &verdict));
	ck_assert_int_eq(verdict.result.end, CLPAC__PROBE_WELL);
	in_platform_ids = crash;
	getrlimit(RLIMIT_AS, &before);
	setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 46, before.rlim_max});
	const char *said = discover_by_verdict(false);
	check_said(said, "a driver crashes when it starts (SIGSEGV 11)");
	check_said(said, "--device native");
	/* With little left nothing is tried. */
	in_platform_ids = NULL;
	setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 30, before.rlim_max});
	said = discover_by_verdict(false);
	setrlimit(RLIMIT_AS, &before);
	check_said(said, "MiB are left of the address space, which is limited (ulimit -v)");
	check_said(said, "or take --device native");
	ck_assert_ptr_null(discover_by_verdict(false)); /* what was found under the limits was not kept */
}

TEST(a_context_is_opened_beside_a_driver_that_hangs)
{
	clpac_options options = {.probe = short_s};
	clpac_context *context = NULL;
	in_platform_ids = hang;
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	ck_assert_str_eq(clpac_context_device(context)->backend, "native");
	clpac_context_close(context);
	strcpy(options.device, "gpu");
	assert_refused(clpac_context_open(NULL, &options, &context, &err), err, CLPAC_ERROR_NO_DEVICE, "native");
	ck_assert_uint_eq(n_looks, 0);
}

TEST(a_native_device_that_is_asked_for_enters_no_driver)
{
	const clpac_options options = {.device = "native"};
	clpac_device_list *list = NULL, *all = NULL;
	clpac_context *context = NULL;
	in_platform_ids = crash; /* in children */
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	ck_assert_uint_eq(clpac_devices_count(list), 1);
	ck_assert_uint_eq(clpac_platforms_count(list), 1);
	assert_works(clpac_context_open(NULL, &options, &context, &err), err);
	clpac_context_close(context);
	ck_assert_uint_eq(n_looks, 0);
	/* Such a list is not the machine's. */
	assert_works(clpac_devices_find_probed(CLPAC_PROBE_NONE, &all, &err), err);
	check_look(all, 1, -1001);
	clpac_devices_destroy(list);
	/* The machine's own list serves where there is one. */
	assert_works(clpac_devices_find_for(&options, &list, &err), err);
	check_look(list, 1, -1001);
}
