/* Clusters of a map on the host: labels, limits, neighbours, and p that is exact. */
#include "runner.h"
#include "assertions.h"
#include "clusters_truth.h"
#include "random.h"
#include "shared/clusters.h"
#include "coupling/signal/clusters.h"
#include "coupling/signal/statistics.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 * 40 };

/* Standardized statistics are eighths, whose sums are exact in any order. */
static void check_labels(const float *standardized, const uint32_t *links, size_t n_phase, size_t n_amplitude)
{
	static uint32_t words[MOST];
	static double exact[MOST];
	static bool left[MOST], up[MOST];
	double heaviest = 0;
	for (size_t cell = 0; cell < n_phase * n_amplitude; cell++) {
		exact[cell] = standardized[cell];
		left[cell] = links[cell] & CLPAC_LINK_LEFT;
		up[cell] = links[cell] & CLPAC_LINK_UP;
	}
	const float got = clpac__label_clusters(standardized, links, n_phase, n_amplitude, words);
	for (size_t cell = 0; cell < n_phase * n_amplitude; cell++) {
		bool seen[MOST] = {false};
		const double mass = exact[cell] > 0 ? flood(exact, left, up, n_phase, n_amplitude, cell, seen) : 0;
		ck_assert_msg(clpac__cluster_mass(words, cell) == mass, "cell %zu of %zu x %zu: %g and not %g", cell,
			      n_phase, n_amplitude, clpac__cluster_mass(words, cell), mass);
		heaviest = fmax(heaviest, mass);
	}
	ck_assert(got == heaviest);
}

static void link_all(uint32_t *links, size_t n_phase, size_t n_amplitude)
{
	for (size_t cell = 0; cell < n_phase * n_amplitude; cell++)
		links[cell] = (cell % n_amplitude ? CLPAC_LINK_LEFT : 0) | (cell >= n_amplitude ? CLPAC_LINK_UP : 0);
}

TEST(labels_are_those_of_filling_cell_by_cell)
{
	unsigned long long state = 8;
	static float standardized[MOST];
	static uint32_t links[MOST];
	for (int trial = 0; trial < 400; trial++) {
		const size_t n_phase = 1 + random_below(&state, 12), n_amplitude = 1 + random_below(&state, 12);
		const double dense = random_unit(&state);
		link_all(links, n_phase, n_amplitude);
		for (size_t cell = 0; cell < n_phase * n_amplitude; cell++) {
			standardized[cell] =
				random_unit(&state) < dense ? (float)(1 + random_below(&state, 40)) / 8 : 0;
			if (trial % 2 && !random_below(&state, 4))
				links[cell] &= (uint32_t)random_below(&state, 4);
		}
		check_labels(standardized, links, n_phase, n_amplitude);
	}
}

/* Combs, spirals and nested corners, whose parts meet late. */
TEST(clusters_that_meet_late_are_one)
{
	enum { N = 24 };
	static uint32_t links[N * N];
	static float standardized[N * N];
	link_all(links, N, N);
	for (int shape = 0; shape < 4; shape++) {
		for (int row = 0; row < N; row++)
			for (int column = 0; column < N; column++) {
				const int corner = row > column ? row : column, ring = row < column ? row : column;
				const int edge = ring < N - 1 - corner ? ring : N - 1 - corner;
				const bool is_in[] = {column % 2 == 0 || row == N - 1,
						      column % 2 == 0 || (row % 4 == 3 && column % 4 == 1),
						      corner % 2 == 0,
						      edge % 2 == 0 || (row == column + 1 && row < N / 2)};
				standardized[row * N + column] =
					is_in[shape] ? (float)(1 + (row * 7 + column) % 5) / 8 : 0;
			}
		check_labels(standardized, links, N, N);
	}
	/* A full map is one cluster; one without cells has none. */
	uint32_t words[N * N];
	for (int cell = 0; cell < N * N; cell++)
		standardized[cell] = 0.125f;
	ck_assert(clpac__label_clusters(standardized, links, N, N, words) == N * N / 8.0f);
	memset(standardized, 0, sizeof standardized);
	ck_assert(clpac__label_clusters(standardized, links, N, N, words) == 0);
}

