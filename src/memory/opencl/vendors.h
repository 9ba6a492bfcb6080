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

/* Whether a driver's library can be loaded; false with the dynamic loader's words in `why`.  For use after OpenCL's
 * loader has loaded all drivers: this then runs no code that has not run in this process before. */
bool clpac__vendor_library_loads(const char *library, char *why, size_t size);

#endif
