/* Several temporary files that get their names together, or give the names back. */
#ifndef CLPAC_RECORDING_PLACEMENT_H
#define CLPAC_RECORDING_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct clpac__placement {
	int folder;
	const char *temporary, *name;
	const char *older; /* second name of the file that is replaced, so that it can come back */
	bool may_replace;  /* false: the name must be free */
	bool is_placed;
	bool has_older; /* the file that was replaced has its second name */
	bool had_none;	/* no file had the name before */
} clpac__placement;

/* Finds out which names are free. */
void clpac__placements_look(clpac__placement *placements, size_t n);

/* Gives the files that will be replaced their second names.  A file system without hard links gives none; then the old
 * files cannot come back. */
void clpac__placements_keep_older(clpac__placement *placements, size_t n);

/* Gives every file its name.  A temporary file that is gone has its name already: so an interrupted call is completed
 * by another.
 * @return 0, or the errno of the file at *failed; no name is given back then. */
int clpac__placements_apply(clpac__placement *placements, size_t n, size_t *failed);

/* After a failure: gives the old files their names back, and the new ones their temporary names.
 * @return false where an old file cannot come back. */
bool clpac__placements_undo(clpac__placement *placements, size_t n);

/* After either: removes the second names, and after success what is left of the temporary ones.
 * @return whether all are gone. */
bool clpac__placements_finish(clpac__placement *placements, size_t n);

/* One file alone: gives it its name.  0 or errno. */
int clpac__place(int folder, const char *temporary, const char *name, bool may_replace);

/* Syncs a folder, given a descriptor that need not be open for reading.  0, also where the system cannot sync this
 * folder, or errno. */
int clpac__folder_sync(int folder);

#endif
