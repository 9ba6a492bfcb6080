/* The promises of src/memory/backend/backend.h about memory and order, and of src/coupling/stages/compute.h about
 * launches. */
#include "queue_laws.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "queue_fixture.h"
#include "coupling/stages/stages.h"
#include "coupling/registry/registry.h"
#include "targets.h"
#include "noise.h"
#include "random.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

START_TEST(the_queue_tells_its_facts)
{
	open_target(_i);
	ck_assert_str_eq(queue->device.backend, targets_get((size_t)_i)->backend->name);
	ck_assert_str_eq(queue->device.name, targets_get((size_t)_i)->device.name);
	unsigned width = width_of(queue);
	ck_assert(width == 1 || width == 4 || width == 8 || width == 16);
	ck_assert_uint_ge(queue->n_threads, 1);
	close_target();
}

START_TEST(a_block_keeps_what_was_written)
{
	static const size_t sizes[] = {1, 3, 64, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1, 3000001};
	open_target(_i);
	for (size_t s = 0; s < COUNT(sizes); s++) {
		size_t n = sizes[s];
		unsigned char *put = malloc(n), *got = calloc(n, 1);
		random_bytes((unsigned long long)s, put, n);
		clpac__block *block = make_block(n);
		OK(on->write(queue, block, 0, n, put, &err));
		OK(on->read(queue, block, 0, n, got, &err));
		ck_assert_mem_eq(put, got, n);
		on->release(queue, block);
		free(put);
		free(got);
	}
	close_target();
}

enum { BYTES = 10007 };

START_TEST(parts_lie_where_they_were_put)
{
	open_target(_i);
	unsigned char model[BYTES], got[BYTES], part[BYTES];
	clpac__block *block = make_block(BYTES);
	random_bytes(1, model, BYTES);
	OK(on->write(queue, block, 0, BYTES, model, &err));
	static const size_t parts[][2] = {{0, 1},    {BYTES - 1, 1}, {17, 4000}, {4096, 4096},
					  {9999, 8}, {0, BYTES},     {5, 0},	 {BYTES, 0}};
	for (size_t i = 0; i < COUNT(parts); i++) {
		size_t offset = parts[i][0], n = parts[i][1];
		random_bytes((unsigned long long)i + 2, part, n);
		memcpy(model + offset, part, n);
		OK(on->write(queue, block, offset, n, part, &err));
		OK(on->read(queue, block, 0, BYTES, got, &err));
		ck_assert_mem_eq(got, model, BYTES);
		memset(got, 0, BYTES);
		OK(on->read(queue, block, offset, n, got, &err));
		ck_assert_mem_eq(got, model + offset, n);
		if (n < BYTES)
			ck_assert_uint_eq(got[n], 0);
	}
	on->release(queue, block);
	close_target();
}

START_TEST(fill_and_copy_touch_their_bytes_alone)
{
	open_target(_i);
	unsigned char a[BYTES], b[BYTES], got[BYTES];
	clpac__block *first = make_block(BYTES), *second = make_block(BYTES);
	random_bytes(1, a, BYTES);
	random_bytes(2, b, BYTES);
	OK(on->write(queue, first, 0, BYTES, a, &err));
	OK(on->write(queue, second, 0, BYTES, b, &err));
	OK(on->fill(queue, first, 101, 5003, 0xa7, &err));
	memset(a + 101, 0xa7, 5003);
	OK(on->copy(queue, first, 97, second, 3, 7001, &err));
	memcpy(b + 3, a + 97, 7001);
	OK(on->copy(queue, second, 0, second, 9000, 1000, &err));
	memcpy(b + 9000, b, 1000);
	OK(on->fill(queue, second, BYTES, 0, 1, &err));
	OK(on->copy(queue, first, BYTES, second, 0, 0, &err));
	OK(on->read(queue, first, 0, BYTES, got, &err));
	ck_assert_mem_eq(got, a, BYTES);
	OK(on->read(queue, second, 0, BYTES, got, &err));
	ck_assert_mem_eq(got, b, BYTES);
	on->release(queue, first);
	on->release(queue, second);
	close_target();
}

