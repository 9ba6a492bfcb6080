/* Machines that no developer has, recorded from users' reports (tests/data/machines): the device chosen on each. */
#include "runner.h"

#include <clpac/devices.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"

#define GIB ((uint64_t)1 << 30)

static clpac_error err;

static clpac_device_list *machine(const char *name)
{
	char path[4096];
	clpac_device_list *list = NULL;
	snprintf(path, sizeof path, "%s/machines/%s.json", getenv("CLPAC_TEST_DATA"), name);
	assert_works(clpac_devices_read(path, &list, &err), err);
	return list;
}

/* The chosen devices as "0:0 native", or the status in words. */
static const char *as_text(clpac_status st, const clpac_device *const *chosen, size_t n)
{
	static char text[256];
	*text = 0;
	for (size_t i = 0; st == CLPAC_OK && i < n; i++) {
		char one[24];
		clpac_device_selection(chosen[i], one, sizeof one);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", one);
	}
	return st == CLPAC_OK ? text : clpac_status_text(st);
}

typedef struct choice {
	const char *machine, *selection;
	uint64_t required_bytes;
	const char *expected;
} choice;

static const char no_device[] = "no such device", refused[] = "wrong argument";

static const choice choices_of_one[] = {
	{"h100", "best", 70 * GIB, "0:0"},
	{"two_nvidia", "", 0, "0:0"},
	{"two_nvidia", "best", 12 * GIB, "0:0"},
	{"two_nvidia", "best", 24 * GIB, "native"}, /* 23.7 GiB of the card's 24 are free */
	{"two_nvidia", "gpu", 24 * GIB, no_device},
	{"two_nvidia", "0:1", 0, "0:1"},
	{"two_nvidia", "name~3060", 0, "0:1"},
	{"two_nvidia", "name~3060", 12 * GIB, no_device},
	{"two_nvidia", "vendor=nvidia,memory>20G", 0, "0:0"},
	{"two_nvidia", "vendor=amd", 0, "native"},
	{"two_nvidia", "integrated", 0, no_device},
	{"two_nvidia", "0:2", 0, no_device},
	{"two_nvidia", "1:0", 0, no_device},
	{"two_nvidia", "nvidia", 0, refused},
	{"amd_two_platforms", "", 0, "0:0"},
	{"amd_two_platforms", "gpu", 0, "0:0"},
	{"amd_two_platforms", "name~Radeon", 0, "0:0"}, /* found by its board's name: the driver calls it gfx1031 */
	{"amd_two_platforms", "name=gfx1031", 0, "0:0"},
	{"amd_two_platforms", "vendor=amd", 0, "0:0"},
	{"amd_two_platforms", "platform~rusticl", 0, "1:0"},
	{"amd_two_platforms", "1:0", 0, "1:0"},
	{"amd_two_platforms", "name~radeonsi", 0, "1:0"},
	{"amd_two_platforms", "gpu,memory>11.99G", 0, "1:0"}, /* one driver keeps part of the memory for itself */
	{"amd_two_platforms", "gpu,memory>12G", 0, no_device},
	{"intel_integrated", "", 0, "0:0"},
	{"intel_integrated", "gpu", 0, "0:0"},
	{"intel_integrated", "discrete", 0, no_device},
	{"intel_integrated", "integrated", 0, "0:0"},
	{"intel_integrated", "cpu", 0, "1:0"},
	{"intel_integrated", "best", 14 * GIB, "native"},
	{"intel_integrated", "vendor=intel", 0, "0:0"},
	{"intel_integrated", "vendor=intel,backend=native", 0, "native"},
	{"intel_integrated", "kind=cpu,memory>15G", 0, "1:0"},
	{"pocl_only", "", 0, "native"},
	{"pocl_only", "gpu", 0, no_device},
	{"pocl_only", "cpu", 0, "0:0"},
	{"pocl_only", "platform~portable", 0, "0:0"},
	{"pocl_only", "backend=opencl", 0, "0:0"},
	{"nothing", "", 0, "native"},
	{"nothing", "native", 0, "native"},
	{"nothing", "gpu", 0, no_device},
	{"nothing", "backend=opencl", 0, no_device},
	{"nothing", "0:0", 0, no_device},
	{"nothing", "", 16 * GIB, no_device},
	{"broken_vendor", "", 0, "native"},
	{"broken_vendor", "gpu", 0, no_device}, /* its only GPU has OpenCL 1.1 */
	{"broken_vendor", "3:0", 0, no_device},
	{"broken_vendor", "0:0", 0, no_device},
	{"broken_vendor", "cpu", 0, "5:0"},
	{"broken_vendor", "other", 0, "4:0"},
	{"laptop", "", 0, "0:0"},
	{"laptop", "gpu", 4 * GIB, "1:0"},
	{"laptop", "integrated", 0, "1:0"},
	{"laptop", "vendor=intel,memory>30G", 0, "native"},
	{"laptop", "gpu,memory>30G", 0, "2:0"},
	{"laptop", "platform=rusticl", 0, "2:0"},
};

