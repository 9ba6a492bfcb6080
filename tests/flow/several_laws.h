/* Several devices in one run: laws that hold for every set of devices. */
#ifndef CLPAC_TESTS_SEVERAL_LAWS_H
#define CLPAC_TESTS_SEVERAL_LAWS_H

#include "test_thread.h"
#include <clpac/memory/context.h>

enum { MAX_MEMBERS = 3 };

/* Opens 2 or 3 contexts into members in the i-th way and returns their number. Each test program defines its own. */
size_t members_open(size_t i, clpac_context *members[MAX_MEMBERS]);

/* Adds the laws for n_ways ways. */
void several_laws_add(TCase *tests, size_t n_ways);

#endif
