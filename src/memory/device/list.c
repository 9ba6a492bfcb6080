/* The list of devices: those of every backend, best kind first; a device seen through two platforms is marked the
 * second time.
 */
#include "memory/device/list.h"
#include "memory/device/properties.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Arrays grow one by one: a machine has few devices, and discovery takes milliseconds. */
clpac_status clpac__discovery_add_platform(clpac__discovery *found, const clpac_platform *platform, clpac_error *err)
{
	clpac_device_list *list = &found->list;
	clpac_platform *grown = clpac__realloc_array(list->platforms, list->n_platforms + 1, sizeof *grown);
	if (!grown)
		RETURN_NO_MEMORY((list->n_platforms + 1) * sizeof *grown);
	list->platforms = grown;
	list->platforms[list->n_platforms++] = *platform;
	return CLPAC_OK;
}

clpac_status clpac__discovery_add_device(clpac__discovery *found, const clpac_device *device, clpac_error *err)
{
	clpac_device_list *list = &found->list;
	RETURN_IF_ERROR(GROW(list->devices, list->n_devices + 1));
	list->devices[list->n_devices] = *device;
	clpac__device_mark_known(&list->devices[list->n_devices++]);
	return CLPAC_OK;
}

void clpac__discovery_clear(clpac__discovery *found)
{
	FREE_ALL(found->list.platforms, found->list.devices);
	*found = (clpac__discovery){0};
}

/* By kind; within a kind by platform and device number, the drivers' own order of preference. */
static int compare(const void *a, const void *b)
{
	const clpac_device *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->platform != y->platform)
		return x->platform < y->platform ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Two platforms show one device if both report the same UUID or the same PCI address.  Different UUIDs prove nothing,
 * because makers derive them differently.  If neither is reported, the devices count as different: two equal cards have
 * equal names.  Devices of one platform are different by definition (parts of one card share its PCI address). */
bool clpac__is_same_device(const clpac_device *a, const clpac_device *b)
{
	if (strcmp(a->backend, b->backend) == 0 && a->platform == b->platform)
		return false;
	return (*a->uuid && strcmp(a->uuid, b->uuid) == 0) || (*a->pci && strcmp(a->pci, b->pci) == 0);
}

static void mark_duplicates(clpac_device_list *list)
{
	for (size_t i = 0; i < list->n_devices; i++) {
		clpac_device *device = &list->devices[i];
		device->is_duplicate = false;
		/* An unusable first sight must not hide a usable second one. */
		for (size_t j = 0; j < i && !device->is_duplicate; j++)
			device->is_duplicate =
				list->devices[j].is_available && clpac__is_same_device(&list->devices[j], device);
	}
}

clpac_status clpac__discovery_finish(clpac__discovery *found, clpac_device_list **out, clpac_error *err)
{
	clpac_device_list *list;
	RETURN_IF_ERROR(NEW(list));
	*list = found->list;
	list->n_holders = 1;
	*found = (clpac__discovery){0};
	if (list->n_devices)
		qsort(list->devices, list->n_devices, sizeof *list->devices, compare);
	mark_duplicates(list);
	*out = list;
	return CLPAC_OK;
}

clpac_status clpac_devices_make(const clpac_device *devices, size_t n_devices, const clpac_platform *platforms,
				size_t n_platforms, clpac_device_list **out, clpac_error *err)
{
	NEED_AS(devices || !n_devices, "devices");
	NEED_AS(platforms || !n_platforms, "platforms");
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac__discovery found = {0};

	for (size_t i = 0; i < n_platforms; i++)
		TRY(clpac__discovery_add_platform(&found, &platforms[i], err));
	for (size_t i = 0; i < n_devices; i++)
		TRY(clpac__discovery_add_device(&found, &devices[i], err));
	TRY(clpac__discovery_finish(&found, out, err));
done:
	clpac__discovery_clear(&found);
	return st;
}

size_t clpac_devices_count(const clpac_device_list *list)
{
	return list ? list->n_devices : 0;
}

const clpac_device *clpac_devices_get(const clpac_device_list *list, size_t i)
{
	return list && i < list->n_devices ? &list->devices[i] : NULL;
}

size_t clpac_platforms_count(const clpac_device_list *list)
{
	return list ? list->n_platforms : 0;
}

const clpac_platform *clpac_platforms_get(const clpac_device_list *list, size_t i)
{
	return list && i < list->n_platforms ? &list->platforms[i] : NULL;
}
