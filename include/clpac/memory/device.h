/** @file memory/device.h
 * The devices of this machine, and how to choose one.
 *
 * Discovery looks at every OpenCL platform and device and at the native CPU, which is always there.  A machine without
 * OpenCL, with empty platforms or with a broken driver works: each problem is listed as a sentence, and everything else
 * stays usable.  A list is an immutable snapshot that any thread may read.  The process shares one list, which is
 * renewed only on request.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_DEVICE_H
#define CLPAC_MEMORY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/memory/options.h>
#include <clpac/memory/pressure.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of device, in order of preference. */
typedef enum clpac_device_kind {
	CLPAC_DEVICE_DISCRETE_GPU = 0,
	CLPAC_DEVICE_INTEGRATED_GPU, /**< A GPU that shares the host's memory. */
	CLPAC_DEVICE_ACCELERATOR,
	CLPAC_DEVICE_NATIVE, /**< This computer's CPU through clpac's own kernels; no driver needed. */
	CLPAC_DEVICE_OPENCL_CPU,
	CLPAC_DEVICE_OTHER,
	CLPAC_DEVICE_KIND_COUNT
} clpac_device_kind;

/** Values of clpac_platform.status that are no codes of a driver. */
enum {
	CLPAC_PLATFORM_LEFT_OUT = 1,  /**< OpenCL failed its probe: see clpac_devices_find_probed. */
	CLPAC_PLATFORM_NO_LOADER = 2, /**< OpenCL's loader is not installed or cannot be loaded. */
	/** A vendor's file, the platform's name, names a library that cannot be loaded. */
	CLPAC_PLATFORM_NO_LIBRARY = 3,
	/** Drivers were started without a probe, since its program is missing; their platforms are listed beside. */
	CLPAC_PLATFORM_UNTRIED = 4
};

/** A platform: one OpenCL implementation, or clpac's native backend. */
typedef struct clpac_platform {
	/** OpenCL's number of the platform; -1 for native, and for OpenCL itself when it has no platform. */
	int index;
	char backend[16]; /**< "native" or "opencl". */
	char name[128];
	char vendor[128];
	char version[128];
	int n_devices; /**< Number of usable devices. */
	/** 0, or why the platform cannot be used: the driver's code (below 0) or CLPAC_PLATFORM_LEFT_OUT and the like.
	 */
	int status;
	char trouble[256]; /**< Empty, or one sentence with the problem and what to try. */
} clpac_platform;

/** Facts of a device.  A plain value.
 *
 * A fact that the driver did not report is 0, an empty text or false. clpac_device_knows tells such a fact from one
 * that was reported as 0.
 */
typedef struct clpac_device {
	clpac_device_kind kind;
	int platform, index; /**< As written in a selection "platform:device"; -1:-1 for native. */
	bool is_available;
	bool is_duplicate; /**< The same device is listed earlier on another platform. */
	char backend[16];  /**< "native" or "opencl". */
	char platform_name[128];
	/** One bit per clpac_device_property: set when the fact is known, even if it is 0 or empty. */
	uint64_t known;
	clpac_knowledge free_knowledge; /**< How free_bytes is known. */
	char name[128];			/**< As reported by the driver; may be the chip's name: "gfx1101". */
	/** The product name, where the driver reports it separately (AMD): "Radeon RX 7800 XT". */
	char board[128];
	char vendor[128];
	char driver[128];    /**< Driver version. */
	char version[128];   /**< OpenCL version text; empty for native. */
	char c_version[128]; /**< OpenCL C version text. */
	unsigned vendor_id;
	unsigned compute_units; /**< For a CPU, its cores. */
	unsigned clock_mhz;
	uint64_t memory_bytes; /**< Total memory. */
	/** Free memory when the list was made; 0 unknown.  It grows stale: a context asks again when it opens the
	 * device, clpac_pool_free_memory at each call.
	 */
	uint64_t free_bytes;
	uint64_t max_allocation_bytes; /**< Largest single block. */
	uint64_t cache_bytes;
	uint64_t cache_line_bytes; /**< Cache line of the global memory's cache. */
	uint64_t local_bytes;	   /**< Memory shared by a work-group. */
	unsigned base_align_bits;  /**< Alignment of a part of a block, in bits as OpenCL reports it. */
	unsigned max_group_items;  /**< Work-items in the largest work-group. */
	/** Smallest group of work-items that run in step (warp, wavefront, sub-group). */
	unsigned sub_group_min_items;
	/** Largest such group; equal to the smallest where the device has one size. */
	unsigned sub_group_max_items;
	unsigned vector_width_char, vector_width_short, vector_width_int,
		vector_width_long; /**< Native vector widths. */
	unsigned vector_width_half, vector_width_float, vector_width_double;
	unsigned preferred_width_float; /**< The vector width that the driver's compiler prefers. */
	bool has_unified_memory, has_fp64, has_fp16;
	bool has_device_clock; /**< The queue reports when a kernel started and ended (profiling). */
	bool has_out_of_order; /**< Queues may execute commands out of order. */
	bool has_svm_coarse_buffer, has_svm_fine_buffer, has_svm_fine_system,
		has_svm_atomics; /**< Shared virtual memory. */
	char pci[32];		 /**< PCI bus address, or empty. */
	char uuid[40];		 /**< 32 hexadecimal digits, or empty. */
	char extensions[4096];	 /**< As the driver reports them, cut at the end of a word. */
	/** The generation of the hardware, as the vendor numbers it: "8.6" of NVIDIA's compute capability, "gfx10.3" of
	 * AMD's graphics core; empty where the driver does not tell.
	 */
	char compute_capability[16];
} clpac_device;

