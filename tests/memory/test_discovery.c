/* Discovery over made-up drivers: empty, broken, lying, too talkative. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "base/memory.h"
#include "memory/device/list.h"
#include "memory/opencl/opencl.h"

enum { MAX_FAKES = 4, N_TEXTS = 8 };

/* A device or platform answers from a table; a query outside it gets CL_INVALID_VALUE, as real drivers answer. */
typedef struct answer {
	cl_uint what;
	const void *value;
	size_t size;
} answer;

typedef struct fake_device {
	answer answers[32];
} fake_device;

typedef struct fake_platform {
	answer answers[4];
	fake_device *devices[MAX_FAKES];
	cl_uint n_devices;
	cl_int device_ids_code;	 /* not 0: clGetDeviceIDs fails with it and leaves the count unwritten */
	cl_uint claimed_devices; /* not 0: reported in place of n_devices */
} fake_platform;

static struct fake_machine {
	fake_platform *platforms[MAX_FAKES];
	cl_uint n_platforms;
	cl_int platform_ids_code;
	cl_uint claimed_platforms;
	unsigned n_calls, failing_call; /* the call with this number, counted from 1, fails; 0: none */
	bool all_after_fail;
	cl_int failing_code; /* 0: CL_OUT_OF_HOST_MEMORY */
	bool counts_are_unwritten, writes_nothing, spoils_what_fails;
} fake;

static cl_int refuse(void)
{
	fake.n_calls++;
	bool fails = fake.failing_call &&
		     (fake.n_calls == fake.failing_call || (fake.all_after_fail && fake.n_calls > fake.failing_call));
	const cl_int code = fake.failing_code ? fake.failing_code : CL_OUT_OF_HOST_MEMORY;
	return fails ? code : CL_SUCCESS;
}

/* A failing call may already have written anything. */
static cl_int spoil(cl_int code, void *value, size_t room, cl_uint *n, size_t *size)
{
	if (fake.spoils_what_fails && value)
		memset(value, 0xEE, room);
	if (fake.spoils_what_fails && n)
		*n = 0xEEEEEEEE;
	if (fake.spoils_what_fails && size)
		*size = (size_t)-1;
	return code;
}

static cl_int give(const answer *answers, size_t n_answers, cl_uint what, size_t room, void *value, size_t *size)
{
	const cl_int refused = refuse();
	if (refused)
		return spoil(refused, value, room, NULL, size);
	for (size_t i = 0; i < n_answers && answers[i].what; i++) {
		if (answers[i].what != what)
			continue;
		if (size)
			*size = answers[i].size;
		if (!value)
			return CL_SUCCESS;
		if (room < answers[i].size)
			return CL_INVALID_VALUE;
		if (!fake.writes_nothing)
			memcpy(value, answers[i].value, answers[i].size);
		return CL_SUCCESS;
	}
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
	const cl_int refused = refuse();
	if (refused)
		return spoil(refused, ids, room * sizeof *ids, n, NULL);
	if (fake.platform_ids_code)
		return fake.platform_ids_code;
	for (cl_uint i = 0; i < fake.n_platforms && i < room; i++)
		ids[i] = (cl_platform_id)fake.platforms[i];
	if (!fake.counts_are_unwritten)
		*n = fake.claimed_platforms ? fake.claimed_platforms : fake.n_platforms;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id id, cl_platform_info what, size_t room, void *value,
					size_t *size)
{
	return give(((fake_platform *)id)->answers, 4, what, room, value, size);
}

static cl_int CL_API_CALL device_ids(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *ids,
				     cl_uint *n)
{
	const fake_platform *platform = (fake_platform *)id;
	ck_assert(type == CL_DEVICE_TYPE_ALL);
	const cl_int refused = refuse();
	if (refused)
		return spoil(refused, ids, room * sizeof *ids, n, NULL);
	if (platform->device_ids_code)
		return platform->device_ids_code;
	for (cl_uint i = 0; i < platform->n_devices && i < room; i++)
		ids[i] = (cl_device_id)platform->devices[i];
	if (!fake.counts_are_unwritten)
		*n = platform->claimed_devices ? platform->claimed_devices : platform->n_devices;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info what, size_t room, void *value, size_t *size)
{
	return give(((fake_device *)id)->answers, 32, what, room, value, size);
}

