/* Blocks that are parts of segments: how segments are created, cut and released, and how buffers move out of sparse
 * ones. */
#include "runner.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "memory/pool/surface/surface.h"
#include "pool_truth.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static clpac_pool *open_segments(simulated_device *device, uint64_t memory_bytes, uint64_t max_segment_bytes,
				 uint64_t preallocate_bytes)
{
	return open_pool(device, memory_bytes,
			 &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
							 .max_segment_bytes = max_segment_bytes,
							 .preallocate_bytes = preallocate_bytes}});
}

static clpac_pool_statistics numbers_of(clpac_pool *pool)
{
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	return now;
}

static void end(clpac_pool *pool, simulated_device *device)
{
	clpac_pool_destroy(pool);
	check_nothing_left(device);
}

/* ---- Creation ------------------------------------------------------------------------------- */

TEST(parts_begin_at_the_devices_alignment_and_share_no_byte)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, MIB, 256 * KIB, 0);
	clpac_buffer *buffers[200];
	for (size_t i = 0; i < 200; i++) {
		buffers[i] = take(pool, 1 + i * 37 % 3000);
		ck_assert_uint_eq(clpac_buffer_class(buffers[i]) % 64, 0);
		ck_assert_uint_eq(clpac_buffer_class(buffers[i]), clpac_pool_class(pool, 1 + i * 37 % 3000));
		ck_assert_ptr_nonnull(buffers[i]->segment);
		const unsigned char *begin = simulated_bytes(clpac__buffer_block(buffers[i]));
		ck_assert_uint_eq((uintptr_t)(begin - simulated_bytes(buffers[i]->segment->whole)) % 64, 0);
		for (size_t k = 0; k < i; k++) {
			const unsigned char *other = simulated_bytes(clpac__buffer_block(buffers[k]));
			if (begin + clpac_buffer_class(buffers[i]) > other &&
			    other + clpac_buffer_class(buffers[k]) > begin)
				ck_abort_msg("parts %zu and %zu overlap", i, k);
		}
	}
	check_truth(pool, &device);
	clpac_buffer_release_batch(buffers, 200);
	check_truth(pool, &device);
	const uint64_t all = device.live_bytes;
	ck_assert_uint_eq(clpac_pool_clear(pool), all);
	ck_assert_uint_eq(device.live_bytes, 0);
	end(pool, &device);
}

TEST(a_released_part_serves_the_next_request_without_a_driver_call)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, MIB, 256 * KIB, 0);
	clpac_buffer *buffer = take(pool, 1000);
	clpac__block *block = clpac__buffer_block(buffer);
	const unsigned long n_calls = device.n_calls;
	clpac_buffer_release(buffer);
	buffer = take(pool, 1000);
	ck_assert_ptr_eq(clpac__buffer_block(buffer), block);
	ck_assert_uint_eq(device.n_calls, n_calls);
	ck_assert_uint_eq(numbers_of(pool).parts_created, 1);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

TEST(segments_grow_from_an_eighth_of_the_largest_to_the_largest)
{
	static const size_t sizes[] = {32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 256 * KIB};
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 2 * MIB, 256 * KIB, 0);
	clpac_buffer *buffers[200];
	size_t n = 0;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		const uint64_t before = device.live_bytes;
		while (device.live_bytes == before)
			buffers[n++] = take(pool, 4 * KIB);
		ck_assert_uint_eq(device.live_bytes - before, sizes[i]);
		ck_assert_uint_eq(numbers_of(pool).segments, i + 1);
	}
	check_truth(pool, &device);
	clpac_buffer_release_batch(buffers, n);
	end(pool, &device);
}

TEST(a_request_of_half_a_segment_or_more_gets_memory_of_its_own)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 2 * MIB, 256 * KIB, 0);
	clpac_buffer *part = take(pool, 128 * KIB), *own = take(pool, 128 * KIB + 1);
	ck_assert_ptr_nonnull(part->segment);
	ck_assert_ptr_null(own->segment);
	ck_assert_uint_eq(device.live_bytes, 256 * KIB + 144 * KIB);
	check_truth(pool, &device);
	clpac_buffer_release(part);
	clpac_buffer_release(own);
	end(pool, &device);
}

