/* Discovery of every OpenCL platform and device.
 *
 * A driver may be half installed, empty or broken, as were two of three on the first machine.  So no code, count or
 * text that it returns is trusted, and each failure becomes a sentence in clpac_platform.trouble.
 */
#include "memory/opencl/opencl.h"
#include "memory/opencl/calls.h"
#include "memory/opencl/vendors.h"

#include <stdio.h>
#include <string.h>

#include "memory/device/list.h"

enum {
	MAX_PLATFORMS = 64,
	MAX_DEVICES = 64,    /* per platform */
	MAX_TEXT = 16384,    /* longer texts are not read */
	NO_PLATFORM = -1001, /* CL_PLATFORM_NOT_FOUND_KHR, the loader's code for no platform */
};

/* Remedies, by the code of the call that lists devices; the last row is for all others. */
static const struct advice {
	cl_int code;
	const char *text;
} advices[] = {
	{CL_DEVICE_NOT_FOUND, "it offers no device: its hardware is not here, or its driver must be told to serve it "
			      "(rusticl by RUSTICL_ENABLE)"},
	{CL_OUT_OF_HOST_MEMORY, "its driver found no memory to start with: end other programs and try again"},
	{CL_OUT_OF_RESOURCES,
	 "its driver found no resources to start with: end what else uses the device and try again"},
	{0,
	 "its driver is broken or does not fit this system: reinstall it, or remove it from the OpenCL vendors folder"},
};

static void say_trouble(clpac_platform *platform, cl_int code)
{
	const struct advice *advice = advices;
	while (advice->code && advice->code != code)
		advice++;
	platform->status = code;
	snprintf(platform->trouble, sizeof platform->trouble, "%s (%d): %s", clpac__opencl_code_name(code), code,
		 advice->text);
}

static void get_text(const clpac__opencl_functions *functions, cl_platform_id id, cl_platform_info what, char *text,
		     size_t size)
{
	char raw[MAX_TEXT] = "";
	size_t length = 0;
	*text = 0;
	if (functions->platform_info(id, what, 0, NULL, &length) != CL_SUCCESS || !length || length > sizeof raw)
		return;
	if (functions->platform_info(id, what, length, raw, NULL) == CL_SUCCESS)
		clpac__opencl_clean_text(raw, length, text, size);
}

/* Lists a platform's devices into ids and returns their number; *code is the reason why the platform cannot be used. */
static cl_uint list_devices(const clpac__opencl_functions *functions, cl_platform_id platform, cl_device_id *ids,
			    cl_int *code)
{
	cl_uint n = 0; /* drivers without a device do not write it */
	memset(ids, 0, MAX_DEVICES * sizeof *ids);
	*code = functions->device_ids(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &n);
	if (*code != CL_SUCCESS)
		return 0;
	if (!n)
		*code = CL_DEVICE_NOT_FOUND;
	return n < MAX_DEVICES ? n : MAX_DEVICES;
}

/* Lists the platforms into ids and returns their number; *code is the reason why there are none. */
static cl_uint list_platforms(const clpac__opencl_functions *functions, cl_platform_id *ids, cl_int *code)
{
	cl_uint n = 0;
	char why[8];
	*code = NO_PLATFORM;
	if (functions->load && !functions->load(why, sizeof why))
		return 0;
	memset(ids, 0, MAX_PLATFORMS * sizeof *ids);
	*code = functions->platform_ids(MAX_PLATFORMS, ids, &n);
	if (*code != CL_SUCCESS)
		return 0;
	if (!n)
		*code = NO_PLATFORM;
	return n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
}

static clpac_status add_missing_loader(clpac__discovery *found, const char *why, clpac_error *err)
{
	clpac_platform none = {.index = -1, .backend = "opencl", .name = "OpenCL", .status = CLPAC_PLATFORM_NO_LOADER};
	snprintf(none.trouble, sizeof none.trouble,
		 "the OpenCL loader is missing (%.150s): install one (Debian: ocl-icd-libopencl1) and a driver", why);
	return clpac__discovery_add_platform(found, &none, err);
}

static clpac_status add_missing(clpac__discovery *found, cl_int code, clpac_error *err)
{
	clpac_platform none = {.index = -1, .backend = "opencl", .name = "OpenCL", .status = code};
	if (code == NO_PLATFORM)
		snprintf(none.trouble, sizeof none.trouble,
			 "CL_PLATFORM_NOT_FOUND_KHR (%d): no OpenCL driver is installed; install the one of your "
			 "device, or PoCL",
			 code);
	else
		say_trouble(&none, code);
	return clpac__discovery_add_platform(found, &none, err);
}

