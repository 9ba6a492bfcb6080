/* Permutation number k, without those before it: all of them by their rank, or drawn by their number. */
#include "coupling/signal/permutations.h"

#include "coupling/signal/draws.h"

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
		const size_t other = clpac__draws_below(draws, (uint32_t)(i + 1));
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
