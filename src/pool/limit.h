/* One budget for several pools. */
#ifndef CLPAC_POOL_LIMIT_H
#define CLPAC_POOL_LIMIT_H

#include <clpac/memory/pool.h>

/* Any thread.  NULL is a limit without end. */
uint64_t clpac__limit_room(const clpac_limit *limit);
bool clpac__limit_take(clpac_limit *limit, uint64_t bytes); /* false, and nothing taken, when they do not fit */
void clpac__limit_give(clpac_limit *limit, uint64_t bytes);

#endif
