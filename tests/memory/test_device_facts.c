/* Facts of an OpenCL device: facts that the driver tells are taken over, the others are unknown, and only queries that
 * the driver promises to answer are made. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "assertions.h"
#include "memory/device/list.h"
#include "memory/device/properties.h"
#include "memory/native/machine.h"
#include "memory/opencl/opencl.h"

enum { MAX_ANSWERS = 64, MAX_ASKED = 256, LAST_OF_OPENCL_1_2 = 0x104A };

/* The simulated driver: a table of answers, and a list of the queries it received. */
static struct answer {
	cl_device_info what;
	size_t size;
	unsigned char value[64];
} answers[MAX_ANSWERS];
static size_t n_answers;
static cl_device_info asked[MAX_ASKED];
static size_t n_asked;
static clpac_device device;

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size)
{
	(void)id;
	ck_assert_uint_lt(n_asked, MAX_ASKED);
	asked[n_asked++] = what;
	for (size_t i = 0; i < n_answers; i++) {
		if (answers[i].what != what)
			continue;
		if (size)
			*size = answers[i].size;
		if (value && room < answers[i].size)
			return CL_INVALID_VALUE;
		if (value)
			memcpy(value, answers[i].value, answers[i].size);
		return CL_SUCCESS;
	}
	return CL_INVALID_VALUE;
}

static const clpac__opencl_functions functions = {.device_info = device_info};

static void answer_bytes(cl_device_info what, const void *value, size_t size)
{
	size_t i = 0;
	while (i < n_answers && answers[i].what != what)
		i++;
	ck_assert(i < MAX_ANSWERS && size <= sizeof answers->value);
	n_answers += i == n_answers;
	answers[i].what = what;
	answers[i].size = size;
	memcpy(answers[i].value, value, size);
}

static void answer_text(cl_device_info what, const char *text)
{
	answer_bytes(what, text, strlen(text) + 1);
}

static void answer_uint(cl_device_info what, cl_uint value)
{
	answer_bytes(what, &value, sizeof value);
}

static void answer_ulong(cl_device_info what, cl_ulong value)
{
	answer_bytes(what, &value, sizeof value);
}

static void set_up(void)
{
	n_answers = 0;
}

static const clpac_device *look(void)
{
	n_asked = 0;
	device = (clpac_device){.kind = CLPAC_DEVICE_OTHER};
	clpac__opencl_device_facts(&functions, NULL, &device);
	return &device;
}

static bool was_asked(cl_device_info what)
{
	for (size_t i = 0; i < n_asked; i++)
		if (asked[i] == what)
			return true;
	return false;
}

#define KNOWN(property) clpac_device_knows(&device, CLPAC_PROPERTY_##property)

/* --- Facts that any driver may tell ----------------------------------------------------------- */

static const struct {
	cl_device_info what;
	size_t size;
	clpac_device_property property;
} numbers[] = {
	{0x1001, 4, CLPAC_PROPERTY_VENDOR_ID},
	{0x1002, 4, CLPAC_PROPERTY_COMPUTE_UNITS},
	{0x100C, 4, CLPAC_PROPERTY_CLOCK_MHZ},
	{0x101F, 8, CLPAC_PROPERTY_MEMORY_BYTES},
	{0x1010, 8, CLPAC_PROPERTY_MAX_ALLOCATION_BYTES},
	{0x101E, 8, CLPAC_PROPERTY_CACHE_BYTES},
	{0x101D, 4, CLPAC_PROPERTY_CACHE_LINE_BYTES},
	{0x1023, 8, CLPAC_PROPERTY_LOCAL_BYTES},
	{0x1019, 4, CLPAC_PROPERTY_BASE_ALIGN_BITS},
	{0x1004, sizeof(size_t), CLPAC_PROPERTY_MAX_GROUP_ITEMS},
	{0x1036, 4, CLPAC_PROPERTY_VECTOR_WIDTH_CHAR},
	{0x1037, 4, CLPAC_PROPERTY_VECTOR_WIDTH_SHORT},
	{0x1038, 4, CLPAC_PROPERTY_VECTOR_WIDTH_INT},
	{0x1039, 4, CLPAC_PROPERTY_VECTOR_WIDTH_LONG},
	{0x103A, 4, CLPAC_PROPERTY_VECTOR_WIDTH_FLOAT},
	{0x103B, 4, CLPAC_PROPERTY_VECTOR_WIDTH_DOUBLE},
	{0x103C, 4, CLPAC_PROPERTY_VECTOR_WIDTH_HALF},
	{0x100A, 4, CLPAC_PROPERTY_PREFERRED_WIDTH_FLOAT},
};

