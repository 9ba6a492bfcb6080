/* The promises of src/memory/backend/backend.h about parts, host blocks and mappings. */
#include "order_laws.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "base/memory.h"
#include "queue_fixture.h"
#include "targets.h"
#include "noise.h"
#include "random.h"
#include "coupling/registry/registry.h"

START_TEST(the_queue_tells_its_facts)
{
	open_target(_i);
	ck_assert(queue->is_in_order);
	ck_assert_uint_ge(alignment, 1);
	ck_assert_uint_eq(alignment & (alignment - 1), 0);
	ck_assert_uint_eq(8 * alignment % (queue->device.base_align_bits ? queue->device.base_align_bits : 8), 0);
	close_target();
}

/* ---- Parts ----------------------------------------------------------------------------------- */

START_TEST(a_part_is_a_range_of_its_whole)
{
	enum { N = 40 };
	open_target(_i);
	const size_t bytes = N * alignment + 3;
	unsigned char *model = malloc(bytes), *put = malloc(bytes);
	/* Beginning and length, in units of the alignment; the parts share bytes. */
	static const size_t parts[][2] = {{0, 1}, {0, 100}, {1, 77}, {7, 1000}, {3, 64}, {N, 3}, {N - 1, 2}};
	enum { N_PARTS = COUNT(parts) };
	clpac__block *whole = make_block(bytes), *made[N_PARTS];
	random_bytes(1, model, bytes);
	OK(on->write(queue, whole, 0, bytes, model, &err));
	for (size_t i = 0; i < N_PARTS; i++) {
		size_t offset = parts[i][0] * alignment, n = parts[i][1];
		n = n < bytes - offset ? n : bytes - offset;
		made[i] = make_part(whole, offset, n);
		check_bytes(made[i], model + offset, n); /* the part sees the whole's bytes */
		random_bytes((unsigned long long)i + 2, put, n);
		memcpy(model + offset, put, n);
		OK(on->write(queue, made[i], 0, n, put, &err));
		check_bytes(whole, model, bytes); /* and the whole sees the part's, and no more */
		OK(on->fill(queue, made[i], n / 2, n - n / 2, (uint8_t)i, &err));
		memset(model + offset + n / 2, (int)i, n - n / 2);
		check_bytes(whole, model, bytes);
	}
	for (size_t i = 0; i < N_PARTS; i++)
		on->release(queue, made[i]);
	check_bytes(whole, model, bytes); /* releasing a part changes no byte */
	on->release(queue, whole);
	free(model);
	free(put);
	close_target();
}

START_TEST(parts_of_one_block_are_copied_between)
{
	open_target(_i);
	const size_t bytes = 8 * alignment;
	unsigned char *model = malloc(bytes);
	clpac__block *whole = make_block(bytes), *a = make_part(whole, 0, 4 * alignment),
		     *b = make_part(whole, 4 * alignment, 4 * alignment),
		     *c = make_part(whole, 2 * alignment, 4 * alignment);
	random_bytes(3, model, bytes);
	OK(on->write(queue, whole, 0, bytes, model, &err));
	OK(on->copy(queue, a, 1, b, 0, 3 * alignment, &err));
	memmove(model + 4 * alignment, model + 1, 3 * alignment);
	OK(on->copy(queue, c, 0, a, 0, 2 * alignment, &err)); /* disjoint halves of c and a */
	memcpy(model, model + 2 * alignment, 2 * alignment);
	check_bytes(whole, model, bytes);
	if (!is_simulated()) {
		REFUSED(on->copy(queue, a, 2 * alignment, c, 0, 2 * alignment, &err)); /* the same bytes */
		REFUSED(on->copy(queue, a, 2 * alignment, c, 1, alignment, &err));
		REFUSED(on->copy(queue, whole, 4 * alignment, b, alignment - 1, alignment, &err));
	}
	check_bytes(whole, model, bytes);
	on->release(queue, a);
	on->release(queue, b);
	on->release(queue, c);
	on->release(queue, whole);
	free(model);
	close_target();
}

START_TEST(a_part_that_cannot_be_is_refused)
{
	open_target(_i);
	if (!is_simulated()) {
		clpac__block *whole = make_block(4 * alignment), *part = make_part(whole, alignment, 2 * alignment),
			     *none = NULL;
		REFUSED(on->create_part(queue, NULL, 0, 1, &none, &err));
		REFUSED(on->create_part(queue, whole, 0, 0, &none, &err));
		REFUSED(on->create_part(queue, whole, 0, 4 * alignment + 1, &none, &err));
		REFUSED(on->create_part(queue, whole, 4 * alignment, 1, &none, &err));
		REFUSED(on->create_part(queue, whole, alignment, SIZE_MAX, &none, &err));
		REFUSED(on->create_part(queue, part, 0, 1, &none, &err));
		if (alignment > 1)
			REFUSED(on->create_part(queue, whole, alignment + alignment / 2, 1, &none, &err));
		REFUSED(on->write(queue, part, 0, 2 * alignment + 1, "", &err));
		ck_assert_ptr_null(none);
		on->release(queue, part);
		on->release(queue, whole);
	}
	close_target();
}

