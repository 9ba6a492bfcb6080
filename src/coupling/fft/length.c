/* Lengths that suit a mixed-radix transform: products of small primes, here always multiples of 16. */
#include "coupling/fft/engine.h"

enum { MULTIPLE = 16 };

/* Tries every product of powers of the odd primes, doubled until it reaches the target: at most about 10^4 products for
 * 13 and a target of 2^60, a few dozen for usual lengths. */
static void search(size_t target, const unsigned *primes, size_t n_primes, size_t product, size_t *best)
{
	if (n_primes == 0) {
		while (product < target) {
			if (product > SIZE_MAX / (2 * MULTIPLE))
				return;
			product *= 2;
		}
		if (product < *best)
			*best = product;
		return;
	}
	for (;;) {
		search(target, primes + 1, n_primes - 1, product, best);
		if (product >= *best || product > SIZE_MAX / MULTIPLE / *primes)
			return;
		product *= *primes;
	}
}

size_t clpac__good_length(size_t n, unsigned largest)
{
	static const unsigned odd_primes[] = {13, 11, 7, 5, 3};
	enum { N_PRIMES = sizeof odd_primes / sizeof *odd_primes };
	size_t first = 0;
	while (first < N_PRIMES && odd_primes[first] > largest)
		first++;
	size_t target = n / MULTIPLE + (n % MULTIPLE != 0);
	size_t best = SIZE_MAX;
	search(target ? target : 1, odd_primes + first, N_PRIMES - first, 1, &best);
	return best == SIZE_MAX ? 0 : best * MULTIPLE;
}

double clpac__fft_cost(const clpac__fft_engine *engine, const clpac__queue *queue, size_t length)
{
	return engine->cost ? engine->cost(queue, length) : (double)length;
}