static uint64_t number_of(clpac_device_property property)
{
	const clpac_property_info *info = clpac_device_property_info(property);
	const char *member = (const char *)&device + info->offset;
	unsigned small;
	uint64_t large;
	memcpy(&small, member, sizeof small);
	if (info->size == sizeof small)
		return small;
	memcpy(&large, member, sizeof large);
	return large;
}

FIXTURE(set_up, NULL);

TEST_EACH(a_number_that_is_told_is_known, COUNT(numbers))
{
	static const uint64_t values[] = {0, 1, 0xfffffffe};
	for (size_t i = 0; i < COUNT(values); i++) {
		if (numbers[_i].size == 4)
			answer_uint(numbers[_i].what, (cl_uint)values[i]);
		else
			answer_ulong(numbers[_i].what, values[i]);
		look();
		ck_assert(clpac_device_knows(&device, numbers[_i].property));
		ck_assert_uint_eq(number_of(numbers[_i].property), values[i]);
	}
}

TEST_EACH(a_number_of_another_size_is_unknown, COUNT(numbers))
{
	if (numbers[_i].size == 8)
		answer_uint(numbers[_i].what, 7);
	else
		answer_ulong(numbers[_i].what, 7);
	look();
	ck_assert(!clpac_device_knows(&device, numbers[_i].property));
	ck_assert_uint_eq(number_of(numbers[_i].property), 0);
}

TEST(a_number_too_large_for_its_member_becomes_the_largest)
{
	answer_ulong(CL_DEVICE_MAX_WORK_GROUP_SIZE, (cl_ulong)1 << 40);
	ck_assert_uint_eq(look()->max_group_items, UINT32_MAX);
}

TEST(of_a_driver_that_tells_nothing_nothing_is_known)
{
	look();
	ck_assert_str_eq(device.name, "(device without a name)");
	ck_assert_uint_eq(device.known & ~CLPAC__KNOWS(CLPAC_PROPERTY_NAME), 0);
	ck_assert_int_eq(device.kind, CLPAC_DEVICE_OTHER);
	ck_assert_int_eq(device.free_knowledge, CLPAC_UNKNOWN);
}

TEST(an_older_driver_is_asked_nothing_that_is_newer_than_itself)
{
	answer_text(CL_DEVICE_VERSION, "OpenCL 1.2 old");
	answer_text(CL_DEVICE_EXTENSIONS, "cl_khr_fp64 cl_khr_icd");
	look();
	ck_assert_uint_gt(n_asked, 20);
	for (size_t i = 0; i < n_asked; i++)
		ck_assert_msg(asked[i] <= LAST_OF_OPENCL_1_2, "0x%x", asked[i]);
}

TEST(precisions_follow_from_the_extensions_that_were_told)
{
	static const struct {
		const char *extensions; /* NULL: not told */
		bool is_known, has_fp64, has_fp16;
	} cases[] = {{NULL, false, false, false},
		     {"", true, false, false},
		     {"cl_khr_fp64", true, true, false},
		     {"cl_khr_fp16 cl_khr_fp64", true, true, true},
		     {"cl_khr_fp64x x_cl_khr_fp16", true, false, false}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		n_answers = 0;
		if (cases[i].extensions)
			answer_text(CL_DEVICE_EXTENSIONS, cases[i].extensions);
		look();
		ck_assert_int_eq(KNOWN(HAS_FP64), cases[i].is_known);
		ck_assert_int_eq(KNOWN(HAS_FP16), cases[i].is_known);
		ck_assert_int_eq(device.has_fp64, cases[i].has_fp64);
		ck_assert_int_eq(device.has_fp16, cases[i].has_fp16);
	}
}

TEST(the_type_is_known_when_it_is_told)
{
	answer_ulong(CL_DEVICE_TYPE, CL_DEVICE_TYPE_CUSTOM);
	look();
	ck_assert(KNOWN(KIND));
	ck_assert_int_eq(device.kind, CLPAC_DEVICE_OTHER);
	answer_ulong(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU);
	look();
	ck_assert_int_eq(device.kind, CLPAC_DEVICE_DISCRETE_GPU);
	ck_assert(!KNOWN(HAS_UNIFIED_MEMORY));
	answer_uint(CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE);
	look();
	ck_assert(KNOWN(HAS_UNIFIED_MEMORY) && !device.has_unified_memory);
}

