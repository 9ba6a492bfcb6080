/* Stores in tests: buffers whose content identifies them, and what must be left in the end. */
#ifndef CLPAC_TESTS_STORE_TRUTH_H
#define CLPAC_TESTS_STORE_TRUTH_H

#include <clpac/memory/store.h>
#include "memory/store/store_parts.h"
#include "pool_truth.h"

/* A buffer whose bytes are the pattern `which`.  These functions end the test on an error. */
clpac_buffer *take_pattern(clpac_pool *pool, size_t bytes, int which);
void put_pattern(clpac_store *store, clpac_pool *pool, const char *key, size_t bytes, int which);
/* The pattern itself, for tests that compare in their own way. */
void make_pattern(unsigned char *out, size_t bytes, int which);

clpac_entry *hold(clpac_store *store, const char *key);

/* Whether the content is that pattern: by clpac_store_get, or of a buffer. */
void check_pattern(clpac_store *store, const char *key, size_t bytes, int which);
void check_buffer(clpac_buffer *buffer, size_t bytes, int which);

/* Bytes of the pool's buffers in use. */
uint64_t in_use(clpac_pool *pool);

/* The store's own counts against a count of its entries; no entry may be held. */
void check_store(clpac_store *store);

/* Checks the store and the pool, destroys both, and checks that nothing is left. */
void end_store(clpac_store *store, clpac_pool *pool, const simulated_device *device);

#endif
