/* The temporary files being written now, in a list that a signal handler may read. */
#ifndef CLPAC_IO_LIVE_FILES_H
#define CLPAC_IO_LIVE_FILES_H

#include <stdbool.h>

#include "base/error.h"

typedef struct clpac__live_file clpac__live_file;

/* Adds a name about to be created in the folder.  folder is a descriptor that stays open until the entry is removed. */
clpac_status clpac__live_file_enter(int folder, const char *name, clpac__live_file **out, clpac_error *err);
const char *clpac__live_file_name(const clpac__live_file *file);
/* Removes the entry; with remove, deletes the file first.  NULL is fine. */
void clpac__live_file_leave(clpac__live_file *file, bool remove);
/* Whether clpac_output_abandon was called. */
bool clpac__live_files_are_abandoned(void);

#endif
