/* A list of devices while it is made, and from parts: discovery hands platforms and devices in, tests hand in machines
 * that nobody has here. */
#ifndef CLPAC_DEVICE_LIST_H
#define CLPAC_DEVICE_LIST_H

#include "backend/backend.h"

struct clpac_device_list {
	clpac_platform *platforms;
	clpac_device *devices;
	size_t n_platforms, n_devices;
	size_t n_holders; /* the only member that changes; snapshot.c's */
};

/* How much of a device a job may use. */
typedef uint64_t clpac__usable_bytes(const clpac_device *device);

/* clpac_devices_select by what may be used of a device; NULL: by all its memory. */
clpac_status clpac__devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				   clpac__usable_bytes *usable, const clpac_device **out, clpac_error *err);

/* Discovery under way: the list so far, unsorted. */
struct clpac__discovery {
	clpac_device_list list;
};

void clpac__discovery_clear(clpac__discovery *found);

/* Sorts what was found, marks duplicates and makes a list of it; empties found. */
clpac_status clpac__discovery_finish(clpac__discovery *found, clpac_device_list **out, clpac_error *err);

/* The same from arrays, which are copied. */
clpac_status clpac__device_list_from(const clpac_device *devices, size_t n_devices, const clpac_platform *platforms,
				     size_t n_platforms, clpac_device_list **out, clpac_error *err);

#endif
