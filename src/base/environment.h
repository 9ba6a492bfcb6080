/* Environment variables of other software, such as XDG_CACHE_HOME, are read through here alone.  Options of clpac
 * come from the environment only where a caller asks for it (clpac_options_from_environment). */
#ifndef CLPAC_BASE_ENVIRONMENT_H
#define CLPAC_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* A variable's value, or NULL where it is unset or empty.  Not thread-safe beside a setenv. */
const char *clpac__environment(const char *name);

/* Whether an entry of the environment, "NAME=VALUE", is one that drivers and loaders of OpenCL read, by its name. */
bool clpac__environment_is_of_drivers(const char *entry);

/* The folder of what clpac keeps from one process to the next: compiled kernels, the verdict on the drivers. */

/* Writes the folder that the option `cache` means; empty for none, as for an account whose home does not exist. */
void clpac__cache_folder(const char *option, char *folder, size_t size);

/* Makes a folder and its parents, for the owner alone; false, with errno set, on failure. */
bool clpac__cache_make_folder(const char *folder);

#endif
