/* Permutations of subjects by their number, and Student's t. */
#include "runner.h"
#include "assertions.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/statistics.h"

#include <clpac/group.h>

static const char *text_of(const double *weights, size_t n, char *text)
{
	for (size_t i = 0; i < n; i++)
		text[i] = weights[i] > 0 ? '+' : '-';
	text[n] = 0;
	return text;
}

/* All of them are different, as many as there are, and the first leaves everything as it is. */
static void assert_complete(bool are_labels, size_t n_first, size_t n, size_t wanted)
{
	static char texts[1024][16];
	double weights[16];
	const clpac__permutations all = clpac__permutations_choose(are_labels, n_first, n, 1024, 7);
	ck_assert(all.is_exact);
	ck_assert_uint_eq(all.n_choices, wanted);
	for (size_t k = 0; k < wanted; k++) {
		size_t n_first_there = 0;
		clpac__permutation(&all, k, weights);
		for (size_t i = 0; i < n; i++) {
			ck_assert(weights[i] == 1 || weights[i] == (are_labels ? 0 : -1));
			n_first_there += weights[i] == 1;
			if (k == 0)
				ck_assert(weights[i] == (!are_labels || i < n_first));
		}
		if (are_labels)
			ck_assert_uint_eq(n_first_there, n_first);
		text_of(weights, n, texts[k]);
		for (size_t other = 0; other < k; other++)
			ck_assert_str_ne(texts[k], texts[other]);
	}
}

TEST(all_permutations_come_once)
{
	assert_complete(false, 2, 2, 4);
	assert_complete(false, 10, 10, 1024);
	assert_complete(true, 2, 4, 6);
	assert_complete(true, 3, 7, 35);
	assert_complete(true, 5, 10, 252);
	assert_complete(true, 9, 11, 55);
}

TEST(permutations_are_drawn_where_there_are_too_many)
{
	bool is_exact;
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_ONE_SAMPLE, 13, 0, 0, &is_exact), 8192);
	ck_assert(is_exact);
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_PAIRED, 14, 14, 0, &is_exact), 10000);
	ck_assert(!is_exact);
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_PAIRED, 14, 14, 16384, &is_exact), 16384);
	ck_assert(is_exact);
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_TWO_SAMPLE, 8, 8, 12869, &is_exact), 12869);
	ck_assert(!is_exact);
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_TWO_SAMPLE, 8, 8, 12870, NULL), 12870);
	/* Binomials and powers far beyond 2^64. */
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_TWO_SAMPLE, 5000, 5000, 100, &is_exact), 100);
	ck_assert(!is_exact);
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_ONE_SAMPLE, 4000000000, 0, 100, &is_exact), 100);
	ck_assert(!is_exact);
	ck_assert_uint_eq(clpac_group_permutations(CLPAC_TWO_SAMPLE, 2, 92680, UINT32_MAX - 1, &is_exact), 4294930221);
	ck_assert(is_exact);
}

/* Drawn ones depend on seed and number alone, keep the groups' sizes, and take each subject as often as chance does:
 * of n draws with probability q within 4 deviations, sqrt(n q (1 - q)). */
static void assert_drawn(bool are_labels, size_t n_first, size_t n)
{
	enum { DRAWS = 4000 };
	size_t taken[64] = {0};
	double weights[64], again[64], other[64];
	size_t n_same = 0;
	const clpac__permutations drawn = clpac__permutations_choose(are_labels, n_first, n, DRAWS + 1, 5);
	const clpac__permutations seeded = clpac__permutations_choose(are_labels, n_first, n, DRAWS + 1, 6);
	ck_assert(!drawn.is_exact);
	for (size_t k = 1; k <= DRAWS; k++) {
		size_t n_there = 0;
		clpac__permutation(&drawn, k, weights);
		clpac__permutation(&drawn, k, again);
		clpac__permutation(&seeded, k, other);
		ck_assert_mem_eq(weights, again, n * sizeof *weights);
		n_same += memcmp(weights, other, n * sizeof *weights) == 0;
		for (size_t i = 0; i < n; i++) {
			n_there += weights[i] == 1;
			taken[i] += weights[i] == 1;
		}
		if (are_labels)
			ck_assert_uint_eq(n_there, n_first);
	}
	ck_assert_uint_le(n_same, 2);
	const double share = are_labels ? (double)n_first / (double)n : 0.5;
	for (size_t i = 0; i < n; i++)
		assert_close((double)taken[i], share * DRAWS, 4 * sqrt(DRAWS * share * (1 - share)));
	clpac__permutation(&drawn, 0, weights);
	for (size_t i = 0; i < n; i++)
		ck_assert(weights[i] == (!are_labels || i < n_first));
}

TEST(drawn_permutations_are_fair)
{
	assert_drawn(false, 40, 40);
	assert_drawn(true, 12, 30);
}

/* Two-sided 5 %, as tables have it (Abramowitz & Stegun 1964, table 26.10, with further digits), to half of the last
 * digit. */
TEST(t_has_the_quantiles_of_tables)
{
	static const struct {
		size_t degrees;
		double t;
	} rows[] = {{1, 12.70620474}, {2, 4.302652730},	 {3, 3.182446305},  {4, 2.776445105},
		    {5, 2.570581836}, {10, 2.228138852}, {30, 2.042272456}, {100, 1.983971519}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_close(clpac__student_deviate(0.025, rows[i].degrees), rows[i].t, 6e-9);
		assert_close(clpac__student_tail(rows[i].t, rows[i].degrees), 0.025, 1e-9);
		assert_close(clpac__student_tail(-rows[i].t, rows[i].degrees), 0.975, 1e-9);
		const double r = clpac__correlation_of_t(rows[i].t, rows[i].degrees);
		assert_close(clpac__t_of_correlation(r, rows[i].degrees), rows[i].t, 1e-12 * rows[i].t);
	}
	ck_assert(clpac__student_tail(0, 3) == 0.5);
}

/* The tail falls by the density, (1 + t^2/v)^(-(v + 1)/2) Gamma((v + 1)/2) / (sqrt(v pi) Gamma(v/2)): Simpson's rule
 * over 0.01 is off by 1e-2^5/2880 times its fourth derivative, which is below 10. */
TEST(t_has_its_density)
{
	for (size_t v = 1; v <= 40; v++)
		for (double t = 0; t < 4; t += 0.5) {
			const double n = (double)v, step = 0.01, at[] = {t, t + step / 2, t + step};
			double densities[3];
			for (int i = 0; i < 3; i++)
				densities[i] = exp(lgamma((n + 1) / 2) - lgamma(n / 2) -
						   (n + 1) / 2 * log1p(at[i] * at[i] / n)) /
					       sqrt(n * 3.14159265358979323846);
			const double area = step / 6 * (densities[0] + 4 * densities[1] + densities[2]);
			assert_close(clpac__student_tail(t, v) - clpac__student_tail(t + step, v), area, 1e-12);
		}
}
