/** @file memory/device.h
 *  Which devices this machine has, and choosing one.
 *
 *  Discovery looks at every OpenCL platform and device and at the native CPU, which is always there.  A machine without
 *  OpenCL, with empty platforms or with a broken one works: what is wrong is listed as words, and the rest stays
 * usable. A list is an immutable snapshot; any thread may read it.  The process shares one, which is made anew only
 * when asked.
 */
#ifndef CLPAC_MEMORY_DEVICE_H
#define CLPAC_MEMORY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/memory/pool.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of device, in the order in which they are preferred. */
typedef enum clpac_device_kind {
	CLPAC_DEVICE_DISCRETE_GPU = 0,
	CLPAC_DEVICE_INTEGRATED_GPU, /**< A GPU that shares the host's memory. */
	CLPAC_DEVICE_ACCELERATOR,
	CLPAC_DEVICE_NATIVE, /**< This computer's CPU through clpac's own kernels; no driver. */
	CLPAC_DEVICE_OPENCL_CPU,
	CLPAC_DEVICE_OTHER,
	CLPAC_DEVICE_KIND_COUNT
} clpac_device_kind;

/** clpac_platform.status of OpenCL after a probe that failed: clpac_devices_find_probed. */
enum { CLPAC_PLATFORM_LEFT_OUT = 1 };

/** A platform: one OpenCL implementation, or clpac's native backend. */
typedef struct clpac_platform {
	int index;	  /**< OpenCL's number of it; -1 for native, and for OpenCL itself where it has no platform. */
	char backend[16]; /**< "native" or "opencl". */
	char name[128];
	char vendor[128];
	char version[128];
	int n_devices;	   /**< Usable devices. */
	int status;	   /**< 0, or the driver's code (below 0) or CLPAC_PLATFORM_LEFT_OUT: it cannot be used. */
	char trouble[256]; /**< Empty, or one sentence: what is wrong and what to try. */
} clpac_platform;

/** Facts of a device.  A plain value.
 *  A number is 0, a text empty and an answer false where the driver did not tell; clpac_device_knows says which facts
 * are known, so that a cache of 0 bytes and one that nobody told of differ. */
typedef struct clpac_device {
	clpac_device_kind kind;
	int platform, index; /**< As written in a selection "platform:device"; -1:-1 for native. */
	bool is_available;
	bool is_duplicate; /**< The same device is listed earlier on another platform. */
	char backend[16];  /**< "native" or "opencl". */
	char platform_name[128];
	uint64_t known; /**< One bit per clpac_device_property: it is known even where it is 0 or empty. */
	clpac_knowledge free_knowledge; /**< How free_bytes is known. */
	char name[128];			/**< As the driver calls it, which may be the chip: "gfx1101". */
	char board[128]; /**< As its maker sells it, where the driver tells that apart (AMD): "Radeon RX 7800 XT". */
	char vendor[128];
	char driver[128];    /**< Driver version. */
	char version[128];   /**< OpenCL version text; empty for native. */
	char c_version[128]; /**< OpenCL C version text. */
	unsigned vendor_id;
	unsigned compute_units; /**< Cores, for CPUs. */
	unsigned clock_mhz;
	uint64_t memory_bytes; /**< All of it. */
	uint64_t free_bytes;   /**< What seemed available when the list was made; 0 unknown.  It ages: a context asks
				anew when it opens the device, clpac_pool_free_memory whenever it is called. */
	uint64_t max_allocation_bytes; /**< Largest single block. */
	uint64_t cache_bytes;
	uint64_t cache_line_bytes;    /**< Of the cache of global memory. */
	uint64_t local_bytes;	      /**< Memory that a work-group shares. */
	unsigned base_align_bits;     /**< Alignment of a part of a block, in bits as OpenCL reports it. */
	unsigned max_group_items;     /**< Work-items in the largest work-group. */
	unsigned sub_group_min_items; /**< Work-items that run in step (warp, wavefront, sub-group): the smallest and
					 the */
	unsigned sub_group_max_items; /**< largest such group; equal where the device has one size. */
	unsigned vector_width_char, vector_width_short, vector_width_int,
		vector_width_long; /**< Native vector widths. */
	unsigned vector_width_half, vector_width_float, vector_width_double;
	unsigned preferred_width_float; /**< The width that the driver's compiler likes best. */
	bool has_unified_memory, has_fp64, has_fp16;
	bool has_device_clock; /**< The queue can tell when a kernel started and ended (profiling). */
	bool has_out_of_order; /**< Queues may run what was put out of its order. */
	bool has_svm_coarse_buffer, has_svm_fine_buffer, has_svm_fine_system,
		has_svm_atomics; /**< Shared virtual memory. */
	char pci[32];		 /**< PCI bus address, or empty. */
	char uuid[40];		 /**< 32 hexadecimal digits, or empty. */
	char extensions[4096];	 /**< As the driver says, cut at the end of a word. */
} clpac_device;