/** The facts of clpac_device that a driver may not report, each named after its member.  New ones are added at the end.
 */
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
	CLPAC_PROPERTY_COMPUTE_CAPABILITY,
	CLPAC_PROPERTY_COUNT
} clpac_device_property;

typedef enum clpac_property_type {
	CLPAC_PROPERTY_IS_KIND = 0, /**< A clpac_device_kind. */
	CLPAC_PROPERTY_IS_TEXT,	    /**< An array of char. */
	CLPAC_PROPERTY_IS_NUMBER,   /**< unsigned or uint64_t, according to its size. */
	CLPAC_PROPERTY_IS_ANSWER    /**< bool. */
} clpac_property_type;

/** Position and type of a property in clpac_device, for code that iterates over all properties. */
typedef struct clpac_property_info {
	const char *name; /**< The member's name, also used in files. */
	clpac_property_type type;
	size_t offset, size; /**< Position and size of the member. */
} clpac_property_info;

/** Whether a fact is known.  A value other than 0, empty, false or CLPAC_DEVICE_OTHER is known; for the rest,
 * clpac_device.known decides.
 */
bool clpac_device_knows(const clpac_device *device, clpac_device_property property);

/** The description of a property; NULL for a number that is no property.  Valid until the process ends. */
const clpac_property_info *clpac_device_property_info(clpac_device_property property);

/** A snapshot of the machine's platforms and devices, best device first.  Opaque; each list returned to a caller is
 * destroyed once.
 */
typedef struct clpac_device_list clpac_device_list;

/** The machine's devices.  The first call of a process looks at the machine; later calls return the same list until
 * clpac_devices_refresh makes a new one.
 *
 * OpenCL's drivers are tried in a child process first, for at most 10 s: see clpac_devices_find_probed.  The verdict is
 * kept in the user's cache folder with times and sizes of the drivers' files, so that a process pays for the child only
 * after the drivers, the system's graphics devices, the environment variables they read, or the boot changed.  A driver
 * that failed is tried again after an hour, and after twice as long each time that it fails again, up to a week.
 * @param[out] out the list, which the caller destroys; always holds at least the native device.
 * @return CLPAC_OK or CLPAC_ERROR_NO_MEMORY, after which the next call looks again.  Broken drivers are not errors: see
 *   clpac_platform.trouble.
 * Cost: the first call starts the drivers, often 10 to 500 ms, and twice after they changed; later calls take less than
 * a microsecond.  Threads: any; calls made during the first look wait for it and get its list.
 */
clpac_status clpac_devices_find(clpac_device_list **out, clpac_error *err);

/** The devices that options ask for.  A selection in options->device that only the native device can fit ("native",
 * "kind=native,memory>4G") enters no driver and loads no library of OpenCL: the list then holds the native device
 * alone, unless this process has a list already.  So does one for which the native device comes next to others that the
 * drivers are known not to have ("best", which is none).  For any other selection as clpac_devices_find; "all" asks for
 * all there are.
 * @param options device, probe, cache and opencl_library are read; NULL for defaults.  A first look without a loader
 *   counts for nothing: the call that names one looks again.
 * @param[out] out the list, which the caller destroys.
 * @return CLPAC_ERROR_ARGUMENT for a probe that is no limit, and for an opencl_library that cannot be used;
 *   CLPAC_ERROR_UNSUPPORTED for one in a build without OpenCL; otherwise as clpac_devices_find.
 * Cost: less than a millisecond for the native device alone.  Threads: any.
 */
