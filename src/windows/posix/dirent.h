#ifndef CLPAC_WINDOWS_DIRENT_H
#define CLPAC_WINDOWS_DIRENT_H

#include_next <dirent.h>
#include "windows/posix/name.h"

/* Closes the folder's number at once. */
DIR *fdopendir(int folder) CLPAC__WINDOWS(fdopendir);

#endif
