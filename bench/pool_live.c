/* S14, S15: the loads of other applications, and the host's memory that a live buffer takes. */
#include "bench/pool_bench.h"

#include <clpac/memory/buffer.h>
#include <clpac/memory/offsets.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t mebibyte = 1 << 20;

/* --- S14 -------------------------------------------------------------------------------------- */

/* Buffers of random sizes from 1000 bytes on, each in the place of the oldest of n_live.  The clock runs in the second
 * half. */
static struct trace trace_few(size_t n_live, size_t most, size_t n_operations)
{
	struct trace t = {0};
	uint64_t seed = 14;
	size_t *bytes = get_memory(n_live, sizeof *bytes);
	for (size_t i = 0; i < n_operations; i++) {
		const size_t slot = i % n_live;
		if (i == n_operations / 2)
			trace_add(&t, MARK, 0, 0);
		if (i >= n_live)
			trace_add(&t, GIVE, slot, bytes[slot]);
		bytes[slot] = 1000 + (size_t)(next_random(&seed) % (most - 1000));
		trace_add(&t, TAKE, slot, bytes[slot]);
	}
	trace_add(&t, MARK, 0, 0);
	trace_end(&t);
	free(bytes);
	return t;
}

/* Large buffers fill the budget and go; then comes the same small one again and again. */
static struct trace trace_after_full(size_t large, size_t n_large, size_t small, size_t n_pairs)
{
	struct trace t = {0};
	for (size_t i = 0; i < n_large; i++)
		trace_add(&t, TAKE, i, large);
	for (size_t i = 0; i < n_large; i++)
		trace_add(&t, GIVE, i, large);
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 0; i < n_pairs; i++) {
		trace_add(&t, TAKE, 0, small);
		trace_add(&t, GIVE, 0, small);
	}
	trace_add(&t, MARK, 0, 0);
	trace_end(&t);
	return t;
}

/* Weights that stay fill most of the budget, beside eight activations of one size that come and go. */
static struct trace trace_beside_weights(size_t weight, size_t n_weights, size_t activation, size_t n_pairs)
{
	enum { N_LIVE = 8 };
	struct trace t = {0};
	for (size_t i = 0; i < n_weights; i++)
		trace_add(&t, TAKE, i, weight);
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 0; i < n_pairs; i++) {
		const size_t slot = n_weights + i % N_LIVE;
		if (i >= N_LIVE)
			trace_add(&t, GIVE, slot, activation);
		trace_add(&t, TAKE, slot, activation);
	}
	trace_add(&t, MARK, 0, 0);
	trace_end(&t);
	return t;
}

static void contest_of(const bench *b, const char *what, const struct trace *t, uint64_t budget)
{
	static const char *const baselines[] = {"raw", "mutex"};
	for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++) {
		line l;
		const contest c = {"S14", what, baselines[k], L0, t, {.budget = {.bytes = budget}}, .wanted = NAN};
		if (!contest_run(b, &c, &l))
			continue;
		line_print(b, &l);
		if (k)
			continue;
		line hits = line_make("S14", what, L0, "hits once warm");
		hits.found = l.hit_rate;
		hits.wanted = 0.95;
		line_print(b, &hits);
	}
}

void scenario_few(const bench *b)
{
	static const size_t n_live[] = {4, 16, 64}, most[] = {40000, 1000000, 4000000};
	const size_t n = b->is_quick ? 5000 : 100000;
	for (size_t m = 0; m < sizeof most / sizeof *most; m++)
		for (size_t i = 0; i < sizeof n_live / sizeof *n_live; i++) {
			char what[48];
			snprintf(what, sizeof what, "%zu live, to %zu KB", n_live[i], most[m] / 1000);
			struct trace t = trace_few(n_live[i], most[m], n);
			contest_of(b, what, &t, 0);
			trace_free(&t);
		}
	struct trace full = trace_after_full(2 * mebibyte, 32, 10000, n);
	contest_of(b, "10 KB after 32 x 2 MiB in 64 MiB", &full, 64 * mebibyte);
	trace_free(&full);
	struct trace weights = trace_beside_weights(8 * mebibyte, 115, 100000, n);
	contest_of(b, "100 KB beside 920 MiB in 1 GiB", &weights, 1024 * mebibyte);
	trace_free(&weights);
}