static clpac_status add_platform(const clpac__opencl_functions *functions, int index, cl_platform_id id,
				 clpac__discovery *found, clpac_error *err)
{
	clpac_platform platform = {.index = index, .backend = "opencl"};
	cl_device_id ids[MAX_DEVICES];
	cl_int code = CL_INVALID_PLATFORM;
	cl_uint n = 0;

	if (id) {
		get_text(functions, id, CL_PLATFORM_NAME, platform.name, sizeof platform.name);
		get_text(functions, id, CL_PLATFORM_VENDOR, platform.vendor, sizeof platform.vendor);
		get_text(functions, id, CL_PLATFORM_VERSION, platform.version, sizeof platform.version);
		n = list_devices(functions, id, ids, &code);
	}
	if (!*platform.name)
		snprintf(platform.name, sizeof platform.name, "(platform without a name)");
	if (code != CL_SUCCESS)
		say_trouble(&platform, code);

	for (cl_uint i = 0; i < n; i++) {
		clpac_device device = {.platform = index, .index = (int)i, .kind = CLPAC_DEVICE_OTHER};
		const char *trouble = "is listed without a handle";
		if (ids[i]) {
			clpac__opencl_device_facts(functions, ids[i], &device);
			trouble = clpac__opencl_device_trouble(functions, ids[i]);
		}
		snprintf(device.backend, sizeof device.backend, "opencl");
		snprintf(device.platform_name, sizeof device.platform_name, "%s", platform.name);
		device.is_available = !trouble;
		platform.n_devices += !trouble;
		if (trouble && !*platform.trouble)
			snprintf(platform.trouble, sizeof platform.trouble, "device %d:%u cannot be used: it %s", index,
				 i, trouble);
		if (ids[i])
			RETURN_IF_ERROR(clpac__discovery_add_device(found, &device, err));
	}
	return clpac__discovery_add_platform(found, &platform, err);
}

/* The first call of the loader, which starts the drivers. */
struct start {
	const clpac__opencl_functions *functions;
	bool is_loaded;
	char why[256]; /* it is not */
	cl_platform_id ids[MAX_PLATFORMS];
	cl_uint n;
	cl_int code;
};

static void start_drivers(void *user)
{
	struct start *start = user;
	start->is_loaded = !start->functions->load || start->functions->load(start->why, sizeof start->why);
	if (start->is_loaded)
		start->n = list_platforms(start->functions, start->ids, &start->code);
}

clpac_status clpac__opencl_discover(const clpac__opencl_functions *functions, clpac__discovery *found, clpac_error *err)
{
	struct start first = {.functions = functions};
	bool is_good = true;

	if (found->probe_s > 0)
		RETURN_IF_ERROR(clpac__opencl_probe(functions, found, &is_good, err));
	if (!is_good)
		return CLPAC_OK;
	if (!clpac__opencl_without_bad(start_drivers, &first))
		RETURN_ERROR(CLPAC_ERROR_IO,
			     "drivers of OpenCL are to be left out, and no folder for the others can be "
			     "made: set TMPDIR to one, or choose the native device");
	if (!first.is_loaded)
		return add_missing_loader(found, first.why, err);
	if (first.code != CL_SUCCESS)
		RETURN_IF_ERROR(add_missing(found, first.code, err));
	for (cl_uint i = 0; i < first.n; i++)
		RETURN_IF_ERROR(add_platform(functions, (int)i, first.ids[i], found, err));
	return clpac__opencl_add_left_out(found, err);
}

clpac_status clpac__opencl_add_missing_libraries(clpac__discovery *found, clpac_error *err)
{
	clpac__vendors vendors;
	char library[CLPAC__VENDOR_PATH], why[512];
	if (found->is_left_out || found->is_passed_over || !clpac__opencl_load(why, sizeof why))
		return CLPAC_OK;
	clpac__vendors_list(&vendors);
	for (size_t i = 0; i < vendors.n; i++) {
		clpac_platform platform = {.index = -1, .backend = "opencl", .status = CLPAC_PLATFORM_NO_LIBRARY};
		if (clpac__opencl_leaves_out(vendors.files[i]))
			continue;
		const bool is_named = clpac__vendor_library(vendors.files[i], library);
		if (is_named && clpac__vendor_library_is_driver(library, why, sizeof why))
			continue;
		snprintf(platform.name, sizeof platform.name, "%.127s", vendors.files[i]);
		if (is_named)
			snprintf(platform.trouble, sizeof platform.trouble,
				 "this file names %.60s, which %.130s: reinstall the driver, or remove the file",
				 library, why);
		else
			snprintf(platform.trouble, sizeof platform.trouble,
				 "this file names no library: reinstall the driver, or remove the file");
		RETURN_IF_ERROR(clpac__discovery_add_platform(found, &platform, err));
	}
	return CLPAC_OK;
}

bool clpac__opencl_find_device(const clpac__opencl_functions *functions, int platform, int index, cl_device_id *out)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_device_id devices[MAX_DEVICES];
	cl_int code;
	cl_uint n = list_platforms(functions, platforms, &code);
	if (platform < 0 || (cl_uint)platform >= n || !platforms[platform])
		return false;
	n = list_devices(functions, platforms[platform], devices, &code);
	if (index < 0 || (cl_uint)index >= n || !devices[index])
		return false;
	*out = devices[index];
	return true;
}

bool clpac__opencl_number_device(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_device_id devices[MAX_DEVICES], parent = NULL;
	cl_int code;
	const cl_uint n_platforms = list_platforms(functions, platforms, &code);
	if (functions->device_info(id, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) != CL_SUCCESS)
		parent = NULL;
	for (cl_uint p = 0; p < n_platforms; p++) {
		const cl_uint n = platforms[p] ? list_devices(functions, platforms[p], devices, &code) : 0;
		for (cl_uint i = 0; i < n; i++) {
			if (!devices[i] || (devices[i] != id && devices[i] != parent))
				continue;
			device->platform = (int)p;
			device->index = (int)i;
			get_text(functions, platforms[p], CL_PLATFORM_NAME, device->platform_name,
				 sizeof device->platform_name);
			return true;
		}
	}
	return false;
}
