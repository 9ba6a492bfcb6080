/* Facts of files: with the number of a file, and times in nanoseconds, which tell files apart. */
#ifndef CLPAC_WINDOWS_SYS_STAT_H
#define CLPAC_WINDOWS_SYS_STAT_H

#include_next <sys/stat.h>
#include <io.h>
#include <stdint.h>
#include <time.h>
#include "windows/posix/name.h"

typedef unsigned uid_t;

struct clpac__windows_facts {
	uint64_t st_dev, st_ino;
	unsigned st_mode, st_nlink;
	uid_t st_uid; /* 0 for all: who may do what is not in these facts */
	long st_blksize;
	int64_t st_size;
	time_t st_mtime;
	struct timespec st_mtim, st_ctim;
};

#undef stat
#undef fstat
#undef st_mtime
#define stat clpac__windows_facts
#define S_IFLNK 0120000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)

int clpac__windows_facts(const char *path, struct stat *facts);
int clpac__windows_facts_of(int file, struct stat *facts);
#define fstat clpac__windows_facts_of
int lstat(const char *path, struct stat *facts) CLPAC__WINDOWS(lstat);
int fstatat(int folder, const char *name, struct stat *facts, int flags) CLPAC__WINDOWS(fstatat);

/* A file keeps the rights of its folder. */
int fchmod(int file, unsigned mode) CLPAC__WINDOWS(fchmod);
/* Now, whatever `times`. */
int futimens(int file, const struct timespec times[2]) CLPAC__WINDOWS(futimens);

int clpac__windows_mkdir(const char *path);
#define mkdir(path, mode) clpac__windows_mkdir(path)

#endif
