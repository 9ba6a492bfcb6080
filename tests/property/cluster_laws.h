/* The laws of clusters, for one place after another of places.h. */
#ifndef CLPAC_TESTS_CLUSTER_LAWS_H
#define CLPAC_TESTS_CLUSTER_LAWS_H

#include "test_thread.h"
#include <stddef.h>

TCase *cluster_laws(size_t n_places);

#endif
