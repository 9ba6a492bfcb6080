/* The facts of one OpenCL device.  A fact that the driver does not report, or reports in another size than the
 * standard's, stays unknown.
 */
#include "memory/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/device/properties.h"
#include "memory/native/machine.h"

/* Constants newer than the headers of OpenCL 1.2, or vendors' own; queried only when the device lists the extension. */
enum {
	DEVICE_UUID_KHR = 0x106A,	  /* cl_khr_device_uuid: 16 bytes */
	DEVICE_PCI_BUS_INFO_KHR = 0x410F, /* cl_khr_pci_bus_info: domain, bus, device, function */
	DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,
	DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
	DEVICE_PCI_BUS_ID_NV = 0x4008,	/* cl_nv_device_attribute_query */
	DEVICE_PCI_SLOT_ID_NV = 0x4009, /* device * 8 + function */
	DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
	DEVICE_WARP_SIZE_NV = 0x4003,
	DEVICE_TOPOLOGY_AMD = 0x4037, /* cl_amd_device_attribute_query: 24 bytes */
	DEVICE_BOARD_NAME_AMD = 0x4038,
	DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,
	DEVICE_GFXIP_MAJOR_AMD = 0x404A,
	DEVICE_GFXIP_MINOR_AMD = 0x404B,
	DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108, /* cl_intel_required_subgroup_size: one size_t for each */
	DEVICE_SVM_CAPABILITIES = 0x1053, /* OpenCL 2.0: coarse buffer, fine buffer, fine system, atomics from bit 0 */
	DEVICE_FREE_MEMORY_AMD = 0x4039,  /* KiB free, and KiB of the largest free block */
	TOPOLOGY_TYPE_PCIE_AMD = 1,
};

enum { MAX_TEXT = 16384 /* longer texts are not read */ };

/* Bytes of the UTF-8 sequence at text; 0 when there is none.  Overlong forms and surrogates are accepted: the purpose
 * is only that readers of a report can decode it. */