/* --- S15 -------------------------------------------------------------------------------------- */

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
static size_t heap_bytes(void)
{
	return mallinfo2().uordblks; /* what is mapped, as the device's memory is, counts elsewhere */
}

static size_t mapped_bytes(void)
{
	return mallinfo2().hblkhd;
}

static void print_heap(const bench *b, const char *what, const char *of, size_t bytes, size_t n, double wanted)
{
	line l = line_make("S15", what, L0, of);
	l.found = round((double)bytes / (double)n); /* what the pool has once is no part of a buffer */
	l.wanted = wanted;
	l.is_at_most = true;
	line_print(b, &l);
}

enum { LIVE_BYTES = 25 };

/* Bytes of the host for each of many small pieces of one buffer: the records of clpac_offsets, however malloc obtained
 * them, and what the caller keeps of each. */
static void measure_sharing(const bench *b, size_t n)
{
	enum { UNIT = 32 };
	clpac_error err;
	clpac_pool *pool;
	clpac_buffer *shared;
	clpac_offsets *offsets;
	clpac_piece *held = get_memory(n, sizeof *held);
	end_if(clpac_pool_create(b->context, NULL, &pool, &err), &err);
	end_if(clpac_pool_allocate(pool, n * UNIT, "shared", &shared, &err), &err);
	const size_t before = heap_bytes() + mapped_bytes();
	end_if(clpac_offsets_create(n, &offsets, &err), &err);
	for (size_t i = 0; i < n; i++)
		if (!clpac_offsets_take(offsets, (LIVE_BYTES + UNIT - 1) / UNIT, 1, &held[i]))
			end("a piece of the shared buffer was refused");
	const size_t bytes = heap_bytes() + mapped_bytes() - before;
	print_heap(b, "500000 pieces of one buffer", "bytes of the host", bytes + n * sizeof *held, n, 79);
	clpac_offsets_destroy(offsets);
	clpac_buffer_release(shared);
	clpac_pool_destroy(pool);
	free(held);
}

/* Bytes of the heap for each of many live buffers, and once each of them was written.  Only where it is asked for
 * alone: the device's memory and tables of the pool, which are mapped otherwise, also fill what other scenarios left
 * free in the heap, and count there. */
void scenario_live(const bench *b)
{
	enum { BYTES = LIVE_BYTES };
	static const char *const what = "500000 live, 25 bytes";
	const size_t n = b->is_quick ? 5000 : 500000;
	if (!b->only || strcmp(b->only, "S15") != 0)
		return;
	const char source[BYTES] = "twenty-five bytes of text";
	clpac_error err;
	clpac_pool *pool;
	clpac_buffer **held = get_memory(n, sizeof *held);
	end_if(clpac_pool_create(b->context, NULL, &pool, &err), &err);
	const size_t before = heap_bytes();
	for (size_t i = 0; i < n; i++)
		end_if(clpac_pool_allocate(pool, BYTES, "", &held[i], &err), &err);
	print_heap(b, what, "bytes of the heap", heap_bytes() - before, n, 192);
	for (size_t i = 0; i < n; i++)
		end_if(clpac_buffer_write(held[i], 0, BYTES, source, &err), &err);
	print_heap(b, what, "bytes of the heap, written", heap_bytes() - before, n, NAN);
	for (size_t i = 0; i < n; i++)
		clpac_buffer_release(held[i]);
	clpac_pool_destroy(pool);
	free(held);
	measure_sharing(b, n);
}
#else
void scenario_live(const bench *b)
{
	(void)b;
}
#endif