/** The facts of clpac_device that a driver may leave untold, each named as its member.  New ones come at the end. */
typedef enum clpac_device_property {
	CLPAC_PROPERTY_KIND = 0,
	CLPAC_PROPERTY_NAME,
	CLPAC_PROPERTY_BOARD,
	CLPAC_PROPERTY_VENDOR,
	CLPAC_PROPERTY_DRIVER,
	CLPAC_PROPERTY_VERSION,
	CLPAC_PROPERTY_C_VERSION,
	CLPAC_PROPERTY_VENDOR_ID,
	CLPAC_PROPERTY_COMPUTE_UNITS,
	CLPAC_PROPERTY_CLOCK_MHZ,
	CLPAC_PROPERTY_MEMORY_BYTES,
	CLPAC_PROPERTY_FREE_BYTES,
	CLPAC_PROPERTY_MAX_ALLOCATION_BYTES,
	CLPAC_PROPERTY_CACHE_BYTES,
	CLPAC_PROPERTY_CACHE_LINE_BYTES,
	CLPAC_PROPERTY_LOCAL_BYTES,
	CLPAC_PROPERTY_BASE_ALIGN_BITS,
	CLPAC_PROPERTY_MAX_GROUP_ITEMS,
	CLPAC_PROPERTY_SUB_GROUP_MIN_ITEMS,
	CLPAC_PROPERTY_SUB_GROUP_MAX_ITEMS,
	CLPAC_PROPERTY_VECTOR_WIDTH_CHAR,
	CLPAC_PROPERTY_VECTOR_WIDTH_SHORT,
	CLPAC_PROPERTY_VECTOR_WIDTH_INT,
	CLPAC_PROPERTY_VECTOR_WIDTH_LONG,
	CLPAC_PROPERTY_VECTOR_WIDTH_HALF,
	CLPAC_PROPERTY_VECTOR_WIDTH_FLOAT,
	CLPAC_PROPERTY_VECTOR_WIDTH_DOUBLE,
	CLPAC_PROPERTY_PREFERRED_WIDTH_FLOAT,
	CLPAC_PROPERTY_HAS_UNIFIED_MEMORY,
	CLPAC_PROPERTY_HAS_FP64,
	CLPAC_PROPERTY_HAS_FP16,
	CLPAC_PROPERTY_HAS_DEVICE_CLOCK,
	CLPAC_PROPERTY_HAS_OUT_OF_ORDER,
	CLPAC_PROPERTY_HAS_SVM_COARSE_BUFFER,
	CLPAC_PROPERTY_HAS_SVM_FINE_BUFFER,
	CLPAC_PROPERTY_HAS_SVM_FINE_SYSTEM,
	CLPAC_PROPERTY_HAS_SVM_ATOMICS,
	CLPAC_PROPERTY_PCI,
	CLPAC_PROPERTY_UUID,
	CLPAC_PROPERTY_EXTENSIONS,
	CLPAC_PROPERTY_COUNT
} clpac_device_property;

typedef enum clpac_property_type {
	CLPAC_PROPERTY_IS_KIND = 0, /**< A clpac_device_kind. */
	CLPAC_PROPERTY_IS_TEXT,	    /**< An array of char. */
	CLPAC_PROPERTY_IS_NUMBER,   /**< unsigned or uint64_t, by its size. */
	CLPAC_PROPERTY_IS_ANSWER    /**< bool. */
} clpac_property_type;

/** Where a property stands in clpac_device and what it is, for those who go through all of them. */
typedef struct clpac_property_info {
	const char *name; /**< The member's name, which is also its name in files. */
	clpac_property_type type;
	size_t offset, size; /**< Of the member. */
} clpac_property_info;