/* ---- Blocks on the host ---------------------------------------------------------------------- */

START_TEST(a_block_on_the_host_is_like_any_other)
{
	static const size_t sizes[] = {1, 63, 64, 4095, 4097, 100000, (1 << 20) + 1};
	open_target(_i);
	for (size_t s = 0; s < COUNT(sizes); s++) {
		const size_t n = sizes[s];
		unsigned char *model = malloc(n);
		clpac__block *here = make_block_on_host(n), *there = make_block(n);
		random_bytes((unsigned long long)s, model, n);
		OK(on->write(queue, here, 0, n, model, &err));
		check_bytes(here, model, n);
		OK(on->copy(queue, here, 0, there, 0, n, &err));
		OK(on->fill(queue, here, n / 3, n - n / 3, 0x5a, &err)); /* runs after the copy */
		check_bytes(there, model, n);
		memset(model + n / 3, 0x5a, n - n / 3);
		check_bytes(here, model, n);
		OK(on->fill(queue, there, 0, n, 0xee, &err));
		OK(on->copy(queue, there, 0, here, 0, n / 2, &err));
		memset(model, 0xee, n / 2);
		check_bytes(here, model, n);
		on->release(queue, here);
		on->release(queue, there);
		free(model);
	}
	if (!is_simulated()) {
		clpac__block *none = NULL;
		REFUSED(on->create_on_host(queue, 0, &none, &err));
		ck_assert_ptr_null(none);
	}
	close_target();
}

START_TEST(a_host_block_may_go_while_it_is_in_use)
{
	enum { N = 1 << 18, ROUNDS = 20 };
	open_target(_i);
	unsigned char *model = malloc(N);
	clpac__block *kept[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		clpac__block *passing = make_block_on_host(N);
		kept[i] = make_block(N);
		OK(on->fill(queue, passing, 0, N, (uint8_t)i, &err));
		OK(on->copy(queue, passing, 0, kept[i], 0, N, &err));
		on->release(queue, passing);
	}
	for (int i = 0; i < ROUNDS; i++) {
		memset(model, i, N);
		check_bytes(kept[i], model, N);
		on->release(queue, kept[i]);
	}
	free(model);
	close_target();
}

START_TEST(stages_take_blocks_of_every_kind_and_compute_the_same)
{
	enum { N = 5000, OUT = N + 24 };
	static float x[N], expected[OUT], got[OUT];
	open_target(_i);
	if (!is_simulated()) {
		unsigned long long state = 3;
		OK(clpac__compute_prepare(queue, 0, &err));
		for (size_t i = 0; i < N; i++)
			x[i] = random_signed(&state);
		const size_t second = clpac__round_up(sizeof x, alignment);
		clpac__block *whole = make_block(second + sizeof got);
		clpac__block *inputs[] = {make_block(sizeof x), make_block_on_host(sizeof x),
					  make_part(whole, 0, sizeof x)};
		clpac__block *outputs[] = {make_block(sizeof got), make_block_on_host(sizeof got),
					   make_part(whole, second, sizeof got)};
		for (size_t i = 0; i < 3; i++)
			OK(on->write(queue, inputs[i], 0, sizeof x, x, &err));
		for (size_t i = 0; i < 3; i++)
			for (size_t o = 0; o < 3; o++) {
				OK(on->fill(queue, outputs[o], 0, sizeof got, 0x55, &err));
				run_extend(queue, inputs[i], outputs[o], N);
				OK(on->read(queue, outputs[o], 0, sizeof got, i + o ? got : expected, &err));
				if (i + o)
					ck_assert_mem_eq(got, expected, sizeof got);
			}
		ck_assert_float_eq(expected[12], x[0]);
		ck_assert_float_eq(expected[12 + N - 1], x[N - 1]);
		for (size_t i = 0; i < 3; i++) {
			on->release(queue, inputs[i]);
			on->release(queue, outputs[i]);
		}
		on->release(queue, whole);
	}
	close_target();
}

/* ---- Mappings -------------------------------------------------------------------------------- */

