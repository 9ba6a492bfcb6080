#include <sys/mman.h>

#include <errno.h>
#include <io.h>

#include "windows/wide.h"

static void *map_file(int file)
{
	HANDLE mapping = CreateFileMappingW((HANDLE)_get_osfhandle(file), NULL, PAGE_READWRITE, 0, 0, NULL);
	void *place = mapping ? MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, 0) : NULL;
	if (mapping)
		CloseHandle(mapping); /* the view holds it */
	return place;
}

void *mmap(void *place, size_t bytes, int protection, int flags, int file, off_t from)
{
	void *made = NULL;
	(void)protection;
	(void)from;
	if (!(flags & MAP_ANONYMOUS))
		made = map_file(file);
	else if (!(flags & MAP_FIXED))
		made = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	else if (VirtualFree(place, bytes, MEM_DECOMMIT))
		made = VirtualAlloc(place, bytes, MEM_COMMIT, PAGE_READWRITE);
	if (made)
		return made;
	clpac__windows_fail();
	return MAP_FAILED;
}

int munmap(void *place, size_t bytes)
{
	(void)bytes;
	return UnmapViewOfFile(place) || VirtualFree(place, 0, MEM_RELEASE) ? 0 : clpac__windows_fail();
}
