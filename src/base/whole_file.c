#include "base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

clpac_status clpac__whole_file_write(const char *path, const char *bytes, size_t n, clpac_error *err)
{
	static const char ending[] = ".XXXXXX";
	clpac_status st = CLPAC_OK;
	int descriptor = -1;
	const size_t room = strlen(path) + sizeof ending;
	char *part;
	TRY(NEW_BYTES(part, room));
	snprintf(part, room, "%s%s", path, ending);
	descriptor = mkstemp(part);
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