TEST(no_segment_is_larger_than_the_largest_though_that_is_an_odd_number)
{
	/* An eighth of the budget, doubled until two requests fit. */
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 2 * MIB, 196700, 0);
	clpac_buffer *buffer = take(pool, 98304);
	ck_assert_ptr_nonnull(buffer->segment);
	ck_assert_uint_eq(buffer->segment->bytes, 196672);
	ck_assert_uint_eq(device.live_bytes, 196672);
	clpac_buffer_release(buffer);
	end(pool, &device);
}

TEST(small_and_large_parts_lie_in_segments_apart)
{
	/* Small is up to a twentieth of the largest segment, and never more than 1 MiB. */
	static const struct {
		size_t segment_bytes, small_bytes, large_bytes;
	} cases[] = {
		{64 * MIB, MIB, MIB + 128 * KIB},
		{20 * MIB, MIB, MIB + 128 * KIB},
		{8 * MIB, 384 * KIB, 448 * KIB},
		{3 * MIB, 144 * KIB, 160 * KIB},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		simulated_device device;
		clpac_pool *pool = open_segments(&device, 256 * MIB, cases[i].segment_bytes, 0);
		clpac_buffer *large = take(pool, cases[i].large_bytes), *small = take(pool, cases[i].small_bytes);
		ck_assert_ptr_ne(large->segment, small->segment);
		ck_assert(small->segment->is_small && !large->segment->is_small);
		clpac_buffer_release(large);
		clpac_buffer_release(small);
		end(pool, &device);
	}
}

TEST(segments_of_2_MiB_and_less_are_not_divided_by_kinds)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 256 * MIB, 2 * MIB, 0);
	clpac_buffer *large = take(pool, MIB), *small = take(pool, 4 * KIB);
	ck_assert_ptr_eq(large->segment, small->segment);
	clpac_buffer_release(large);
	clpac_buffer_release(small);
	end(pool, &device);
}

TEST(the_kinds_follow_a_configured_segment_size)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 256 * MIB, 64 * MIB, 0);
	clpac_pool_options options = {.budget = {.bytes = 256 * MIB}, .cache = {.max_segment_bytes = 8 * MIB}};
	clpac_buffer *before = take(pool, 512 * KIB);
	ck_assert(before->segment->is_small);
	clpac_buffer_release(before);
	clpac_pool_clear(pool);
	ck_assert_int_eq(clpac_pool_configure(pool, &options, NULL), CLPAC_OK);
	clpac_buffer *after = take(pool, 512 * KIB);
	ck_assert(!after->segment->is_small);
	clpac_buffer_release(after);
	end(pool, &device);
}

TEST(preallocated_segments_are_there_before_the_first_request)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, MIB, 64 * KIB, 160 * KIB);
	ck_assert_uint_eq(device.live_bytes, 160 * KIB); /* the last is as large as the remaining budget */
	ck_assert_uint_eq(numbers_of(pool).segments, 3);
	clpac_buffer *buffer = take(pool, 1000);
	ck_assert_uint_eq(device.n_calls_of[SIMULATED_CREATE], 3);
	check_truth(pool, &device);
	clpac_buffer_release(buffer);
	end(pool, &device);

	/* A request that fits into the budget is not refused because another segment would not. */
	pool = open_segments(&device, 100 * KIB, 64 * KIB, 100 * KIB);
	ck_assert_uint_eq(device.live_bytes, 100 * KIB);
	end(pool, &device);
}

TEST(a_device_that_handles_parts_badly_gets_whole_blocks_unless_told)
{
	for (int is_told = 0; is_told < 2; is_told++) {
		simulated_device device;
		simulated_open(&device, 2 * MIB, 0);
		device.queue.has_no_parts = !is_told;
		clpac_pool *pool = NULL;
		clpac_pool_options options = {.budget = {.fraction = 1, .minimum_free_bytes = 1}};
		ck_assert_int_eq(clpac__pool_create(&device.queue, &options, 0, &pool, NULL), CLPAC_OK);
		clpac_buffer *buffer = take(pool, 1000);
		ck_assert_uint_eq(numbers_of(pool).segments, is_told);
		clpac_buffer_release(buffer);
		end(pool, &device);
	}
}

