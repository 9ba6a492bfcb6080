/* The temporary files being written right now, in a list that a signal handler may read. */
#ifndef CLPAC_IO_LIVE_FILES_H
#define CLPAC_IO_LIVE_FILES_H

#include <stdbool.h>

#include "base/error.h"

typedef struct clpac__live_file clpac__live_file;

/* Enters a name that is about to be created in the folder, a descriptor that must stay open until the file leaves. */
clpac_status clpac__live_file_enter(int folder, const char *name, clpac__live_file **out, clpac_error *err);
const char *clpac__live_file_name(const clpac__live_file *file);
/* Takes it off the list; with remove, deletes the file first.  NULL is fine. */
void clpac__live_file_leave(clpac__live_file *file, bool remove);
/* True once clpac_output_abandon was called. */
bool clpac__live_files_are_abandoned(void);

#endif