TEST(deviates_and_limits_are_those_of_tables)
{
	assert_close(clpac__upper_deviate(0.5), 0, 1e-12);
	assert_close(clpac__upper_deviate(0.05), 1.6448536269514722, 1e-12);
	assert_close(clpac__upper_deviate(0.01), 2.3263478740408408, 1e-12);
	/* scipy.stats.gamma.ppf(0.95, a) for the shapes of indices of 2 to 128 bins; the approximation errs by 2 % at
	 * the first. */
	const double tables[][2] = {
		{0.5, 1.9207294103470618}, {1, 2.995732273553991}, {8.5, 13.793555818471628}, {63.5, 77.1507580753}};
	for (size_t i = 0; i < 4; i++) {
		const double a = tables[i][0];
		assert_close(clpac__cluster_limit(a, sqrt(a), clpac__upper_deviate(0.05)) * sqrt(a) + a, tables[i][1],
			     0.03 * tables[i][1]);
	}
	/* A share of a quarter of a strongly skewed null lies below its mean. */
	ck_assert(clpac__cluster_limit(0.01, 1, clpac__upper_deviate(0.25)) == 0);
}

TEST(neighbours_follow_each_other_without_a_wide_gap)
{
	static const struct {
		clpac_band first, second;
		bool adjoin;
	} cases[] = {{{1.5, 2.5}, {3, 5}, true}, {{4, 8}, {8, 13}, true},     {{4, 8}, {30, 80}, true},
		     {{4, 8}, {30, 50}, false},	 {{40, 80}, {60, 100}, true}, {{8, 13}, {4, 8}, false},
		     {{4, 8}, {4, 9}, false},	 {{4, 8}, {3, 9}, false},     {{4, 8}, {5, 8}, false},
		     {{4, 8}, {12, 16}, true},	 {{4, 8}, {12.5, 16}, false}, {{4, 8}, {4, 8}, false}};
	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_msg(clpac__bands_adjoin(cases[i].first, cases[i].second) == cases[i].adjoin, "%g-%g, %g-%g",
			      cases[i].first.lo_hz, cases[i].first.hi_hz, cases[i].second.lo_hz, cases[i].second.hi_hz);
}

/* Any of the K + 1 maps of a null may be the observed one: no more than r of them have a p_cluster of at most
 * r / (K + 1) somewhere, and exactly r where no two maps' heaviest clusters weigh the same. */
TEST(each_map_of_a_null_is_as_likely_to_have_the_heaviest_cluster)
{
	enum { K = 39, ROWS = 5, COLUMNS = 6, CELLS = ROWS * COLUMNS };
	unsigned long long state = 9;
	static double values[K + 1][CELLS];
	uint32_t links[CELLS], words[CELLS];
	link_all(links, ROWS, COLUMNS);
	for (int trial = 0; trial < 30; trial++) {
		float heaviest[K + 1];
		size_t counts[K + 2] = {0}, n_without = 0;
		for (size_t cell = 0; cell < CELLS; cell++) {
			double mean = 0, squares = 0;
			for (size_t k = 0; k <= K; k++) {
				values[k][cell] = random_unit(&state) * random_unit(&state);
				mean += values[k][cell] / (K + 1);
			}
			for (size_t k = 0; k <= K; k++)
				squares += (values[k][cell] - mean) * (values[k][cell] - mean);
			const double deviation = sqrt(squares / (K + 1));
			for (size_t k = 0; k <= K; k++) {
				const double statistic = (values[k][cell] - mean) / deviation;
				const double limit = clpac__cluster_limit(mean, deviation, clpac__upper_deviate(0.1));
				values[k][cell] = statistic > limit ? statistic : 0;
			}
		}
		for (size_t k = 0; k <= K; k++) {
			float standardized[CELLS];
			for (size_t cell = 0; cell < CELLS; cell++)
				standardized[cell] = (float)values[k][cell];
			heaviest[k] = clpac__label_clusters(standardized, links, ROWS, COLUMNS, words);
			n_without += heaviest[k] == 0;
		}
		for (size_t observed = 0; observed <= K; observed++) {
			float others[K], p;
			for (size_t k = 0, at = 0; k <= K; k++)
				if (k != observed)
					others[at++] = heaviest[k];
			clpac__p_of_clusters(&heaviest[observed], 1, others, K, &p);
			counts[(size_t)lroundf(p * (K + 1))]++;
		}
		for (size_t r = 1; r <= K + 1 - n_without; r++)
			ck_assert_uint_eq(counts[r], 1);
		ck_assert_uint_eq(counts[K + 1], n_without ? n_without : 1);
	}
	/* Cells of one cluster share its p; a cell outside has 1, and one without standardized statistics none. */
	const float masses[] = {3, 3, 0, NAN, 5, 3}, heavy[] = {1, 3, 4, 0, NAN};
	float p[6];
	clpac__p_of_clusters(masses, 6, heavy, 5, p);
	ck_assert(p[0] == 3.0f / 6 && p[1] == p[0] && isnan(p[3]) && p[4] == 1.0f / 6 && p[5] == p[0]);
}
