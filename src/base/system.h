/* The calls that some systems lack, or know under another name; configure says which.  Beside these clpac needs
 * POSIX.1-2008 and threads alone. */
#ifndef CLPAC_BASE_SYSTEM_H
#define CLPAC_BASE_SYSTEM_H

#include <stdbool.h>
#include <sys/types.h>

#include "config.h"

#ifdef HAVE_XLOCALE_H
#include <xlocale.h>
#endif

/* The time of a file's last change has another name on macOS. */
#ifdef HAVE_STRUCT_STAT_ST_MTIMESPEC
#define st_mtim st_mtimespec
#endif

/* A pipe that no program inherits; false, with errno, where there is none.  Without pipe2 another thread that starts a
 * program between two calls gives it both ends. */
bool clpac__pipe_open(int ends[2]);

/* Gives the first `bytes` of a file room on its disk, and that length; else the number of an error.  Where a system has
 * no call for that, they are written, one byte in each block. */
int clpac__file_give_room(int file, off_t bytes);

#endif
