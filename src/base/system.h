/* The calls that some systems lack, or know under another name; configure says which.  Beside these clpac needs
 * POSIX.1-2008 and threads alone; what Windows has of that is in src/windows. */
#ifndef CLPAC_BASE_SYSTEM_H
#define CLPAC_BASE_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

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

/* A condition whose timed waits take times of *clock, which nobody sets where the system has conditions of such a
 * clock. Returns what pthread_cond_init returns. */
int clpac__condition_init(pthread_cond_t *condition, clockid_t *clock);

/* Takes a lock, but for one that somebody has for so many seconds; then false. */
bool clpac__lock_within(pthread_mutex_t *lock, int seconds);

/* Memory at a multiple of `alignment`, of which `bytes` are one; NULL where there is none.  It is freed by its own
 * call: on Windows, free() is for other memory. */
void *clpac__aligned_alloc(size_t alignment, size_t bytes);
void clpac__aligned_free(void *pointer);

/* The first call of a program, with its arguments: on Windows the console's text is UTF-8, files have lines as
 * elsewhere, and a backslash in an argument is a slash. */
void clpac__program_begins(int n, char **words);

#endif
