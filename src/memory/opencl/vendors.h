/* The vendors' files (.icd) that OpenCL's loader reads; each names the library of a driver in its first line. */
#ifndef CLPAC_MEMORY_OPENCL_VENDORS_H
#define CLPAC_MEMORY_OPENCL_VENDORS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLPAC__MAX_VENDORS = 64, CLPAC__VENDOR_PATH = 512 };

extern const char clpac__vendors_variable[];	 /* names another folder, or one file, to the loader */
extern const char clpac__vendors_usual_folder[]; /* where the loader looks without the variable */

typedef struct clpac__vendors {
	size_t n;
	char files[CLPAC__MAX_VENDORS][CLPAC__VENDOR_PATH]; /* in the order of their names */
} clpac__vendors;

/* The files that the loader reads; none when it is set to a single library. */
void clpac__vendors_list(clpac__vendors *out);

/* The library that a file names; false when it names none or cannot be read. */
bool clpac__vendor_library(const char *file, char library[CLPAC__VENDOR_PATH]);

/* Whether a library can be loaded and is a driver; false with the reason in `why`, which follows "names LIBRARY, which
 * ". For use after OpenCL's loader has loaded all drivers: this then runs no code that has not run in this process
 * before. */
bool clpac__vendor_library_is_driver(const char *library, char *why, size_t size);

/* --- Some of the drivers alone ------------------------------------------------------------------ */

/* Makes a new folder of this user's with files that name the libraries of these, for clpac__vendors_variable; false
 * when it cannot be made.  A file that names no library is passed over, as by the loader. */
bool clpac__vendors_make_folder(const clpac__vendors *some, char folder[CLPAC__VENDOR_PATH]);

/* Removes it again; what is not there is passed over. */
void clpac__vendors_remove_folder(const clpac__vendors *some, const char *folder);

/* Calls act(user) while the variable names this folder to whoever asks for it in this process.  False, without a call,
 * when there is no memory for that.
 *
 * The environment is not changed, since other threads may be reading it: `environ` points to a copy meanwhile.  The
 * copy stays until the process ends, since a reader may still be in it. */
bool clpac__vendors_with(const char *folder, void (*act)(void *user), void *user);

#endif
