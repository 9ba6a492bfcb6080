#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

clpac_status clpac__regular_file_open(const char *path, const char *what, FILE **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct stat facts;
	FILE *file = NULL;
	/* Without O_NONBLOCK, opening a pipe would wait for a writer. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (descriptor < 0 || fstat(descriptor, &facts) != 0)
		FAIL_SYSTEM("%s %.300s", what, path);
	if (S_ISDIR(facts.st_mode)) {
		errno = EISDIR;
		FAIL_SYSTEM("%s %.300s: give the name of a file", what, path);
	}
	if (!S_ISREG(facts.st_mode)) {
		st = clpac__fail_native(err, CLPAC_ERROR_IO, ESPIPE,
					"%s %.300s: it is not a regular file, copy its content to one", what, path);
		goto done;
	}
	if (!(file = fdopen(descriptor, "rb")))
		FAIL_SYSTEM("%s %.300s", what, path);
	descriptor = -1;
	*out = file;
done:
	if (descriptor >= 0)
		close(descriptor);
	return st;
}