TEST(a_driver_that_finds_a_segment_too_large_gets_smaller_ones_from_then_on)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 4 * MIB, 512 * KIB, 0);
	device.largest_bytes = 50 * KIB; /* a limit that the device does not report */
	clpac_buffer *buffers[40];
	for (int i = 0; i < 40; i++)
		buffers[i] = take(pool, 4 * KIB);
	const unsigned long n_failed = device.n_calls_of[SIMULATED_CREATE] - device.live_blocks;
	ck_assert_uint_gt(n_failed, 0);
	ck_assert_uint_le(n_failed, 4);				     /* it is not retried again and again */
	ck_assert_uint_eq(numbers_of(pool).out_of_memory_events, 0); /* too large is not out of memory */
	check_truth(pool, &device);
	clpac_buffer_release_batch(buffers, 40);
	end(pool, &device);
}

/* ---- Search --------------------------------------------------------------------------------- */

/* Segments of one unit to 2^11 units, most of them full or with a gap that is too small: whoever looks at each of them
 * looks at all 4096. */
TEST(a_miss_looks_at_few_of_many_segments)
{
	enum { N = 4096, UNIT = 64, UNITS = 64, MOST_LOOKED = 100 };
	clpac__segments segments = {.unit = UNIT};
	clpac__pool_queue queues[2] = {{.is_taken = false}};
	clpac__segment *made[N], *found;
	clpac_piece piece, pieces[N];
	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(clpac__segment_create((size_t)UNIT * UNITS, UNIT, &made[i], NULL), CLPAC_OK);
		made[i]->home = &queues[i & 1];
		made[i]->is_small = i & 2;
		clpac__segments_add(&segments, made[i]);
		/* From 0 to 62 units stay free. */
		ck_assert(clpac__segments_cut(&segments, (size_t)UNIT * UNITS, i & 2, &queues[i & 1], &found, &piece));
		clpac__segments_give(&segments, found, piece);
		ck_assert(clpac_offsets_take(made[i]->offsets, UNITS - (uint64_t)i % 63, 1, &pieces[i]));
		made[i]->n_pieces++;
		segments.free_bytes -= pieces[i].units * UNIT;
		clpac__segments_follow(&segments, made[i]);
	}
	for (unsigned units = 1; units < UNITS; units++)
		for (int kind = 0; kind < 4; kind++) {
			const uint64_t before = segments.order.n_looked;
			const bool has_any = clpac__segments_cut(&segments, (size_t)UNIT * units, kind & 2,
								 &queues[kind & 1], &found, &piece);
			ck_assert_uint_le(segments.order.n_looked - before, MOST_LOOKED);
			ck_assert(has_any == (units <= 62));
			if (!has_any)
				continue;
			ck_assert(found->home == &queues[kind & 1] && found->is_small == !!(kind & 2));
			/* The smallest sufficient gap is taken. */
			ck_assert_uint_eq(clpac_offsets_free(found->offsets), 0);
			clpac__segments_give(&segments, found, piece);
		}
	for (int i = 0; i < N; i++) {
		clpac__segments_give(&segments, made[i], pieces[i]);
		clpac__segments_remove(&segments, made[i]);
		clpac__segment_destroy(made[i]);
	}
	ck_assert_ptr_null(segments.first);
	ck_assert_ptr_null(segments.empty);
	ck_assert_ptr_null(segments.order.top);
	ck_assert_uint_eq(segments.bytes + segments.free_bytes + segments.empty_bytes + segments.n, 0);
}

/* ---- Release -------------------------------------------------------------------------------- */

TEST(trim_gives_back_whole_segments_the_oldest_first_and_no_more_than_it_takes)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 10 * MIB, 256 * KIB, 0);
	clpac_buffer *parts[8], *own = take(pool, 200 * KIB);
	for (int i = 0; i < 8; i++)
		parts[i] = take(pool, 4 * KIB);
	ck_assert_uint_eq(numbers_of(pool).segments, 1);
	clpac_buffer_release_batch(parts, 8);
	clpac_buffer_release(own);
	const uint64_t cached = numbers_of(pool).pooled_bytes;
	ck_assert_uint_eq(cached, 32 * KIB + 208 * KIB);
	/* The segment is the oldest and enough by itself; the younger block of its own stays. */
	ck_assert_uint_eq(clpac_pool_trim(pool, cached - 10 * KIB), 32 * KIB);
	ck_assert_uint_eq(numbers_of(pool).segments, 0);
	ck_assert_uint_eq(device.live_bytes, 208 * KIB);
	check_truth(pool, &device);
	end(pool, &device);
}

