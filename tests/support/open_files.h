/* The files that a process has open, whoever opened them: its own code, a library, the C library. */
#ifndef CLPAC_TESTS_OPEN_FILES_H
#define CLPAC_TESTS_OPEN_FILES_H

#include <stddef.h>

/* How many of the first 4096 descriptors are open, without the standard streams, which a program closes at its end: the
 * same before and after what leaves nothing open. */
size_t open_files_count(void);

#endif
