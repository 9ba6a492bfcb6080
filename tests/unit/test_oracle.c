/* The oracle of the other tests against the reference in Python: two independent ways to the same numbers. */
#include "runner.h"
#include "assertions.h"
#include <stdlib.h>
#include "oracle.h"
#include "vectors.h"

static size_t bands_of(const vectors *list, clpac_band **bands)
{
	size_t n = vectors_count(list);
	*bands = malloc(n * sizeof **bands);
	for (size_t b = 0; b < n; b++) {
		(*bands)[b].lo_hz = vectors_value(vectors_at(vectors_at(list, b), 0));
		(*bands)[b].hi_hz = vectors_value(vectors_at(vectors_at(list, b), 1));
	}
	return n;
}

TEST(taps_equal_those_of_scipy)
{
	vectors *file = vectors_load("filters.json");
	const vectors *filters = vectors_get(file, "filters");
	for (size_t i = 0; i < vectors_count(filters); i++) {
		const vectors *one = vectors_at(filters, i), *edges = vectors_get(one, "band_hz");
		size_t n;
		double *taps = vectors_numbers(vectors_get(one, "taps"), &n);
		oracle_real *mine = malloc(n * sizeof *mine);
		clpac_band band = {vectors_value(vectors_at(edges, 0)), vectors_value(vectors_at(edges, 1))};
		oracle_firwin(vectors_number(one, "rate_hz"), band, n - 1, mine);
		for (size_t k = 0; k < n; k++)
			assert_close(mine[k], taps[k], 1e-12);
		free(mine);
		free(taps);
	}
	vectors_free(file);
}

TEST(analytic_signals_equal_those_of_the_reference)
{
	vectors *file = vectors_load("analytic.json");
	const vectors *cases = vectors_get(file, "cases");
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i), *edges = vectors_get(one, "band_hz");
		size_t n;
		double *x = vectors_numbers(vectors_get(one, "x"), &n), rate = vectors_number(one, "rate_hz");
		double *re = vectors_numbers(vectors_get(one, "re"), NULL),
		       *im = vectors_numbers(vectors_get(one, "im"), NULL);
		double *taps_re = vectors_numbers(vectors_get(one, "taps_re"), NULL),
		       *taps_im = vectors_numbers(vectors_get(one, "taps_im"), NULL);
		clpac_band band = {vectors_value(vectors_at(edges, 0)), vectors_value(vectors_at(edges, 1))};
		bool is_local = !strcmp(vectors_text(one, "hilbert"), "local");
		size_t order = oracle_order(rate, band.lo_hz, vectors_number(one, "cycles"), n);
		ck_assert_uint_eq(order, (size_t)vectors_number(one, "order"));
		oracle_real taps[256], series[256], filtered[256];
		oracle_complex quadrature[256], z[256];
		oracle_firwin(rate, band, order, taps);
		oracle_quadrature(taps, order + 1, quadrature);
		for (size_t k = 0; k <= order; k++) {
			assert_close(creall(quadrature[k]), taps_re[k], 1e-15);
			assert_close(cimagl(quadrature[k]), taps_im[k], 1e-15);
		}
		const oracle_real scale = oracle_prepared(x, n, series);
		oracle_filtfilt(taps, order + 1, series, n, filtered);
		if (!is_local)
			oracle_hilbert(filtered, n, z);
		/* The reference has its own double rounding: values of some hundreds, sums over n and the taps. */
		for (size_t t = 0; t < n; t++) {
			if (is_local) {
				z[t] = oracle_local(quadrature, order + 1, series, n, t);
				assert_close(creall(z[t]), filtered[t], 1e-17);
			}
			assert_close(creall(z[t]) / scale, re[t], 1e-10);
			assert_close(cimagl(z[t]) / scale, im[t], 1e-10);
		}
		free(x);
		free(re);
		free(im);
		free(taps_re);
		free(taps_im);
	}
	vectors_free(file);
}

