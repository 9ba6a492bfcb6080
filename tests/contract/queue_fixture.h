/* A queue of a target, and blocks of it, for the laws of queues. */
#ifndef CLPAC_TESTS_QUEUE_FIXTURE_H
#define CLPAC_TESTS_QUEUE_FIXTURE_H

#include "test_thread.h"
#include <string.h>

#include "assertions.h"
#include "queue_kernels.h"

/* Opened at the beginning and closed at the end of each test, for target number _i. */
extern clpac__queue *queue;
extern const clpac__queue_operations *on; /* the queue's */
extern size_t alignment;		  /* of parts */
extern clpac_error err;
void open_target(int i);
void close_target(void);

#define REFUSED(call)                                                                                                  \
	do {                                                                                                           \
		err = (clpac_error){0};                                                                                \
		ck_assert_int_eq(call, CLPAC_ERROR_ARGUMENT);                                                          \
		ck_assert_int_eq(err.status, CLPAC_ERROR_ARGUMENT);                                                    \
		ck_assert_uint_gt(strlen(err.text), 10);                                                               \
		ck_assert_ptr_null(strchr(err.text, '\n'));                                                            \
	} while (0)

/* True of the simulated device, which counts a breach of contract instead of refusing it, and whose stages compute
 * nothing. */
bool is_simulated(void);

/* Blocks of the queue; the test fails where one cannot be made. */
clpac__block *make_block(size_t bytes);
clpac__block *make_block_on_host(size_t bytes);
clpac__block *make_part(clpac__block *whole, size_t offset, size_t bytes);

void check_bytes(clpac__block *block, const unsigned char *expected, size_t bytes);

/* The stage `extend` with n samples in, n + 24 out. */
void run_extend(clpac__queue *where, clpac__block *in, clpac__block *out, uint32_t n);

/* A test case of laws, each on every one of the first n targets. */
TCase *laws_on_targets(const char *name, const TTest *const *const laws[], size_t n_laws, size_t n_targets);

#endif
