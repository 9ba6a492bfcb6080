/* Choosing several devices for one run, choosing one by a function, and the order in which devices are tried. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "assertions.h"
#include "base/memory.h"
#include "memory/device/list.h"

#define GIB ((uint64_t)1 << 30)

static clpac_device_list *list;
static clpac_error err;

/* One card seen by two drivers, a second, equal card, the CPU itself and PoCL. */
enum { CARD, OTHER_CARD, CARD_AGAIN, NATIVE, POCL, N_DEVICES };
static clpac_device machine[N_DEVICES];

static void make_machine(void)
{
	static const struct {
		clpac_device_kind kind;
		int platform, index;
		const char *name, *pci;
		uint64_t memory;
	} rows[N_DEVICES] = {
		[CARD] = {CLPAC_DEVICE_DISCRETE_GPU, 0, 0, "Card", "0000:01:00.0", 8 * GIB},
		[OTHER_CARD] = {CLPAC_DEVICE_DISCRETE_GPU, 0, 1, "Card", "0000:02:00.0", 8 * GIB},
		[CARD_AGAIN] = {CLPAC_DEVICE_DISCRETE_GPU, 1, 0, "Card by another driver", "0000:01:00.0", 7 * GIB},
		[NATIVE] = {CLPAC_DEVICE_NATIVE, -1, -1, "Processor", "", 32 * GIB},
		[POCL] = {CLPAC_DEVICE_OPENCL_CPU, 2, 0, "pthread-haswell", "", 24 * GIB},
	};
	memset(machine, 0, sizeof machine);
	for (size_t i = 0; i < N_DEVICES; i++) {
		clpac_device *device = &machine[i];
		device->kind = rows[i].kind;
		device->platform = rows[i].platform;
		device->index = rows[i].index;
		device->memory_bytes = rows[i].memory;
		device->is_available = true;
		strcpy(device->backend, i == NATIVE ? "native" : "opencl");
		strcpy(device->name, rows[i].name);
		strcpy(device->pci, rows[i].pci);
	}
}

static void make_list(void)
{
	clpac_devices_destroy(list);
	list = NULL;
	ck_assert_int_eq(clpac_devices_make(machine, N_DEVICES, NULL, 0, &list, &err), CLPAC_OK);
}

static void set_up(void)
{
	make_machine();
	make_list();
}

static void tear_down(void)
{
	clpac_devices_destroy(list);
	list = NULL;
}

/* The devices that a selection means, as "0:0 native", or the status in words. */
static const char *several(const char *selection, uint64_t required_bytes)
{
	static char text[256];
	const clpac_device *chosen[N_DEVICES] = {NULL};
	size_t n = 77;
	clpac_status st = clpac_devices_select_several(list, selection, required_bytes, chosen, N_DEVICES, &n, &err);
	*text = 0;
	if (st != CLPAC_OK) {
		ck_assert_ptr_null(chosen[0]);
		ck_assert_uint_eq(n, 77);
		ck_assert_int_eq(err.status, st);
		return clpac_status_text(st);
	}
	for (size_t i = 0; i < n; i++) {
		char one[24];
		clpac_device_selection(chosen[i], one, sizeof one);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", one);
	}
	return text;
}

#define CHOSEN(selection, text) ck_assert_str_eq(several(selection, 0), text)
#define REFUSED(selection) ck_assert_str_eq(several(selection, 0), "wrong argument")
#define NONE(selection) ck_assert_str_eq(several(selection, 0), "no such device")

FIXTURE(set_up, tear_down);

TEST(one_selection_means_the_device_that_it_means_alone)
{
	static const char *const texts[] = {"",	   "best", "gpu",	 "native",	"cpu",
					    "1:0", "0:1",  "memory>30G", "name~another"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		const clpac_device *one;
		char text[24];
		ck_assert_int_eq(clpac_devices_select(list, texts[i], 0, &one, &err), CLPAC_OK);
		clpac_device_selection(one, text, sizeof text);
		CHOSEN(texts[i], text);
	}
	CHOSEN(NULL, "0:0");
}

TEST(parts_joined_by_plus_give_one_device_each_in_their_order)
{
	CHOSEN("native+0:0", "native 0:0");
	CHOSEN("gpu+native", "0:0 native");
	CHOSEN(" cpu + native ", "2:0 native");
	CHOSEN("memory>30G+name~haswell,memory>20G+0:1", "native 2:0 0:1");
}

