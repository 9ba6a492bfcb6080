/* The folder of what clpac keeps from one process to the next: compiled kernels, the verdict on the drivers. */
#ifndef CLPAC_BASE_CACHE_FOLDER_H
#define CLPAC_BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the folder that the option `cache` means; empty for none, as for an account whose home does not exist. */
void clpac__cache_folder(const char *option, char *folder, size_t size);

/* Makes a folder and its parents, for the owner alone; false, with errno set, on failure. */
bool clpac__cache_make_folder(const char *folder);

#endif