static size_t utf8_length(const unsigned char *text, size_t room)
{
	size_t length = *text < 0x80			? 1
			: *text >= 0xC2 && *text < 0xE0 ? 2
			: (*text & 0xF0) == 0xE0	? 3
			: *text >= 0xF0 && *text < 0xF5 ? 4
							: 0;
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
	if (i < end && from[i] > ' ') { /* cut text ends at the end of a word if possible */
		const char *blank = strrchr(text, ' ');
		if (blank)
			n = (size_t)(blank - text);
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = 0;
}

static bool get_text(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what, char *text,
		     size_t size)
{
	char raw[MAX_TEXT] = "";
	size_t length = 0;
	*text = 0;
	if (functions->device_info(id, what, 0, NULL, &length) != CL_SUCCESS || !length || length > sizeof raw ||
	    functions->device_info(id, what, length, raw, NULL) != CL_SUCCESS)
		return false;
	clpac__opencl_clean_text(raw, length, text, size);
	return true;
}

/* Reads a value of the size that the standard gives it; on failure zeroes it and returns false. */
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

/* A number or a truth value of the standard's size: 4 bytes are a cl_uint or cl_bool, 8 a cl_ulong or a bit-field; a
 * size_t has one of the two sizes and is read as such. */
static bool get_number(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what, size_t size,
		       uint64_t *out)
{
	cl_uint narrow;
	cl_ulong wide;
	void *value = size == sizeof narrow ? (void *)&narrow : &wide;
	if (!get(functions, id, what, value, size))
		return false;
	*out = size == sizeof narrow ? narrow : wide;
	return true;
}

static bool get_bool(const clpac__opencl_functions *functions, cl_device_id id, cl_device_info what)
{
	uint64_t value;
	return get_number(functions, id, what, sizeof(cl_bool), &value) && value;
}

static bool has_extension(const clpac_device *device, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = device->extensions; (at = strstr(at, name)); at += length)
		if ((at == device->extensions || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/* A device that claims several kinds is a simulator, as slow as the CPU that it runs on. */
static clpac_device_kind kind_of(cl_device_type type, bool has_unified_memory)
{
	if (type & CL_DEVICE_TYPE_CPU)
		return CLPAC_DEVICE_OPENCL_CPU;
	if (type & CL_DEVICE_TYPE_GPU)
		return has_unified_memory ? CLPAC_DEVICE_INTEGRATED_GPU : CLPAC_DEVICE_DISCRETE_GPU;
	return type & CL_DEVICE_TYPE_ACCELERATOR ? CLPAC_DEVICE_ACCELERATOR : CLPAC_DEVICE_OTHER;
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
		/* used as reported */
	} else if (has_extension(device, "cl_nv_device_attribute_query") &&
		   get(functions, id, DEVICE_PCI_BUS_ID_NV, &address[1], sizeof address[1]) &&
		   get(functions, id, DEVICE_PCI_SLOT_ID_NV, &address[2], sizeof address[2])) {
		get(functions, id, DEVICE_PCI_DOMAIN_ID_NV, &address[0], sizeof address[0]); /* older drivers: 0 */
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

/* Free memory in KiB; older drivers answer with one number instead of two. */
static bool opencl_free_bytes(const clpac__opencl_functions *functions, cl_device_id id, const clpac_device *device,
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

/* "OpenCL MAJOR.MINOR rest", as in the standard; false for any other text. */
static bool read_version(const char *text, int *major, int *minor)
{
	const char *number = strncmp(text, "OpenCL ", 7) == 0 ? text + 7 : "";
	*major = atoi(number);
	*minor = *number && number[1] == '.' ? atoi(number + 2) : 0;
	return *major > 0;
}

static const struct text_fact {
	cl_device_info what;
	clpac_device_property property;
} text_facts[] = {
	{CL_DEVICE_NAME, CLPAC_PROPERTY_NAME},
	{CL_DEVICE_VENDOR, CLPAC_PROPERTY_VENDOR},
	{CL_DRIVER_VERSION, CLPAC_PROPERTY_DRIVER},
	{CL_DEVICE_VERSION, CLPAC_PROPERTY_VERSION},
	{CL_DEVICE_OPENCL_C_VERSION, CLPAC_PROPERTY_C_VERSION},
	{CL_DEVICE_EXTENSIONS, CLPAC_PROPERTY_EXTENSIONS},
};

static const struct number_fact {
	cl_device_info what;
	clpac_device_property property;
	size_t size;
} number_facts[] = {
	{CL_DEVICE_VENDOR_ID, CLPAC_PROPERTY_VENDOR_ID, sizeof(cl_uint)},
	{CL_DEVICE_MAX_COMPUTE_UNITS, CLPAC_PROPERTY_COMPUTE_UNITS, sizeof(cl_uint)},
	{CL_DEVICE_MAX_CLOCK_FREQUENCY, CLPAC_PROPERTY_CLOCK_MHZ, sizeof(cl_uint)},
	{CL_DEVICE_GLOBAL_MEM_SIZE, CLPAC_PROPERTY_MEMORY_BYTES, sizeof(cl_ulong)},
	{CL_DEVICE_MAX_MEM_ALLOC_SIZE, CLPAC_PROPERTY_MAX_ALLOCATION_BYTES, sizeof(cl_ulong)},
	{CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, CLPAC_PROPERTY_CACHE_BYTES, sizeof(cl_ulong)},
	{CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CLPAC_PROPERTY_CACHE_LINE_BYTES, sizeof(cl_uint)},
	{CL_DEVICE_LOCAL_MEM_SIZE, CLPAC_PROPERTY_LOCAL_BYTES, sizeof(cl_ulong)},
	{CL_DEVICE_MEM_BASE_ADDR_ALIGN, CLPAC_PROPERTY_BASE_ALIGN_BITS, sizeof(cl_uint)},
	{CL_DEVICE_MAX_WORK_GROUP_SIZE, CLPAC_PROPERTY_MAX_GROUP_ITEMS, sizeof(size_t)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CLPAC_PROPERTY_VECTOR_WIDTH_CHAR, sizeof(cl_uint)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CLPAC_PROPERTY_VECTOR_WIDTH_SHORT, sizeof(cl_uint)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, CLPAC_PROPERTY_VECTOR_WIDTH_INT, sizeof(cl_uint)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CLPAC_PROPERTY_VECTOR_WIDTH_LONG, sizeof(cl_uint)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, CLPAC_PROPERTY_VECTOR_WIDTH_HALF, sizeof(cl_uint)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CLPAC_PROPERTY_VECTOR_WIDTH_FLOAT, sizeof(cl_uint)},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CLPAC_PROPERTY_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint)},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CLPAC_PROPERTY_PREFERRED_WIDTH_FLOAT, sizeof(cl_uint)},
	{CL_DEVICE_HOST_UNIFIED_MEMORY, CLPAC_PROPERTY_HAS_UNIFIED_MEMORY, sizeof(cl_bool)},
};

/* Booleans packed into one query result. */
static const struct bit_fact {
	cl_device_info what;
	clpac_device_property property;
	cl_ulong bit;
} bit_facts[] = {
	{CL_DEVICE_QUEUE_PROPERTIES, CLPAC_PROPERTY_HAS_DEVICE_CLOCK, CL_QUEUE_PROFILING_ENABLE},
	{CL_DEVICE_QUEUE_PROPERTIES, CLPAC_PROPERTY_HAS_OUT_OF_ORDER, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
	{DEVICE_SVM_CAPABILITIES, CLPAC_PROPERTY_HAS_SVM_COARSE_BUFFER, 1},
	{DEVICE_SVM_CAPABILITIES, CLPAC_PROPERTY_HAS_SVM_FINE_BUFFER, 2},
	{DEVICE_SVM_CAPABILITIES, CLPAC_PROPERTY_HAS_SVM_FINE_SYSTEM, 4},
	{DEVICE_SVM_CAPABILITIES, CLPAC_PROPERTY_HAS_SVM_ATOMICS, 8},
};

static void get_numbers(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	uint64_t value;
	for (size_t i = 0; i < sizeof number_facts / sizeof *number_facts; i++)
		if (get_number(functions, id, number_facts[i].what, number_facts[i].size, &value))
			clpac__device_set_number(device, number_facts[i].property, value);
}

/* Shared virtual memory is only queried from OpenCL 2.0 on. */
static void get_bits(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	int major, minor;
	const bool has_version = read_version(device->version, &major, &minor);
	for (size_t i = 0; i < sizeof bit_facts / sizeof *bit_facts; i++) {
		uint64_t bits = 0;
		bool is_known = has_version;
		if (bit_facts[i].what != DEVICE_SVM_CAPABILITIES || (has_version && major >= 2))
			is_known = get_number(functions, id, bit_facts[i].what, sizeof(cl_ulong), &bits);
		if (is_known)
			clpac__device_set_number(device, bit_facts[i].property, bits & bit_facts[i].bit);
	}
}

/* Work-items that run in step: one size on NVIDIA's and AMD's devices, up to three on Intel's. */
static void get_sub_groups(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	enum { MAX_SIZES = 8 };
	uint64_t least = 0, most = 0;
	size_t sizes[MAX_SIZES] = {0}, bytes = 0;
	if (has_extension(device, "cl_nv_device_attribute_query") &&
	    get_number(functions, id, DEVICE_WARP_SIZE_NV, sizeof(cl_uint), &most)) {
		least = most;
	} else if (has_extension(device, "cl_amd_device_attribute_query") &&
		   get_number(functions, id, DEVICE_WAVEFRONT_WIDTH_AMD, sizeof(cl_uint), &most)) {
		least = most;
	} else if (has_extension(device, "cl_intel_required_subgroup_size") &&
		   functions->device_info(id, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) ==
			   CL_SUCCESS) {
		for (size_t i = 0; i < MAX_SIZES && i < bytes / sizeof *sizes; i++) {
			least = sizes[i] && (!least || sizes[i] < least) ? sizes[i] : least;
			most = sizes[i] > most ? sizes[i] : most;
		}
	}
	if (!least)
		return;
	clpac__device_set_number(device, CLPAC_PROPERTY_SUB_GROUP_MIN_ITEMS, least);
	clpac__device_set_number(device, CLPAC_PROPERTY_SUB_GROUP_MAX_ITEMS, most);
}

/* The two numbers of a generation.  A major number of 0 is of drivers that know the question and not the answer. */
static void get_capability(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	static const struct {
		const char *extension, *prefix;
		cl_device_info major, minor;
	} vendors[] = {
		{"cl_nv_device_attribute_query", "", DEVICE_COMPUTE_CAPABILITY_MAJOR_NV,
		 DEVICE_COMPUTE_CAPABILITY_MINOR_NV},
		{"cl_amd_device_attribute_query", "gfx", DEVICE_GFXIP_MAJOR_AMD, DEVICE_GFXIP_MINOR_AMD},
	};
	for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
		uint64_t major, minor;
		if (!has_extension(device, vendors[i].extension) ||
		    !get_number(functions, id, vendors[i].major, sizeof(cl_uint), &major) || !major || major > 9999 ||
		    !get_number(functions, id, vendors[i].minor, sizeof(cl_uint), &minor) || minor > 9999)
			continue;
		snprintf(device->compute_capability, sizeof device->compute_capability, "%s%u.%u", vendors[i].prefix,
			 (unsigned)major, (unsigned)minor);
		return;
	}
}

/* A text reported as empty is known: a device may have no extension. */
static void get_texts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	for (size_t i = 0; i < sizeof text_facts / sizeof *text_facts; i++) {
		const clpac_property_info *info = clpac_device_property_info(text_facts[i].property);
		if (get_text(functions, id, text_facts[i].what, (char *)device + info->offset, info->size))
			device->known |= CLPAC__KNOWS(text_facts[i].property);
	}
	if (!*device->name)
		snprintf(device->name, sizeof device->name, "(device without a name)");
	if (has_extension(device, "cl_amd_device_attribute_query"))
		get_text(functions, id, DEVICE_BOARD_NAME_AMD, device->board, sizeof device->board);
}

void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device)
{
	cl_device_type type;
	get_texts(functions, id, device);
	get_numbers(functions, id, device);
	get_bits(functions, id, device);
	get_sub_groups(functions, id, device);
	if (get(functions, id, CL_DEVICE_TYPE, &type, sizeof type))
		device->known |= CLPAC__KNOWS(CLPAC_PROPERTY_KIND);
	device->kind = kind_of(type, device->has_unified_memory);
	if (device->known & CLPAC__KNOWS(CLPAC_PROPERTY_EXTENSIONS)) {
		clpac__device_set_number(device, CLPAC_PROPERTY_HAS_FP64, has_extension(device, "cl_khr_fp64"));
		clpac__device_set_number(device, CLPAC_PROPERTY_HAS_FP16, has_extension(device, "cl_khr_fp16"));
	}
	get_capability(functions, id, device);
	get_uuid(functions, id, device);
	get_pci(functions, id, device);
	const clpac_free_memory now = clpac__opencl_ask_free_memory(functions, id, device);
	if (now.knowledge != CLPAC_UNKNOWN)
		clpac__device_set_number(device, CLPAC_PROPERTY_FREE_BYTES, now.bytes);
	device->free_knowledge = now.knowledge;
	clpac__device_mark_known(device);
}

