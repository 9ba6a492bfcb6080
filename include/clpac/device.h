/** @file device.h
 *  Which devices this machine has, and choosing one.
 *
 *  Discovery looks at every OpenCL platform and device and at the native CPU, which is always there.  A machine without
 *  OpenCL, with empty platforms or with a broken one works: what is wrong is listed as words, and the rest stays usable.
 *  A list is an immutable snapshot; any thread may read it.  The process shares one, which is made anew only when asked.
 */
#ifndef CLPAC_DEVICE_H
#define CLPAC_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of device, in the order in which they are preferred. */
typedef enum clpac_device_kind {
	CLPAC_DEVICE_DISCRETE_GPU = 0,
	CLPAC_DEVICE_INTEGRATED_GPU, /**< A GPU that shares the host's memory. */
	CLPAC_DEVICE_ACCELERATOR,
	CLPAC_DEVICE_NATIVE,         /**< This computer's CPU through clpac's own kernels; no driver. */
	CLPAC_DEVICE_OPENCL_CPU,
	CLPAC_DEVICE_OTHER,
	CLPAC_DEVICE_KIND_COUNT
} clpac_device_kind;

/** A platform: one OpenCL implementation, or clpac's native backend. */
typedef struct clpac_platform {
	int index;             /**< OpenCL's number of it; -1 for native, and for OpenCL itself where it has no platform. */
	char backend[16];      /**< "native" or "opencl". */
	char name[128];
	char vendor[128];
	char version[128];
	int n_devices;         /**< Usable devices. */
	int status;            /**< 0, or the driver's code that keeps it from being used. */
	char trouble[256];     /**< Empty, or one sentence: what is wrong and what to try. */
} clpac_platform;

/** Facts of a device.  A number is 0, and a text empty, where the driver did not tell.  A plain value. */
typedef struct clpac_device {
	clpac_device_kind kind;
	int platform, index;          /**< As written in a selection "platform:device"; -1:-1 for native. */
	char backend[16];             /**< "native" or "opencl". */
	char name[128];
	char vendor[128];
	char platform_name[128];
	char driver[128];             /**< Driver version. */
	char version[128];            /**< OpenCL version text; empty for native. */
	char c_version[128];          /**< OpenCL C version text. */
	unsigned vendor_id;
	unsigned compute_units;       /**< Cores, for CPUs. */
	unsigned clock_mhz;
	uint64_t memory_bytes;        /**< All of it. */
	uint64_t free_bytes;          /**< What seemed available when the list was made; 0 unknown.  It ages: a context asks
                                       anew when it opens the device, clpac_pool_free_memory whenever it is called. */
	uint64_t max_allocation_bytes;/**< Largest single block. */
	uint64_t cache_bytes;
	uint64_t local_bytes;
	unsigned base_align_bits;     /**< Alignment of a part of a block, in bits as OpenCL reports it. */
	unsigned vector_width_float;  /**< Native vector width. */
	bool has_unified_memory, has_fp64, has_fp16;
	bool has_device_clock;        /**< The queue can tell when a kernel started and ended. */
	bool is_available;
	bool is_duplicate;            /**< The same device is listed earlier on another platform. */
	char pci[32];                 /**< PCI bus address, or empty. */
	char uuid[40];                /**< 32 hexadecimal digits, or empty. */
	char extensions[4096];        /**< As the driver says, cut at the end of a word. */
} clpac_device;

/** A snapshot of the machine's platforms and devices, best device first.  Opaque; destroy what you were given. */
typedef struct clpac_device_list clpac_device_list;

/** The machine's devices.  The first call of a process looks at the machine; later ones give the same list again, until
 *  clpac_devices_refresh makes another.
 *  Cost: a driver's start, often 10 to 500 ms, for the first; less than a microsecond for the others.
 *  @param[out] out the list, the caller's to destroy; always holds at least the native device.
 *  @return CLPAC_OK or CLPAC_ERROR_NO_MEMORY, after which the next call looks again.  Broken drivers are not errors: see
 *  clpac_platform.trouble.
 *  Any thread; those who call while the first look is under way wait for it and get its list. */
clpac_status clpac_devices_find(clpac_device_list **out, clpac_error *err);

/** Looks at the machine again: for devices that came or went, and for free_bytes of now.  The new list is what
 *  clpac_devices_find gives from then on; lists given before stay valid, and as they are, until they are destroyed.
 *  Cost: milliseconds, as a driver takes; the first look of a process costs what clpac_devices_find's does.
 *  @param[out] out the list, the caller's to destroy.
 *  @return as clpac_devices_find; after an error the list before stays in use.
 *  Any thread; looks at the same time take turns, and clpac_devices_find waits for none of them once it has a list. */
clpac_status clpac_devices_refresh(clpac_device_list **out, clpac_error *err);

/** Gives a list back; with its last holder go the list and the devices in it.  Each list that was got is destroyed once, by
 *  any thread.  NULL is fine. */
void clpac_devices_destroy(clpac_device_list *list);

size_t clpac_devices_count(const clpac_device_list *list);
/** The i-th device, or NULL past the end.  Valid as long as the list. */
const clpac_device *clpac_devices_get(const clpac_device_list *list, size_t i);

size_t clpac_platforms_count(const clpac_device_list *list);
const clpac_platform *clpac_platforms_get(const clpac_device_list *list, size_t i);

/** The device that clpac would take by itself: the first available discrete GPU, integrated GPU, accelerator, native CPU.
 *  Never NULL for a list from clpac_devices_find or clpac_devices_refresh. */
const clpac_device *clpac_devices_best(const clpac_device_list *list);

/** Chooses by a selection string:
 *  - "" or "best": clpac_devices_best;
 *  - a kind: "gpu", "discrete", "integrated", "accelerator", "native", "cpu" (an OpenCL CPU), "other";
 *  - "0:1": platform and device numbers as listed;
 *  - conditions joined by commas, all of which must hold: "vendor=intel", "name~Radeon", "platform~Portable",
 *    "memory>8G" (K, M, G, T are powers of 1024), "kind=gpu", "backend=opencl".  Text is compared without case; ~ means
 *    contains; vendor= also knows the short names amd, apple, arm, intel, nvidia, qualcomm.  A kind may stand among
 *    the conditions: "gpu,memory>8G".
 *  Of several that fit, the first in the list's order that is available and no duplicate; a duplicate where only such fit.
 *  @param required_bytes the device must have that much memory; 0 for any.
 *  @return CLPAC_ERROR_ARGUMENT for a string that cannot be read, CLPAC_ERROR_NO_DEVICE when nothing fits; both texts name
 *  the devices there are, the latter with the reason against each. */
clpac_status clpac_devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				  const clpac_device **out, clpac_error *err);

/** A kind in words, as "discrete GPU".  Never NULL. */
const char *clpac_device_kind_text(clpac_device_kind kind);

/** "0:1", or "native": the selection that means exactly this device.  @param[out] text at least 24 bytes. */
void clpac_device_selection(const clpac_device *device, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
