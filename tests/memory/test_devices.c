/* The list of devices and selection strings, on made-up machines. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "base/memory.h"
#include "memory/device/list.h"
#include "memory/device/properties.h"
#include "memory/device/selection.h"

#define GIB ((uint64_t)1 << 30)

static clpac_device_list *list;
static clpac_error err;

static clpac_device make(clpac_device_kind kind, int platform, int index, const char *name, const char *vendor,
			 const char *platform_name, uint64_t memory_bytes)
{
	clpac_device device = {
		.kind = kind, .platform = platform, .index = index, .memory_bytes = memory_bytes, .is_available = true};
	snprintf(device.backend, sizeof device.backend, "%s", kind == CLPAC_DEVICE_NATIVE ? "native" : "opencl");
	snprintf(device.name, sizeof device.name, "%s", name);
	snprintf(device.vendor, sizeof device.vendor, "%s", vendor);
	snprintf(device.platform_name, sizeof device.platform_name, "%s", platform_name);
	return device;
}

/* A workstation: two cards, one of them seen by two drivers, a GPU beside the CPU, an accelerator, PoCL, and the CPU
 * itself. */
enum { POCL, CPU, FPGA, IRIS, RADEON, GEFORCE, RADEON_AGAIN, N_DEVICES };
static clpac_device machine[N_DEVICES];
static clpac_platform platforms[2];

static void make_machine(void)
{
	machine[POCL] = make(CLPAC_DEVICE_OPENCL_CPU, 0, 0, "pthread-haswell", "GenuineIntel",
			     "Portable Computing Language", 16 * GIB);
	machine[CPU] = make(CLPAC_DEVICE_NATIVE, -1, -1, "Core i7", "GenuineIntel", "native", 32 * GIB);
	machine[FPGA] = make(CLPAC_DEVICE_ACCELERATOR, 4, 0, "Stratix 10", "Intel(R) Corporation", "FPGA SDK", 8 * GIB);
	machine[IRIS] = make(CLPAC_DEVICE_INTEGRATED_GPU, 1, 0, "Iris Xe", "Intel(R) Corporation",
			     "Intel(R) OpenCL Graphics", 12 * GIB);
	machine[RADEON] = make(CLPAC_DEVICE_DISCRETE_GPU, 2, 0, "Radeon RX 7600", "Advanced Micro Devices, Inc.",
			       "AMD APP", 8 * GIB);
	machine[GEFORCE] = make(CLPAC_DEVICE_DISCRETE_GPU, 3, 0, "GeForce RTX 3090", "NVIDIA Corporation",
				"NVIDIA CUDA", 24 * GIB);
	machine[RADEON_AGAIN] = make(CLPAC_DEVICE_DISCRETE_GPU, 5, 0, "RX 7600 (radeonsi)", "AMD", "rusticl", 8 * GIB);
	strcpy(machine[RADEON].pci, "0000:03:00.0");
	strcpy(machine[RADEON_AGAIN].pci, "0000:03:00.0");
	strcpy(machine[GEFORCE].pci, "0000:04:00.0");
	platforms[0] = (clpac_platform){
		.index = 0, .backend = "opencl", .name = "Portable Computing Language", .n_devices = 1};
	platforms[1] =
		(clpac_platform){.index = 6, .backend = "opencl", .name = "Clover", .status = -1, .trouble = "none"};
}

