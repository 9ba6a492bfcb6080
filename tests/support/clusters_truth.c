/* Clusters by their definition: cells above their limits, filled from one to its neighbours. */
#include "clusters_truth.h"
#include "test_thread.h"

#include <math.h>
#include <stdlib.h>

double flood(const double *standardized, const bool *joins_left, const bool *joins_up, size_t n_phase,
	     size_t n_amplitude, size_t start, bool *seen)
{
	const size_t n = n_phase * n_amplitude;
	size_t *waiting = malloc(n * sizeof *waiting), n_waiting = 0;
	double mass = 0;
	ck_assert_ptr_nonnull(waiting);
	waiting[n_waiting++] = start;
	seen[start] = true;
	while (n_waiting) {
		const size_t cell = waiting[--n_waiting], am = cell % n_amplitude;
		const struct {
			bool joins;
			size_t cell;
		} sides[] = {{am > 0 && joins_left[cell], cell - 1},
			     {am + 1 < n_amplitude && joins_left[cell + 1], cell + 1},
			     {cell >= n_amplitude && joins_up[cell], cell - n_amplitude},
			     {cell + n_amplitude < n && joins_up[cell + n_amplitude], cell + n_amplitude}};
		mass += standardized[cell];
		for (size_t i = 0; i < 4; i++)
			if (sides[i].joins && !seen[sides[i].cell] && standardized[sides[i].cell] > 0) {
				seen[sides[i].cell] = true;
				waiting[n_waiting++] = sides[i].cell;
			}
	}
	free(waiting);
	return mass;
}

/* A cell's mean, deviation and limit, and by how much its standardized statistics may be off: maxima_truth.c says why.
 */
typedef struct scale {
	double mean, deviation, limit, error;
	bool is_one_value;
} scale;

/* The deviate that a normal number exceeds with a probability, by Newton's method. */
static double upper_deviate(double probability)
{
	double x = 0;
	for (int i = 0; i < 100; i++)
		x += (0.5 * erfc(x / sqrt(2)) - probability) * sqrt(2 * acos(-1)) * exp(x * x / 2);
	return x;
}

/* The band of a cell: as wide as twice the phase band's centre where amplitudes are tied. */
static clpac_band band_of(const clpac_problem *p, size_t ph, size_t am)
{
	const clpac_band a = p->amplitude_bands[am], f = p->phase_bands[ph];
	const double centre = (a.lo_hz + a.hi_hz) / 2, half = (f.lo_hz + f.hi_hz) / 2;
	return p->tied_amplitudes ? (clpac_band){centre - half, centre + half} : a;
}

static scale scale_of(const clpac_problem *p, const float *mi, const float *surrogates, size_t n_cells, size_t cell)
{
	const size_t n = p->n_surrogates;
	scale s = {.mean = mi[cell], .is_one_value = true};
	double largest = fabs((double)mi[cell]), squares = 0;
	for (size_t k = 0; k < n; k++) {
		s.is_one_value &= surrogates[k * n_cells + cell] == surrogates[cell];
		s.mean += surrogates[k * n_cells + cell];
		largest = fmax(largest, surrogates[k * n_cells + cell]);
	}
	const clpac_band band = band_of(p, cell / p->n_amplitude_bands, cell % p->n_amplitude_bands);
	s.is_one_value |= isnan(mi[cell]) ||
			  !(p->allow_narrow || clpac_cell_is_valid(p->phase_bands[cell / p->n_amplitude_bands], band));
	s.mean /= (double)n + 1;
	for (size_t k = 0; k <= n; k++) {
		const double value = k ? surrogates[(k - 1) * n_cells + cell] : mi[cell];
		squares += (value - s.mean) * (value - s.mean);
	}
	s.deviation = sqrt(squares / ((double)n + 1));
	s.error = 4 * (double)n * 0x1p-24 * largest / s.deviation;
	/* Wilson & Hilferty: the cube root of a gamma variable of shape a over a is normal, with mean 1 - 1/9a and
	 * variance 1/9a. */
	const double a = s.mean * s.mean / (s.deviation * s.deviation);
	const double quantile = a * pow(1 - 1 / (9 * a) + upper_deviate(p->cluster_alpha) * sqrt(1 / (9 * a)), 3);
	s.limit = fmax((quantile - a) / sqrt(a), 0);
	return s;
}

static bool follow(clpac_band a, clpac_band b)
{
	const double gap = b.lo_hz - a.hi_hz, width_a = a.hi_hz - a.lo_hz, width_b = b.hi_hz - b.lo_hz;
	return b.lo_hz > a.lo_hz && b.hi_hz > a.hi_hz && (gap <= width_a || gap <= width_b);
}

/* The clusters of one map: the mass of each cell's, and the heaviest.  False: a cell's standardized statistic is too
 * near its limit.
 */
