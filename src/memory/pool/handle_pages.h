/* Addresses of the handles that a checked pool hands out, each used once.
 *
 * A stale handle can be told from a live one only while its address is not used again.  So these handles lie in pages
 * of their own.  A page whose handles are all stale gives its memory back and keeps its addresses: it reads as 0, that
 * is, as handles that are not in use and have no pool.  The addresses stay taken when the pool ends, as long as the
 * process lives: 64 KiB of them per 260 allocations, out of 128 TiB.
 */
#ifndef CLPAC_MEMORY_POOL_HANDLE_PAGES_H
#define CLPAC_MEMORY_POOL_HANDLE_PAGES_H

#include <clpac/memory/pool.h>

typedef struct clpac__handle_page clpac__handle_page;

/* Zeroed: no page. */
typedef struct clpac__handle_pages {
	clpac__handle_page *first; /* pages with memory; handles are taken from the first */
} clpac__handle_pages;

/* The callers take turns. */

/* A zeroed handle; NULL: no host memory. */
clpac_buffer *clpac__handle_pages_take(clpac__handle_pages *pages);
/* Gives the memory of a handle back.  It may be read for as long as the process lives, and is 0 at some time. */
void clpac__handle_pages_give(clpac__handle_pages *pages, clpac_buffer *handle);
/* Gives the memory of all handles back: each is 0 from now on. */
void clpac__handle_pages_destroy(clpac__handle_pages *pages);

#endif
