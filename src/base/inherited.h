/* Files that describe another by the inheritance principle of BIDS: those of its folder and of the folders above it, up
 * to the root of the dataset, whose names say nothing that the file's name does not.  task-rest_channels.tsv at the
 * root describes sub-01/eeg/sub-01_task-rest_eeg.edf.  Tables of electrodes may also name the space of their positions.
 */
#ifndef CLPAC_BASE_INHERITED_H
#define CLPAC_BASE_INHERITED_H

#include <stddef.h>
#include "base/error.h"

/* Paths, the nearest first: by folder, and in one folder by the number of entities. */
typedef struct clpac__inherited {
	char **paths; /* owned */
	size_t n;
} clpac__inherited;

/* Finds the files of a suffix and ending, as "channels.tsv" or "eeg.json", without the described file itself.
 * @param root a folder that the path begins with.  @param[out] out zeroed; to be cleared in any case.
 * Errors: CLPAC_ERROR_ARGUMENT for a path outside the root; CLPAC_ERROR_IO for a folder that cannot be searched. */
clpac_status clpac__inherited_find(const char *path, const char *root, const char *what, clpac__inherited *out,
				   clpac_error *err);
void clpac__inherited_clear(clpac__inherited *files);

/* Writes the entity with this key in a path, "sub-01" of "sub-": that of the file's name, else of a folder; "" where
 * there is none. */
void clpac__path_entity(const char *path, const char *key, char *out, size_t size);

#endif
