#ifndef CLPAC_WINDOWS_STDLIB_H
#define CLPAC_WINDOWS_STDLIB_H

#include_next <stdlib.h>
#include "windows/posix/name.h"

/* A path from the root of its drive, with slashes; in new memory, unless there is room for PATH_MAX bytes. */
char *realpath(const char *path, char *room) CLPAC__WINDOWS(realpath);
char *mkdtemp(char *path) CLPAC__WINDOWS(mkdtemp);
int mkstemp(char *path) CLPAC__WINDOWS(mkstemp);

int setenv(const char *name, const char *value, int replaces) CLPAC__WINDOWS(setenv);
int unsetenv(const char *name) CLPAC__WINDOWS(unsetenv);

#endif