TEST(a_segment_with_a_block_in_use_stays)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 10 * MIB, 256 * KIB, 0);
	clpac_buffer *held = take(pool, 4 * KIB), *released = take(pool, 4 * KIB);
	ck_assert_int_eq(clpac_buffer_write(held, 0, 5, "stays", NULL), CLPAC_OK);
	clpac_buffer_release(released);
	ck_assert_uint_eq(clpac_pool_clear(pool), 0);
	ck_assert_uint_eq(device.live_bytes, 32 * KIB);
	ck_assert_uint_eq(device.live_parts, 1);
	char found[6] = "";
	ck_assert_int_eq(clpac_buffer_read(held, 0, 5, found, NULL), CLPAC_OK);
	ck_assert_str_eq(found, "stays");
	check_truth(pool, &device);
	clpac_buffer_release(held);
	ck_assert_uint_eq(clpac_pool_clear(pool), 32 * KIB);
	end(pool, &device);
}

TEST(trim_by_age_gives_back_what_is_older_alone)
{
	simulated_device device;
	clpac_pool *pool = open_segments(&device, 10 * MIB, 256 * KIB, 0);
	clpac_buffer *own = take(pool, 200 * KIB), *part = take(pool, 1000);
	clpac_buffer_release(own);
	clpac_buffer_release(part);
	ck_assert_uint_eq(clpac_pool_trim_older(pool, 3600), 0);
	check_truth(pool, &device);
	own->released_ns -= INT64_C(7200000000000); /* as if cached for two hours */
	ck_assert_uint_eq(clpac_pool_trim_older(pool, 3600), 208 * KIB);
	check_truth(pool, &device);
	ck_assert_uint_eq(numbers_of(pool).pooled_buffers, 1);
	ck_assert_uint_eq(clpac_pool_trim_older(pool, -1), 32 * KIB); /* all */
	ck_assert_uint_eq(device.live_bytes, 0);
	end(pool, &device);
}

/* ---- Defragmentation ------------------------------------------------------------------------- */

enum { N_PARTS = 96, PART = 2 * KIB };

/* Segments of 32, 64 and 128 KiB full of parts, each part with its own content. */
static clpac_pool *open_filled(simulated_device *device, clpac_buffer *parts[N_PARTS])
{
	clpac_pool *pool = open_segments(device, 10 * MIB, 256 * KIB, 0);
	for (int i = 0; i < N_PARTS; i++) {
		parts[i] = take(pool, PART);
		ck_assert_int_eq(clpac_buffer_fill(parts[i], 0, PART, (uint8_t)i, NULL), CLPAC_OK);
	}
	ck_assert_uint_eq(numbers_of(pool).segments, 3);
	return pool;
}

static void check_contents(clpac_buffer *parts[N_PARTS])
{
	for (int i = 0; i < N_PARTS; i++) {
		unsigned char found[PART];
		if (!parts[i])
			continue;
		ck_assert_int_eq(clpac_buffer_read(parts[i], 0, PART, found, NULL), CLPAC_OK);
		for (size_t k = 0; k < PART; k++)
			if (found[k] != i) /* one assertion for all: each writes a mark even when it holds */
				ck_abort_msg("byte %zu of part %d is %d", k, i, found[k]);
	}
}

static void release_all_but_every(clpac_buffer *parts[N_PARTS], int n)
{
	for (int i = 0; i < N_PARTS; i++)
		if (i % n) {
			clpac_buffer_release(parts[i]);
			parts[i] = NULL;
		}
}

TEST(buffers_move_out_of_sparse_segments_which_go_back)
{
	simulated_device device;
	clpac_buffer *parts[N_PARTS];
	clpac_pool *pool = open_filled(&device, parts);
	release_all_but_every(parts, 8);
	uint64_t ids[N_PARTS], released = 0;
	for (int i = 0; i < N_PARTS; i += 8)
		ids[i] = clpac_buffer_id(parts[i]);
	const uint64_t before = device.live_bytes;
	ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, &released, NULL), CLPAC_OK);
	/* Twelve parts of 2 KiB fit into the smallest segment. */
	ck_assert_uint_gt(released, 0);
	ck_assert_uint_eq(device.live_bytes, before - released);
	ck_assert_uint_eq(numbers_of(pool).segments, 1);
	check_contents(parts);
	check_truth(pool, &device);
	for (int i = 0; i < N_PARTS; i += 8)
		ck_assert_uint_eq(clpac_buffer_id(parts[i]), ids[i]);
	/* Nothing more can be released. */
	ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, &released, NULL), CLPAC_OK);
	ck_assert_uint_eq(released, 0);
	clpac_buffer_release_batch(parts, N_PARTS);
	end(pool, &device);
}

