/* Numbers from a counter-based generator, four at a time. */
#include "coupling/signal/draws.h"

#include <Random123/philox.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void clpac__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
	philox4x32_key_t k = {{key[0], key[1]}};
	c = philox4x32_R(10, c, k);
	for (int i = 0; i < 4; i++)
		out[i] = c.v[i];
}

clpac__draws clpac__draws_begin(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k)
{
	return (clpac__draws){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .counter = {k, channel, segment, 0}};
}

uint32_t clpac__draws_word(clpac__draws *draws)
{
	if (!draws->n_left) {
		clpac__philox(draws->counter, draws->key, draws->words);
		draws->counter[3]++; /* numbers the blocks of four words */
		draws->n_left = 4;
	}
	return draws->words[4 - draws->n_left--];
}

/* The next number, uniform on [0, range), range >= 1, without the bias of a remainder (Lemire 2019, ACM TOMACS 29:3:
 * multiply, and reject the few that would be too many). */
static uint32_t draws_below(clpac__draws *draws, uint32_t range)
{
	const uint32_t excess = (0u - range) % range; /* 2^32 modulo range */
	for (;;) {
		const uint64_t product = (uint64_t)clpac__draws_word(draws) * range;
		if ((uint32_t)product >= excess)
			return (uint32_t)(product >> 32);
	}
}

/* --- Circular shifts -------------------------------------------------------------------------- */

/* Uniform integer shifts. */

clpac_status clpac__draw_shifts(uint64_t seed, size_t channel, size_t segment, size_t first, size_t n, size_t n_samples,
				size_t min_shift, uint32_t *out, clpac_error *err)
{
	if (channel > UINT32_MAX || segment > UINT32_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "random shifts of channel %zu, segment %zu: both numbers must be at most %u",
				   channel, segment, UINT32_MAX);
	if (!min_shift)
		min_shift = 1;
	if (n_samples >= UINT32_MAX)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%zu samples are too many to shift: give at most %u",
				   n_samples, UINT32_MAX - 1);
	if (min_shift > n_samples / 2)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "min_shift is %zu samples and the series has %zu: "
				   "no shift lies in [min_shift, %zu - min_shift]; give at most %zu",
				   min_shift, n_samples, n_samples, n_samples / 2);
	if (n > UINT32_MAX || first > UINT32_MAX - n)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "shifts %zu to %zu + %zu are too many: a series has at most %u", first, first, n,
				   UINT32_MAX);
	const uint32_t range = (uint32_t)(n_samples - 2 * min_shift + 1);
	for (size_t i = 0; i < n; i++) {
		clpac__draws draws =
			clpac__draws_begin(seed, (uint32_t)channel, (uint32_t)segment, (uint32_t)(first + i));
		out[i] = (uint32_t)min_shift + draws_below(&draws, range);
	}
	return CLPAC_OK;
}

/* --- Rearrangements --------------------------------------------------------------------------- */

/* Blocks and segments in random order. */

/* Inserts a value into an ascending list of n; false if it is there. */
static bool insert(clpac__time_block *list, uint32_t n, uint32_t value)
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
			uint32_t n_blocks, clpac__time_block *out)
{
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	/* Floyd's choice of n places among all (Bentley & Floyd 1987, Commun ACM 30:754): the newest place, where the
	 * one that was drawn is taken. */
	for (uint32_t i = 0; i < n_blocks; i++) {
		const uint32_t newest = n_samples - n_blocks + i;
		if (!insert(out, i, draws_below(&draws, newest + 1)))
			insert(out, i, newest);
	}
	/* `to` holds the blocks' lengths while they change places. */
	for (uint32_t i = 0; i < n_blocks; i++)
		out[i].to = (i + 1 < n_blocks ? out[i + 1].from : out[0].from + n_samples) - out[i].from;
	for (uint32_t i = n_blocks; i > 1; i--) {
		const uint32_t other = draws_below(&draws, i);
		const clpac__time_block moved = out[i - 1];
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
			       const clpac_window *windows, uint32_t n, uint32_t min_shift, clpac__time_block *out)
{
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	uint32_t place = 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t length = (uint32_t)windows[i].n_samples;
		const uint32_t shift = min_shift + draws_below(&draws, length - 2 * min_shift + 1);
		out[2 * i] = (clpac__time_block){place + shift, place};
		out[2 * i + 1] = (clpac__time_block){place, place + length - shift};
		place += length;
	}
}

