#include "coupling/data/file_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/system.h"

/* A file that goes with the last use of it. */
static clpac_status open_nameless(const char *folder, int *out, clpac_error *err)
{
	static const char name[] = "/.clpac-array-XXXXXX";
	clpac_status st = CLPAC_OK;
	char *path;
	TRY(NEW_BYTES(path, strlen(folder) + sizeof name));
	strcpy(path, folder);
	strcat(path, name);
	const int file = mkstemp(path);
	if (file < 0)
		FAIL_SYSTEM("making a file in %s", folder);
	unlink(path);
	*out = file;
done:
	clpac__free(path);
	return st;
}

clpac_status clpac__file_array_make(const char *folder, size_t bytes, float **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	int file = -1;
	TRY(open_nameless(folder, &file, err));
	/* Room that is missing shows here, and not by a signal in the middle of a copy. */
	errno = clpac__file_give_room(file, (off_t)bytes);
	if (errno)
		FAIL_SYSTEM("making room for %zu bytes in %s", bytes, folder);
	void *values = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (values == MAP_FAILED)
		FAIL_SYSTEM("mapping %zu bytes of a file in %s", bytes, folder);
	*out = values;
done:
	if (file >= 0)
		close(file);
	return st;
}

void clpac__file_array_free(float *values, size_t bytes)
{
	if (values)
		munmap(values, bytes);
}