START_TEST(what_is_put_happens_in_order)
{
	open_target(_i);
	enum { N = 1 << 16, ROUNDS = 20 };
	unsigned char *source = malloc(N), *got = malloc(N);
	clpac__block *a = make_block(N), *b = make_block(N), *c = make_block(N);
	for (int round = 0; round < ROUNDS; round++) {
		memset(source, round, N);
		OK(on->fill(queue, a, 0, N, 0xee, &err));
		OK(on->write(queue, a, 0, N, source, &err));
		memset(source, 0xdd, N); /* write has returned: the source belongs to the caller again */
		OK(on->copy(queue, a, 0, b, 0, N, &err));
		OK(on->fill(queue, a, 0, N, 0xcc, &err));
		OK(on->copy(queue, b, 0, c, 0, N, &err));
		OK(on->fill(queue, b, 0, N, 0xbb, &err));
		OK(on->read(queue, c, 0, N, got, &err));
		for (size_t i = 0; i < N; i++)
			ck_assert_uint_eq(got[i], round);
	}
	OK(on->finish(queue, &err));
	on->release(queue, a);
	on->release(queue, b);
	on->release(queue, c);
	free(source);
	free(got);
	close_target();
}

START_TEST(a_write_that_is_not_waited_for_comes_in_its_turn)
{
	enum { N = 1 << 18, ROUNDS = 20 };
	static unsigned char sources[ROUNDS][N], got[N];
	open_target(_i);
	clpac__block *block = make_block(N), *kept[ROUNDS];
	for (int round = 0; round < ROUNDS; round++) {
		memset(sources[round], round + 1, N);
		kept[round] = make_block(N);
		OK(on->write_later(queue, block, 0, N, sources[round], &err));
		OK(on->copy(queue, block, 0, kept[round], 0, N, &err));
	}
	OK(on->write_later(queue, block, 5, 0, NULL, &err));
	for (int round = 0; round < ROUNDS; round++) {
		OK(on->read(queue, kept[round], 0, N, got, &err));
		ck_assert_mem_eq(got, sources[round], N);
		on->release(queue, kept[round]);
	}
	REFUSED(on->write_later(queue, block, 1, N, sources[0], &err));
	REFUSED(on->write_later(queue, block, 0, N, NULL, &err));
	REFUSED(on->write_later(queue, NULL, 0, N, sources[0], &err));
	on->release(queue, block);
	close_target();
}

START_TEST(a_part_outside_its_block_is_refused)
{
	open_target(_i);
	unsigned char byte[16] = {0}, before[100], after[100];
	clpac__block *block = make_block(100), *other = make_block(50);
	random_bytes(3, before, 100);
	OK(on->write(queue, block, 0, 100, before, &err));
	static const size_t wrong[][2] = {{0, 101},
					  {100, 1},
					  {99, 2},
					  {101, 0},
					  {SIZE_MAX, 1},
					  {1, SIZE_MAX},
					  {SIZE_MAX, SIZE_MAX},
					  {SIZE_MAX - 3, 8},
					  {96, SIZE_MAX - 90}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		size_t offset = wrong[i][0], n = wrong[i][1];
		REFUSED(on->write(queue, block, offset, n, byte, &err));
		REFUSED(on->read(queue, block, offset, n, byte, &err));
		REFUSED(on->fill(queue, block, offset, n, 1, &err));
		REFUSED(on->copy(queue, block, offset, other, 0, n, &err));
		REFUSED(on->copy(queue, other, 0, block, offset, n, &err));
	}
	REFUSED(on->copy(queue, block, 0, other, 0, 51, &err));
	REFUSED(on->copy(queue, block, 0, block, 10, 20, &err)); /* overlap */
	REFUSED(on->copy(queue, block, 30, block, 11, 20, &err));
	ck_assert_int_eq(on->read(queue, block, 1, 100, byte, NULL), CLPAC_ERROR_ARGUMENT);
	OK(on->read(queue, block, 0, 100, after, &err));
	ck_assert_mem_eq(before, after, 100);
	on->release(queue, block);
	on->release(queue, other);
	close_target();
}

