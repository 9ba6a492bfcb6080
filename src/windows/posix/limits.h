#ifndef CLPAC_WINDOWS_LIMITS_H
#define CLPAC_WINDOWS_LIMITS_H

#include_next <limits.h>

#define NAME_MAX 255
#undef PATH_MAX
#define PATH_MAX 4096

#endif
