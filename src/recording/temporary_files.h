/* The hidden files of an output that is being written: their names, and those of this process.
 */
#ifndef CLPAC_RECORDING_TEMPORARY_FILES_H
#define CLPAC_RECORDING_TEMPORARY_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* Names of the hidden files that a write needs for a while: .NAME.PROCESS-NUMBER.tmp, the file being written;
 * .NAME.PROCESS-NUMBER.old, a second name of the file that it replaces; .NAME.clpac-set, the list of a set. */

#ifndef NAME_MAX
#define NAME_MAX 255
#endif

#define CLPAC__TEMPORARY ".tmp"
#define CLPAC__OLDER ".old"

/* A name that no other write of this process has had. */
void clpac__temporary_name(const char *name, const char *ending, char out[NAME_MAX + 1]);
/* Whether a name is one that clpac__temporary_name may have made, in any process, for this name. */
bool clpac__is_temporary_name(const char *temporary, const char *name, const char *ending);

void clpac__journal_name(const char *name, char out[NAME_MAX + 1]);
bool clpac__is_journal_name(const char *name);

/* The temporary files being written right now, in a list that a signal handler may read. */

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