static const clpac__opencl_functions functions = {NULL, platform_ids, platform_info, device_ids, device_info};

#define TEXT(what, text)                                                                                               \
	{                                                                                                              \
		(what), (text), sizeof(text)                                                                           \
	}
#define VALUE(what, object)                                                                                            \
	{                                                                                                              \
		(what), &(object), sizeof(object)                                                                      \
	}

static const cl_device_type gpu = CL_DEVICE_TYPE_GPU, accelerator = CL_DEVICE_TYPE_ACCELERATOR,
			    custom = CL_DEVICE_TYPE_CUSTOM;
static const cl_bool yes = CL_TRUE, no = CL_FALSE;
static const cl_ulong eight_gib = 8ull << 30, two_gib = 2ull << 30;
static const cl_uint units = 32, clock_mhz = 2600, width = 1, vendor_id = 0x1002;
static const size_t free_kib[2] = {4194304, 2097152};
static const unsigned char uuid[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255};
static const unsigned char no_uuid[16];
static const cl_uint pci[4] = {0, 3, 0, 1};
static const cl_uint bus_nv = 0x41, slot_nv = 0x0a, domain_nv = 1;
static const struct {
	cl_uint type;
	unsigned char rest[20];
} topology_amd = {1, {[17] = 0x2d, [18] = 1, [19] = 2}};
static const cl_command_queue_properties profiling = CL_QUEUE_PROFILING_ENABLE;

#define COMMON(type)                                                                                                   \
	VALUE(CL_DEVICE_TYPE, type), VALUE(CL_DEVICE_AVAILABLE, yes), VALUE(CL_DEVICE_COMPILER_AVAILABLE, yes),        \
		TEXT(CL_DEVICE_VERSION, "OpenCL 1.2 fake"), VALUE(CL_DEVICE_GLOBAL_MEM_SIZE, eight_gib)

static fake_device radeon, iris, plain;
static fake_platform amd, empty, other;
static clpac__discovery found;
static clpac_device_list *list;
static clpac_error err;

static void set_up(void)
{
	fake = (struct fake_machine){.platforms = {&amd, &empty, &other}, .n_platforms = 3};
	radeon = (fake_device){
		{COMMON(gpu), TEXT(CL_DEVICE_NAME, "  Radeon\tRX 7600 "), TEXT(CL_DEVICE_VENDOR, "AMD"),
		 TEXT(CL_DRIVER_VERSION, "3570.0"), TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 2.0"),
		 TEXT(CL_DEVICE_EXTENSIONS, "cl_khr_fp64 cl_amd_device_attribute_query cl_khr_fp16x"),
		 VALUE(CL_DEVICE_HOST_UNIFIED_MEMORY, no), VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, two_gib),
		 VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, units), VALUE(CL_DEVICE_MAX_CLOCK_FREQUENCY, clock_mhz),
		 VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, width), VALUE(CL_DEVICE_VENDOR_ID, vendor_id),
		 VALUE(CL_DEVICE_QUEUE_PROPERTIES, profiling), VALUE(0x4037, topology_amd), VALUE(0x4039, free_kib)}};
	iris = (fake_device){{COMMON(gpu), TEXT(CL_DEVICE_NAME, "Iris"), VALUE(CL_DEVICE_HOST_UNIFIED_MEMORY, yes),
			      TEXT(CL_DEVICE_EXTENSIONS, "cl_khr_device_uuid cl_khr_pci_bus_info"), VALUE(0x106A, uuid),
			      VALUE(0x410F, pci)}};
	plain = (fake_device){{COMMON(accelerator)}};
	amd = (fake_platform){.answers = {TEXT(CL_PLATFORM_NAME, "AMD APP"), TEXT(CL_PLATFORM_VENDOR, "AMD"),
					  TEXT(CL_PLATFORM_VERSION, "OpenCL 2.1")},
			      .devices = {&radeon},
			      .n_devices = 1};
	empty = (fake_platform){.answers = {TEXT(CL_PLATFORM_NAME, "Clover")}, .device_ids_code = CL_DEVICE_NOT_FOUND};
	other = (fake_platform){
		.answers = {TEXT(CL_PLATFORM_NAME, "Other")}, .devices = {&iris, &plain}, .n_devices = 2};
}