TEST_EACH(on_each_machine_one_device_is_chosen_as_expected, COUNT(choices_of_one))
{
	const choice *c = &choices_of_one[_i];
	clpac_device_list *list = machine(c->machine);
	const clpac_device *device = NULL;
	const clpac_status st = clpac_devices_select(list, c->selection, c->required_bytes, &device, &err);
	const char *text = as_text(st, &device, 1);
	ck_assert_msg(strcmp(text, c->expected) == 0, "%s, \"%s\", %llu bytes: %s, not %s", c->machine, c->selection,
		      (unsigned long long)c->required_bytes, text, c->expected);
	clpac_devices_destroy(list);
}

static const choice choices_of_several[] = {
	{"two_nvidia", "all", 0, "0:0 0:1 native"},
	{"two_nvidia", "gpu+gpu", 0, "0:0 0:1"},
	{"two_nvidia", "all,gpu", 12 * GIB, "0:0"},
	{"two_nvidia", "native+0:1", 0, "native 0:1"},
	{"amd_two_platforms", "all", 0, "0:0 native"},
	{"amd_two_platforms", "gpu+gpu", 0, no_device},
	{"amd_two_platforms", "platform~rusticl+native", 0, "1:0 native"},
	{"amd_two_platforms", "1:0+all", 0, "1:0 native"},
	{"intel_integrated", "all", 0, "0:0 native 1:0"},
	{"intel_integrated", "all,memory>13G", 0, "native 1:0"},
	{"pocl_only", "native+cpu", 0, "native 0:0"},
	{"nothing", "all", 0, "native"},
	{"nothing", "native+gpu", 0, no_device},
	{"broken_vendor", "all", 0, "native 5:0 4:0"},
	{"laptop", "all", 0, "0:0 1:0 native"},
	{"laptop", "gpu+gpu+gpu", 0, no_device},
	{"laptop", "gpu+", 0, refused},
};

TEST_EACH(on_each_machine_several_devices_are_chosen_as_expected, COUNT(choices_of_several))
{
	const choice *c = &choices_of_several[_i];
	clpac_device_list *list = machine(c->machine);
	const clpac_device *chosen[8];
	size_t n = 0;
	const clpac_status st =
		clpac_devices_select_several(list, c->selection, c->required_bytes, chosen, 8, &n, &err);
	const char *text = as_text(st, chosen, n);
	ck_assert_msg(strcmp(text, c->expected) == 0, "%s, \"%s\": %s, not %s", c->machine, c->selection, text,
		      c->expected);
	clpac_devices_destroy(list);
}

static const struct {
	const char *machine, *first_sight, *second_sight; /* NULL: no device is seen twice */
} sights[] = {
	{"two_nvidia", NULL, NULL},	  {"amd_two_platforms", "0:0", "1:0"},
	{"intel_integrated", NULL, NULL}, {"pocl_only", NULL, NULL},
	{"nothing", NULL, NULL},	  {"broken_vendor", NULL, NULL},
	{"laptop", "1:0", "2:0"},
};

TEST_EACH(a_device_that_two_platforms_show_is_marked_once, COUNT(sights))
{
	clpac_device_list *list = machine(sights[_i].machine);
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		char text[24];
		clpac_device_selection(device, text, sizeof text);
		ck_assert_int_eq(device->is_duplicate,
				 sights[_i].second_sight && strcmp(text, sights[_i].second_sight) == 0);
	}
	clpac_devices_destroy(list);
}

