/** @file memory/options.h
 *  How to compute: the settings that never change a number.  One table gives the names, the CLPAC_* environment
 * variables, the defaults and the print-out of `clpac config`.
 *
 *  The library reads no environment by itself; a program that wants it calls clpac_options_from_environment.
 */
#ifndef CLPAC_MEMORY_OPTIONS_H
#define CLPAC_MEMORY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All settings.  A plain value: zeroed means every default. */
typedef struct clpac_options {
	size_t size;	  /**< sizeof(clpac_options), or 0: the members of clpac 0.1. */
	char device[256]; /**< Selection string of clpac_devices_select; "" is the best device. */
	char memory[32]; /**< Memory to use at most: a fraction of what is available ("0.8") or bytes ("4G"); "" is 0.8.
			    Where it is given the context's pool never holds more. */
	char cache[512]; /**< Folder of compiled kernels; "" is the user's cache folder, "none" switches it off. */
	char fft[32];	 /**< FFT engine: "auto" or "", "clfft", "vkfft", "fftw", "kissfft". */
	char instruction_set[32]; /**< Native kernels: "auto" or "", "baseline", "avx2", "avx512". */
	unsigned threads;	  /**< Native threads; 0 is one per core this process may use. */
	unsigned vector_width;	  /**< OpenCL kernels' vector width 1, 4, 8, 16; 0 lets the device decide. */
	double probe; /**< Seconds that drivers get to start in a child process first, where opening a device is the
			   first look at the machine (clpac_devices_find_probed); 0 does without. */
	clpac_log_function *log; /**< Receives what there is to say; NULL for silence. */
	void *log_user;		 /**< Handed to log. */
} clpac_options;

/** One row of the table. */
typedef struct clpac_option_facts {
	const char *name;	  /**< As in clpac_options, and in `clpac config`. */
	const char *variable;	  /**< The environment variable. */
	const char *default_text; /**< What "" or 0 stands for, in words. */
	const char *meaning;	  /**< One line. */
} clpac_option_facts;

/** Number of rows, and the i-th (NULL past the end). */
size_t clpac_options_count(void);
const clpac_option_facts *clpac_options_get(size_t i);

/** Sets one option from text.  An unknown name or a malformed value is CLPAC_ERROR_ARGUMENT with both in the text. */
clpac_status clpac_options_set(clpac_options *options, const char *name, const char *value, clpac_error *err);

/** Writes an option's value in force as text ("" where it is the default).  CLPAC_ERROR_ARGUMENT for an unknown name.
 */
clpac_status clpac_options_text(const clpac_options *options, const char *name, char *text, size_t size,
				clpac_error *err);

/** Takes over every CLPAC_* variable that is set, and XDG_CACHE_HOME, where it is an absolute path and CLPAC_CACHE is
 * not set or empty: then cache becomes the folder clpac in it.  A variable that starts with CLPAC_ and is no option is
 * an error that names it, except those for tests, which start with CLPAC_TEST_.  Reads the environment: not beside a
 * setenv in another thread. */
clpac_status clpac_options_from_environment(clpac_options *options, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