static void tear_down(void)
{
	clpac__discovery_clear(&found);
	clpac_devices_destroy(list);
	list = NULL;
}

static void discover(void)
{
	ck_assert_int_eq(clpac__opencl_discover(&functions, &found, &err), CLPAC_OK);
}

static const clpac_platform *the_platform(void)
{
	discover();
	ck_assert_uint_eq(found.list.n_platforms, 1);
	ck_assert_str_eq(found.list.platforms->backend, "opencl");
	return found.list.platforms;
}

/* The only device of a machine with one platform. */
static const clpac_device *the_device(fake_device *device)
{
	fake.n_platforms = 1;
	amd.devices[0] = device;
	discover();
	ck_assert_uint_eq(found.list.n_devices, 1);
	return found.list.devices;
}

FIXTURE(set_up, tear_down);

TEST(every_platform_and_device_is_found)
{
	discover();
	ck_assert_uint_eq(found.list.n_platforms, 3);
	ck_assert_uint_eq(found.list.n_devices, 3);
	ck_assert_str_eq(found.list.platforms[0].name, "AMD APP");
	ck_assert_str_eq(found.list.platforms[0].version, "OpenCL 2.1");
	ck_assert_int_eq(found.list.platforms[0].status, 0);
	ck_assert_str_eq(found.list.platforms[0].trouble, "");
	ck_assert_int_eq(found.list.platforms[2].n_devices, 2);
	ck_assert_int_eq(found.list.devices[2].platform, 2);
	ck_assert_int_eq(found.list.devices[2].index, 1);
	ck_assert_str_eq(found.list.devices[2].platform_name, "Other");
	ck_assert_str_eq(found.list.devices[2].backend, "opencl");
	ck_assert_str_eq(found.list.devices[2].name, "(device without a name)");
}

TEST(facts_are_taken_over)
{
	const clpac_device *device = the_device(&radeon);
	ck_assert_int_eq(device->kind, CLPAC_DEVICE_DISCRETE_GPU);
	ck_assert_str_eq(device->name, "Radeon RX 7600");
	ck_assert_str_eq(device->driver, "3570.0");
	ck_assert_str_eq(device->c_version, "OpenCL C 2.0");
	ck_assert_uint_eq(device->memory_bytes, eight_gib);
	ck_assert_uint_eq(device->max_allocation_bytes, two_gib);
	ck_assert_uint_eq(device->free_bytes, 4ull << 30);
	ck_assert_uint_eq(device->compute_units, 32);
	ck_assert_uint_eq(device->clock_mhz, 2600);
	ck_assert_uint_eq(device->vector_width_float, 1);
	ck_assert_uint_eq(device->vendor_id, 0x1002);
	ck_assert(device->has_fp64 && !device->has_fp16 && device->has_device_clock && device->is_available);
	ck_assert_str_eq(device->pci, "0000:2d:01.2");
	ck_assert_uint_eq(device->cache_bytes, 0);
}

TEST(a_gpu_in_the_hosts_memory_is_integrated)
{
	const clpac_device *device = the_device(&iris);
	ck_assert_int_eq(device->kind, CLPAC_DEVICE_INTEGRATED_GPU);
	ck_assert_str_eq(device->uuid, "000102030405060708090a0b0c0d0eff");
	ck_assert_str_eq(device->pci, "0000:03:00.1");
}

TEST(an_unknown_type_is_some_other_device)
{
	plain.answers[0].value = &custom;
	ck_assert_int_eq(the_device(&plain)->kind, CLPAC_DEVICE_OTHER);
}

TEST(what_says_to_be_everything_is_no_gpu)
{
	static const cl_device_type everything =
		CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
	plain.answers[0].value = &everything;
	ck_assert_int_eq(the_device(&plain)->kind, CLPAC_DEVICE_OPENCL_CPU);
}

TEST(nvidia_tells_its_address_in_its_own_way)
{
	fake_device nvidia = {{COMMON(gpu), TEXT(CL_DEVICE_EXTENSIONS, "cl_nv_device_attribute_query"),
			       VALUE(0x4008, bus_nv), VALUE(0x4009, slot_nv), VALUE(0x400A, domain_nv)}};
	ck_assert_str_eq(the_device(&nvidia)->pci, "0001:41:01.2");
}

