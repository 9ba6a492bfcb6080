/* Patterns of the shell, of ASCII letters: * ? [a-z] [!a]. */
#ifndef CLPAC_WINDOWS_FNMATCH_H
#define CLPAC_WINDOWS_FNMATCH_H

#include "windows/posix/name.h"

#define FNM_CASEFOLD 16
#define FNM_NOMATCH 1

int fnmatch(const char *pattern, const char *text, int flags) CLPAC__WINDOWS(fnmatch);

#endif
