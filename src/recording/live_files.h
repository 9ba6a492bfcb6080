/* The temporary files being written right now, in a list that a signal handler may read. */
#ifndef CLPAC_RECORDING_LIVE_FILES_H
#define CLPAC_RECORDING_LIVE_FILES_H

#include <stdbool.h>

#include "base/error.h"

typedef struct clpac__live_file clpac__live_file;

/* Creates a file of this name in the folder, a descriptor that must stay open until the file leaves, and enters it.
 * @param[out] descriptor of the file, open for writing; -1 with errno, and no entry in out, where the system refuses
 * the name or (ECANCELED) all files were abandoned.  Errors: CLPAC_ERROR_IO when the list is full. */
clpac_status clpac__live_file_create(int folder, const char *name, clpac__live_file **out, int *descriptor,
				     clpac_error *err);
const char *clpac__live_file_name(const clpac__live_file *file);
/* Takes it off the list; with remove, deletes the file first.  NULL is fine. */
void clpac__live_file_leave(clpac__live_file *file, bool remove);
/* Keeps a file from clpac_output_abandon, which waits, while it is put in place; false: it was abandoned already.  The
 * caller blocks all signals on its thread until it has released every file that it holds. */
bool clpac__live_file_hold(clpac__live_file *file);
/* Ends that.  A file that is in place is off the list. */
void clpac__live_file_release(clpac__live_file *file, bool is_placed);
/* True once clpac_output_abandon was called. */
bool clpac__live_files_are_abandoned(void);

#endif
