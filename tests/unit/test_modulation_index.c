/* The modulation index in double: closed forms, laws, and distributions without an index. */
#include "runner.h"
#include "assertions.h"
#include <stdlib.h>
#include "oracle.h"
#include "coupling/signal/modulation_index.h"
#include "vectors.h"

static const double pi = 3.14159265358979323846;

/* Bin means of 1 + k cos(phi) with phi uniform and continuous. */
static void cosine_means(double k, unsigned n, double *means)
{
	for (unsigned j = 0; j < n; j++) {
		double a = -pi + 2 * pi * j / n, b = -pi + 2 * pi * (j + 1) / n;
		means[j] = 1 + k * (sin(b) - sin(a)) / (b - a);
	}
}

TEST(a_cosine_has_its_closed_form)
{
	vectors *file = vectors_load("closed_form.json");
	const vectors *cases = vectors_get(file, "cosine");
	ck_assert_uint_eq(vectors_count(cases), 15);
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i);
		unsigned n = (unsigned)vectors_number(one, "bins");
		double means[CLPAC_MAX_BINS];
		cosine_means(vectors_number(one, "k"), n, means);
		/* The computed value has the rounding of n terms of order 1 in "1 + sum q ln q / ln N". */
		assert_close(clpac__modulation_index_of_distribution(means, n), vectors_number(one, "mi"),
			     4 * n * 0x1p-52);
	}
	vectors_free(file);
}

TEST(equal_amplitude_in_some_bins_has_its_closed_form)
{
	vectors *file = vectors_load("closed_form.json");
	const vectors *cases = vectors_get(file, "equal_over_m_of_n_bins");
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i);
		unsigned n = (unsigned)vectors_number(one, "bins"), m = (unsigned)vectors_number(one, "m");
		double means[CLPAC_MAX_BINS] = {0};
		for (unsigned j = 0; j < m; j++)
			means[(7 * j) % n] = 3.25;
		assert_close(clpac__modulation_index_of_distribution(means, n), vectors_number(one, "mi"),
			     4 * n * 0x1p-52);
		assert_close(clpac__modulation_index_of_distribution(means, n), 1 - log(m) / log(n), 4 * n * 0x1p-52);
	}
	vectors_free(file);
}

TEST(a_small_index_keeps_its_digits)
{
	/* For small k: MI = sum d^2/2 / (N ln N) = k^2/4 s^2 / ln N, s = sin(pi/N) / (pi/N); the next order is k^2
	 * times that. */
	for (double k = 1e-1; k > 1e-7; k /= 10) {
		double means[18], s = sin(pi / 18) / (pi / 18);
		cosine_means(k, 18, means);
		double mi = clpac__modulation_index_of_distribution(means, 18), wanted = k * k / 4 * s * s / log(18);
		/* The means carry k in their last digits: epsilon / k each. */
		assert_close(mi / wanted, 1, k * k + 8 * 0x1p-52 / k);
	}
}

TEST(the_entropy_term_is_exact_to_a_few_roundings)
{
	for (double d = 1e-300; d < 200; d *= 1.0173) {
		for (int sign = -1; sign <= 1; sign += 2) {
			double value = sign * d;
			if (value < -1)
				continue;
			/* Long double loses 2^-63 / d of its digits; below 1e-4 two terms of the series are exact to
			 * d^2. */
			oracle_real x = value, wanted;
			if (d < 1e-4)
				wanted = x * x * (0.5L - x * (1 / 6.0L - x * (1 / 12.0L - x / 20.0L)));
			else
				wanted = (1 + x) * log1pl(x) - x;
			double relative = d < 1e-4 ? 1e-15 : d < 0.1 ? 1e-14 : 5e-14;
			assert_close(clpac__entropy_term(value), wanted, fmaxl(relative * wanted, 5e-324L));
		}
	}
	ck_assert(clpac__entropy_term(0) == 0);
	ck_assert(clpac__entropy_term(-1) == 1);
	/* Both branches agree where they meet. */
	assert_close(clpac__entropy_term(nextafter(0.1, 0)), clpac__entropy_term(0.1), 1e-15);
}

