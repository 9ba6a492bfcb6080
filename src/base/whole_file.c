#include "base/whole_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/memory.h"

static clpac_status write_all(int descriptor, const char *path, const char *bytes, size_t n, clpac_error *err)
{
	while (n) {
		const ssize_t written = write(descriptor, bytes, n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			RETURN_SYSTEM_ERROR("writing %s", path);
		bytes += written;
		n -= (size_t)written;
	}
	return CLPAC_OK;
}

/* Creates a file of another name that is nobody's, for whom files usually are: those of mkstemp are their owner's. */
static int create_beside(const char *path, char *part, size_t room)
{
	enum { ATTEMPTS = 100 };
	int descriptor = -1;
	for (int i = 0; i < ATTEMPTS && descriptor < 0; i++) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(part, room, "%s.%lx-%lx", path, (unsigned long)now.tv_nsec & 0xffffffff,
			 (unsigned long)getpid() & 0xffffff);
		descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (descriptor < 0 && errno != EEXIST)
			break;
	}
	return descriptor;
}

clpac_status clpac__whole_file_write(const char *path, const char *bytes, size_t n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t room = strlen(path) + 24;
	char *part;
	TRY(NEW_BYTES(part, room));
	const int descriptor = create_beside(path, part, room);
	if (descriptor < 0)
		FAIL_SYSTEM("writing %s", path);
	st = write_all(descriptor, path, bytes, n, err);
	if (close(descriptor) != 0 && st == CLPAC_OK)
		st = clpac__fail_system(err, errno, "writing %s", path);
	if (st == CLPAC_OK && rename(part, path) != 0)
		st = clpac__fail_system(err, errno, "writing %s", path);
	if (st != CLPAC_OK)
		unlink(part);
done:
	clpac__free(part);
	return st;
}