TEST(whole_problems_equal_those_of_the_reference)
{
	vectors *file = vectors_load("problems.json");
	const vectors *cases = vectors_get(file, "cases");
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i);
		clpac_band *phase, *amplitude;
		clpac_problem p = {.rate_hz = vectors_number(one, "rate_hz"), .phase_cycles = 3, .amplitude_cycles = 6};
		double *x = vectors_numbers(vectors_get(one, "x"), &p.n_samples);
		double *mi = vectors_numbers(vectors_get(one, "mi"), NULL);
		double *surrogates = vectors_numbers(vectors_get(one, "surrogates"), NULL);
		double *shifts = vectors_numbers(vectors_get(one, "shifts"), &p.n_surrogates);
		double *z[2] = {vectors_numbers(vectors_get(one, "z_ddof_0"), NULL),
				vectors_numbers(vectors_get(one, "z_ddof_1"), NULL)};
		double *p_values = vectors_numbers(vectors_get(one, "p"), NULL);
		p.n_phase_bands = bands_of(vectors_get(one, "phase_bands_hz"), &phase);
		p.n_amplitude_bands = bands_of(vectors_get(one, "amplitude_bands_hz"), &amplitude);
		p.phase_bands = phase;
		p.amplitude_bands = amplitude;
		p.n_bins = (unsigned)vectors_number(one, "bins");
		p.average = strcmp(vectors_text(one, "average"), "sum") ? CLPAC_AVERAGE_MEAN : CLPAC_AVERAGE_SUM;
		p.hilbert =
			strcmp(vectors_text(one, "hilbert"), "trimmed") ? CLPAC_HILBERT_LOCAL : CLPAC_HILBERT_TRIMMED;
		p.edge_samples = (ptrdiff_t)vectors_number(one, "edge");
		oracle_signals *signals = oracle_analyse(&p, x);
		ck_assert_uint_eq(signals->n_doubtful, 0);
		for (size_t ph = 0; ph < p.n_phase_bands; ph++) {
			for (size_t am = 0; am < p.n_amplitude_bands; am++) {
				size_t cell = ph * p.n_amplitude_bands + am,
				       n_cells = p.n_phase_bands * p.n_amplitude_bands;
				oracle_real found = oracle_cell(signals, ph, am, 0), shifted[8];
				/* No sample of these series lies on a bin's edge; only the reference's rounding
				 * remains. */
				assert_close(found, mi[cell], 1e-12);
				for (size_t k = 0; k < p.n_surrogates; k++) {
					shifted[k] = oracle_cell(signals, ph, am, (size_t)shifts[k]);
					assert_close(shifted[k], surrogates[k * n_cells + cell], 1e-12);
				}
				for (unsigned ddof = 0; ddof < 2; ddof++)
					assert_close(oracle_z(found, shifted, p.n_surrogates, ddof), z[ddof][cell],
						     1e-8);
				/* A shift of 0 equals the index itself, which either side may miss by a rounding. */
				if (shifts[0] != 0)
					assert_close(oracle_p(found, shifted, p.n_surrogates), p_values[cell], 1e-15);
			}
		}
		oracle_signals_free(signals);
		free(phase);
		free(amplitude);
		free(x);
		free(mi);
		free(surrogates);
		free(shifts);
		free(z[0]);
		free(z[1]);
		free(p_values);
	}
	vectors_free(file);
}

TEST(the_transform_is_the_definition_at_any_length)
{
	static const size_t lengths[] = {1, 2, 3, 7, 8, 12, 31, 60, 97, 128};
	unsigned long long state = 1;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		size_t n = lengths[i];
		oracle_complex x[128], spectrum[128], back[128];
		for (size_t t = 0; t < n; t++)
			x[t] = random_unit(&state) + I * random_unit(&state);
		oracle_dft(x, n, -1, spectrum);
		for (size_t k = 0; k < n; k++) {
			oracle_complex sum = 0;
			for (size_t t = 0; t < n; t++)
				sum += x[t] * cexpl(-2 * I * acosl(-1) * (oracle_real)(k * t) / (oracle_real)n);
			assert_close(cabsl(sum - spectrum[k]), 0, 1e-15 * (double)n);
		}
		oracle_dft(spectrum, n, 1, back);
		for (size_t t = 0; t < n; t++)
			assert_close(cabsl(back[t] / (oracle_real)n - x[t]), 0, 1e-16 * (double)n);
	}
}

static void make_samples(size_t n, double *x, oracle_real *prepared)
{
	unsigned long long state = n;
	double drift = 0;
	for (size_t t = 0; t < n; t++)
		x[t] = 300 + random_drifting(&state, &drift);
	oracle_prepared(x, n, prepared);
}

TEST(the_fast_transform_is_the_slow_one)
{
	unsigned long long state = 2;
	for (size_t n = 1; n <= 512; n *= 2)
		for (int sign = -1; sign <= 1; sign += 2) {
			oracle_complex x[512], wanted[512];
			for (size_t t = 0; t < n; t++)
				x[t] = random_unit(&state) + I * random_unit(&state);
			oracle_dft(x, n, sign, wanted);
			oracle_transform(x, n, sign);
			for (size_t k = 0; k < n; k++)
				assert_close(cabsl(x[k] - wanted[k]), 0, 1e-18 * (double)n);
		}
}

TEST(the_fast_hilbert_transform_is_the_slow_one)
{
	for (size_t n = 2; n < 300; n += n < 12 ? 1 : 23) {
		double x[300];
		oracle_real prepared[300];
		oracle_complex slow[300], fast[300];
		make_samples(n, x, prepared);
		oracle_hilbert(prepared, n, slow);
		oracle_hilbert_long(prepared, n, fast);
		for (size_t t = 0; t < n; t++)
			assert_close(cabsl(fast[t] - slow[t]), 0, 1e-17);
	}
}