/* The deviation d is off by n epsilon, which shifts a term by ln(1 + d) times that: at most ln n above the mean, and 42
 * below it, as amplitudes here differ by up to 2^60. The sum is divided by n ln n. */
static double tolerance_of(unsigned n)
{
	return (4 * n + 42 / log(n)) * 0x1p-52;
}

static void random_distribution(unsigned long long *state, double *means, unsigned n)
{
	int kind = (int)random_below(state, 4);
	for (unsigned j = 0; j < n; j++) {
		double u = random_unit(state);
		means[j] = kind == 0   ? u
			   : kind == 1 ? 1 + 1e-6 * u
			   : kind == 2 ? (u < 0.8 ? 0 : u)
				       : ldexp(u, (int)(u * 60) - 30);
	}
	means[random_below(state, n)] += 0.5;
}

TEST(the_index_lies_between_zero_and_one)
{
	unsigned long long state = 8;
	for (int trial = 0; trial < 20000; trial++) {
		double means[CLPAC_MAX_BINS];
		unsigned n = 2 + (unsigned)random_below(&state, 127);
		random_distribution(&state, means, n);
		double mi = clpac__modulation_index_of_distribution(means, n);
		ck_assert_msg(mi >= 0 && mi <= 1, "%.17g", mi);
	}
	for (unsigned n = 2; n <= CLPAC_MAX_BINS; n++) {
		double means[CLPAC_MAX_BINS] = {0};
		means[n / 2] = 0.3;
		double mi = clpac__modulation_index_of_distribution(means, n);
		ck_assert(mi <= 1);
		assert_close(mi, 1, n * 0x1p-52);
		for (unsigned j = 0; j < n; j++)
			means[j] = 0.3;
		/* Equal amplitudes: the mean is off by n roundings, and the index is quadratic in that. */
		assert_close(clpac__modulation_index_of_distribution(means, n), 0, pow(n * 0x1p-52, 2));
	}
}

TEST(the_index_equals_the_definition)
{
	unsigned long long state = 9;
	for (int trial = 0; trial < 2000; trial++) {
		double means[CLPAC_MAX_BINS];
		oracle_real same[CLPAC_MAX_BINS];
		unsigned n = 2 + (unsigned)random_below(&state, 127);
		random_distribution(&state, means, n);
		for (unsigned j = 0; j < n; j++)
			same[j] = means[j];
		assert_close(clpac__modulation_index_of_distribution(means, n), oracle_index_of_distribution(same, n),
			     tolerance_of(n));
	}
}

TEST(a_scale_of_the_amplitude_changes_nothing)
{
	unsigned long long state = 10;
	for (int trial = 0; trial < 2000; trial++) {
		double means[CLPAC_MAX_BINS], scaled[CLPAC_MAX_BINS];
		unsigned n = 2 + (unsigned)random_below(&state, 127);
		random_distribution(&state, means, n);
		double mi = clpac__modulation_index_of_distribution(means, n);
		for (unsigned j = 0; j < n; j++)
			scaled[j] = ldexp(means[j], 37);
		ck_assert(clpac__modulation_index_of_distribution(scaled, n) == mi);
		for (unsigned j = 0; j < n; j++)
			scaled[j] = means[j] * 0.0123;
		assert_close(clpac__modulation_index_of_distribution(scaled, n), mi, tolerance_of(n));
	}
}

TEST(what_has_no_index_gives_nan)
{
	const struct {
		double means[4];
		bool has_index;
	} cases[] = {
		{{0, 0, 0, 0}, false},	{{0, NAN, 0, 0}, false}, {{0, INFINITY, 0, 0}, false},
		{{1, -1, 0, 0}, false}, {{0, 1, 0, 0}, true},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_int_eq(!isnan(clpac__modulation_index_of_distribution(cases[i].means, 4)),
				 cases[i].has_index);
}

const char *skip_reason(void)
{
	return vectors_missing();
}