/** Whether a fact is known.  What is not 0, not empty, not false and not CLPAC_DEVICE_OTHER is; of the rest, what
 *  clpac_device.known says. */
bool clpac_device_knows(const clpac_device *device, clpac_device_property property);

/** NULL for a number that is no property.  Valid for ever. */
const clpac_property_info *clpac_device_property_info(clpac_device_property property);

/** A snapshot of the machine's platforms and devices, best device first.  Opaque; destroy what you were given. */
typedef struct clpac_device_list clpac_device_list;

/** The machine's devices.  The first call of a process looks at the machine; later ones give the same list again, until
 *  clpac_devices_refresh makes another.
 *  Cost: a driver's start, often 10 to 500 ms, for the first; less than a microsecond for the others.
 *  @param[out] out the list, the caller's to destroy; always holds at least the native device.
 *  @return CLPAC_OK or CLPAC_ERROR_NO_MEMORY, after which the next call looks again.  Broken drivers are not errors:
 * see clpac_platform.trouble. Any thread; those who call while the first look is under way wait for it and get its
 * list. */
clpac_status clpac_devices_find(clpac_device_list **out, clpac_error *err);

/** Looks at the machine again: for devices that came or went, and for free_bytes of now.  The new list is what
 *  clpac_devices_find gives from then on; lists given before stay valid, and as they are, until they are destroyed.
 *  Cost: milliseconds, as a driver takes; the first look of a process costs what clpac_devices_find's does.
 *  @param[out] out the list, the caller's to destroy.
 *  @return as clpac_devices_find; after an error the list before stays in use.
 *  Any thread; looks at the same time take turns, and clpac_devices_find waits for none of them once it has a list. */
clpac_status clpac_devices_refresh(clpac_device_list **out, clpac_error *err);

/** The same two, careful with drivers: they may crash or hang while they start.  Where this call looks at the machine,
 * and no look before it has started the drivers in this process, OpenCL is looked at in a child process first.  When
 * that crashes, does not end within the limit or is ended by a driver, OpenCL is left out: its platform has status
 *  CLPAC_PLATFORM_LEFT_OUT and trouble says what happened, which vendor's file is to blame where that can be found out
 *  (by a further child for each file, each with the same limit), and what to do.  All else stays usable.  Later looks
 * of the process then probe too, with or without these functions. The children are forked: in a process with other
 * threads a child may wait for a lock that one of them held, and a good driver is left out; call it before others
 * start, or before they use C++ or OpenCL.  An application that started OpenCL itself has nothing to probe.  The child
 * prints nothing, dumps no core and runs no exit handler; the application sees a SIGCHLD for each and no zombie. Cost:
 * the drivers' start twice; after trouble up to limit_s for each vendor's file, and 2 s where a child cannot be ended.
 * Without OpenCL in the build, nothing.
 *  @param limit_s above 0, at most 3600; 10 s are generous.
 *  @return CLPAC_ERROR_ARGUMENT for another limit; else as those two.
 *  Any thread, but after trouble the environment is read (OCL_ICD_VENDORS): not beside a setenv. */
clpac_status clpac_devices_find_probed(double limit_s, clpac_device_list **out, clpac_error *err);
clpac_status clpac_devices_refresh_probed(double limit_s, clpac_device_list **out, clpac_error *err);

/** A list of devices that were recorded or made up, to see what would be chosen where they are; sorted, and duplicates
 * marked, as a list of the machine's.  Do not open its devices: a device is opened by its numbers, which mean others
 * here.
 *  @param devices copied; backend, platform and index tell them apart.
 *  @param platforms copied.
 *  @param[out] out the caller's to destroy.
 *  @return CLPAC_OK or CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_make(const clpac_device *devices, size_t n_devices, const clpac_platform *platforms,
				size_t n_platforms, clpac_device_list **out, clpac_error *err);

/** Gives a list back; with its last holder go the list and the devices in it.  Each list that was got is destroyed
 * once, by any thread.  NULL is fine. */
void clpac_devices_destroy(clpac_device_list *list);

size_t clpac_devices_count(const clpac_device_list *list);
/** The i-th device, or NULL past the end.  Valid as long as the list. */
const clpac_device *clpac_devices_get(const clpac_device_list *list, size_t i);