static void make_list(void)
{
	ck_assert_int_eq(clpac_devices_make(machine, N_DEVICES, platforms, 2, &list, &err), CLPAC_OK);
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

static const char *chosen_with(const char *selection, uint64_t required_bytes)
{
	const clpac_device *device = NULL;
	clpac_status st = clpac_devices_select(list, selection, required_bytes, &device, &err);
	if (st != CLPAC_OK) {
		ck_assert_ptr_null(device);
		ck_assert_int_eq(err.status, st);
		return clpac_status_text(st);
	}
	return device->name;
}

#define CHOSEN(selection, name) ck_assert_str_eq(chosen_with(selection, 0), name)
#define REFUSED(selection) ck_assert_str_eq(chosen_with(selection, 0), "wrong argument")
#define NONE(selection) ck_assert_str_eq(chosen_with(selection, 0), "no such device")

FIXTURE(set_up, tear_down);

TEST(devices_are_sorted_by_kind_and_then_by_number)
{
	static const char *const names[] = {"Radeon RX 7600", "GeForce RTX 3090", "RX 7600 (radeonsi)", "Iris Xe",
					    "Stratix 10",     "Core i7",	  "pthread-haswell"};
	ck_assert_uint_eq(clpac_devices_count(list), N_DEVICES);
	for (size_t i = 0; i < N_DEVICES; i++)
		ck_assert_str_eq(clpac_devices_get(list, i)->name, names[i]);
	ck_assert_ptr_null(clpac_devices_get(list, N_DEVICES));
}

TEST(platforms_are_listed_in_the_order_found)
{
	ck_assert_uint_eq(clpac_platforms_count(list), 2);
	ck_assert_str_eq(clpac_platforms_get(list, 1)->name, "Clover");
	ck_assert_ptr_null(clpac_platforms_get(list, 2));
}

TEST(one_card_on_two_platforms_is_marked_the_second_time)
{
	for (size_t i = 0; i < N_DEVICES; i++)
		ck_assert_int_eq(clpac_devices_get(list, i)->is_duplicate, i == 2);
}

TEST(a_uuid_tells_a_duplicate_too)
{
	tear_down();
	strcpy(machine[FPGA].uuid, "00112233445566778899aabbccddeeff");
	strcpy(machine[IRIS].uuid, "00112233445566778899aabbccddeeff");
	make_list();
	ck_assert(!clpac_devices_get(list, 3)->is_duplicate);
	ck_assert(clpac_devices_get(list, 4)->is_duplicate);
}

TEST(equal_cards_without_address_are_not_claimed_to_be_one)
{
	tear_down();
	machine[RADEON_AGAIN] = machine[GEFORCE];
	machine[RADEON_AGAIN].platform = 5;
	*machine[GEFORCE].pci = *machine[RADEON_AGAIN].pci = 0;
	make_list();
	for (size_t i = 0; i < N_DEVICES; i++)
		ck_assert(!clpac_devices_get(list, i)->is_duplicate);
}

TEST(parts_of_a_card_on_one_platform_are_no_duplicates)
{
	tear_down();
	machine[RADEON_AGAIN].platform = 2;
	machine[RADEON_AGAIN].index = 1;
	make_list();
	for (size_t i = 0; i < N_DEVICES; i++)
		ck_assert(!clpac_devices_get(list, i)->is_duplicate);
}

TEST(a_card_whose_first_driver_fails_is_used_through_the_second)
{
	tear_down();
	machine[RADEON].is_available = false;
	make_list();
	CHOSEN("name~7600", "RX 7600 (radeonsi)");
}

TEST(the_best_is_the_first_available_of_the_kinds_in_order)
{
	static const int order[] = {RADEON, GEFORCE, RADEON_AGAIN, IRIS, FPGA, CPU};
	for (size_t i = 0; i < COUNT(order); i++) {
		ck_assert_str_eq(clpac_devices_best(list)->name, machine[order[i]].name);
		CHOSEN("", machine[order[i]].name);
		CHOSEN("best", machine[order[i]].name);
		CHOSEN(NULL, machine[order[i]].name);
		tear_down();
		machine[order[i]].is_available = false;
		make_list();
	}
	/* An OpenCL CPU is used only on request. */
	ck_assert_ptr_null(clpac_devices_best(list));
	CHOSEN("cpu", "pthread-haswell");
}

TEST(a_kind_selects_the_first_of_it)
{
	CHOSEN("gpu", "Radeon RX 7600");
	CHOSEN("discrete", "Radeon RX 7600");
	CHOSEN("integrated", "Iris Xe");
	CHOSEN("accelerator", "Stratix 10");
	CHOSEN("native", "Core i7");
	CHOSEN("cpu", "pthread-haswell");
	CHOSEN("GPU", "Radeon RX 7600");
	NONE("other");
}

TEST(numbers_select_exactly_one_device)
{
	CHOSEN("3:0", "GeForce RTX 3090");
	CHOSEN(" 0:0 ", "pthread-haswell");
	CHOSEN("5:0", "RX 7600 (radeonsi)"); /* a duplicate can be chosen by its number */
	NONE("0:1");
	NONE("7:0");
}

TEST(every_device_has_the_selection_that_means_it)
{
	for (size_t i = 0; i < N_DEVICES; i++) {
		char text[24];
		clpac_device_selection(clpac_devices_get(list, i), text, sizeof text);
		CHOSEN(text, clpac_devices_get(list, i)->name);
	}
}

TEST(conditions_compare_without_case)
{
	CHOSEN("name~radeon", "Radeon RX 7600");
	CHOSEN("NAME=geforce rtx 3090", "GeForce RTX 3090");
	CHOSEN("platform~portable", "pthread-haswell");
	CHOSEN("backend=opencl", "Radeon RX 7600");
	CHOSEN("backend=native", "Core i7");
	CHOSEN("kind=integrated", "Iris Xe");
	CHOSEN("platform~rusticl", "RX 7600 (radeonsi)");
	NONE("name=geforce");
}

TEST(a_vendor_is_known_by_its_short_name)
{
	CHOSEN("vendor=nvidia", "GeForce RTX 3090");
	CHOSEN("vendor=amd", "Radeon RX 7600");
	CHOSEN("vendor=intel", "Iris Xe");
	CHOSEN("vendor=NVIDIA Corporation", "GeForce RTX 3090");
	CHOSEN("vendor~micro", "Radeon RX 7600");
	NONE("vendor=matrox");
}

TEST(all_conditions_must_hold)
{
	CHOSEN("vendor=intel,memory>8G", "Iris Xe");
	CHOSEN("vendor=intel, memory>12G", "Core i7");
	CHOSEN("gpu,memory>8G", "GeForce RTX 3090");
	CHOSEN("kind=gpu,memory>8589934591", "Radeon RX 7600");
	NONE("vendor=nvidia,memory>24G");
	NONE("vendor=nvidia,platform~portable");
}

TEST(sizes_have_units_of_1024)
{
	CHOSEN("memory>31G", "Core i7");
	CHOSEN("memory>31.9g", "Core i7");
	CHOSEN("memory>0.03T", "Core i7");
	CHOSEN("memory>32767M", "Core i7");
	CHOSEN("memory>33554431K", "Core i7");
	NONE("memory>32G");
	NONE("memory>33554432K");
}

TEST(a_required_size_passes_over_small_devices)
{
	ck_assert_str_eq(chosen_with("", 10 * GIB), "GeForce RTX 3090");
	ck_assert_str_eq(chosen_with("", 25 * GIB), "Core i7");
	ck_assert_str_eq(chosen_with("vendor=amd", 8 * GIB), "Radeon RX 7600");
	ck_assert_str_eq(chosen_with("vendor=amd", 8 * GIB + 1), "no such device");
	ck_assert_str_eq(chosen_with("", UINT64_MAX), "no such device");
}

TEST(a_string_that_cannot_be_read_names_the_place_and_the_devices)
{
	static const char *const bad[] = {"foo",
					  "gpu,",
					  ",",
					  " ",
					  "0:",
					  ":1",
					  "0:1:2",
					  "-1:0",
					  "0:x",
					  "1e1:0",
					  "99999999999:0",
					  "memory=8G",
					  "memory>",
					  "memory>x",
					  "memory>8Q",
					  "memory>8GB",
					  "memory>-1",
					  "name",
					  "name=",
					  "name~",
					  "=x",
					  "size>3",
					  "colour=red",
					  "kind=",
					  "kind=foo",
					  "kind~gpu",
					  "gpu,name>3"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		REFUSED(bad[i]);
		ck_assert_msg(strstr(err.text, "2:0 \"Radeon RX 7600\"") && strstr(err.text, "native \"Core i7\""),
			      "%s", err.text);
		ck_assert_msg(!strchr(err.text, '\n'), "%s", err.text);
	}
	REFUSED("vendor=amd,colour=red");
	ck_assert_ptr_nonnull(strstr(err.text, "cannot be read at \"colour=red\""));
}

TEST(endless_strings_are_refused)
{
	char text[8192];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	REFUSED(text);
	for (size_t i = 0; i + 4 < sizeof text; i += 4)
		memcpy(text + i, "gpu,", 4);
	REFUSED(text);
}

TEST(when_nothing_fits_the_error_gives_the_reason_against_each)
{
	static const char *const reasons[] = {
		"2:0 \"Radeon RX 7600\" has 8192.0 MiB of memory and 10240.0 MiB are required",
		"1:0 \"Iris Xe\" has vendor \"Intel(R) Corporation\"",
		"native \"Core i7\" has vendor \"GenuineIntel\"",
		"platform \"Clover\" gives no device (-1)",
	};
	tear_down();
	machine[RADEON_AGAIN].is_available = false;
	make_list();
	ck_assert_str_eq(chosen_with("vendor=amd", 10 * GIB), "no such device");
	for (size_t i = 0; i < COUNT(reasons); i++)
		ck_assert_msg(strstr(err.text, reasons[i]), "%s", err.text);
	ck_assert_msg(strstr(err.text, "5:0 \"RX 7600 (radeonsi)\" is not available"), "%s", err.text);

	NONE("integrated,name~Arc");
	ck_assert_msg(strstr(err.text, "0:0 \"pthread-haswell\" is an OpenCL CPU"), "%s", err.text);
	ck_assert_msg(strstr(err.text, "1:0 \"Iris Xe\" has name \"Iris Xe\""), "%s", err.text);
	NONE("memory>1T");
	ck_assert_msg(strstr(err.text, "native \"Core i7\" has 32768.0 MiB of memory"), "%s", err.text);
}

TEST(an_error_about_very_many_devices_ends_with_their_number)
{
	static clpac_device many[100];
	tear_down();
	for (int i = 0; i < 100; i++)
		many[i] = make(CLPAC_DEVICE_DISCRETE_GPU, 0, i, "A card with a name of some forty characters", "Vendor",
			       "Platform", GIB);
	ck_assert_int_eq(clpac_devices_make(many, 100, NULL, 0, &list, &err), CLPAC_OK);
	NONE("native");
	const char *more = strstr(err.text, "; and ");
	ck_assert_msg(more && strcmp(more + strlen(more) - 5, " more") == 0, "%s", err.text);
}

TEST(an_empty_list_has_no_best_device_and_says_so)
{
	tear_down();
	ck_assert_int_eq(clpac_devices_make(NULL, 0, NULL, 0, &list, &err), CLPAC_OK);
	ck_assert_uint_eq(clpac_devices_count(list), 0);
	ck_assert_ptr_null(clpac_devices_best(list));
	NONE("");
	ck_assert_ptr_nonnull(strstr(err.text, "none"));
}

TEST(every_failing_allocation_is_reported_and_leaves_nothing)
{
	tear_down();
	for (unsigned long k = 1;; k++) {
		clpac__fail_allocation(k, false);
		clpac_status st = clpac_devices_make(machine, N_DEVICES, platforms, 2, &list, &err);
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			ck_assert_uint_gt(k, N_DEVICES);
			break;
		}
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
		ck_assert_ptr_null(list);
	}
}

