/* A queue of a target, and blocks of it, for the laws of queues. */
#include "queue_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "coupling/stages/stages.h"
#include "coupling/registry/registry.h"
#include "targets.h"

clpac__queue *queue;
const clpac__queue_operations *on;
size_t alignment;
clpac_error err;

void open_target(int i)
{
	queue = target_open(targets_get((size_t)i));
	on = queue->operations;
	alignment = queue->part_alignment;
}

void close_target(void)
{
	on->close(queue);
}

bool is_simulated(void)
{
	return strcmp(queue->device.backend, "simulated") == 0;
}

clpac__block *make_block(size_t bytes)
{
	clpac__block *block = NULL;
	OK(on->create(queue, bytes, &block, &err));
	ck_assert_ptr_nonnull(block);
	return block;
}

clpac__block *make_block_on_host(size_t bytes)
{
	clpac__block *block = NULL;
	OK(on->create_on_host(queue, bytes, &block, &err));
	ck_assert_ptr_nonnull(block);
	return block;
}

clpac__block *make_part(clpac__block *whole, size_t offset, size_t bytes)
{
	clpac__block *part = NULL;
	OK(on->create_part(queue, whole, offset, bytes, &part, &err));
	ck_assert_ptr_nonnull(part);
	return part;
}

void check_bytes(clpac__block *block, const unsigned char *expected, size_t bytes)
{
	unsigned char *got = malloc(bytes);
	OK(on->read(queue, block, 0, bytes, got, &err));
	ck_assert_mem_eq(got, expected, bytes);
	free(got);
}

void run_extend(clpac__queue *where, clpac__block *in, clpac__block *out, uint32_t n)
{
	const clpac__launch launch = {
		.items = {n + 24, 1, 1},
		CLPAC__STAGE(extend, .samples = in, .extended = out, .n_samples = n, .begin = 0, .step = n,
			     .first_section = 0, .n_sections = 1, .pad = 12, .length = n + 24),
	};
	OK(clpac__compute_launch(where, &launch, &err));
}

TCase *laws_on_targets(const char *name, const TTest *const *const laws[], size_t n_laws, size_t n_targets)
{
	TCase *made = tcase_create(name);
	for (size_t i = 0; i < n_laws; i++)
		tcase_add_loop_test(made, *laws[i], 0, (int)n_targets);
	return made;
}
