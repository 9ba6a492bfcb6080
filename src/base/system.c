/* Calls that systems name differently or lack. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool clpac__pipe_open(int ends[2])
{
#ifdef HAVE_PIPE2
	return pipe2(ends, O_CLOEXEC) == 0;
#else
	if (pipe(ends) != 0)
		return false;
	if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
		return true;
	const int number = errno;
	close(ends[0]);
	close(ends[1]);
	errno = number;
	return false;
#endif
}

int clpac__file_give_room(int file, off_t bytes)
{
#ifdef HAVE_POSIX_FALLOCATE
	return posix_fallocate(file, 0, bytes);
#else
	struct stat facts;
	if (fstat(file, &facts) != 0)
		return errno;
	const off_t step = facts.st_blksize > 0 ? facts.st_blksize : 512;
	for (off_t at = facts.st_size; at < bytes; at += step) {
		const ssize_t written = pwrite(file, "", 1, at + step < bytes ? at + step - 1 : bytes - 1);
		if (written != 1)
			return written < 0 ? errno : ENOSPC;
	}
	return 0;
#endif
}

int clpac__condition_init(pthread_cond_t *condition, clockid_t *clock)
{
	*clock = CLOCK_REALTIME;
#ifdef HAVE_PTHREAD_CONDATTR_SETCLOCK
	pthread_condattr_t attributes;
	int code = pthread_condattr_init(&attributes);
	if (code)
		return code;
	if (pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0)
		*clock = CLOCK_MONOTONIC;
	code = pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return code;
#else
	return pthread_cond_init(condition, NULL);
#endif
}

bool clpac__lock_within(pthread_mutex_t *lock, int seconds)
{
#ifdef HAVE_PTHREAD_MUTEX_TIMEDLOCK
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until); /* the clock of pthread_mutex_timedlock */
	until.tv_sec += seconds;
	return pthread_mutex_timedlock(lock, &until) == 0;
#else
	enum { STEPS = 100 }; /* of a second */
	const struct timespec step = {0, 1000000000 / STEPS};
	for (int i = 0; i < seconds * STEPS; i++) {
		if (pthread_mutex_trylock(lock) == 0)
			return true;
		nanosleep(&step, NULL);
	}
	return pthread_mutex_trylock(lock) == 0;
#endif
}

#ifdef HAVE_ALIGNED_ALLOC
void *clpac__aligned_alloc(size_t alignment, size_t bytes)
{
	return aligned_alloc(alignment, bytes);
}

void clpac__aligned_free(void *pointer)
{
	free(pointer);
}
#endif

#ifndef _WIN32
void clpac__program_begins(int n, char **words)
{
	(void)n;
	(void)words;
}
#endif
