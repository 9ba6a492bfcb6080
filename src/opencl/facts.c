/* The facts of one OpenCL device.  What a driver does not tell, or tells in another size than the standard's, stays
 * unknown. */
#include "opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Newer than the headers of OpenCL 1.2, or vendors' own; asked for only where the device names the extension. */
enum {
	DEVICE_UUID_KHR = 0x106A,         /* cl_khr_device_uuid: 16 bytes */
	DEVICE_PCI_BUS_INFO_KHR = 0x410F, /* cl_khr_pci_bus_info: domain, bus, device, function */
	DEVICE_PCI_BUS_ID_NV = 0x4008,    /* cl_nv_device_attribute_query */
	DEVICE_PCI_SLOT_ID_NV = 0x4009,   /* device * 8 + function */
	DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
	DEVICE_TOPOLOGY_AMD = 0x4037,     /* cl_amd_device_attribute_query: 24 bytes */
	DEVICE_FREE_MEMORY_AMD = 0x4039,  /* KiB free, and KiB of the largest free block */
	TOPOLOGY_TYPE_PCIE_AMD = 1,
};

enum { MAX_TEXT = 16384 /* a longer text is not asked for */ };

/* Number of bytes of the UTF-8 sequence at text, 0 where there is none.  Overlong forms and surrogates do not matter
 * here: what is wanted is that no reader of a report stumbles. */
static size_t utf8_length(const unsigned char *text, size_t room)
{
	size_t length = *text < 0x80 ? 1 : *text >= 0xC2 && *text < 0xE0 ? 2 : (*text & 0xF0) == 0xE0 ? 3 :
			*text >= 0xF0 && *text < 0xF5 ? 4 : 0;
	if (length > room)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	return length;
}

