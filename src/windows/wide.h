/* Names of files between UTF-8 and Windows, and the numbers of its errors. */
#ifndef CLPAC_WINDOWS_WIDE_H
#define CLPAC_WINDOWS_WIDE_H

#include <stdbool.h>
#include <wchar.h>
#include <windows.h>

/* A path as Windows has it, to be freed; "/dev/null" is NUL.  NULL, with errno, if it is no UTF-8. */
wchar_t *clpac__windows_path(const char *path);
/* The same of a name in an open folder, or of a path beneath AT_FDCWD. */
wchar_t *clpac__windows_path_in(int folder, const char *name);
/* The path of what is open, to be freed. */
wchar_t *clpac__windows_path_of(HANDLE handle);
/* In UTF-8 with slashes, to be freed. */
char *clpac__windows_text(const wchar_t *path);

/* -1, with the number of Windows' last error in errno. */
int clpac__windows_fail(void);

#endif