TEST(an_identifier_of_zeros_is_none)
{
	fake_device zeros = {{COMMON(gpu), TEXT(CL_DEVICE_EXTENSIONS, "cl_khr_device_uuid"), VALUE(0x106A, no_uuid)}};
	ck_assert_str_eq(the_device(&zeros)->uuid, "");
}

TEST(what_no_extension_promises_is_not_asked_for)
{
	iris.answers[7].value = "cl_khr_device_uuid_not_quite x_cl_khr_device_uuid cl_khr_pci_bus_inf";
	iris.answers[7].size = strlen(iris.answers[7].value) + 1;
	const clpac_device *device = the_device(&iris);
	ck_assert_str_eq(device->uuid, "");
	ck_assert_str_eq(device->pci, "");
}

TEST(a_value_of_another_size_is_unknown)
{
	static const cl_ulong wide = 0xffffffffffffffff;
	radeon.answers[4].size = 4;
	radeon.answers[12] = (answer)VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, wide);
	const clpac_device *device = the_device(&radeon);
	ck_assert_uint_eq(device->memory_bytes, 0);
	ck_assert_uint_eq(device->compute_units, 0);
}

TEST(one_card_seen_by_two_drivers_is_recognised)
{
	fake_device again = iris;
	amd.devices[0] = &again;
	discover();
	ck_assert_int_eq(clpac__discovery_finish(&found, &list, &err), CLPAC_OK);
	ck_assert_uint_eq(clpac_devices_count(list), 3);
	ck_assert(!clpac_devices_get(list, 0)->is_duplicate);
	ck_assert(clpac_devices_get(list, 1)->is_duplicate);
	ck_assert(!clpac_devices_get(list, 2)->is_duplicate);
}

TEST(a_machine_without_drivers_is_told_so)
{
	fake.platform_ids_code = -1001;
	const clpac_platform *platform = the_platform();
	ck_assert_int_eq(platform->status, -1001);
	ck_assert_int_eq(platform->index, -1);
	ck_assert_ptr_nonnull(strstr(platform->trouble, "no OpenCL driver is installed"));
	ck_assert_uint_eq(found.list.n_devices, 0);
}

TEST(no_platforms_without_an_error_mean_the_same)
{
	fake.n_platforms = 0;
	ck_assert_int_eq(the_platform()->status, -1001);
}

TEST(a_loader_that_fails_is_listed_with_its_code)
{
	fake.platform_ids_code = CL_OUT_OF_HOST_MEMORY;
	const clpac_platform *platform = the_platform();
	ck_assert_int_eq(platform->status, CL_OUT_OF_HOST_MEMORY);
	ck_assert_ptr_nonnull(strstr(platform->trouble, "CL_OUT_OF_HOST_MEMORY (-6)"));
}

TEST(a_platform_without_devices_is_listed_with_advice)
{
	discover();
	ck_assert_str_eq(found.list.platforms[1].name, "Clover");
	ck_assert_int_eq(found.list.platforms[1].status, CL_DEVICE_NOT_FOUND);
	ck_assert_int_eq(found.list.platforms[1].n_devices, 0);
	ck_assert_ptr_nonnull(strstr(found.list.platforms[1].trouble, "CL_DEVICE_NOT_FOUND (-1): it offers no device"));
}

TEST(zero_devices_without_an_error_mean_the_same)
{
	empty.device_ids_code = 0;
	discover();
	ck_assert_int_eq(found.list.platforms[1].status, CL_DEVICE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(found.list.platforms[1].trouble, "it offers no device"));
}

TEST(a_broken_platform_leaves_the_others_usable)
{
	empty.device_ids_code = -9999;
	discover();
	ck_assert_int_eq(found.list.platforms[1].status, -9999);
	ck_assert_ptr_nonnull(strstr(found.list.platforms[1].trouble, "unknown code (-9999): its driver is broken"));
	ck_assert_uint_eq(found.list.n_devices, 3);
}

TEST(a_platform_without_a_handle_is_not_touched)
{
	fake.platforms[1] = NULL;
	discover();
	ck_assert_uint_eq(found.list.n_platforms, 3);
	ck_assert_int_eq(found.list.platforms[1].status, CL_INVALID_PLATFORM);
	ck_assert_str_eq(found.list.platforms[1].name, "(platform without a name)");
}

