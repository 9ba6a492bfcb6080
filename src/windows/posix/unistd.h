/* Files by number and by place in a folder; the machine. */
#ifndef CLPAC_WINDOWS_UNISTD_H
#define CLPAC_WINDOWS_UNISTD_H

#include_next <unistd.h>
#include <sys/types.h>
#include "windows/posix/name.h"
#include <sys/stat.h>

int fsync(int file) CLPAC__WINDOWS(fsync);
/* These move the file's own place. */
ssize_t pread(int file, void *to, size_t n, off_t at) CLPAC__WINDOWS(pread);
ssize_t pwrite(int file, const void *from, size_t n, off_t at) CLPAC__WINDOWS(pwrite);
int pipe(int ends[2]) CLPAC__WINDOWS(pipe);

int unlink(const char *path) CLPAC__WINDOWS(unlink);
int unlinkat(int folder, const char *name, int flags) CLPAC__WINDOWS(unlinkat);
int linkat(int folder, const char *name, int to_folder, const char *to_name, int flags) CLPAC__WINDOWS(linkat);
int renameat(int folder, const char *name, int to_folder, const char *to_name) CLPAC__WINDOWS(renameat);

/* Waits for ever: signals are taken by sigwait alone. */
int pause(void) CLPAC__WINDOWS(pause);
/* 0 for everybody, as st_uid is. */
uid_t geteuid(void) CLPAC__WINDOWS(geteuid);
int gethostname(char *name, size_t size) CLPAC__WINDOWS(gethostname);

enum { _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES, _SC_PAGESIZE };
long sysconf(int what) CLPAC__WINDOWS(sysconf);

#endif