TEST(the_fast_filter_is_the_sum)
{
	static const size_t lengths[] = {61, 256, 1021, 4000}, orders[] = {2, 20, 63, 340, 1333};
	for (size_t l = 0; l < COUNT(lengths); l++)
		for (size_t o = 0; o < COUNT(orders) && orders[o] < lengths[l]; o++) {
			const size_t n = lengths[l], n_taps = orders[o] + 1;
			double *x = malloc(n * sizeof *x);
			oracle_real *prepared = malloc(n * sizeof *prepared), *taps = malloc(n_taps * sizeof *taps);
			oracle_complex *quadrature = malloc(n_taps * sizeof *quadrature), *z = malloc(n * sizeof *z);
			make_samples(n, x, prepared);
			oracle_firwin(250, (clpac_band){9, 21}, orders[o], taps);
			oracle_quadrature(taps, n_taps, quadrature);
			oracle_local_long(quadrature, n_taps, prepared, n, z);
			for (size_t t = 0; t < n; t += 1 + n / 100)
				assert_close(cabsl(z[t] - oracle_local(quadrature, n_taps, prepared, n, t)), 0, 1e-17);
			free(x);
			free(prepared);
			free(taps);
			free(quadrature);
			free(z);
		}
}

TEST(a_prepared_series_is_free_of_its_mean_and_near_1)
{
	/* Multiples of 2^-12 around 0, so that doubles hold them on these offsets and in these units. */
	static const double offsets[] = {0, 30, -1e6, 0x1p40}, units[] = {1, 0x1p-1000, 0x1p30};
	enum { N = 101 };
	unsigned long long state = 3;
	double x[N], moved[N];
	oracle_real prepared[N], same[N];
	for (size_t t = 0; t < N; t++)
		x[t] = ((double)random_below(&state, 4001) - 2000) * 0x1p-12;
	double sum = 0, largest = 0;
	for (size_t t = 0; t < N; t++)
		sum += x[t]; /* exact */
	x[7] -= sum;	     /* the mean is 0 */
	const oracle_real scale = oracle_prepared(x, N, prepared);
	for (size_t t = 0; t < N; t++) {
		ck_assert(prepared[t] == (float)(x[t] * (double)scale));
		largest = fmax(largest, fabs((double)prepared[t]));
	}
	ck_assert(largest >= 0.5 && largest < 1);
	for (size_t o = 0; o < COUNT(offsets); o++)
		for (size_t u = 0; u < COUNT(units); u++) {
			for (size_t t = 0; t < N; t++)
				moved[t] = (x[t] + offsets[o]) * units[u];
			ck_assert(oracle_prepared(moved, N, same) * units[u] == scale);
			for (size_t t = 0; t < N; t++)
				ck_assert(same[t] == prepared[t]);
		}
	for (size_t t = 0; t < N; t++)
		moved[t] = 1.1;
	ck_assert(oracle_prepared(moved, N, same) == 1);
	for (size_t t = 0; t < N; t++)
		ck_assert(same[t] == 0);
}

TEST(a_sample_on_an_edge_is_doubtful)
{
	/* An odd series about its middle, where the real part of every band is 0: a quarter turn, which is an edge of
	 * four bins and the middle of one of six. */
	enum { N = 201 };
	static const clpac_band phase = {8, 13}, amplitude = {40, 60};
	double x[N];
	unsigned long long state = 4;
	x[N / 2] = 0;
	for (size_t t = 0; t < N / 2; t++) {
		x[t] = random_unit(&state) - 0.5;
		x[N - 1 - t] = -x[t];
	}
	clpac_problem p = {.rate_hz = 250,
			   .n_samples = N,
			   .phase_bands = &phase,
			   .n_phase_bands = 1,
			   .amplitude_bands = &amplitude,
			   .n_amplitude_bands = 1,
			   .phase_cycles = 3,
			   .amplitude_cycles = 6};
	for (p.n_bins = 4; p.n_bins <= 6; p.n_bins += 2) {
		oracle_signals *signals = oracle_analyse(&p, x);
		assert_close(fabsl(signals->phase[N / 2]), acosl(0), 1e-17);
		ck_assert_uint_eq(signals->n_doubtful, p.n_bins == 4);
		oracle_signals_free(signals);
	}
}

TEST(a_cosine_is_its_own_analytic_signal)
{
	oracle_real x[60];
	oracle_complex z[60];
	for (int t = 0; t < 60; t++)
		x[t] = cosl(2 * acosl(-1) * 7 * t / 60);
	oracle_hilbert(x, 60, z);
	for (int t = 0; t < 60; t++)
		assert_close(cabsl(z[t] - cexpl(2 * I * acosl(-1) * 7 * t / 60)), 0, 1e-16);
}

const char *skip_reason(void)
{
	return vectors_missing();
}