static const struct {
	const char *machine, *selection;
	uint64_t required_bytes;
	const char *reasons[5];
} refusals[] = {
	{"two_nvidia",
	 "vendor=nvidia",
	 24 * GIB,
	 {"0:0 \"NVIDIA GeForce RTX 3090\" has 24268.3 MiB of memory and 24576.0 MiB are required",
	  "0:1 \"NVIDIA GeForce RTX 3060\" has 12037.4 MiB", "native \"AMD Ryzen 9 5950X",
	  "has vendor \"AuthenticAMD\""}},
	{"amd_two_platforms",
	 "vendor=intel",
	 0,
	 {"0:0 \"gfx1031\" has vendor \"Advanced Micro Devices, Inc.\"", "1:0 \"AMD Radeon RX 6700 XT (radeonsi"}},
	{"intel_integrated",
	 "discrete",
	 0,
	 {"0:0 \"Intel(R) Iris(R) Xe Graphics\" is an integrated GPU", "is a native CPU", "is an OpenCL CPU"}},
	{"nothing",
	 "gpu",
	 0,
	 {"native \"Intel(R) Core(TM) i5", "is a native CPU", "platform \"OpenCL\" gives no device (-1001)"}},
	{"broken_vendor",
	 "gpu",
	 0,
	 {"3:0 \"AMD TURKS", "is not available", "platform \"NVIDIA CUDA\" gives no device (-1001)",
	  "platform \"AMD Accelerated Parallel Processing\" gives no device (-1)", "gives no device (-6)"}},
};

TEST_EACH(where_nothing_fits_the_error_has_a_reason_against_each, COUNT(refusals))
{
	clpac_device_list *list = machine(refusals[_i].machine);
	const clpac_device *device;
	ck_assert_int_eq(clpac_devices_select(list, refusals[_i].selection, refusals[_i].required_bytes, &device, &err),
			 CLPAC_ERROR_NO_DEVICE);
	for (size_t k = 0; k < COUNT(refusals[_i].reasons) && refusals[_i].reasons[k]; k++)
		ck_assert_msg(strstr(err.text, refusals[_i].reasons[k]), "\"%s\" is not in: %s",
			      refusals[_i].reasons[k], err.text);
	clpac_devices_destroy(list);
}

TEST(a_broken_platform_is_kept_with_its_code_and_advice)
{
	static const int codes[] = {0, -1001, -1, -6, 0, 0, 0};
	clpac_device_list *list = machine("broken_vendor");
	ck_assert_uint_eq(clpac_platforms_count(list), COUNT(codes));
	for (size_t i = 0; i < COUNT(codes); i++) {
		const clpac_platform *platform = clpac_platforms_get(list, i);
		ck_assert_int_eq(platform->status, codes[i]);
		ck_assert(!platform->status || *platform->trouble);
	}
	clpac_devices_destroy(list);
}

TEST(a_fact_that_was_not_told_differs_from_one_that_is_zero)
{
	clpac_device_list *list = machine("broken_vendor");
	for (size_t i = 0; i < clpac_devices_count(list); i++) {
		const clpac_device *device = clpac_devices_get(list, i);
		const bool is_clover = device->platform == 3, is_odd = device->platform == 4;
		if (!is_clover && !is_odd)
			continue;
		ck_assert_uint_eq(device->cache_bytes, 0);
		ck_assert_int_eq(clpac_device_knows(device, CLPAC_PROPERTY_CACHE_BYTES), is_clover);
		ck_assert_int_eq(clpac_device_knows(device, CLPAC_PROPERTY_HAS_FP16), is_clover);
		ck_assert_int_eq(clpac_device_knows(device, CLPAC_PROPERTY_KIND), is_clover);
		ck_assert(!clpac_device_knows(device, CLPAC_PROPERTY_UUID));
		ck_assert(clpac_device_knows(device, CLPAC_PROPERTY_MEMORY_BYTES));
	}
	clpac_devices_destroy(list);
}

/* Ranks devices by their free memory. */
static int by_free_memory(const clpac_device *device, void *user)
{
	(void)user;
	return (int)(device->free_bytes >> 20);
}

TEST(a_function_chooses_among_what_is_known_to_be_free)
{
	clpac_device_list *list = machine("amd_two_platforms");
	const clpac_device *device = NULL;
	assert_works(clpac_devices_select_by(list, by_free_memory, NULL, 0, &device, &err), err);
	ck_assert_str_eq(device->backend, "native");
	ck_assert_int_eq(device->free_knowledge, CLPAC_EXACT);
	clpac_devices_destroy(list);
}

const char *skip_reason(void)
{
	return getenv("CLPAC_TEST_DATA") ? NULL : "CLPAC_TEST_DATA is not set: run it by make check";
}