size_t clpac_platforms_count(const clpac_device_list *list);
const clpac_platform *clpac_platforms_get(const clpac_device_list *list, size_t i);

/** The device that clpac would take by itself: the first available discrete GPU, integrated GPU, accelerator, native
 * CPU. Never NULL for a list from clpac_devices_find or clpac_devices_refresh. */
const clpac_device *clpac_devices_best(const clpac_device_list *list);

/** Chooses by a selection string:
 *  - "" or "best": clpac_devices_best;
 *  - a kind: "gpu", "discrete", "integrated", "accelerator", "native", "cpu" (an OpenCL CPU), "other";
 *  - "0:1": platform and device numbers as listed;
 *  - conditions joined by commas, all of which must hold: "vendor=intel", "name~Radeon", "platform~Portable",
 *    "memory>8G" (K, M, G, T are powers of 1024), "kind=gpu", "backend=opencl".  Text is compared without case; ~ means
 *    contains; name is the device's or its board's; vendor= also knows the short names amd, apple, arm, intel, nvidia,
 * qualcomm.  A kind may stand among the conditions: "gpu,memory>8G". Of several that fit, the first in the list's order
 * that is available and no duplicate; a duplicate where only such fit.
 *  @param required_bytes the device must have that much memory; 0 for any.
 *  @return CLPAC_ERROR_ARGUMENT for a string that cannot be read, CLPAC_ERROR_NO_DEVICE when nothing fits; both texts
 * name the devices there are, the latter with the reason against each. */
clpac_status clpac_devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				  const clpac_device **out, clpac_error *err);

/** What a caller thinks of a device: the highest number wins, the first in the list's order among equals; 0 or less
 *  turns it down.  Called any number of times, and only for devices that are available and large enough. */
typedef int clpac_device_rank(const clpac_device *device, void *user);

/** Chooses by a function; a duplicate where only such are not turned down.
 *  @param user handed to rank.
 *  @param required_bytes as for clpac_devices_select.
 *  @return CLPAC_ERROR_NO_DEVICE when none is left, with the reason against each.
 *  Any thread; rank is called from the calling one. */
clpac_status clpac_devices_select_by(const clpac_device_list *list, clpac_device_rank *rank, void *user,
				     uint64_t required_bytes, const clpac_device **out, clpac_error *err);

/** Chooses several devices for one run.
 *  - Selections of clpac_devices_select joined by +, as "native+0:0" or "gpu+native", each of which gives one device:
 * the first that fits and was not taken before, so that "gpu+gpu" are two.  (A name with a + in it cannot be written.)
 *  - "all": every available device, each once; with conditions, "all,memory>4G", every one that fits them.  A part as
 *    any: "gpu+all" begins with the GPU.
 *  No device is given twice, and of one that two platforms show, the first sight, or the one that was asked for.
 *  @param required_bytes each of them must have that much memory; 0 for any.
 *  @param[out] out in the order of the selection, of "all" in the list's; clpac_devices_count(list) are always enough.
 *  @param capacity the most that out holds.
 *  @param[out] n how many there are, at least 1.
 *  @return CLPAC_ERROR_ARGUMENT for a string that cannot be read and for more than capacity, CLPAC_ERROR_NO_DEVICE when
 *  nothing (more) fits a part, with the reason against each. */
clpac_status clpac_devices_select_several(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
					  const clpac_device **out, size_t capacity, size_t *n, clpac_error *err);

/** Why a device does not fit a selection of one or several devices, in words that follow "it ": "is an OpenCL CPU",
 *  "has 4096.0 MiB of memory"; empty when it fits, whether or not it would be chosen.
 *  @param[out] reason at most size bytes, 160 are enough.
 *  @return CLPAC_ERROR_ARGUMENT for a string that cannot be read. */
clpac_status clpac_device_reason(const clpac_device *device, const char *selection, uint64_t required_bytes,
				 char *reason, size_t size, clpac_error *err);

/** A kind in words, as "discrete GPU".  Never NULL. */
const char *clpac_device_kind_text(clpac_device_kind kind);

/** "0:1", or "native": the selection that means exactly this device.  @param[out] text at least 24 bytes. */
void clpac_device_selection(const clpac_device *device, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
