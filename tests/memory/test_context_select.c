/* Opening a device by selection when drivers fail. The table of backends is this test's own: a simulated backend whose
 * devices fail on demand, and the native one. */
#include "runner.h"

#include <clpac/memory/context.h>
#include <stdio.h>
#include <string.h>

#include "assertions.h"
#include "memory/backend/backend.h"
#include "memory/registry/backends.h"

#define GIB ((uint64_t)1 << 30)

extern const clpac__backend clpac__backend_native;

/* Two cards, a GPU that shares the CPU's memory, and the first card again through another platform. */
enum { N_FAKES = 4 };
static struct fake {
	clpac_device device;
	clpac_status status;
	int native_code;
	bool is_wrong_size; /* the device opens, but its usable memory is small */
	unsigned n_opened;
} fakes[N_FAKES];

static clpac_error err;
static clpac_context *context;
static char logged[4096];
static clpac_device native;

static unsigned n_discovered;

static clpac_status fake_discover(clpac__discovery *found, clpac_error *error)
{
	clpac_status st = CLPAC_OK;
	n_discovered++;
	for (int p = 0; p < 2; p++)
		TRY(clpac__discovery_add_platform(
			found, &(clpac_platform){.index = p, .backend = "opencl", .name = "Fake"}, error));
	for (size_t i = 0; i < N_FAKES; i++)
		TRY(clpac__discovery_add_device(found, &fakes[i].device, error));
done:
	return st;
}

/* Opens the native device under the name of another. */
static clpac_status fake_open(const clpac_device *device, const clpac_options *options, clpac__queue **out,
			      clpac_error *error)
{
	struct fake *fake = fakes;
	while (fake->device.platform != device->platform || fake->device.index != device->index)
		fake++;
	fake->n_opened++;
	if (fake->status != CLPAC_OK)
		return clpac__fail_native(error, fake->status, fake->native_code, "its driver said %d",
					  fake->native_code);
	clpac_device like_native = native;
	if (fake->is_wrong_size)
		like_native.memory_bytes = like_native.free_bytes = 1 << 20;
	const clpac_status st = clpac__backend_native.open(&like_native, options, out, error);
	if (st == CLPAC_OK)
		snprintf((*out)->device.name, sizeof(*out)->device.name, "%s", device->name);
	return st;
}

static clpac__backend fake_backend = {.name = "opencl", .discover = fake_discover, .open = fake_open};
const clpac__backend *const clpac__backends[] = {&fake_backend, &clpac__backend_native, NULL};