void clpac__opencl_clean_text(const char *raw, size_t length, char *text, size_t size)
{
	const unsigned char *from = (const unsigned char *)raw;
	size_t end = strnlen(raw, length), n = 0, i = 0;
	while (i < end && from[i] <= ' ')
		i++;
	while (i < end) {
		size_t each = utf8_length(from + i, end - i);
		size_t wide = each ? each : 1;
		if (n + wide >= size)
			break;
		if (!each)
			text[n] = '?';
		else if (each == 1)
			text[n] = from[i] < ' ' || from[i] == 127 ? ' ' : raw[i];
		else
			memcpy(text + n, raw + i, each);
		n += wide;
		i += wide;
	}
	text[n] = 0;
	if (i < end && from[i] > ' ') { /* cut: at the end of a word where there is one */
		const char *blank = strrchr(text, ' ');
		if (blank)
			n = (size_t)(blank - text);
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = 0;
}

static void get_text(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what, char *text,
		     size_t size)
{
	char raw[MAX_TEXT] = "";
	size_t length = 0;
	*text = 0;
	if (functions->device_info(id, what, 0, NULL, &length) != CL_SUCCESS || !length || length > sizeof raw)
		return;
	if (functions->device_info(id, what, length, raw, NULL) == CL_SUCCESS)
		clpac__opencl_clean_text(raw, length, text, size);
}

/* Fills value, of the size that the standard gives it; zeroes it and returns false otherwise. */
static bool get(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what, void *value,
		size_t size)
{
	size_t got = size;
	memset(value, 0, size);
	if (functions->device_info(id, what, size, value, &got) == CL_SUCCESS && got == size)
		return true;
	memset(value, 0, size);
	return false;
}

static cl_uint get_uint(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what)
{
	cl_uint value;
	get(functions, id, what, &value, sizeof value);
	return value;
}

static cl_ulong get_ulong(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what)
{
	cl_ulong value;
	get(functions, id, what, &value, sizeof value);
	return value;
}

static bool get_bool(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what)
{
	return get_uint(functions, id, what) != 0;
}

static bool has_extension(const clpac_device *device, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = device->extensions; (at = strstr(at, name)); at += length)
		if ((at == device->extensions || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static clpac_device_kind kind_of(cl_device_type type, bool has_unified_memory)
{
	if (type & CL_DEVICE_TYPE_GPU)
		return has_unified_memory ? CLPAC_DEVICE_INTEGRATED_GPU : CLPAC_DEVICE_DISCRETE_GPU;
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return CLPAC_DEVICE_ACCELERATOR;
	return type & CL_DEVICE_TYPE_CPU ? CLPAC_DEVICE_OPENCL_CPU : CLPAC_DEVICE_OTHER;
}

static void get_uuid(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	static const unsigned char nothing[16];
	unsigned char uuid[16];
	if (!has_extension(device, "cl_khr_device_uuid") || !get(functions, id, DEVICE_UUID_KHR, uuid, sizeof uuid) ||
	    memcmp(uuid, nothing, sizeof uuid) == 0)
		return;
	for (size_t i = 0; i < sizeof uuid; i++)
		snprintf(device->uuid + 2 * i, 3, "%02x", uuid[i]);
}

static void get_pci(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	cl_uint address[4]; /* domain, bus, device, function */
	struct {
		cl_uint type;
		unsigned char rest[20]; /* 17 unused, bus, device, function */
	} topology;

	if (has_extension(device, "cl_khr_pci_bus_info") &&
	    get(functions, id, DEVICE_PCI_BUS_INFO_KHR, address, sizeof address)) {
		/* as it is */
	} else if (has_extension(device, "cl_nv_device_attribute_query") &&
		   get(functions, id, DEVICE_PCI_BUS_ID_NV, &address[1], sizeof address[1]) &&
		   get(functions, id, DEVICE_PCI_SLOT_ID_NV, &address[2], sizeof address[2])) {
		address[0] = get_uint(functions, id, DEVICE_PCI_DOMAIN_ID_NV); /* older drivers do not know it */
		address[3] = address[2] & 7;
		address[2] >>= 3;
	} else if (has_extension(device, "cl_amd_device_attribute_query") &&
		   get(functions, id, DEVICE_TOPOLOGY_AMD, &topology, sizeof topology) &&
		   topology.type == TOPOLOGY_TYPE_PCIE_AMD) {
		address[0] = 0;
		address[1] = topology.rest[17];
		address[2] = topology.rest[18];
		address[3] = topology.rest[19];
	} else {
		return;
	}
	snprintf(device->pci, sizeof device->pci, "%04x:%02x:%02x.%x", address[0], address[1], address[2], address[3]);
}

/* Asked in KiB; older drivers answer with one number instead of two. */
bool clpac__opencl_free_bytes(const clpac__opencl_functions *functions, cl_device_id id, const clpac_device *device,
			      uint64_t *bytes)
{
	size_t free_kib[2];
	if (!has_extension(device, "cl_amd_device_attribute_query") ||
	    (!get(functions, id, DEVICE_FREE_MEMORY_AMD, free_kib, sizeof free_kib) &&
	     !get(functions, id, DEVICE_FREE_MEMORY_AMD, free_kib, sizeof free_kib[0])))
		return false;
	*bytes = (uint64_t)free_kib[0] * 1024;
	return true;
}

void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	cl_device_type type;
	cl_command_queue_properties queue;

	get_text(functions, id, CL_DEVICE_NAME, device->name, sizeof device->name);
	if (!*device->name)
		snprintf(device->name, sizeof device->name, "(device without a name)");
	get_text(functions, id, CL_DEVICE_VENDOR, device->vendor, sizeof device->vendor);
	get_text(functions, id, CL_DRIVER_VERSION, device->driver, sizeof device->driver);
	get_text(functions, id, CL_DEVICE_VERSION, device->version, sizeof device->version);
	get_text(functions, id, CL_DEVICE_OPENCL_C_VERSION, device->c_version, sizeof device->c_version);
	get_text(functions, id, CL_DEVICE_EXTENSIONS, device->extensions, sizeof device->extensions);

	get(functions, id, CL_DEVICE_TYPE, &type, sizeof type);
	device->has_unified_memory = get_bool(functions, id, CL_DEVICE_HOST_UNIFIED_MEMORY);
	device->kind = kind_of(type, device->has_unified_memory);
	device->vendor_id = get_uint(functions, id, CL_DEVICE_VENDOR_ID);
	device->compute_units = get_uint(functions, id, CL_DEVICE_MAX_COMPUTE_UNITS);
	device->clock_mhz = get_uint(functions, id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	device->memory_bytes = get_ulong(functions, id, CL_DEVICE_GLOBAL_MEM_SIZE);
	device->max_allocation_bytes = get_ulong(functions, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	device->cache_bytes = get_ulong(functions, id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
	device->local_bytes = get_ulong(functions, id, CL_DEVICE_LOCAL_MEM_SIZE);
	device->base_align_bits = get_uint(functions, id, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
	device->vector_width_float = get_uint(functions, id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
	device->has_fp64 = has_extension(device, "cl_khr_fp64");
	device->has_fp16 = has_extension(device, "cl_khr_fp16");
	get(functions, id, CL_DEVICE_QUEUE_PROPERTIES, &queue, sizeof queue);
	device->has_device_clock = (queue & CL_QUEUE_PROFILING_ENABLE) != 0;

	clpac__opencl_free_bytes(functions, id, device, &device->free_bytes);
	get_uuid(functions, id, device);
	get_pci(functions, id, device);
}

const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id)
{
	char version[128];
	get_text(functions, id, CL_DEVICE_VERSION, version, sizeof version);
	/* The standard's form is "OpenCL MAJOR.MINOR rest". */
	const char *number = strncmp(version, "OpenCL ", 7) == 0 ? version + 7 : "";
	int major = atoi(number), minor = *number && number[1] == '.' ? atoi(number + 2) : 0;
	if (!major)
		return "does not tell its OpenCL version";
	if (major < 2 && minor < 2)
		return "is older than OpenCL 1.2";
	if (!get_bool(functions, id, CL_DEVICE_AVAILABLE))
		return "says that it is not available";
	if (!get_bool(functions, id, CL_DEVICE_COMPILER_AVAILABLE))
		return "has no compiler for kernels";
	return NULL;
}
