/* One budget for several pools. */
#ifndef CLPAC_POOL_LIMIT_H
#define CLPAC_POOL_LIMIT_H

#include <clpac/memory/pool.h>

/* Adds a holder, who lets go with clpac_limit_destroy; NULL is fine.  Returns the limit. */
clpac_limit *clpac__limit_hold(clpac_limit *limit);

/* Bytes left.  Any thread.  NULL is no limit. */
uint64_t clpac__limit_room(const clpac_limit *limit);
bool clpac__limit_take(clpac_limit *limit, uint64_t bytes); /* false, and nothing taken, when the bytes do not fit */
void clpac__limit_give(clpac_limit *limit, uint64_t bytes);

#endif