clpac_status clpac_devices_find_for(const clpac_options *options, clpac_device_list **out, clpac_error *err);

/** Looks at the machine again, for devices that came or went and for current free_bytes. clpac_devices_find returns the
 * new list from then on; earlier lists stay valid and unchanged until they are destroyed.
 * @param[out] out the list; the caller destroys it.
 * @return as clpac_devices_find; after an error the previous list stays in use.
 * Cost: milliseconds, depending on the drivers; the first look of a process costs as much as that of
 * clpac_devices_find.  Threads: any; simultaneous calls take turns. clpac_devices_find does not wait for them once it
 * has a list.
 */
clpac_status clpac_devices_refresh(clpac_device_list **out, clpac_error *err);

/** clpac_devices_find and clpac_devices_refresh with a limit of their own for drivers that crash or hang while they
 * start, whatever is known of an earlier probe.
 *
 * If this call looks at the machine and the drivers have not been started in this process, OpenCL is first tried in a
 * child process.  If the child crashes, exceeds the limit or is ended by a driver, each vendor's file is tried in a
 * further child with the same limit.  The drivers that fail there are left out of this process: each is listed as a
 * platform with status CLPAC_PLATFORM_LEFT_OUT, and trouble says what happened, its file and what to do.  Where none
 * fails alone, all of OpenCL is left out, and so it is where less than 2 GiB are left of a limit of address space
 * (RLIMIT_AS).  All other devices stay usable.  Later looks of the process use the same limit, with or without these
 * functions.
 *
 * The child is the program clpac-probe, in the folder clpac-memory-N beside the library, where N is the number in the
 * library's SONAME, or beside the module or program that the library is linked into.  It is started by posix_spawn: no
 * process is forked, so that neither threads nor fork handlers of the application matter.  Where there is no such
 * program, the drivers are started in this process untried, a driver that crashes ends it, and a platform with status
 * CLPAC_PLATFORM_UNTRIED says so; a verdict that is kept serves then too.  If the application has already started
 * OpenCL itself, there is nothing to probe.  The child prints nothing, dumps no core and runs no exit handler; the
 * application sees one SIGCHLD per child and no zombie.
 * @param limit_s above 0, at most 3600; 10 s are ample.  0: as without a limit.  CLPAC_PROBE_NONE: no probe, so that a
 *   driver that crashes ends this process.
 * @return CLPAC_ERROR_ARGUMENT for another limit; otherwise as those two functions.
 * Cost: starting the drivers twice; after a failure up to limit_s for each vendor's file, and 2 s more if a child
 * cannot be ended.  In a build without OpenCL, nothing.  Threads: any.  The first look reads the environment, as
 * drivers do: no other thread may call setenv meanwhile.  Where drivers are left out, OCL_ICD_VENDORS names a folder of
 * the others to whoever reads it during that look.
 */
clpac_status clpac_devices_find_probed(double limit_s, clpac_device_list **out, clpac_error *err);
clpac_status clpac_devices_refresh_probed(double limit_s, clpac_device_list **out, clpac_error *err);

/** Makes a list of recorded or invented devices, to see what would be chosen on another machine.  The list is sorted
 * and duplicates are marked, as in a list of the machine.  Do not open its devices: a device is opened by its numbers,
 * which mean other devices here.
 * @param devices copied; identified by backend, platform and index.
 * @param platforms copied.
 * @param[out] out the list; the caller destroys it.
 * @return CLPAC_OK or CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_devices_make(const clpac_device *devices, size_t n_devices, const clpac_platform *platforms,
				size_t n_platforms, clpac_device_list **out, clpac_error *err);

/** Gives a list back; the list and its devices are freed with the last holder.  Each list obtained is destroyed once,
 * by any thread.  NULL is fine.
 */
void clpac_devices_destroy(clpac_device_list *list);

size_t clpac_devices_count(const clpac_device_list *list);
/** The i-th device, or NULL past the end.  Valid as long as the list. */
const clpac_device *clpac_devices_get(const clpac_device_list *list, size_t i);

size_t clpac_platforms_count(const clpac_device_list *list);
const clpac_platform *clpac_platforms_get(const clpac_device_list *list, size_t i);