TEST(no_device_is_taken_twice)
{
	CHOSEN("gpu+gpu", "0:0 0:1");
	CHOSEN("best+best+best", "0:0 0:1 native");
	CHOSEN("0:1+gpu", "0:1 0:0");
	NONE("native+native");
	ck_assert_msg(strstr(err.text, "no device fits \"native\" of \"native+native\"") &&
			      strstr(err.text, "native \"Processor\" is taken already"),
		      "%s", err.text);
}

TEST(one_card_on_two_platforms_is_not_taken_twice_either)
{
	NONE("gpu+gpu+gpu");
	ck_assert_msg(strstr(err.text, "is the same device as 0:0, which is taken already"), "%s", err.text);
	NONE("1:0+0:0");
	ck_assert_msg(strstr(err.text, "0:0 \"Card\" is the same device as 1:0"), "%s", err.text);
	CHOSEN("1:0+gpu", "1:0 0:1");
}

TEST(all_means_every_available_device_once)
{
	CHOSEN("all", "0:0 0:1 native 2:0");
	CHOSEN("ALL", "0:0 0:1 native 2:0");
	machine[OTHER_CARD].is_available = false;
	make_list();
	CHOSEN("all", "0:0 native 2:0");
}

TEST(all_with_conditions_means_every_device_that_fits_them)
{
	CHOSEN("all,memory>20G", "native 2:0");
	CHOSEN("gpu,all", "0:0 0:1");
	CHOSEN("all,name~another", "1:0"); /* a duplicate is chosen where nothing else fits */
	CHOSEN("all,kind=gpu,memory>7.5G", "0:0 0:1");
	CHOSEN("all,2:0", "2:0");
	NONE("all,memory>1T");
	NONE("all,gpu,cpu");
}

TEST(all_may_be_a_part_among_others)
{
	CHOSEN("native+all", "native 0:0 0:1 2:0");
	CHOSEN("1:0+all", "1:0 0:1 native 2:0");
	CHOSEN("all,gpu+native", "0:0 0:1 native");
	NONE("all+native");
}

TEST(each_device_must_have_the_required_memory)
{
	ck_assert_str_eq(several("all", 20 * GIB), "native 2:0");
	ck_assert_str_eq(several("gpu+native", 8 * GIB), "0:0 native");
	ck_assert_str_eq(several("gpu+native", 9 * GIB), "no such device");
	ck_assert_msg(
		strstr(err.text, "\"gpu\" of \"gpu+native\": 0:0 \"Card\" has 8192.0 MiB of memory and 9216.0 MiB are"),
		"%s", err.text);
	ck_assert_str_eq(several("all", 64 * GIB), "no such device");
}

TEST(strings_that_cannot_be_read_name_the_part_and_the_devices)
{
	static const char *const bad[] = {"+",	   "gpu+",    "+gpu",	 "gpu++native", "all,",	    ",all", "all all",
					  "all=1", "native,", "gpu+foo", "0:0+1",	"kind=all", " ",    "every"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		ck_assert_msg(strcmp(several(bad[i], 0), "wrong argument") == 0, "%s", bad[i]);
		ck_assert_msg(strstr(err.text, bad[i]) && strstr(err.text, "0:0 \"Card\""), "%s", err.text);
	}
	REFUSED("gpu+foo");
	ck_assert_ptr_nonnull(strstr(err.text, "at \"foo\""));
}

TEST(long_strings_are_read_or_refused)
{
	char text[4096];
	memset(text, '+', sizeof text - 1);
	text[sizeof text - 1] = 0;
	REFUSED(text);
	memset(text, 'a', sizeof text - 1);
	REFUSED(text);
	*text = 0;
	for (size_t i = 0; i < 500; i++)
		strcat(text, i ? "+gpu" : "gpu");
	NONE(text);
}

TEST(more_devices_than_there_is_room_for_are_an_error)
{
	const clpac_device *chosen[N_DEVICES] = {NULL};
	size_t n = 77;
	ck_assert_int_eq(clpac_devices_select_several(list, "all", 0, chosen, 3, &n, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "selects 4 devices, but the array holds only 3"), "%s", err.text);
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(clpac_devices_select_several(list, "all", 0, NULL, 0, &n, &err), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_devices_select_several(list, "all", 0, chosen, 4, &n, &err), CLPAC_OK);
	ck_assert_uint_eq(n, 4);
	ck_assert_ptr_null(chosen[4]);
}

TEST(a_choice_of_one_refuses_words_for_several)
{
	static const char *const bad[] = {"all", "all,memory>4G", "gpu+native"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		const clpac_device *device = NULL;
		ck_assert_int_eq(clpac_devices_select(list, bad[i], 0, &device, &err), CLPAC_ERROR_ARGUMENT);
		ck_assert_msg(strstr(err.text, "one device is wanted here, not several"), "%s", err.text);
		ck_assert_ptr_null(device);
	}
}

