/* Laws of a plan's memory, in every place. */
#ifndef CLPAC_TESTS_MEMORY_LAWS_H
#define CLPAC_TESTS_MEMORY_LAWS_H

#include "test_thread.h"
#include <stdbool.h>
#include <stddef.h>

/* For n places of contract/places.h, with n_problems random problems in each.
 * @param is_thrifty every new length and number of bins costs seconds here: use only a few of them.
 * @param n_created how many blocks of memory the driver has made so far; NULL where nobody can tell. */
TCase *memory_laws(size_t n_places, int n_problems, bool is_thrifty, unsigned long (*n_created)(void));
/* Laws of what the host decides under a cap, for the same places; made after the ones above. */
TCase *memory_arrangement_laws(size_t n_places);

#endif
