/* Calls that systems name differently or lack. */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
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
