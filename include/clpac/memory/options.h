/** @file memory/options.h
 * Settings that decide how to compute and never change a number.  One table provides the names, the CLPAC_* environment
 * variables, the defaults and the output of `clpac config`.
 *
 * The library reads no environment by itself; a program that wants this calls clpac_options_from_environment.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_OPTIONS_H
#define CLPAC_MEMORY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A limit of probes, for clpac_options.probe and clpac_devices_find_probed: drivers are not tried in a child process.
 */
#define CLPAC_PROBE_NONE (-1.0)

/** All settings.  A plain value: zeroed means every default. */
typedef struct clpac_options {
	size_t size;	  /**< sizeof(clpac_options), or 0: the members of clpac 0.1. */
	char device[256]; /**< Selection string of clpac_devices_select; "" is the best device. */
	/** Most memory to use: a fraction of what is available ("0.8") or bytes ("4G"); "" is 0.8.  If given, the
	 * context's pool never holds more.
	 */
	char memory[32];
	/** Folder of compiled kernels and of the verdict on drivers; "" is the user's cache folder, "none" disables the
	 * cache.  Kernels of PoCL are not in it: PoCL keeps them itself, in POCL_CACHE_DIR or ~/.cache/pocl. */
	char cache[512];
	char fft[32];		  /**< FFT engine: "auto" or "", "clfft", "vkfft", "lanes". */
	char instruction_set[32]; /**< Native kernels: "auto" or "", "baseline", "avx2", "avx512". */
	unsigned threads;	  /**< Native threads; 0 is one per core that this process may use. */
	unsigned vector_width;	  /**< OpenCL kernels' vector width 1, 4, 8, 16; 0 lets the device decide. */
	/** If opening a device is the first look at the machine: seconds that drivers get to start in a child process
	 * first; 0: as clpac_devices_find does; CLPAC_PROBE_NONE ("0" as text): no probe.
	 */
	double probe;
	clpac_log_function *log; /**< Receives messages; NULL for silence. */
	void *log_user;		 /**< Handed to log. */
	/** Settings of the context's own pool, as clpac_pool_options_read takes them: "budget.cap=25%
	 * checks.is_tracked=yes";
	 * "" is every default.  A word that is not understood fails the opening of the context. */
	char pool[256];
	/** Times of stages in the reports of runs (clpac_report).  A device keeps them by a marker for each stage and a
	 * queue that notes times; an application's queue without CL_QUEUE_PROFILING_ENABLE is waited for at the end of
	 * each stage.  On a GPU that costs short runs some of their time. */
	bool profile;
	/** Path of the library that is OpenCL's loader, as "/opt/x/libOpenCL.so.1"; "" takes what the process has
	 * already, otherwise the system's.  It is loaded where OpenCL's devices are looked for or opened, before
	 * drivers are tried, and its symbols stay its own.  A process uses one loader: another path, or a path after
	 * another loader is in use, is CLPAC_ERROR_ARGUMENT, and so is a file that is no such library. */
	char opencl_library[512];
} clpac_options;

/** One row of the table. */
typedef struct clpac_option_facts {
	const char *name;	  /**< As in clpac_options, and in `clpac config`. */
	const char *variable;	  /**< The environment variable. */
	const char *default_text; /**< The meaning of "" or 0, in words. */
	const char *meaning;	  /**< Description in one line. */
} clpac_option_facts;

/** The number of options, and the i-th one (NULL past the end). */
size_t clpac_options_count(void);
const clpac_option_facts *clpac_options_get(size_t i);

/** Sets one option from text. An unknown name or a malformed value gives CLPAC_ERROR_ARGUMENT with both in the text. */
clpac_status clpac_options_set(clpac_options *options, const char *name, const char *value, clpac_error *err);

/** Writes an option's current value as text ("" for the default).  CLPAC_ERROR_ARGUMENT for an unknown name. */
clpac_status clpac_options_text(const clpac_options *options, const char *name, char *text, size_t size,
				clpac_error *err);

/** Takes over every CLPAC_* variable that is set.  If CLPAC_CACHE is unset or empty and XDG_CACHE_HOME is an absolute
 * path, cache becomes the folder clpac in it.  A variable that starts with CLPAC_ and is no option is an error that
 * names it, except for those of tests, which start with CLPAC_TEST_. Reads the environment: no other thread may call
 * setenv meanwhile.
 */
clpac_status clpac_options_from_environment(clpac_options *options, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