static bool clusters_of(const clpac_problem *p, const scale *scales, const float *indices, double *masses,
			double *heaviest)
{
	const size_t n_am = p->n_amplitude_bands, n = p->n_phase_bands * n_am;
	double *standardized = calloc(n, sizeof *standardized);
	bool *left = calloc(n, sizeof *left), *up = calloc(n, sizeof *up), *seen = calloc(n, sizeof *seen);
	bool *own = calloc(n, sizeof *own), is_certain = true;
	ck_assert(standardized && left && up && seen && own);
	for (size_t cell = 0; cell < n; cell++) {
		const size_t ph = cell / n_am, am = cell % n_am;
		const double statistic = (indices[cell] - scales[cell].mean) / scales[cell].deviation;
		left[cell] = am && follow(band_of(p, ph, am - 1), band_of(p, ph, am));
		up[cell] = ph && follow(p->phase_bands[ph - 1], p->phase_bands[ph]);
		masses[cell] = 0;
		if (scales[cell].is_one_value)
			continue;
		standardized[cell] = statistic > scales[cell].limit ? statistic : 0;
		const double slack = scales[cell].error * (2 + fabs(statistic)) + 1e-5 * (1 + fabs(statistic));
		is_certain &= fabs(statistic - scales[cell].limit) > slack;
	}
	*heaviest = 0;
	for (size_t cell = 0; cell < n; cell++) {
		if (!(standardized[cell] > 0) || seen[cell])
			continue;
		for (size_t i = 0; i < n; i++)
			own[i] = seen[i];
		const double mass = flood(standardized, left, up, p->n_phase_bands, n_am, cell, seen);
		for (size_t i = 0; i < n; i++)
			if (seen[i] && !own[i])
				masses[i] = mass;
		*heaviest = fmax(*heaviest, mass);
	}
	free(standardized);
	free(left);
	free(up);
	free(seen);
	free(own);
	return is_certain;
}

size_t check_clusters(const clpac_problem *p, const float *mi, const float *surrogates, const float *mass,
		      const float *heaviest, const float *p_cluster, const char *label)
{
	const size_t n_cells = p->n_phase_bands * p->n_amplitude_bands, K = p->n_surrogates;
	scale *scales = malloc(n_cells * sizeof *scales);
	double *masses = malloc(n_cells * sizeof *masses), error = 1e-5, largest;
	size_t n_compared = 0;
	bool is_certain = true, is_empty = true;
	ck_assert(scales && masses);
	for (size_t cell = 0; cell < n_cells; cell++) {
		scales[cell] = scale_of(p, mi, surrogates, n_cells, cell);
		if (scales[cell].is_one_value) {
			ck_assert_msg(isnan(mass[cell]) && isnan(p_cluster[cell]),
				      "%s: cell %zu without standardized statistics has mass %g, p %g", label, cell,
				      mass[cell], p_cluster[cell]);
			continue;
		}
		is_empty = false;
		is_certain &= scales[cell].error < 0.05;
		error = fmax(error, scales[cell].error * (double)n_cells);
	}
	for (size_t k = 0; is_empty && k < K; k++)
		ck_assert_msg(isnan(heaviest[k]), "%s: a map without standardized statistics has a heaviest cluster",
			      label);
	for (size_t k = 0; is_certain && !is_empty && k <= K; k++) {
		if (!clusters_of(p, scales, k ? surrogates + (k - 1) * n_cells : mi, masses, &largest))
			continue;
		n_compared++;
		if (k) {
			ck_assert_msg(fabs(heaviest[k - 1] - largest) <= error * (1 + largest),
				      "%s: the heaviest cluster of surrogate %zu is %.9g and not %.9g (error %.2g)",
				      label, k, heaviest[k - 1], largest, error);
			continue;
		}
		for (size_t cell = 0; cell < n_cells; cell++)
			ck_assert_msg(scales[cell].is_one_value ||
					      fabs(mass[cell] - masses[cell]) <= error * (1 + masses[cell]),
				      "%s: the cluster of cell %zu is %.9g and not %.9g (error %.2g)", label, cell,
				      mass[cell], masses[cell], error);
	}
	/* p by the masses that are there. */
	for (size_t cell = 0; cell < n_cells; cell++) {
		size_t fewest = 1, most = 1;
		if (scales[cell].is_one_value)
			continue;
		for (size_t k = 0; k < K; k++) {
			fewest += heaviest[k] >= mass[cell];
			most += heaviest[k] >= mass[cell] - 2e-6 * fmax(mass[cell], 1);
		}
		const double rank = p_cluster[cell] * ((double)K + 1);
		ck_assert_msg(rank > (double)fewest - 0.5 && rank < (double)most + 0.5,
			      "%s: p_cluster of cell %zu is %.9g, %zu to %zu of %zu clusters reach it", label, cell,
			      p_cluster[cell], fewest - 1, most - 1, K);
		ck_assert_msg(mass[cell] > 0 || p_cluster[cell] == 1, "%s: cell %zu outside of clusters has p %g",
			      label, cell, p_cluster[cell]);
	}
	free(scales);
	free(masses);
	return n_compared;
}
