#ifndef CLPAC_WINDOWS_STDIO_H
#define CLPAC_WINDOWS_STDIO_H

#include_next <stdio.h>
#include "windows/posix/name.h"

/* In place of a file that is there. */
int rename(const char *path, const char *to) CLPAC__WINDOWS(rename);

#define flockfile(file) _lock_file(file)
#define funlockfile(file) _unlock_file(file)

#endif