TEST(a_buffer_that_is_held_stays_in_its_place)
{
	simulated_device device;
	clpac_buffer *parts[N_PARTS];
	const clpac__block *blocks[N_PARTS];
	clpac_pool *pool = open_filled(&device, parts);
	release_all_but_every(parts, 8);
	for (int i = 0; i < N_PARTS; i++)
		blocks[i] = parts[i] ? clpac__buffer_block(parts[i]) : NULL;
	clpac__buffers_hold(parts, N_PARTS);
	clpac__buffers_hold(parts, N_PARTS);
	clpac__buffers_let_go(parts, N_PARTS);
	ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, NULL, NULL), CLPAC_OK);
	ck_assert_uint_eq(numbers_of(pool).segments, 3);
	for (int i = 0; i < N_PARTS; i += 8)
		ck_assert_ptr_eq(clpac__buffer_block(parts[i]), blocks[i]);
	clpac__buffers_let_go(parts, N_PARTS);
	ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, NULL, NULL), CLPAC_OK);
	ck_assert_uint_eq(numbers_of(pool).segments, 1);
	check_contents(parts);
	check_truth(pool, &device);
	clpac_buffer_release_batch(parts, N_PARTS);
	end(pool, &device);
}

TEST(no_more_bytes_are_moved_than_allowed)
{
	for (uint64_t most = 0; most <= 8 * PART; most += PART / 2) {
		simulated_device device;
		clpac_buffer *parts[N_PARTS];
		clpac_pool *pool = open_filled(&device, parts);
		release_all_but_every(parts, 8);
		const unsigned long n_copies = device.n_calls_of[SIMULATED_COPY];
		ck_assert_int_eq(clpac_pool_defragment(pool, most, NULL, NULL), CLPAC_OK);
		ck_assert_uint_le((device.n_calls_of[SIMULATED_COPY] - n_copies) * PART, most);
		check_contents(parts);
		check_truth(pool, &device);
		clpac_buffer_release_batch(parts, N_PARTS);
		end(pool, &device);
	}
}

TEST(what_is_pinned_or_mapped_stays_where_it_is)
{
	simulated_device device;
	clpac_buffer *parts[N_PARTS];
	clpac_pool *pool = open_filled(&device, parts);
	release_all_but_every(parts, 8);
	clpac__block *pinned = clpac__buffer_block(parts[0]), *mapped = clpac__buffer_block(parts[24]);
	void *memory = NULL;
	clpac__buffer_pin(parts[0]);
	ck_assert_int_eq(clpac_buffer_map(parts[24], 0, PART, CLPAC_READ_WRITE, &memory, NULL), CLPAC_OK);
	ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, NULL, NULL), CLPAC_OK);
	ck_assert_ptr_eq(clpac__buffer_block(parts[0]), pinned);
	ck_assert_ptr_eq(clpac__buffer_block(parts[24]), mapped);
	ck_assert_int_eq(clpac_buffer_unmap(parts[24], NULL), CLPAC_OK);
	check_contents(parts);
	check_truth(pool, &device);
	clpac_buffer_release_batch(parts, N_PARTS);
	end(pool, &device);
}

TEST(a_move_that_fails_loses_nothing)
{
	static const enum simulated_call calls[] = {SIMULATED_CREATE_PART, SIMULATED_COPY, SIMULATED_FINISH};
	for (int i = 0; i < 3; i++)
		for (unsigned long number = 1; number <= 3; number++) {
			simulated_device device;
			clpac_buffer *parts[N_PARTS];
			clpac_pool *pool = open_filled(&device, parts);
			clpac_error err = {0};
			uint64_t released = 99;
			release_all_but_every(parts, 8);
			simulated_fail(&device, number, calls[i], CLPAC_ERROR_DEVICE, -5);
			ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, &released, &err), CLPAC_ERROR_DEVICE);
			ck_assert_int_eq(err.native_code, -5);
			ck_assert_ptr_nonnull(strstr(err.text, "moving buffer \"test\" of 2048 bytes"));
			check_contents(parts);
			check_truth(pool, &device);
			ck_assert_int_eq(clpac_pool_defragment(pool, UINT64_MAX, NULL, &err), CLPAC_OK);
			check_contents(parts);
			check_truth(pool, &device);
			clpac_buffer_release_batch(parts, N_PARTS);
			end(pool, &device);
		}
}