TEST(a_null_list_and_a_null_error_are_fine)
{
	const clpac_device *device;
	clpac_devices_destroy(NULL);
	ck_assert_int_eq(clpac_devices_select(list, "foo", 0, &device, NULL), CLPAC_ERROR_ARGUMENT);
	ck_assert_int_eq(clpac_devices_select(list, "other", 0, &device, NULL), CLPAC_ERROR_NO_DEVICE);
}

TEST(kinds_have_words)
{
	ck_assert_str_eq(clpac_device_kind_text(CLPAC_DEVICE_DISCRETE_GPU), "discrete GPU");
	ck_assert_str_eq(clpac_device_kind_text(CLPAC_DEVICE_NATIVE), "native CPU");
	ck_assert_str_eq(clpac_device_kind_text(CLPAC_DEVICE_OTHER), "other device");
	ck_assert_str_eq(clpac_device_kind_text(CLPAC_DEVICE_KIND_COUNT), "unknown kind");
	ck_assert_str_eq(clpac_device_kind_text((clpac_device_kind)-1), "unknown kind");
}

TEST(every_property_has_a_name_and_a_place_of_its_own)
{
	for (int i = 0; i < CLPAC_PROPERTY_COUNT; i++) {
		const clpac_property_info *a = clpac_device_property_info((clpac_device_property)i);
		ck_assert_uint_le(a->offset + a->size, sizeof(clpac_device));
		for (int k = 0; k < i; k++) {
			const clpac_property_info *b = clpac_device_property_info((clpac_device_property)k);
			ck_assert_str_ne(a->name, b->name);
			ck_assert(a->offset >= b->offset + b->size || b->offset >= a->offset + a->size);
		}
	}
	ck_assert_ptr_null(clpac_device_property_info(CLPAC_PROPERTY_COUNT));
	ck_assert_ptr_null(clpac_device_property_info((clpac_device_property)-1));
}