START_TEST(a_mapping_shows_and_takes_what_a_block_holds)
{
	enum { N = 20011 };
	open_target(_i);
	unsigned char *model = malloc(N), *got = malloc(N);
	clpac__block *whole = make_block(2 * clpac__round_up(N, alignment));
	clpac__block *blocks[] = {make_block(N), make_block_on_host(N),
				  make_part(whole, clpac__round_up(N, alignment), N)};
	for (size_t b = 0; b < 3; b++) {
		void *mapped = NULL;
		bool is_in_place = !queue->has_unified_memory;
		random_bytes((unsigned long long)b, model, N);
		OK(on->fill(queue, blocks[b], 0, N, 1, &err));
		OK(on->write(queue, blocks[b], 0, N, model, &err));
		/* Read. */
		OK(on->map(queue, blocks[b], 100, N - 100, true, false, &mapped, &is_in_place, &err));
		ck_assert_mem_eq(mapped, model + 100, N - 100);
		if (queue->has_unified_memory)
			ck_assert(is_in_place);
		OK(on->unmap(queue, blocks[b], mapped, &err));
		/* Write only: all of the range. */
		OK(on->map(queue, blocks[b], 3, 5000, false, true, &mapped, NULL, &err));
		random_bytes((unsigned long long)b + 7, model + 3, 5000);
		memcpy(mapped, model + 3, 5000);
		OK(on->unmap(queue, blocks[b], mapped, &err));
		check_bytes(blocks[b], model, N);
		/* Read and write: untouched bytes stay. */
		OK(on->map(queue, blocks[b], 0, N, true, true, &mapped, NULL, &err));
		ck_assert_mem_eq(mapped, model, N);
		((unsigned char *)mapped)[N - 1] ^= 0xff;
		model[N - 1] ^= 0xff;
		OK(on->unmap(queue, blocks[b], mapped, &err));
		OK(on->read(queue, blocks[b], 0, N, got, &err));
		ck_assert_mem_eq(got, model, N);
	}
	for (size_t b = 0; b < 3; b++)
		on->release(queue, blocks[b]);
	on->release(queue, whole);
	free(model);
	free(got);
	close_target();
}

START_TEST(a_mapping_keeps_the_order_of_the_queue)
{
	enum { N = 1 << 18, ROUNDS = 10 };
	open_target(_i);
	for (int in_order = 0; in_order < 2; in_order++) {
		clpac__queue *other = NULL;
		OK(on->open_sibling(queue, in_order, &other, &err));
		clpac__block *a = make_block(N), *b = make_block(N);
		unsigned char *model = malloc(N), *mapped;
		for (int round = 0; round < ROUNDS; round++) {
			OK(on->fill(other, a, 0, N, (uint8_t)round, &err));
			OK(on->map(other, a, 0, N, true, true, (void **)&mapped, NULL, &err));
			for (size_t i = 0; i < N; i += 997)
				ck_assert_uint_eq(mapped[i], round);
			memset(mapped, round + 100, N);
			OK(on->unmap(other, a, mapped, &err));
			OK(on->copy(other, a, 0, b, 0, N, &err));
			memset(model, round + 100, N);
			unsigned char *got = malloc(N);
			OK(on->read(other, b, 0, N, got, &err));
			ck_assert_mem_eq(got, model, N);
			free(got);
		}
		on->release(queue, a);
		on->release(queue, b);
		on->close(other);
		free(model);
	}
	close_target();
}

START_TEST(a_mapping_that_cannot_be_is_refused)
{
	open_target(_i);
	if (!is_simulated()) {
		clpac__block *block = make_block(100);
		void *mapped = NULL;
		REFUSED(on->map(queue, NULL, 0, 1, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, 0, 101, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, SIZE_MAX, 2, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, 0, 0, true, false, &mapped, NULL, &err));
		REFUSED(on->map(queue, block, 0, 10, false, false, &mapped, NULL, &err));
		ck_assert_ptr_null(mapped);
		REFUSED(on->unmap(queue, NULL, block, &err));
		REFUSED(on->unmap(queue, block, NULL, &err));
		on->release(queue, block);
	}
	close_target();
}

TCase *block_laws(size_t n_targets)
{
	static const TTest *const *const laws[] = {
		&the_queue_tells_its_facts,
		&a_part_is_a_range_of_its_whole,
		&parts_of_one_block_are_copied_between,
		&a_part_that_cannot_be_is_refused,
		&a_block_on_the_host_is_like_any_other,
		&a_host_block_may_go_while_it_is_in_use,
		&stages_take_blocks_of_every_kind_and_compute_the_same,
		&a_mapping_shows_and_takes_what_a_block_holds,
		&a_mapping_keeps_the_order_of_the_queue,
		&a_mapping_that_cannot_be_is_refused,
	};
	return laws_on_targets("blocks", laws, COUNT(laws), n_targets);
}
