/* Building a list of devices: discovery adds real platforms and devices, tests add machines that they do not have. */
#ifndef CLPAC_MEMORY_DEVICE_LIST_H
#define CLPAC_MEMORY_DEVICE_LIST_H

#include "memory/backend/backend.h"

struct clpac_device_list {
	clpac_platform *platforms;
	clpac_device *devices;
	size_t n_platforms, n_devices;
	size_t n_holders; /* the only member that changes; managed by snapshot.c */
};

/* Bytes of a device that a job may use. */
typedef uint64_t clpac__usable_bytes(const clpac_device *device);

/* clpac_devices_select by usable memory; NULL: by total memory. */
clpac_status clpac__devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				   clpac__usable_bytes *usable, const clpac_device **out, clpac_error *err);

/* All devices that clpac__devices_select might choose, in order of preference, to be tried one after another when
 * opening fails; duplicates on another platform are included.  At least one.  The caller frees *out; its devices belong
 * to the list. */
clpac_status clpac__devices_candidates(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				       clpac__usable_bytes *usable, const clpac_device ***out, size_t *n,
				       clpac_error *err);

/* True when two platforms show one device. */
bool clpac__is_same_device(const clpac_device *a, const clpac_device *b);

/* Discovery in progress: the list so far, unsorted, and how to probe drivers. */
struct clpac__discovery {
	clpac_device_list list;
	double probe_s;	  /* above 0: try drivers in a child process first, for at most this many seconds */
	bool is_anew;	  /* try them even where the verdict of an earlier probe is known */
	char cache[512];  /* folder of such verdicts; empty: none */
	bool is_left_out; /* set by a backend that left its drivers out after the probe */
	/* Kinds of device, a bit each, of which one is wanted and the native device is another; 0: all there are.  A
	 * backend whose drivers are known to have none of these does not enter them, and sets is_passed_over. */
	unsigned wanted_kinds;
	bool is_passed_over;
};

void clpac__discovery_clear(clpac__discovery *found);

/* Sorts the devices, marks duplicates and makes the list; empties found. */
clpac_status clpac__discovery_finish(clpac__discovery *found, clpac_device_list **out, clpac_error *err);

#endif