static void take_log(void *user, clpac_log_level level, const char *text)
{
	ck_assert_ptr_eq(user, logged);
	ck_assert_int_eq(level, CLPAC_LOG_WARNING);
	snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static const clpac_options options = {.threads = 1, .log = take_log, .log_user = logged};

static void set_up(void)
{
	static const struct {
		clpac_device_kind kind;
		int platform, index;
		const char *name, *pci;
	} rows[N_FAKES] = {
		{CLPAC_DEVICE_DISCRETE_GPU, 0, 0, "Card", "0000:01:00.0"},
		{CLPAC_DEVICE_DISCRETE_GPU, 0, 1, "Second card", "0000:02:00.0"},
		{CLPAC_DEVICE_INTEGRATED_GPU, 0, 2, "Beside the CPU", ""},
		{CLPAC_DEVICE_DISCRETE_GPU, 1, 0, "Card by another driver", "0000:01:00.0"},
	};
	for (size_t i = 0; i < N_FAKES; i++) {
		fakes[i] = (struct fake){.device = {.kind = rows[i].kind,
						    .platform = rows[i].platform,
						    .index = rows[i].index,
						    .backend = "opencl",
						    .memory_bytes = 8 * GIB,
						    .is_available = true}};
		strcpy(fakes[i].device.name, rows[i].name);
		strcpy(fakes[i].device.pci, rows[i].pci);
	}
	clpac_device_list *list = NULL;
	const clpac_device *device;
	/* Of the native device alone, so that drivers are still unasked. */
	assert_works(clpac_devices_find_for(&(clpac_options){.device = "native"}, &list, &err), err);
	assert_works(clpac_devices_select(list, "native", 0, &device, &err), err);
	native = *device;
	clpac_devices_destroy(list);
	*logged = 0;
}

static void tear_down(void)
{
	clpac_context_close(context);
	context = NULL;
}

static clpac_status open_by(const char *selection, uint64_t required_bytes)
{
	return clpac_context_open_selected(NULL, selection, required_bytes, &options, &context, &err);
}

static void fail_with(size_t fake, clpac_status status, int native_code)
{
	fakes[fake].status = status;
	fakes[fake].native_code = native_code;
}

FIXTURE(set_up, tear_down);

TEST(the_first_that_fits_is_opened_and_no_other_is_touched)
{
	assert_works(open_by("gpu", 0), err);
	ck_assert_str_eq(clpac_context_device(context)->name, "Card");
	ck_assert_uint_eq(fakes[0].n_opened, 1);
	ck_assert_uint_eq(fakes[1].n_opened + fakes[2].n_opened + fakes[3].n_opened, 0);
	ck_assert_str_eq(logged, "");
}

TEST(a_driver_that_fails_does_not_end_the_matter)
{
	static const clpac_status statuses[] = {CLPAC_ERROR_DEVICE,	      CLPAC_ERROR_BUILD,
						CLPAC_ERROR_NO_DEVICE_MEMORY, CLPAC_ERROR_UNSUPPORTED,
						CLPAC_ERROR_NO_DEVICE,	      CLPAC_ERROR_NO_MEMORY};
	for (size_t i = 0; i < COUNT(statuses); i++) {
		*logged = 0;
		fail_with(0, statuses[i], -6);
		assert_works(open_by("", 0), err);
		ck_assert_str_eq(clpac_context_device(context)->name, "Second card");
		ck_assert_str_eq(logged,
				 "device 0:0 \"Card\" cannot be used, and the next that fits is tried: its driver said "
				 "-6\n");
		tear_down();
	}
}

TEST(all_that_fit_are_tried_in_the_order_of_preference)
{
	for (size_t i = 0; i < N_FAKES; i++)
		fail_with(i, CLPAC_ERROR_DEVICE, -(int)i - 1);
	assert_works(open_by("best", 0), err);
	ck_assert_str_eq(clpac_context_device(context)->backend, "native");
	const char *card = strstr(logged, "0:0 \"Card\""), *second = strstr(logged, "0:1 \"Second"),
		   *beside = strstr(logged, "0:2 \"Beside");
	ck_assert_msg(card && second && beside && card < second && second < beside, "%s", logged);
	ck_assert_uint_eq(fakes[3].n_opened, 0); /* the duplicate of the first card comes last */
}

TEST(a_second_sight_is_the_last_resort)
{
	for (size_t i = 0; i < 3; i++)
		fail_with(i, CLPAC_ERROR_DEVICE, -2);
	assert_works(open_by("gpu", 0), err);
	ck_assert_str_eq(clpac_context_device(context)->name, "Card by another driver");
}

TEST(when_none_can_be_opened_each_is_told_with_its_reason)
{
	for (size_t i = 0; i < N_FAKES; i++)
		fail_with(i, i % 2 ? CLPAC_ERROR_BUILD : CLPAC_ERROR_DEVICE, -(int)i - 1);
	assert_refused(
		open_by("gpu", 0), err, CLPAC_ERROR_NO_DEVICE,
		"none of the 4 devices that fit \"gpu\" can be used: 0:0 \"Card\": its driver said -1; 0:1 \"Second "
		"card\": its driver said -2; 0:2 \"Beside the CPU\": its driver said -3; 1:0 \"Card by another "
		"driver\": its "
		"driver said -4");
	ck_assert_int_eq(err.native_code, -1);
	ck_assert_ptr_null(context);
}

TEST(the_error_of_one_that_was_named_stands_as_it_is)
{
	fail_with(1, CLPAC_ERROR_DEVICE, -5);
	assert_refused(open_by("0:1", 0), err, CLPAC_ERROR_DEVICE, "its driver said -5");
	ck_assert_str_eq(err.text, "its driver said -5");
	ck_assert_int_eq(err.native_code, -5);
	ck_assert_uint_eq(fakes[0].n_opened, 0);
}

TEST(what_would_fail_alike_on_all_ends_it)
{
	static const struct {
		clpac_status status;
		int native_code;
	} cases[] = {{CLPAC_ERROR_ARGUMENT, 0}, {CLPAC_ERROR_NO_MEMORY, 0}, {CLPAC_ERROR_INTERNAL, 0}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		fail_with(0, cases[i].status, cases[i].native_code);
		assert_refused(open_by("gpu", 0), err, cases[i].status, "its driver said");
		ck_assert_uint_eq(fakes[1].n_opened, 0);
	}
}

TEST(a_pool_that_may_not_take_enough_passes_its_device_over)
{
	fakes[0].is_wrong_size = true;
	assert_works(open_by("gpu", 16 << 20), err);
	ck_assert_str_eq(clpac_context_device(context)->name, "Second card");
	ck_assert_msg(strstr(logged, "bytes of it may be used, and 16777216 are required"), "%s", logged);
}

TEST(a_device_that_is_too_small_is_not_opened)
{
	assert_refused(open_by("gpu", 9 * GIB), err, CLPAC_ERROR_NO_DEVICE,
		       "has 8192.0 MiB of memory and 9216.0 MiB are required");
	ck_assert_uint_eq(fakes[0].n_opened, 0);
}

TEST(drivers_are_not_asked_where_only_the_native_device_can_fit)
{
	/* The selection alone counts, and not the device of the options. */
	clpac_options asked = options;
	strcpy(asked.device, "gpu");
	asked.probe = CLPAC_PROBE_NONE;
	fake_backend.has_drivers = true;
	n_discovered = 0;
	assert_works(clpac_context_open_selected(NULL, "native", 0, &asked, &context, &err), err);
	ck_assert_uint_eq(n_discovered, 0);
	clpac_context_close(context);
	strcpy(asked.device, "native");
	assert_works(clpac_context_open_selected(NULL, NULL, 0, &asked, &context, &err), err);
	ck_assert_uint_eq(n_discovered, 1);
	ck_assert_str_eq(clpac_context_device(context)->name, "Card");
}

TEST(a_list_may_be_given)
{
	clpac_device_list *list = NULL;
	assert_works(clpac_devices_make(&fakes[1].device, 1, NULL, 0, &list, &err), err);
	assert_works(clpac_context_open_selected(list, NULL, 0, NULL, &context, &err), err);
	clpac_devices_destroy(list);
	ck_assert_str_eq(clpac_context_device(context)->name, "Second card");
}

TEST(without_a_device_the_options_select_in_the_same_way)
{
	clpac_options asked = options;
	strcpy(asked.device, "gpu");
	fail_with(0, CLPAC_ERROR_DEVICE, -5);
	assert_works(clpac_context_open(NULL, &asked, &context, &err), err);
	ck_assert_str_eq(clpac_context_device(context)->name, "Second card");
	strcpy(asked.device, "toaster");
	clpac_context *other = NULL;
	assert_refused(clpac_context_open(NULL, &asked, &other, &err), err, CLPAC_ERROR_ARGUMENT, "toaster");
}

TEST(a_device_that_was_given_is_opened_or_not_and_no_other)
{
	fail_with(0, CLPAC_ERROR_DEVICE, -5);
	assert_refused(clpac_context_open(&fakes[0].device, &options, &context, &err), err, CLPAC_ERROR_DEVICE,
		       "said -5");
	ck_assert_uint_eq(fakes[1].n_opened, 0);
	ck_assert_str_eq(logged, "");
}

TEST(nobody_need_want_the_error_or_the_log)
{
	for (size_t i = 0; i < N_FAKES; i++)
		fail_with(i, CLPAC_ERROR_DEVICE, -5);
	ck_assert_int_eq(clpac_context_open_selected(NULL, "gpu", 0, NULL, &context, NULL), CLPAC_ERROR_NO_DEVICE);
	ck_assert_int_eq(clpac_context_open_selected(NULL, "0:0", 0, NULL, &context, NULL), CLPAC_ERROR_DEVICE);
}

TEST(whichever_allocation_fails_it_is_reported)
{
	fail_with(0, CLPAC_ERROR_DEVICE, -5);
	assert_survives_failing_allocations(open_by("gpu", 0), tear_down());
}
