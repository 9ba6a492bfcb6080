#ifndef CLPAC_WINDOWS_STRING_H
#define CLPAC_WINDOWS_STRING_H

#include_next <string.h>
#include "windows/posix/name.h"

char *strcasestr(const char *text, const char *part) CLPAC__WINDOWS(strcasestr);
int strerror_r(int number, char *room, size_t size) CLPAC__WINDOWS(strerror_r);

#endif
