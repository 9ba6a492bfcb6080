/* Limits of a process, of which there are none, and its memory. */
#ifndef CLPAC_WINDOWS_SYS_RESOURCE_H
#define CLPAC_WINDOWS_SYS_RESOURCE_H

#include <stdint.h>
#include "windows/posix/name.h"

typedef uint64_t rlim_t;
struct rlimit {
	rlim_t rlim_cur, rlim_max;
};
#define RLIM_INFINITY UINT64_MAX
enum { RLIMIT_AS, RLIMIT_CORE, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK };
int getrlimit(int resource, struct rlimit *limit) CLPAC__WINDOWS(getrlimit);

struct rusage {
	long ru_maxrss; /* KiB */
};
#define RUSAGE_SELF 0
int getrusage(int who, struct rusage *usage) CLPAC__WINDOWS(getrusage);

#endif