START_TEST(nothing_in_place_of_a_block_or_of_memory_is_refused)
{
	open_target(_i);
	unsigned char byte;
	clpac__block *block = make_block(8);
	REFUSED(on->write(queue, NULL, 0, 1, &byte, &err));
	REFUSED(on->read(queue, NULL, 0, 1, &byte, &err));
	REFUSED(on->fill(queue, NULL, 0, 1, 0, &err));
	REFUSED(on->copy(queue, NULL, 0, block, 0, 1, &err));
	REFUSED(on->copy(queue, block, 0, NULL, 0, 1, &err));
	REFUSED(on->write(queue, block, 0, 1, NULL, &err));
	REFUSED(on->read(queue, block, 0, 1, NULL, &err));
	on->release(queue, block);
	on->release(queue, NULL);
	close_target();
}

START_TEST(a_block_of_nothing_or_of_more_than_the_device_can_hold_is_refused)
{
	open_target(_i);
	clpac__block *block = NULL;
	REFUSED(on->create(queue, 0, &block, &err));
	REFUSED(on->create(queue, SIZE_MAX, &block, &err));
	if (queue->device.max_allocation_bytes)
		REFUSED(on->create(queue, (size_t)queue->device.max_allocation_bytes + 1, &block, &err));
	ck_assert_ptr_null(block);
	close_target();
}

START_TEST(blocks_do_not_share_memory)
{
	open_target(_i);
	enum { N = 64, SIZE = 5000 };
	clpac__block *blocks[N];
	unsigned char got[SIZE];
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < N; i++) {
			blocks[i] = make_block(SIZE);
			OK(on->fill(queue, blocks[i], 0, SIZE, (uint8_t)i, &err));
		}
		for (int i = N - 1; i >= 0; i--) {
			OK(on->read(queue, blocks[i], 0, SIZE, got, &err));
			for (size_t k = 0; k < SIZE; k++)
				ck_assert_uint_eq(got[k], i);
			on->release(queue, blocks[i]);
		}
	}
	close_target();
}

START_TEST(the_host_reaches_native_memory_in_place)
{
	open_target(_i);
	clpac__block *block = make_block(BYTES);
	unsigned char *memory = on->host_pointer(queue, block), got[BYTES];
	if (queue->device.kind == CLPAC_DEVICE_NATIVE) {
		ck_assert_ptr_nonnull(memory);
		ck_assert_uint_eq((uintptr_t)memory % 4096, 0);
		random_bytes(5, memory, BYTES);
		OK(on->read(queue, block, 0, BYTES, got, &err));
		ck_assert_mem_eq(got, memory, BYTES);
		OK(on->fill(queue, block, 0, BYTES, 9, &err));
		ck_assert_uint_eq(memory[BYTES - 1], 9);
	} else if (memory) {
		ck_assert(queue->device.has_unified_memory);
	}
	on->release(queue, block);
	close_target();
}