TEST(free_pieces_come_together_for_a_request_where_buffers_may_move)
{
	for (int may_move = 0; may_move < 2; may_move++) {
		simulated_device device;
		clpac_buffer *parts[N_PARTS], *large = NULL;
		clpac_pool *pool = open_pool(&device, 192 * KIB,
					     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
									     .max_segment_bytes = 64 * KIB,
									     .preallocate_bytes = 192 * KIB},
								   .may_move = may_move});
		for (int i = 0; i < N_PARTS; i++) {
			parts[i] = take(pool, PART);
			ck_assert_int_eq(clpac_buffer_fill(parts[i], 0, PART, (uint8_t)i, NULL), CLPAC_OK);
		}
		for (int i = 0; i < N_PARTS; i += 2) {
			clpac_buffer_release(parts[i]);
			parts[i] = NULL;
		}
		clpac__block *pinned = clpac__buffer_block(parts[1]);
		clpac__buffer_pin(parts[1]);
		/* Half of all is free, in pieces of 2 KiB, and 8 KiB would need four of them in a row. */
		const clpac_status st = clpac_pool_allocate(pool, 8 * KIB, "large", &large, NULL);
		const clpac_pool_statistics now = numbers_of(pool);
		if (may_move) {
			ck_assert_int_eq(st, CLPAC_OK);
			ck_assert_uint_eq(now.ladder[CLPAC_LADDER_COMPACT], 1);
			ck_assert_uint_le(device.n_calls_of[SIMULATED_COPY], 4); /* no more than it takes */
			ck_assert_int_eq(clpac_buffer_fill(large, 0, 8 * KIB, 255, NULL), CLPAC_OK);
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_DEVICE_MEMORY);
			ck_assert_uint_eq(device.n_calls_of[SIMULATED_COPY], 0);
		}
		ck_assert_ptr_eq(clpac__buffer_block(parts[1]), pinned);
		check_contents(parts);
		check_truth(pool, &device);
		clpac_buffer_release(large);
		clpac_buffer_release_batch(parts, N_PARTS);
		end(pool, &device);
	}
}

/* What a first look marked as movable is pinned at the second: then the gap between the pinned ones is made, by the
 * only part that may move. */
TEST(what_might_move_once_is_looked_at_anew)
{
	enum { FIRST = 20, LAST = FIRST + 4, FAR = N_PARTS - 2, MORE = 64 };
	simulated_device device;
	clpac_buffer *parts[N_PARTS], *large[2], *rest[2], *more[MORE] = {0};
	clpac_pool *pool = open_pool(&device, 192 * KIB,
				     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
								     .max_segment_bytes = 64 * KIB,
								     .preallocate_bytes = 192 * KIB},
							   .may_move = true});
	for (int i = 0; i < N_PARTS; i++) {
		parts[i] = take(pool, PART);
		ck_assert_int_eq(clpac_buffer_fill(parts[i], 0, PART, (uint8_t)i, NULL), CLPAC_OK);
	}
	for (int i = FIRST; i < LAST; i++) {
		ck_assert_ptr_eq(parts[i]->segment, parts[i + 1]->segment);
		ck_assert_uint_eq(parts[i]->piece_offset + PART / pool->unit, parts[i + 1]->piece_offset);
	}
	int n_more = 0;
	while (n_more < MORE && clpac_pool_allocate(pool, PART, "more", &more[n_more], NULL) == CLPAC_OK)
		n_more++;
	ck_assert_int_lt(n_more, MORE);
	/* In the far segment no part beside a free piece may ever move. */
	for (int i = FAR - 3; i < N_PARTS; i += 2)
		clpac__buffer_pin(parts[i]);
	const clpac_pool_statistics before = numbers_of(pool);
	for (int round = 0; round < 2; round++) {
		/* Two pieces of one segment, with a part between them, and one of another segment. */
		const int from = round ? FIRST + 1 : 1, freed[] = {from, from + 2, FAR - 2 * round};
		if (round) {
			clpac__buffer_pin(parts[FIRST]);
			clpac__buffer_pin(parts[LAST]);
		}
		ck_assert_ptr_ne(parts[freed[2]]->segment, parts[from]->segment);
		for (size_t k = 0; k < COUNT(freed); k++) {
			clpac_buffer_release(parts[freed[k]]);
			parts[freed[k]] = NULL;
		}
		large[round] = take(pool, 2 * PART);
		rest[round] = take(pool, PART); /* what is left of the three */
		ck_assert_uint_eq(numbers_of(pool).ladder[CLPAC_LADDER_COMPACT] - before.ladder[CLPAC_LADDER_COMPACT],
				  (uint64_t)round + 1);
	}
	check_contents(parts);
	check_truth(pool, &device);
	clpac_buffer_release_batch(large, 2);
	clpac_buffer_release_batch(rest, 2);
	clpac_buffer_release_batch(more, MORE);
	clpac_buffer_release_batch(parts, N_PARTS);
	end(pool, &device);
}

