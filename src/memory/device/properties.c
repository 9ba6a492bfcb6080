/* The facts of a device as a table: position and type of each, and whether it is known. */
#include "memory/device/properties.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define ROW(property, member, kind_of_value)                                                                           \
	[CLPAC_PROPERTY_##property] = {#member, CLPAC_PROPERTY_IS_##kind_of_value, offsetof(clpac_device, member),     \
				       sizeof((clpac_device *)0)->member}

static const clpac_property_info rows[] = {
	ROW(KIND, kind, KIND),
	ROW(NAME, name, TEXT),
	ROW(BOARD, board, TEXT),
	ROW(VENDOR, vendor, TEXT),
	ROW(DRIVER, driver, TEXT),
	ROW(VERSION, version, TEXT),
	ROW(C_VERSION, c_version, TEXT),
	ROW(VENDOR_ID, vendor_id, NUMBER),
	ROW(COMPUTE_UNITS, compute_units, NUMBER),
	ROW(CLOCK_MHZ, clock_mhz, NUMBER),
	ROW(MEMORY_BYTES, memory_bytes, NUMBER),
	ROW(FREE_BYTES, free_bytes, NUMBER),
	ROW(MAX_ALLOCATION_BYTES, max_allocation_bytes, NUMBER),
	ROW(CACHE_BYTES, cache_bytes, NUMBER),
	ROW(CACHE_LINE_BYTES, cache_line_bytes, NUMBER),
	ROW(LOCAL_BYTES, local_bytes, NUMBER),
	ROW(BASE_ALIGN_BITS, base_align_bits, NUMBER),
	ROW(MAX_GROUP_ITEMS, max_group_items, NUMBER),
	ROW(SUB_GROUP_MIN_ITEMS, sub_group_min_items, NUMBER),
	ROW(SUB_GROUP_MAX_ITEMS, sub_group_max_items, NUMBER),
	ROW(VECTOR_WIDTH_CHAR, vector_width_char, NUMBER),
	ROW(VECTOR_WIDTH_SHORT, vector_width_short, NUMBER),
	ROW(VECTOR_WIDTH_INT, vector_width_int, NUMBER),
	ROW(VECTOR_WIDTH_LONG, vector_width_long, NUMBER),
	ROW(VECTOR_WIDTH_HALF, vector_width_half, NUMBER),
	ROW(VECTOR_WIDTH_FLOAT, vector_width_float, NUMBER),
	ROW(VECTOR_WIDTH_DOUBLE, vector_width_double, NUMBER),
	ROW(PREFERRED_WIDTH_FLOAT, preferred_width_float, NUMBER),
	ROW(HAS_UNIFIED_MEMORY, has_unified_memory, ANSWER),
	ROW(HAS_FP64, has_fp64, ANSWER),
	ROW(HAS_FP16, has_fp16, ANSWER),
	ROW(HAS_DEVICE_CLOCK, has_device_clock, ANSWER),
	ROW(HAS_OUT_OF_ORDER, has_out_of_order, ANSWER),
	ROW(HAS_SVM_COARSE_BUFFER, has_svm_coarse_buffer, ANSWER),
	ROW(HAS_SVM_FINE_BUFFER, has_svm_fine_buffer, ANSWER),
	ROW(HAS_SVM_FINE_SYSTEM, has_svm_fine_system, ANSWER),
	ROW(HAS_SVM_ATOMICS, has_svm_atomics, ANSWER),
	ROW(PCI, pci, TEXT),
	ROW(UUID, uuid, TEXT),
	ROW(EXTENSIONS, extensions, TEXT),
	ROW(COMPUTE_CAPABILITY, compute_capability, TEXT),
};
_Static_assert(sizeof rows / sizeof *rows == CLPAC_PROPERTY_COUNT, "one row per property");
_Static_assert(CLPAC_PROPERTY_COUNT <= 64, "clpac_device.known has a bit for each");

const clpac_property_info *clpac_device_property_info(clpac_device_property property)
{
	return (unsigned)property < CLPAC_PROPERTY_COUNT ? &rows[property] : NULL;
}

static bool is_set(const clpac_device *device, const clpac_property_info *row)
{
	const unsigned char *value = (const unsigned char *)device + row->offset;
	if (row->type == CLPAC_PROPERTY_IS_KIND)
		return device->kind != CLPAC_DEVICE_OTHER;
	if (row->type == CLPAC_PROPERTY_IS_TEXT)
		return *value != 0;
	for (size_t i = 0; i < row->size; i++)
		if (value[i])
			return true;
	return false;
}

bool clpac_device_knows(const clpac_device *device, clpac_device_property property)
{
	if (!device)
		return false;
	return (unsigned)property < CLPAC_PROPERTY_COUNT &&
	       ((device->known & CLPAC__KNOWS(property)) || is_set(device, &rows[property]));
}

void clpac__device_mark_known(clpac_device *device)
{
	for (int property = 0; property < CLPAC_PROPERTY_COUNT; property++)
		if (is_set(device, &rows[property]))
			device->known |= CLPAC__KNOWS(property);
}

void clpac__device_set_number(clpac_device *device, clpac_device_property property, uint64_t value)
{
	void *member = (char *)device + rows[property].offset;
	const unsigned small = value < UINT_MAX ? (unsigned)value : UINT_MAX;
	const bool answer = value != 0;
	device->known |= CLPAC__KNOWS(property);
	if (rows[property].type == CLPAC_PROPERTY_IS_ANSWER)
		memcpy(member, &answer, sizeof answer);
	else if (rows[property].size == sizeof small)
		memcpy(member, &small, sizeof small);
	else
		memcpy(member, &value, sizeof value);
}