void clpac__draw_window_order(uint64_t seed, uint32_t channel, uint32_t segment, uint32_t k, uint32_t n_samples,
			      uint32_t n, clpac__time_block *out)
{
	clpac__draws draws = clpac__draws_begin(seed, channel, segment, k);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (clpac__time_block){i * n_samples, i * n_samples};
	for (uint32_t i = n; i > 1; i--) {
		const uint32_t other = draws_below(&draws, i), moved = out[i - 1].from;
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
	FREE_ALL(by_number, by_draw);
	return st;
}

/* --- Permutations of subjects ----------------------------------------------------------------- */

/* Permutation number k, without those before it: all of them by their rank, or drawn by their number. */

/* n over k, or most + 1 where it is more than `most`, below 2^32. */
static uint64_t binomial(size_t n, size_t k, uint64_t most)
{
	uint64_t value = 1;
	if (k > n)
		return 0;
	k = k < n - k ? k : n - k;
	for (size_t i = 1; i <= k; i++) {
		/* n - k + i is at most 2^32 wherever value has not gone beyond `most` already: value grows with it. */
		if (n - k + i > most)
			return most + 1;
		value = value * (n - k + i) / i;
		if (value > most)
			return most + 1;
	}
	return value;
}

static uint64_t count_all(bool are_labels, size_t n_first, size_t n, uint64_t most)
{
	if (are_labels)
		return binomial(n, n_first, most);
	return n < 32 && UINT64_C(1) << n <= most ? UINT64_C(1) << n : most + 1;
}

clpac__permutations clpac__permutations_choose(bool are_labels, size_t n_first, size_t n, uint64_t wanted,
					       uint64_t seed)
{
	const uint64_t all = count_all(are_labels, n_first, n, wanted);
	return (clpac__permutations){
		.are_labels = are_labels,
		.n_first = n_first,
		.n = n,
		.n_choices = all <= wanted ? all : wanted,
		.is_exact = all <= wanted,
		.seed = seed,
	};
}

/* The k-th choice of n_first among n in the order of their numbers; the first one takes the first n_first. */
static void choose_by_rank(const clpac__permutations *permutations, uint64_t k, double *weights)
{
	size_t left = permutations->n_first;
	for (size_t i = 0; i < permutations->n; i++) {
		/* Choices of the rest with subject i among them come first. */
		const uint64_t with = left ? binomial(permutations->n - i - 1, left - 1, UINT32_MAX) : 0;
		const bool is_chosen = k < with;
		weights[i] = is_chosen;
		left -= is_chosen;
		k -= is_chosen ? 0 : with;
	}
}

/* Shuffles the labels (Fisher & Yates). */
static void draw_labels(clpac__draws *draws, size_t n_first, size_t n, double *weights)
{
	for (size_t i = 0; i < n; i++)
		weights[i] = i < n_first;
	for (size_t i = n - 1; i > 0; i--) {
		const size_t other = draws_below(draws, (uint32_t)(i + 1));
		const double moved = weights[i];
		weights[i] = weights[other];
		weights[other] = moved;
	}
}

void clpac__permutation(const clpac__permutations *permutations, uint64_t k, double *weights)
{
	clpac__draws draws = clpac__draws_begin(permutations->seed, 0, 0, (uint32_t)k);
	uint32_t word = 0;
	if (permutations->are_labels && (permutations->is_exact || !k)) {
		choose_by_rank(permutations, k, weights);
	} else if (permutations->are_labels) {
		draw_labels(&draws, permutations->n_first, permutations->n, weights);
	} else {
		for (size_t i = 0; i < permutations->n; i++) {
			const bool is_drawn = !permutations->is_exact && k;
			if (i % 32 == 0)
				word = is_drawn ? clpac__draws_word(&draws) : i ? 0 : (uint32_t)k;
			weights[i] = word >> i % 32 & 1 ? -1 : 1;
		}
	}
}

void clpac__draw_members(uint64_t seed, uint64_t k, const uint32_t *n_of, size_t n, uint32_t *out)
{
	clpac__draws draws = clpac__draws_begin(seed, 0, 0, (uint32_t)k);
	for (size_t i = 0; i < n; i++)
		out[i] = k ? draws_below(&draws, n_of[i]) : 0;
}