TEST(the_queues_properties_are_told_apart)
{
	look();
	ck_assert(!KNOWN(HAS_DEVICE_CLOCK) && !KNOWN(HAS_OUT_OF_ORDER));
	for (cl_ulong bits = 0; bits < 4; bits++) {
		answer_ulong(CL_DEVICE_QUEUE_PROPERTIES, bits);
		look();
		ck_assert(KNOWN(HAS_DEVICE_CLOCK) && KNOWN(HAS_OUT_OF_ORDER));
		ck_assert_int_eq(device.has_out_of_order, (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0);
		ck_assert_int_eq(device.has_device_clock, (bits & CL_QUEUE_PROFILING_ENABLE) != 0);
	}
}

TEST(shared_memory_is_asked_for_from_opencl_2_on)
{
	static const struct {
		const char *version; /* NULL: not told */
		bool is_asked, is_known_without;
	} cases[] = {{NULL, false, false},
		     {"OpenCL 1.2", false, true},
		     {"OpenCL 2.0 x", true, false},
		     {"OpenCL 3.0 CUDA", true, false},
		     {"2.0", false, false}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		n_answers = 0;
		if (cases[i].version)
			answer_text(CL_DEVICE_VERSION, cases[i].version);
		look();
		ck_assert_int_eq(was_asked(0x1053), cases[i].is_asked);
		ck_assert_int_eq(KNOWN(HAS_SVM_COARSE_BUFFER), cases[i].is_known_without);
		answer_ulong(0x1053, 1 + 8);
		look();
		ck_assert_int_eq(device.has_svm_coarse_buffer, cases[i].is_asked);
		ck_assert_int_eq(device.has_svm_atomics, cases[i].is_asked);
		ck_assert(!device.has_svm_fine_buffer && !device.has_svm_fine_system);
		ck_assert_int_eq(KNOWN(HAS_SVM_FINE_SYSTEM), cases[i].is_asked || cases[i].is_known_without);
	}
}

/* --- Facts that vendors tell ------------------------------------------------------------------ */

TEST(nvidia_tells_its_warps)
{
	answer_uint(0x4003, 32);
	look();
	ck_assert(!was_asked(0x4003) && !KNOWN(SUB_GROUP_MIN_ITEMS));
	answer_text(CL_DEVICE_EXTENSIONS, "cl_nv_device_attribute_query");
	look();
	ck_assert_uint_eq(device.sub_group_min_items, 32);
	ck_assert_uint_eq(device.sub_group_max_items, 32);
}

TEST(nvidia_and_amd_tell_their_generation)
{
	static const struct {
		const char *extension;
		cl_device_info major, minor;
		unsigned numbers[2];
		const char *text;
	} cases[] = {
		{"cl_nv_device_attribute_query", 0x4000, 0x4001, {8, 6}, "8.6"},
		{"cl_nv_device_attribute_query", 0x4000, 0x4001, {9, 0}, "9.0"},
		{"cl_nv_device_attribute_query", 0x4000, 0x4001, {0, 0}, ""},
		{"cl_nv_device_attribute_query", 0x4000, 0x4001, {4000000000u, 0}, ""},
		{"cl_amd_device_attribute_query", 0x404a, 0x404b, {10, 3}, "gfx10.3"},
		{"cl_amd_device_attribute_query", 0x404a, 0x404b, {9, 0}, "gfx9.0"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		answer_text(CL_DEVICE_EXTENSIONS, "");
		answer_uint(cases[i].major, cases[i].numbers[0]);
		answer_uint(cases[i].minor, cases[i].numbers[1]);
		look();
		ck_assert(!was_asked(cases[i].major));
		ck_assert_str_eq(device.compute_capability, "");
		answer_text(CL_DEVICE_EXTENSIONS, cases[i].extension);
		look();
		ck_assert_str_eq(device.compute_capability, cases[i].text);
		ck_assert_int_eq(KNOWN(COMPUTE_CAPABILITY), *cases[i].text != 0);
	}
	/* Half an answer is none. */
	answer_text(CL_DEVICE_EXTENSIONS, "cl_nv_device_attribute_query");
	answer_uint(0x4000, 8);
	answer_bytes(0x4001, "x", 1);
	look();
	ck_assert_str_eq(device.compute_capability, "");
}

TEST(amd_tells_its_wavefronts_its_board_and_its_free_memory)
{
	answer_uint(0x4043, 64);
	answer_text(0x4038, "Radeon RX 570 Series");
	answer_text(CL_DEVICE_NAME, "Ellesmere");
	answer_bytes(0x4039, (size_t[]){1 << 20, 1 << 19}, 2 * sizeof(size_t));
	look();
	ck_assert(!was_asked(0x4043) && !was_asked(0x4038) && !was_asked(0x4039));
	answer_text(CL_DEVICE_EXTENSIONS, "cl_amd_device_attribute_query");
	look();
	ck_assert_uint_eq(device.sub_group_max_items, 64);
	ck_assert_str_eq(device.board, "Radeon RX 570 Series");
	ck_assert_str_eq(device.name, "Ellesmere");
	ck_assert_uint_eq(device.free_bytes, 1 << 30);
	ck_assert_int_eq(device.free_knowledge, CLPAC_EXACT);
	/* A full card (0 bytes free) differs from a card whose free memory is unknown. */
	answer_bytes(0x4039, (size_t[]){0, 0}, 2 * sizeof(size_t));
	look();
	ck_assert(KNOWN(FREE_BYTES) && device.free_bytes == 0 && device.free_knowledge == CLPAC_EXACT);
}

TEST(intel_tells_several_sizes_of_sub_groups)
{
	static const struct {
		size_t n, sizes[8];
		unsigned least, most;
	} cases[] = {{3, {8, 16, 32}, 8, 32}, {1, {16}, 16, 16},    {3, {32, 8, 16}, 8, 32},
		     {0, {0}, 0, 0},	      {2, {0, 16}, 16, 16}, {8, {4, 8, 16, 32, 64, 128, 256, 512}, 4, 512}};
	answer_text(CL_DEVICE_EXTENSIONS, "cl_intel_required_subgroup_size");
	look();
	ck_assert(!KNOWN(SUB_GROUP_MAX_ITEMS));
	for (size_t i = 0; i < COUNT(cases); i++) {
		answer_bytes(0x4108, cases[i].sizes, cases[i].n * sizeof(size_t));
		look();
		ck_assert_uint_eq(device.sub_group_min_items, cases[i].least);
		ck_assert_uint_eq(device.sub_group_max_items, cases[i].most);
		ck_assert_int_eq(KNOWN(SUB_GROUP_MAX_ITEMS), cases[i].most != 0);
	}
}

TEST(a_cpus_free_memory_is_this_computers_and_a_cards_is_unknown)
{
	answer_ulong(CL_DEVICE_GLOBAL_MEM_SIZE, 1 << 20);
	answer_ulong(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU);
	look();
	ck_assert(!KNOWN(FREE_BYTES) && device.free_knowledge == CLPAC_UNKNOWN);
	answer_ulong(CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU);
	look();
	ck_assert_uint_le(device.free_bytes, 1 << 20);
	ck_assert_int_eq(device.free_knowledge, device.free_bytes ? CLPAC_EXACT : CLPAC_UNKNOWN);
}

/* Integrated GPUs report most of the machine's memory as theirs. */
TEST(what_is_free_of_unified_memory_is_no_more_than_this_computer_has)
{
	const uint64_t huge = (uint64_t)1 << 50;
	const uint64_t of_host = clpac__machine_free_bytes("");
	answer_ulong(CL_DEVICE_GLOBAL_MEM_SIZE, huge);
	answer_ulong(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU);
	answer_uint(CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE);
	look();
	ck_assert_int_eq(device.kind, CLPAC_DEVICE_INTEGRATED_GPU);
	ck_assert_int_eq(device.free_knowledge, of_host ? CLPAC_EXACT : CLPAC_UNKNOWN);
	ck_assert_uint_lt(device.free_bytes, huge);
	/* Of two answers the lesser counts. */
	answer_text(CL_DEVICE_EXTENSIONS, "cl_amd_device_attribute_query");
	answer_bytes(0x4039, (size_t[]){huge >> 10, huge >> 10}, 2 * sizeof(size_t));
	look();
	if (of_host)
		ck_assert_uint_lt(device.free_bytes, huge);
	answer_bytes(0x4039, (size_t[]){1, 1}, 2 * sizeof(size_t));
	look();
	ck_assert_uint_eq(device.free_bytes, 1024);
	/* A card of its own is not bounded by the host. */
	answer_uint(CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE);
	answer_bytes(0x4039, (size_t[]){huge >> 10, huge >> 10}, 2 * sizeof(size_t));
	look();
	ck_assert_uint_eq(device.free_bytes, huge);
}
