/* Blocks and segments in random order. */
#include "coupling/signal/rearranged.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coupling/signal/draws.h"

/* Inserts a value into an ascending list of n; false if it is there. */
static bool insert(clpac__block *list, uint32_t n, uint32_t value)
{
	uint32_t at = n;
	while (at && list[at - 1].from > value)
		at--;
	if (at && list[at - 1].from == value)
		return false;
	memmove(list + at + 1, list + at, (n - at) * sizeof *list);
	list[at].from = value;
	return true;
}

void clpac__draw_blocks(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			uint32_t n_blocks, clpac__block *out)
{
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	/* Floyd's choice of n places among all (Bentley & Floyd 1987, Commun ACM 30:754): the newest place, where the
	 * one that was drawn is taken. */
	for (uint32_t i = 0; i < n_blocks; i++) {
		const uint32_t newest = n_samples - n_blocks + i;
		if (!insert(out, i, clpac__draws_below(&draws, newest + 1)))
			insert(out, i, newest);
	}
	/* `to` holds the blocks' lengths while they change places. */
	for (uint32_t i = 0; i < n_blocks; i++)
		out[i].to = (i + 1 < n_blocks ? out[i + 1].from : out[0].from + n_samples) - out[i].from;
	for (uint32_t i = n_blocks; i > 1; i--) {
		const uint32_t other = clpac__draws_below(&draws, i);
		const clpac__block moved = out[i - 1];
		out[i - 1] = out[other];
		out[other] = moved;
	}
	for (uint32_t i = 0, to = 0; i < n_blocks; i++) {
		const uint32_t length = out[i].to;
		out[i].to = to;
		to += length;
	}
}

void clpac__draw_window_shifts(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k,
			       const clpac_window *windows, uint32_t n, uint32_t min_shift, clpac__block *out)
{
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	uint32_t place = 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t length = (uint32_t)windows[i].n_samples;
		const uint32_t shift = min_shift + clpac__draws_below(&draws, length - 2 * min_shift + 1);
		out[2 * i] = (clpac__block){place + shift, place};
		out[2 * i + 1] = (clpac__block){place, place + length - shift};
		place += length;
	}
}

void clpac__draw_window_order(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			      uint32_t n, clpac__block *out)
{
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (clpac__block){i * n_samples, i * n_samples};
	for (uint32_t i = n; i > 1; i--) {
		const uint32_t other = clpac__draws_below(&draws, i), moved = out[i - 1].from;
		out[i - 1].from = out[other].from;
		out[other].from = moved;
	}
}

/* A segment with what it is sorted by; those alike keep their order. */
typedef struct drawn {
	uint64_t key;
	uint32_t place;
} drawn;

static int by_key(const void *a, const void *b)
{
	const drawn *x = a, *y = b;
	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->place > y->place) - (x->place < y->place);
}

clpac_status clpac__draw_order(uint64_t seed, uint32_t channel, const size_t *numbers, size_t n, uint32_t k,
			       uint32_t *order, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	drawn *by_number = clpac__alloc_array(n, sizeof *by_number), *by_draw = clpac__alloc_array(n, sizeof *by_draw);
	if (!by_number || !by_draw)
		FAIL_NO_MEMORY(2 * n * sizeof *by_number);
	for (size_t i = 0; i < n; i++) {
		const uint32_t number = numbers ? (uint32_t)numbers[i] : (uint32_t)i;
		clpac__draws draws = clpac__draws_begin(seed, channel, number, k);
		const uint64_t high = clpac__draws_word(&draws);
		by_number[i] = (drawn){number, (uint32_t)i};
		by_draw[i] = (drawn){high << 32 | clpac__draws_word(&draws), (uint32_t)i};
	}
	qsort(by_number, n, sizeof *by_number, by_key);
	qsort(by_draw, n, sizeof *by_draw, by_key);
	for (size_t i = 0; i < n; i++)
		order[by_number[i].place] = by_draw[i].place;
done:
	clpac__free(by_number);
	clpac__free(by_draw);
	return st;
}
