/* The home of whoever runs the process. */
#ifndef CLPAC_WINDOWS_PWD_H
#define CLPAC_WINDOWS_PWD_H

#include <sys/types.h>
#include "windows/posix/name.h"
#include <sys/stat.h>

struct passwd {
	char *pw_dir;
};
int getpwuid_r(uid_t user, struct passwd *entry, char *room, size_t size, struct passwd **found)
	CLPAC__WINDOWS(getpwuid_r);

#endif