TEST(a_device_without_a_handle_is_not_touched)
{
	other.devices[0] = NULL;
	discover();
	ck_assert_uint_eq(found.list.n_devices, 2);
	ck_assert_int_eq(found.list.devices[1].index, 1);
	ck_assert_str_eq(found.list.platforms[2].trouble, "device 2:0 cannot be used: it is listed without a handle");
}

TEST(counts_out_of_all_proportion_are_not_believed)
{
	fake.claimed_platforms = 4000000000;
	other.claimed_devices = 4000000000;
	discover();
	ck_assert_uint_eq(found.list.n_devices, 3);
	ck_assert_uint_le(found.list.n_platforms, 64);
}

TEST(devices_that_cannot_be_used_are_listed_with_the_reason)
{
	static const struct {
		answer wrong;
		const char *reason;
	} cases[] = {
		{TEXT(CL_DEVICE_VERSION, "OpenCL 1.1 Mesa"), "it is older than OpenCL 1.2"},
		{TEXT(CL_DEVICE_VERSION, "3.0"), "it does not tell its OpenCL version"},
		{TEXT(CL_DEVICE_VERSION, "OpenCL 1"), "it is older than OpenCL 1.2"},
		{VALUE(CL_DEVICE_AVAILABLE, no), "it says that it is not available"},
		{VALUE(CL_DEVICE_COMPILER_AVAILABLE, no), "it has no compiler for kernels"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		fake_device device = plain;
		for (size_t k = 0; device.answers[k].what; k++)
			if (device.answers[k].what == cases[i].wrong.what)
				device.answers[k] = cases[i].wrong;
		ck_assert(!the_device(&device)->is_available);
		ck_assert_int_eq(found.list.platforms->n_devices, 0);
		ck_assert_int_eq(found.list.platforms->status, 0);
		ck_assert_msg(strstr(found.list.platforms->trouble, cases[i].reason), "%s",
			      found.list.platforms->trouble);
		clpac__discovery_clear(&found);
	}
}

TEST(newer_versions_are_fine)
{
	static const char *const versions[] = {"OpenCL 1.2 ", "OpenCL 2.0 AMD", "OpenCL 3.0 CUDA", "OpenCL 10.1"};
	for (size_t i = 0; i < COUNT(versions); i++) {
		plain.answers[3] = (answer){CL_DEVICE_VERSION, versions[i], strlen(versions[i]) + 1};
		ck_assert(the_device(&plain)->is_available);
		clpac__discovery_clear(&found);
	}
}

TEST(an_unterminated_text_ends_where_the_driver_says)
{
	radeon.answers[5] = (answer){CL_DEVICE_NAME, "Radeon and more", 6};
	ck_assert_str_eq(the_device(&radeon)->name, "Radeon");
}

TEST(huge_texts_are_cut_at_a_word_or_left_out)
{
	static char words[15000], endless[1 << 20], one_word[9000];
	for (size_t i = 0; i < sizeof words; i++)
		words[i] = i % 10 ? 'a' : ' ';
	memset(endless, 'b', sizeof endless);
	memset(one_word, 'c', sizeof one_word);
	radeon.answers[5] = (answer){CL_DEVICE_NAME, endless, sizeof endless};
	radeon.answers[6] = (answer){CL_DEVICE_VENDOR, one_word, sizeof one_word};
	radeon.answers[9] = (answer){CL_DEVICE_EXTENSIONS, words, sizeof words};
	const clpac_device *device = the_device(&radeon);
	ck_assert_str_eq(device->name, "(device without a name)");
	ck_assert_uint_eq(strlen(device->vendor), sizeof device->vendor - 1);
	size_t length = strlen(device->extensions);
	ck_assert_uint_gt(length, 4000);
	ck_assert_uint_eq(length % 10, 9); /* whole words of nine letters and a blank; the last blank is removed */
}

TEST(texts_are_made_safe_to_print)
{
	static const struct {
		const char *raw, *clean;
		size_t size;
	} cases[] = {
		{"  two\nlines\t ", "two lines", 64},
		{"Intel\xC2\xAE Arc", "Intel\xC2\xAE Arc", 64},
		{"Intel\xAE Arc", "Intel? Arc", 64},
		{"cut \xC2", "cut ?", 64},
		{"\x7f\x01", "", 64},
		{"Graphics\xC2\xAE", "Graphics", 10},
		{"one two three", "one two", 10},
		{"onetwothree", "onetw", 6},
		{"one two", "one", 4},
		{"", "", 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[64];
		clpac__opencl_clean_text(cases[i].raw, strlen(cases[i].raw), text, cases[i].size);
		ck_assert_str_eq(text, cases[i].clean);
	}
}

TEST(whichever_call_fails_discovery_goes_on)
{
	unsigned n_calls;
	discover();
	n_calls = fake.n_calls;
	ck_assert_uint_gt(n_calls, 50);
	for (int after = 0; after < 2; after++) {
		for (unsigned k = 1; k <= n_calls; k++) {
			fake.n_calls = 0;
			fake.failing_call = k;
			fake.all_after_fail = after;
			clpac__discovery_clear(&found);
			discover();
			ck_assert_uint_gt(found.list.n_platforms, 0);
			for (size_t i = 0; i < found.list.n_platforms; i++)
				ck_assert(!found.list.platforms[i].status == !!found.list.platforms[i].n_devices ||
					  *found.list.platforms[i].trouble);
		}
	}
}

/* Tried with every kind of error code, with anything written by the failing call, and with a second look at the
 * device. */
TEST(no_code_and_nothing_written_by_a_failing_call_does_harm)
{
	static const cl_int codes[] = {-1, -2, -5, -6, -30, -32, -1001, -9999, 1};
	cl_device_id id;
	fake.spoils_what_fails = true;
	discover();
	const unsigned n_calls = fake.n_calls;
	for (size_t c = 0; c < COUNT(codes); c++)
		for (unsigned k = 1; k <= n_calls; k++) {
			fake.n_calls = 0;
			fake.failing_call = k;
			fake.failing_code = codes[c];
			clpac__discovery_clear(&found);
			discover();
			ck_assert_uint_ge(found.list.n_platforms, 1);
			ck_assert_uint_le(found.list.n_platforms, 3);
			ck_assert_uint_le(found.list.n_devices, 3);
			for (size_t i = 0; i < found.list.n_devices; i++)
				ck_assert_ptr_null(strchr(found.list.devices[i].name, 0xEE));
		}
	for (unsigned k = 1; k <= 8; k++) {
		clpac_device device = {.platform = -7};
		fake.n_calls = 0;
		fake.failing_call = k;
		id = NULL;
		if (clpac__opencl_find_device(&functions, 2, 1, &id))
			ck_assert_ptr_eq(id, (cl_device_id)&plain);
		else
			ck_assert_ptr_null(id);
		fake.n_calls = 0;
		if (clpac__opencl_number_device(&functions, (cl_device_id)&plain, &device))
			ck_assert(device.platform == 2 && device.index == 1);
		else
			ck_assert_int_eq(device.platform, -7);
	}
}

TEST(counts_that_a_successful_call_leaves_unwritten_are_none)
{
	fake.counts_are_unwritten = true;
	ck_assert_int_eq(the_platform()->status, -1001);
	ck_assert_uint_eq(found.list.n_devices, 0);
}

TEST(answers_that_are_announced_and_not_written_are_unknown)
{
	fake.writes_nothing = true;
	discover();
	ck_assert_uint_eq(found.list.n_platforms, 3);
	ck_assert_str_eq(found.list.platforms[0].name, "(platform without a name)");
	for (size_t i = 0; i < found.list.n_devices; i++) {
		ck_assert(!found.list.devices[i].is_available);
		ck_assert_str_eq(found.list.devices[i].name, "(device without a name)");
		ck_assert_uint_eq(found.list.devices[i].memory_bytes, 0);
	}
}

TEST(texts_of_platforms_are_trusted_as_little_as_those_of_devices)
{
	static char endless[1 << 20], long_word[9000];
	memset(endless, 'b', sizeof endless);
	memset(long_word, 'c', sizeof long_word);
	amd.answers[0] = (answer){CL_PLATFORM_NAME, "AMD and more", 3}; /* not terminated */
	amd.answers[1] = (answer){CL_PLATFORM_VENDOR, endless, sizeof endless};
	amd.answers[2] = (answer){CL_PLATFORM_VERSION, long_word, sizeof long_word};
	discover();
	ck_assert_str_eq(found.list.platforms[0].name, "AMD");
	ck_assert_str_eq(found.list.platforms[0].vendor, "");
	ck_assert_uint_eq(strlen(found.list.platforms[0].version), sizeof found.list.platforms[0].version - 1);
}

TEST(only_lack_of_host_memory_ends_discovery)
{
	for (unsigned long k = 1;; k++) {
		clpac__discovery_clear(&found);
		clpac__fail_allocation(k, false);
		clpac_status st = clpac__opencl_discover(&functions, &found, &err);
		clpac__fail_allocation(0, false);
		if (st == CLPAC_OK) {
			ck_assert_uint_eq(k, 7); /* three platforms and three devices */
			break;
		}
		ck_assert_int_eq(st, CLPAC_ERROR_NO_MEMORY);
	}
}

TEST(devices_are_found_again_by_their_numbers)
{
	cl_device_id id = NULL;
	ck_assert(clpac__opencl_find_device(&functions, 2, 1, &id));
	ck_assert_ptr_eq(id, (cl_device_id)&plain);
	ck_assert(!clpac__opencl_find_device(&functions, 2, 2, &id));
	ck_assert(!clpac__opencl_find_device(&functions, 2, -1, &id));
	ck_assert(!clpac__opencl_find_device(&functions, 1, 0, &id));
	ck_assert(!clpac__opencl_find_device(&functions, 3, 0, &id));
	ck_assert(!clpac__opencl_find_device(&functions, -1, -1, &id));
	fake.platform_ids_code = -1001;
	ck_assert(!clpac__opencl_find_device(&functions, 0, 0, &id));
}

TEST(codes_are_told_apart_by_what_the_caller_can_do)
{
	static const struct {
		cl_int code;
		clpac__opencl_doing doing;
		clpac_status status;
	} cases[] = {
		{-4, CLPAC__OPENCL_ALLOCATING, CLPAC_ERROR_NO_DEVICE_MEMORY},
		{-4, CLPAC__OPENCL_LAUNCHING, CLPAC_ERROR_NO_DEVICE_MEMORY},
		{-5, CLPAC__OPENCL_ALLOCATING, CLPAC_ERROR_NO_DEVICE_MEMORY},
		{-5, CLPAC__OPENCL_LAUNCHING, CLPAC_ERROR_DEVICE},
		{-5, CLPAC__OPENCL_TRANSFERRING, CLPAC_ERROR_DEVICE},
		{-6, CLPAC__OPENCL_ALLOCATING, CLPAC_ERROR_NO_MEMORY},
		{-61, CLPAC__OPENCL_ALLOCATING, CLPAC_ERROR_ARGUMENT},
		{-2, CLPAC__OPENCL_OPENING, CLPAC_ERROR_DEVICE},
		{-11, CLPAC__OPENCL_OPENING, CLPAC_ERROR_BUILD},
		{-36, CLPAC__OPENCL_LAUNCHING, CLPAC_ERROR_DEVICE},
		{-12345, CLPAC__OPENCL_LAUNCHING, CLPAC_ERROR_DEVICE},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		ck_assert_int_eq(clpac__opencl_fail(&err, cases[i].doing, cases[i].code,
						    "clCreateBuffer(context, flags)", "%d bytes on %s", 4096, "it"),
				 cases[i].status);
		ck_assert_int_eq(err.native_code, cases[i].code);
		char expected[128];
		snprintf(expected, sizeof expected,
			 "clCreateBuffer: %s (%d), 4096 bytes on it: ", clpac__opencl_code_name(cases[i].code),
			 cases[i].code);
		ck_assert_msg(strncmp(err.text, expected, strlen(expected)) == 0 && err.text[strlen(expected)], "%s",
			      err.text);
	}
	ck_assert_str_eq(clpac__opencl_code_name(-61), "CL_INVALID_BUFFER_SIZE");
	ck_assert_str_eq(clpac__opencl_code_name(-12345), "unknown code");
}
