/* Memories that an application has by itself (clpac/memory/own.h), for the laws of pools. */
#ifndef CLPAC_TESTS_OWN_MEMORY_H
#define CLPAC_TESTS_OWN_MEMORY_H

#include <clpac/memory/own.h>

enum own_memory_kind {
	OWN_MAPPED, /* pages of mmap, which the host reads and writes in place: two functions */
	OWN_APART,  /* behind handles: every function is there, and events pass when somebody waits, or at the second
		       look */
	/* The same without offsets in segments, events, further queues and memory on the host. */
	OWN_WHOLE,
	OWN_WITH_SEGMENTS = OWN_WHOLE,
	OWN_MEMORIES = OWN_WHOLE + 1
};

/* The functions; `closed` ends the program where pieces, queues or events are left. */
const clpac_own_memory *own_memory(enum own_memory_kind kind);

/* Pieces that are allocated now, of all kinds. */
size_t own_memory_pieces(void);

#endif