TEST(a_property_is_known_when_it_is_set_or_said_to_be)
{
	for (int i = 0; i < CLPAC_PROPERTY_COUNT; i++) {
		const clpac_device_property property = (clpac_device_property)i;
		const clpac_property_info *info = clpac_device_property_info(property);
		clpac_device device = {.kind = CLPAC_DEVICE_OTHER};
		ck_assert(!clpac_device_knows(&device, property));
		device.known = (uint64_t)1 << i;
		for (int k = 0; k < CLPAC_PROPERTY_COUNT; k++)
			ck_assert_int_eq(clpac_device_knows(&device, (clpac_device_property)k), k == i);
		device.known = 0;
		((char *)&device)[info->offset] = 1;
		ck_assert(clpac_device_knows(&device, property));
	}
	ck_assert(!clpac_device_knows(&machine[CPU], CLPAC_PROPERTY_COUNT));
	ck_assert(!clpac_device_knows(&machine[CPU], (clpac_device_property)-1));
}

TEST(a_list_marks_as_known_what_is_set)
{
	const clpac_device *radeon = clpac_devices_get(list, 0);
	ck_assert_uint_eq(radeon->known, CLPAC__KNOWS(CLPAC_PROPERTY_KIND) | CLPAC__KNOWS(CLPAC_PROPERTY_NAME) |
						 CLPAC__KNOWS(CLPAC_PROPERTY_VENDOR) |
						 CLPAC__KNOWS(CLPAC_PROPERTY_MEMORY_BYTES) |
						 CLPAC__KNOWS(CLPAC_PROPERTY_PCI));
}