TEST(every_failing_allocation_is_reported)
{
	for (unsigned long k = 1;; k++) {
		clpac__fail_allocation(k, false);
		const char *text = several("all", 0);
		clpac__fail_allocation(0, false);
		if (strcmp(text, "0:0 0:1 native 2:0") == 0) {
			ck_assert_uint_gt(k, 1);
			break;
		}
		ck_assert_int_eq(err.status, CLPAC_ERROR_NO_MEMORY);
	}
}

/* --- Choice by a function --------------------------------------------------------------------- */

static unsigned n_asked;

static int by_memory(const clpac_device *device, void *user)
{
	n_asked++;
	ck_assert(device->is_available);
	return (int)(device->memory_bytes / GIB) * *(int *)user;
}

static int by_platform_1(const clpac_device *device, void *user)
{
	ck_assert_ptr_null(user);
	return device->platform == 1;
}

static int nothing(const clpac_device *device, void *user)
{
	(void)device, (void)user;
	return 0;
}

TEST(a_function_chooses_by_rank_and_the_first_of_equals)
{
	const clpac_device *device = NULL;
	int factor = 1;
	ck_assert_int_eq(clpac_devices_select_by(list, by_memory, &factor, 0, &device, &err), CLPAC_OK);
	ck_assert_str_eq(device->name, "Processor");
	ck_assert_uint_gt(n_asked, 0);
	factor = 0;
	ck_assert_int_eq(clpac_devices_select_by(list, by_memory, &factor, 0, &device, &err), CLPAC_ERROR_NO_DEVICE);
	factor = -1;
	ck_assert_int_eq(clpac_devices_select_by(list, by_memory, &factor, 0, &device, &err), CLPAC_ERROR_NO_DEVICE);
	machine[NATIVE].memory_bytes = 8 * GIB;
	machine[POCL].is_available = false;
	make_list();
	factor = 1;
	ck_assert_int_eq(clpac_devices_select_by(list, by_memory, &factor, 0, &device, &err), CLPAC_OK);
	ck_assert_str_eq(device->pci, "0000:01:00.0");
	ck_assert_int_eq(device->platform, 0);
}

TEST(a_function_may_take_a_duplicate_where_nothing_else_pleases_it)
{
	const clpac_device *device = NULL;
	ck_assert_int_eq(clpac_devices_select_by(list, by_platform_1, NULL, 0, &device, &err), CLPAC_OK);
	ck_assert_str_eq(device->name, "Card by another driver");
}

TEST(what_a_function_turned_down_is_told_with_the_other_reasons)
{
	const clpac_device *device = NULL;
	machine[OTHER_CARD].is_available = false;
	make_list();
	ck_assert_int_eq(clpac_devices_select_by(list, nothing, NULL, 10 * GIB, &device, &err), CLPAC_ERROR_NO_DEVICE);
	ck_assert_ptr_null(device);
	ck_assert_msg(strstr(err.text, "native \"Processor\" was turned down") &&
			      strstr(err.text, "0:1 \"Card\" is not available") &&
			      strstr(err.text, "0:0 \"Card\" has 8192.0 MiB of memory and 10240.0 MiB are required"),
		      "%s", err.text);
}

/* --- Order of attempts ------------------------------------------------------------------------ */

TEST(candidates_come_in_the_order_of_preference_and_duplicates_last)
{
	static const char *const names[] = {"Card", "Card", "Processor", "Card by another driver"};
	const clpac_device **candidates;
	size_t n = 0;
	ck_assert_int_eq(clpac__devices_candidates(list, "", 0, NULL, &candidates, &n, &err), CLPAC_OK);
	ck_assert_uint_eq(n, 4);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(candidates[i]->name, names[i]);
	clpac__free(candidates);
	ck_assert_int_eq(clpac__devices_candidates(list, "gpu", 8 * GIB, NULL, &candidates, &n, &err), CLPAC_OK);
	ck_assert_uint_eq(n, 2);
	clpac__free(candidates);
	ck_assert_int_eq(clpac__devices_candidates(list, "gpu", 9 * GIB, NULL, &candidates, &n, &err),
			 CLPAC_ERROR_NO_DEVICE);
	ck_assert_int_eq(clpac__devices_candidates(list, "all", 0, NULL, &candidates, &n, &err), CLPAC_ERROR_ARGUMENT);
}
