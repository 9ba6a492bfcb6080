/* Locks of whole files.  They lie behind every file's end, so that they keep nobody from its bytes. */
#ifndef CLPAC_WINDOWS_SYS_FILE_H
#define CLPAC_WINDOWS_SYS_FILE_H

#include "windows/posix/name.h"

#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

int flock(int file, int operation) CLPAC__WINDOWS(flock);

#endif