TEST(a_board_is_known_by_its_name_as_well_as_by_its_chips)
{
	tear_down();
	strcpy(machine[RADEON].name, "gfx1102");
	strcpy(machine[RADEON].board, "Radeon RX 7600");
	make_list();
	CHOSEN("name~radeon", "gfx1102");
	CHOSEN("name=gfx1102", "gfx1102");
	CHOSEN("name=Radeon RX 7600", "gfx1102");
	NONE("name~7900");
	ck_assert_msg(strstr(err.text, "2:0 \"gfx1102\" has name \"Radeon RX 7600\""), "%s", err.text);
}

TEST(what_speaks_against_a_device_can_be_asked)
{
	static const struct {
		int device;
		const char *selection;
		uint64_t required_bytes;
		const char *reason;
	} cases[] = {{GEFORCE, "gpu", 0, ""},
		     {GEFORCE, "vendor=amd", 0, "has vendor \"NVIDIA Corporation\""},
		     {GEFORCE, "", 25 * GIB, "has 24576.0 MiB of memory and 25600.0 MiB are required"},
		     {POCL, "", 0, "is an OpenCL CPU"},
		     {POCL, NULL, 0, "is an OpenCL CPU"},
		     {POCL, "all", 0, ""},
		     {POCL, "native+cpu", 0, ""},
		     {POCL, "native+gpu", 0, "fits none of them"},
		     {RADEON_AGAIN, "5:0", 0, ""}};
	char reason[160];
	for (size_t i = 0; i < COUNT(cases); i++) {
		ck_assert_int_eq(clpac_device_reason(&machine[cases[i].device], cases[i].selection,
						     cases[i].required_bytes, reason, sizeof reason, &err),
				 CLPAC_OK);
		ck_assert_str_eq(reason, cases[i].reason);
	}
	ck_assert_int_eq(clpac_device_reason(&machine[POCL], "cpu+colour=red", 0, reason, sizeof reason, &err),
			 CLPAC_ERROR_ARGUMENT);
	ck_assert_msg(strstr(err.text, "\"cpu+colour=red\" cannot be read at \"colour=red\""), "%s", err.text);
}

