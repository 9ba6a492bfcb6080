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

/* clpac_devices_select_several in the same way. */
clpac_status clpac__devices_select_several(const clpac_device_list *list, const char *selection,
					   uint64_t required_bytes, clpac__usable_bytes *usable,
					   const clpac_device **out, size_t capacity, size_t *n, clpac_error *err);

/* All that clpac__devices_select might give, in the order of preference: what to try where one cannot be opened; a
 * device seen through another platform too is another try.  At least one; *out is the caller's to free, its devices the
 * list's. */
clpac_status clpac__devices_candidates(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				       clpac__usable_bytes *usable, const clpac_device ***out, size_t *n,
				       clpac_error *err);

/* Whether two platforms show one device. */
bool clpac__is_same_device(const clpac_device *a, const clpac_device *b);

/* Discovery under way: the list so far, unsorted; and how drivers are to be looked at. */
struct clpac__discovery {
	clpac_device_list list;
	double probe_s;	  /* above 0: first in a child process, for so many seconds at most */
	bool is_left_out; /* set by a backend that left its drivers out after that */
};

void clpac__discovery_clear(clpac__discovery *found);

/* Sorts what was found, marks duplicates and makes a list of it; empties found. */
clpac_status clpac__discovery_finish(clpac__discovery *found, clpac_device_list **out, clpac_error *err);

#endif