START_TEST(two_queues_of_a_device_are_independent)
{
	open_target(_i);
	clpac__queue *other = target_open(targets_get((size_t)_i));
	clpac__block *mine = make_block(BYTES), *theirs = NULL;
	OK(other->operations->create(other, BYTES, &theirs, &err));
	unsigned char a[BYTES], b[BYTES], got[BYTES];
	random_bytes(1, a, BYTES);
	random_bytes(2, b, BYTES);
	OK(on->write(queue, mine, 0, BYTES, a, &err));
	OK(other->operations->write(other, theirs, 0, BYTES, b, &err));
	OK(on->read(queue, mine, 0, BYTES, got, &err));
	ck_assert_mem_eq(got, a, BYTES);
	on->release(queue, mine);
	close_target();
	OK(other->operations->read(other, theirs, 0, BYTES, got, &err));
	ck_assert_mem_eq(got, b, BYTES);
	other->operations->release(other, theirs);
	other->operations->close(other);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

/* The stage that reveals most about items: extended[series][t] for t < stride is a function of t and series. */
static clpac__launch extend(clpac__block *samples, clpac__block *extended, size_t series, uint32_t n, uint32_t pad,
			    uint32_t stride)
{
	return (clpac__launch){
		.items = {stride, 1, series},
		CLPAC__STAGE(extend, .samples = samples, .extended = extended, .n_samples = n, .begin = 0, .step = n,
			     .first_section = 0, .n_sections = 1, .pad = pad, .length = stride),
	};
}

START_TEST(a_launch_runs_every_item_once)
{
	static const struct {
		uint32_t n, pad, stride;
		size_t series;
	} shapes[] = {{1, 0, 16, 1},	   {5, 4, 16, 3},	 {1000, 12, 1024, 1},
		      {1000, 12, 1025, 7}, {2049, 500, 4096, 5}, {100, 99, 9000, 2}};
	open_target(_i);
	OK(clpac__compute_prepare(queue, 0, &err));
	for (size_t s = 0; s < COUNT(shapes); s++) {
		uint32_t n = shapes[s].n, pad = shapes[s].pad, stride = shapes[s].stride;
		size_t series = shapes[s].series, in_bytes = series * n * 4, out_bytes = series * stride * 4;
		float *x = malloc(in_bytes), *got = malloc(out_bytes + 4);
		unsigned long long state = (unsigned long long)s;
		for (size_t i = 0; i < series * n; i++)
			x[i] = random_signed(&state);
		clpac__block *in = make_block(in_bytes), *out = make_block(out_bytes + 4);
		OK(on->fill(queue, out, 0, out_bytes + 4, 0x55, &err));
		OK(on->write(queue, in, 0, in_bytes, x, &err));
		clpac__launch launch = extend(in, out, series, n, pad, stride);
		OK(clpac__compute_launch(queue, &launch, &err));
		OK(on->fill(queue, in, 0, in_bytes, 0, &err)); /* after the launch has read its input */
		OK(on->read(queue, out, 0, out_bytes + 4, got, &err));
		for (size_t c = 0; c < series; c++)
			for (uint32_t t = 0; t < stride; t++) {
				const float *row = x + c * n;
				float expected = 0;
				if (t < pad)
					expected = 2 * row[0] - row[pad - t];
				else if (t < pad + n)
					expected = row[t - pad];
				else if (t < n + 2 * pad)
					expected = 2 * row[n - 1] - row[2 * (n - 1) - (t - pad)];
				ck_assert_msg(got[c * stride + t] == expected, "series %zu, t %u of %u: %a, not %a", c,
					      t, stride, (double)got[c * stride + t], (double)expected);
			}
		uint32_t beyond;
		memcpy(&beyond, got + series * stride, 4);
		ck_assert_uint_eq(beyond, 0x55555555);
		on->release(queue, in);
		on->release(queue, out);
		free(x);
		free(got);
	}
	close_target();
}

START_TEST(the_third_dimension_counts_too)
{
	/* amplitude_of_array moves (series, band, t) to (series, t, band) when all groups of a sample stand together,
	 * ROWS values of t apart; from sample FROM on, to row ROW and up. */
	enum { N = 1500, FROM = 13, ROW = 7, ROWS = 1510, BANDS = 5, MOST = 16, SERIES = 3 };
	static float x[SERIES * BANDS * N], got[SERIES * ROWS * MOST];
	open_target(_i);
	const uint32_t groups = (BANDS + width_of(queue) - 1) / width_of(queue);
	const size_t padded = groups * width_of(queue);
	OK(clpac__compute_prepare(queue, 0, &err));
	unsigned long long state = 7;
	for (size_t i = 0; i < SERIES * BANDS * N; i++)
		x[i] = random_signed(&state);
	clpac__block *in = make_block(sizeof x), *out = make_block(sizeof got);
	OK(on->write(queue, in, 0, sizeof x, x, &err));
	OK(on->fill(queue, out, 0, sizeof got, 0, &err));
	clpac__launch launch = {
		.items = {N - FROM, BANDS, SERIES},
		CLPAC__STAGE(amplitude_of_array, .array = in, .amplitude = out, .n_samples = N, .n_rows = ROWS,
			     .n_bands = BANDS, .row_stride = groups, .groups = groups, .from = FROM, .first_row = ROW),
	};
	OK(clpac__compute_launch(queue, &launch, &err));
	OK(on->read(queue, out, 0, sizeof got, got, &err));
	for (size_t s = 0; s < SERIES; s++)
		for (size_t t = 0; t < ROWS; t++)
			for (size_t b = 0; b < padded; b++)
				ck_assert_float_eq(got[(s * ROWS + t) * padded + b],
						   t >= ROW && t < ROW + N - FROM && b < BANDS
							   ? x[(s * BANDS + b) * N + t - ROW + FROM]
							   : 0);
	on->release(queue, in);
	on->release(queue, out);
	close_target();
}

START_TEST(a_launch_of_no_items_does_nothing)
{
	open_target(_i);
	OK(clpac__compute_prepare(queue, 0, &err));
	clpac__block *in = make_block(64), *out = make_block(64);
	OK(on->fill(queue, out, 0, 64, 3, &err));
	for (int d = 0; d < 3; d++) {
		clpac__launch launch = extend(in, out, 1, 1, 0, 16);
		launch.items[d] = 0;
		OK(clpac__compute_launch(queue, &launch, &err));
	}
	unsigned char got[64];
	OK(on->read(queue, out, 0, 64, got, &err));
	for (int i = 0; i < 64; i++)
		ck_assert_uint_eq(got[i], 3);
	on->release(queue, in);
	on->release(queue, out);
	close_target();
}

START_TEST(a_wrong_launch_is_refused)
{
	open_target(_i);
	OK(clpac__compute_prepare(queue, 0, &err));
	clpac__block *in = make_block(64), *out = make_block(64);
	clpac__launch launch = extend(NULL, out, 1, 1, 0, 16);
	REFUSED(clpac__compute_launch(queue, &launch, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "extend"));
	launch = extend(in, NULL, 1, 1, 0, 16);
	REFUSED(clpac__compute_launch(queue, &launch, &err));
	launch = extend(in, out, 1, 1, 0, 16);
	launch.stage = CLPAC__STAGE_COUNT;
	REFUSED(clpac__compute_launch(queue, &launch, &err));
	launch = extend(in, out, SIZE_MAX / 2, 1, 0, 16);
	launch.items[1] = 4;
	REFUSED(clpac__compute_launch(queue, &launch, &err));
	on->release(queue, in);
	on->release(queue, out);
	close_target();
}

START_TEST(kernels_become_ready_for_any_number_of_bins)
{
	static const unsigned bins[] = {0, 18, 18, 64};
	open_target(_i);
	for (size_t i = 0; i < COUNT(bins); i++)
		OK(clpac__compute_prepare(queue, bins[i], &err));
	close_target();
}

TCase *queue_laws(size_t n_targets)
{
	static const TTest *const *const laws[] = {
		&the_queue_tells_its_facts,
		&a_block_keeps_what_was_written,
		&parts_lie_where_they_were_put,
		&fill_and_copy_touch_their_bytes_alone,
		&what_is_put_happens_in_order,
		&a_write_that_is_not_waited_for_comes_in_its_turn,
		&a_part_outside_its_block_is_refused,
		&nothing_in_place_of_a_block_or_of_memory_is_refused,
		&a_block_of_nothing_or_of_more_than_the_device_can_hold_is_refused,
		&blocks_do_not_share_memory,
		&the_host_reaches_native_memory_in_place,
		&two_queues_of_a_device_are_independent,
		&a_launch_runs_every_item_once,
		&the_third_dimension_counts_too,
		&a_launch_of_no_items_does_nothing,
		&a_wrong_launch_is_refused,
		&kernels_become_ready_for_any_number_of_bins,
	};
	return laws_on_targets("queue", laws, COUNT(laws), n_targets);
}