TEST(segments_are_vacated_for_a_request_that_fits_no_segment)
{
	for (int may_move = 0; may_move < 2; may_move++) {
		simulated_device device;
		clpac_buffer *parts[N_PARTS], *large = NULL;
		clpac_pool *pool = open_pool(&device, 192 * KIB,
					     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
									     .max_segment_bytes = 64 * KIB,
									     .preallocate_bytes = 192 * KIB},
								   .may_move = may_move});
		for (int i = 0; i < N_PARTS; i++) {
			parts[i] = take(pool, PART);
			ck_assert_int_eq(clpac_buffer_fill(parts[i], 0, PART, (uint8_t)i, NULL), CLPAC_OK);
		}
		for (int i = 0; i < N_PARTS; i++)
			if (i % 4) {
				clpac_buffer_release(parts[i]);
				parts[i] = NULL;
			}
		/* Three quarters of all is free, a quarter in use in each of three segments: two have to go. */
		const clpac_status st = clpac_pool_allocate(pool, 96 * KIB, "large", &large, NULL);
		if (may_move) {
			ck_assert_int_eq(st, CLPAC_OK);
			ck_assert_ptr_null(large->segment);
			ck_assert_uint_eq(numbers_of(pool).ladder[CLPAC_LADDER_COMPACT], 1);
			/* At most twice the request's bytes. */
			ck_assert_uint_le(device.n_calls_of[SIMULATED_COPY], 2 * 96 * KIB / PART);
			ck_assert_int_eq(clpac_buffer_fill(large, 0, 96 * KIB, 255, NULL), CLPAC_OK);
		} else {
			ck_assert_int_eq(st, CLPAC_ERROR_NO_DEVICE_MEMORY);
			ck_assert_uint_eq(device.n_calls_of[SIMULATED_COPY], 0);
		}
		check_contents(parts);
		check_truth(pool, &device);
		clpac_buffer_release(large);
		clpac_buffer_release_batch(parts, N_PARTS);
		end(pool, &device);
	}
}

TEST(a_move_that_fails_on_the_ladder_loses_nothing)
{
	static const enum simulated_call calls[] = {SIMULATED_CREATE_PART, SIMULATED_COPY, SIMULATED_FINISH};
	for (int i = 0; i < 3; i++) {
		simulated_device device;
		clpac_buffer *parts[N_PARTS], *large = NULL;
		clpac_pool *pool = open_pool(&device, 192 * KIB,
					     &(clpac_pool_options){.cache = {.blocks = CLPAC_BLOCKS_SEGMENTS,
									     .max_segment_bytes = 64 * KIB,
									     .preallocate_bytes = 192 * KIB},
								   .may_move = true});
		for (int k = 0; k < N_PARTS; k++) {
			parts[k] = take(pool, PART);
			ck_assert_int_eq(clpac_buffer_fill(parts[k], 0, PART, (uint8_t)k, NULL), CLPAC_OK);
		}
		for (int k = 0; k < N_PARTS; k += 2) {
			clpac_buffer_release(parts[k]);
			parts[k] = NULL;
		}
		simulated_fail_from(&device, 1, calls[i], CLPAC_ERROR_DEVICE, -5);
		ck_assert_int_ne(clpac_pool_allocate(pool, 8 * KIB, "large", &large, NULL), CLPAC_OK);
		simulated_fail(&device, 0, SIMULATED_ANY, CLPAC_OK, 0);
		check_contents(parts);
		check_truth(pool, &device);
		large = take(pool, 8 * KIB);
		check_contents(parts);
		clpac_buffer_release(large);
		clpac_buffer_release_batch(parts, N_PARTS);
		end(pool, &device);
	}
}
