/* Memory by pages, and files in it. */
#ifndef CLPAC_WINDOWS_SYS_MMAN_H
#define CLPAC_WINDOWS_SYS_MMAN_H

#include <sys/types.h>
#include "windows/posix/name.h"

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_FAILED ((void *)-1)

/* A whole file from its beginning that is shared, or memory that is private; all of it can be read and written.
 * MAP_FIXED is for pages of such memory. */
void *mmap(void *place, size_t bytes, int protection, int flags, int file, off_t from) CLPAC__WINDOWS(mmap);
/* All that one call of mmap gave. */
int munmap(void *place, size_t bytes) CLPAC__WINDOWS(munmap);

#endif