TEST(selections_that_only_the_native_device_can_fit_are_told)
{
	static const char *const native[] = {"native",
					     "NATIVE",
					     " native ",
					     "kind=native",
					     "backend=native",
					     "native,memory>4G",
					     "memory>4G,vendor=intel,native",
					     "native+native",
					     "native,memory>1G+backend=native",
					     "all,native",
					     "native,gpu"};
	static const char *const others[] = {"",
					     "best",
					     "gpu",
					     "cpu",
					     "all",
					     "0:0",
					     "gpu+native",
					     "native+gpu",
					     "native+0:0",
					     "native+all",
					     "native+",
					     "memory>4G",
					     "name=native",
					     "platform=native",
					     "backend~native",
					     "vendor=native",
					     "natives",
					     "native,colour=red"};
	for (size_t i = 0; i < COUNT(native); i++)
		ck_assert_msg(clpac__selection_is_native(native[i]), "%s", native[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		ck_assert_msg(!clpac__selection_is_native(others[i]), "%s", others[i]);
}

TEST(this_machine_has_a_native_device_and_a_best_one)
{
	bool has_native = false;
	tear_down();
	ck_assert_int_eq(clpac_devices_find(&list, &err), CLPAC_OK);
	for (size_t i = 0; i < clpac_devices_count(list); i++)
		has_native = has_native || clpac_devices_get(list, i)->kind == CLPAC_DEVICE_NATIVE;
	ck_assert(has_native);
	ck_assert_ptr_nonnull(clpac_devices_best(list));
	for (size_t i = 0; i < clpac_platforms_count(list); i++) {
		const clpac_platform *platform = clpac_platforms_get(list, i);
		ck_assert_int_eq(platform->status != 0, platform->n_devices == 0 && *platform->trouble);
	}
}

TEST(platforms_are_told_in_words_and_as_json)
{
	clpac_platform told[2] = {
		{.index = 0, .backend = "opencl", .name = "A \"quoted\" one", .version = "1.2", .n_devices = 1},
		{.index = 1, .backend = "opencl", .name = "Clover", .status = -1, .trouble = "no driver"}};
	char *text;
	tear_down();
	ck_assert_int_eq(clpac_devices_make(machine, 1, told, 2, &list, &err), CLPAC_OK);
	ck_assert_int_eq(clpac_platforms_text(list, &text, &err), CLPAC_OK);
	ck_assert_str_eq(text, "opencl: A \"quoted\" one (1.2), 1 device\nopencl: Clover, 0 devices: no driver\n");
	clpac_text_free(text);
	ck_assert_int_eq(clpac_platforms_json(list, &text, &err), CLPAC_OK);
	ck_assert_str_eq(text,
			 "[{\"backend\": \"opencl\", \"index\": 0, \"name\": \"A \\\"quoted\\\" one\", \"version\": "
			 "\"1.2\", \"n_devices\": 1, \"status\": 0, \"trouble\": null}, {\"backend\": \"opencl\", "
			 "\"index\": 1, \"name\": \"Clover\", \"version\": \"\", \"n_devices\": 0, \"status\": -1, "
			 "\"trouble\": \"no driver\"}]");
	clpac_text_free(text);
}