/** What backends a machine has, a line for each platform: its backend, name and version, how many devices of it can be
 * used, and what is wrong with it.  As JSON a list of objects with backend, index, name, version, n_devices, status and
 * trouble, null where there is none; later versions may add members.
 * @param[out] text the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_platforms_text(const clpac_device_list *list, char **text, clpac_error *err);
clpac_status clpac_platforms_json(const clpac_device_list *list, char **text, clpac_error *err);

/** The device that clpac chooses by default: the first available discrete GPU, integrated GPU, accelerator, native CPU.
 * Never NULL for a list from clpac_devices_find or clpac_devices_refresh.
 */
const clpac_device *clpac_devices_best(const clpac_device_list *list);

/** Chooses a device by a selection string:
 * - "" or "best": clpac_devices_best;
 * - a kind: "gpu", "discrete", "integrated", "accelerator", "native", "cpu" (an OpenCL CPU), "other";
 * - "0:1": platform and device numbers as listed;
 * - conditions joined by commas, all of which must hold: "vendor=intel", "name~Radeon", "platform~Portable",
 *   "memory>8G" (K, M, G, T are powers of 1024), "kind=gpu", "backend=opencl".  A kind may stand among them:
 *   "gpu,memory>8G".
 *
 * Text is compared without regard to case, and ~ means contains.  A name is that of the device or of its board. vendor=
 * also knows the short names amd, apple, arm, intel, nvidia and qualcomm.  If several devices fit, the first in the
 * list's order that is available and no duplicate is chosen; a duplicate only if nothing else fits.
 * @param required_bytes the device must have this much memory; 0 for any.
 * @return CLPAC_ERROR_ARGUMENT for a string that cannot be read, CLPAC_ERROR_NO_DEVICE when nothing fits.  Both texts
 *   name the devices there are; the latter adds the reason against each.
 */
clpac_status clpac_devices_select(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
				  const clpac_device **out, clpac_error *err);

/** A caller's rating of a device.  The highest number wins, and the first in the list's order among equals; 0 or less
 * rejects the device.  Called any number of times, and only for devices that are available and large enough.
 */
typedef int clpac_device_rank(const clpac_device *device, void *user);

/** Chooses a device by a function; a duplicate only if every other device is rejected.
 * @param user handed to rank.
 * @param required_bytes as for clpac_devices_select.
 * @return CLPAC_ERROR_NO_DEVICE when none is left, with the reason against each.  Threads: any; rank is called in the
 *   calling thread.
 */
clpac_status clpac_devices_select_by(const clpac_device_list *list, clpac_device_rank *rank, void *user,
				     uint64_t required_bytes, const clpac_device **out, clpac_error *err);

/** Chooses several devices for one run.
 * - Selections of clpac_devices_select joined by +, as "native+0:0" or "gpu+native".  Each gives one device: the first
 *   that fits and was not taken before, so that "gpu+gpu" means two. (A name that contains a + cannot be written.)
 * - "all": every available device, each once; with conditions, "all,memory>4G", every one that fits them.  It may be
 *   one part among others: "gpu+all" begins with the GPU.
 *
 * No device is given twice.  For a device that two platforms show, the first one listed is given, or the one that was
 * asked for.
 * @param required_bytes each device must have this much memory; 0 for any.
 * @param[out] out the devices in the order of the selection, those of "all" in the list's order.
 *   clpac_devices_count(list) elements are always enough.
 * @param capacity the number of elements that out can hold.
 * @param[out] n the number of devices chosen, at least 1.
 * @return CLPAC_ERROR_ARGUMENT for a string that cannot be read and for more than capacity devices,
 *   CLPAC_ERROR_NO_DEVICE when nothing (more) fits a part, with the reason against each.
 */
clpac_status clpac_devices_select_several(const clpac_device_list *list, const char *selection, uint64_t required_bytes,
					  const clpac_device **out, size_t capacity, size_t *n, clpac_error *err);

/** Says why a device does not fit a selection of one or several devices, in words that follow "it ": "is an OpenCL
 * CPU", "has 4096.0 MiB of memory".  Empty when the device fits, whether or not it would be chosen.
 * @param[out] reason at most size bytes; 160 are enough.
 * @return CLPAC_ERROR_ARGUMENT for a string that cannot be read.
 */
clpac_status clpac_device_reason(const clpac_device *device, const char *selection, uint64_t required_bytes,
				 char *reason, size_t size, clpac_error *err);

/** Name of a kind, as "discrete GPU".  Never NULL. */
const char *clpac_device_kind_text(clpac_device_kind kind);

/** Writes the selection that means exactly this device: "0:1", or "native".
 * @param[out] text at least 24 bytes.
 */
void clpac_device_selection(const clpac_device *device, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
