/* Opening of files.  Others may read, rename and remove what is open here, as elsewhere. */
#ifndef CLPAC_WINDOWS_FCNTL_H
#define CLPAC_WINDOWS_FCNTL_H

#include_next <fcntl.h>
#include "windows/posix/name.h"

#define O_CLOEXEC _O_NOINHERIT
#define O_NONBLOCK 0 /* no file waits when it is opened */
#define O_NOCTTY 0
#define O_DIRECTORY 0x1000000
#define O_NOFOLLOW 0x2000000

#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 1

#define FD_CLOEXEC 1
#define F_DUPFD_CLOEXEC 1
#define F_GETFD 2
#define F_SETFD 3
#define F_GETFL 4
#define F_SETFL 5

/* Folders can be opened, too.  The mode of a new file is not looked at: it has the rights of its folder. */
int open(const char *path, int flags, ...) CLPAC__WINDOWS(open);
int openat(int folder, const char *name, int flags, ...) CLPAC__WINDOWS(openat);
/* F_DUPFD_CLOEXEC gives any free number; F_GETFD says whether the file is open; the others change nothing. */
int fcntl(int file, int request, ...) CLPAC__WINDOWS(fcntl);

#endif