const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id)
{
	char version[128];
	get_text(functions, id, CL_DEVICE_VERSION, version, sizeof version);
	int major, minor;
	if (!read_version(version, &major, &minor))
		return "does not tell its OpenCL version";
	if (major < 2 && minor < 2)
		return "is older than OpenCL 1.2";
	if (!get_bool(functions, id, CL_DEVICE_AVAILABLE))
		return "says that it is not available";
	if (!get_bool(functions, id, CL_DEVICE_COMPILER_AVAILABLE))
		return "has no compiler for kernels";
	return NULL;
}

/* Free memory: the device's if its driver or the system tells it, and no more than the host's where that is the
 * device's, as of CPUs and of GPUs in them: their drivers report most of the machine's memory, whoever holds it.
 * NVIDIA's and Intel's drivers have no such query in OpenCL; the pool then uses a part of the device's size, and goes
 * on with less where it is refused what displays hold. */
clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device)
{
	const bool is_of_host = device->kind == CLPAC_DEVICE_OPENCL_CPU || device->has_unified_memory;
	const uint64_t of_host = is_of_host ? clpac__machine_free_bytes("") : 0;
	clpac_free_memory answer = {0};
	if (opencl_free_bytes(functions, id, device, &answer.bytes) ||
	    (!is_of_host && clpac__machine_card_free_bytes("", device->pci, &answer.bytes)))
		answer.knowledge = CLPAC_EXACT;
	if (of_host && (answer.knowledge == CLPAC_UNKNOWN || of_host < answer.bytes))
		answer = (clpac_free_memory){of_host, CLPAC_EXACT};
	/* A CPU's driver may offer less than the machine's memory. */
	if (device->memory_bytes && answer.bytes > device->memory_bytes)
		answer.bytes = device->memory_bytes;
	return answer;
}

clpac_free_memory clpac__opencl_free_memory(clpac__queue *queue)
{
	return clpac__opencl_ask_free_memory(&clpac__opencl_loader, clpac__opencl_of(queue)->device, &queue->device);
}

bool clpac__opencl_host_has(size_t bytes)
{
	uint64_t free_bytes = clpac__machine_free_bytes("");
	return !free_bytes || bytes <= free_bytes;
}

uint64_t clpac__opencl_host_free_bytes(clpac__queue *queue)
{
	(void)queue;
	return clpac__machine_free_bytes("");
}
