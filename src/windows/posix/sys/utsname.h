#ifndef CLPAC_WINDOWS_SYS_UTSNAME_H
#define CLPAC_WINDOWS_SYS_UTSNAME_H

#include "windows/posix/name.h"

struct utsname {
	char sysname[16], release[48], machine[16];
};
int uname(struct utsname *names) CLPAC__WINDOWS(uname);

#endif
