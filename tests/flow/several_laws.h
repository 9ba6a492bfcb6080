/* Several devices in one run: the laws that hold whoever takes part. */
#ifndef CLPAC_TESTS_SEVERAL_LAWS_H
#define CLPAC_TESTS_SEVERAL_LAWS_H

#include "test_thread.h"
#include <clpac/memory/context.h>

enum { MAX_MEMBERS = 3 };

/* Opens 2 or 3 contexts into members, by the i-th way; the number of them.  Each program's own. */
size_t members_open(size_t i, clpac_context *members[MAX_MEMBERS]);

/* The laws, for n_ways ways. */
void several_laws_add(TCase *tests, size_t n_ways);

#endif
