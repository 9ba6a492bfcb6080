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

START_TEST(taps_equal_those_of_scipy)
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
END_TEST

START_TEST(analytic_signals_equal_those_of_the_reference)
{
	vectors *file = vectors_load("analytic.json");
	const vectors *cases = vectors_get(file, "cases");
	for (size_t i = 0; i < vectors_count(cases); i++) {
		const vectors *one = vectors_at(cases, i), *edges = vectors_get(one, "band_hz");
		size_t n;
		double *x = vectors_numbers(vectors_get(one, "x"), &n), rate = vectors_number(one, "rate_hz");
		double *re = vectors_numbers(vectors_get(one, "re"), NULL),
		       *im = vectors_numbers(vectors_get(one, "im"), NULL);
		clpac_band band = {vectors_value(vectors_at(edges, 0)), vectors_value(vectors_at(edges, 1))};
		bool is_fused = !strcmp(vectors_text(one, "hilbert"), "fused");
		size_t order = oracle_order(rate, band.lo_hz, vectors_number(one, "cycles"), n), fft_length = 1;
		ck_assert_uint_eq(order, (size_t)vectors_number(one, "order"));
		oracle_real taps[256], series[256], filtered[256];
		oracle_complex z[256];
		oracle_firwin(rate, band, order, taps);
		for (size_t t = 0; t < n; t++)
			series[t] = x[t];
		while (fft_length < n + 3 * order)
			fft_length *= 2;
		if (is_fused) {
			oracle_fused(taps, order + 1, series, n, order, fft_length, z);
		} else {
			oracle_filtfilt(taps, order + 1, series, n, filtered);
			oracle_hilbert(filtered, n, z);
		}
		/* The reference has its own double rounding: values of some hundreds, sums over n and the taps. */
		for (size_t t = 0; t < n; t++) {
			assert_close(creall(z[t]), re[t], 1e-10);
			assert_close(cimagl(z[t]), im[t], 1e-10);
		}
		free(x);
		free(re);
		free(im);
	}
	vectors_free(file);
}
END_TEST

START_TEST(whole_problems_equal_those_of_the_reference)
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
		oracle_signals *signals = oracle_analyse(&p, x, 0);
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
END_TEST

START_TEST(the_transform_is_the_definition_at_any_length)
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
END_TEST

START_TEST(a_cosine_is_its_own_analytic_signal)
{
	oracle_real x[60];
	oracle_complex z[60];
	for (int t = 0; t < 60; t++)
		x[t] = cosl(2 * acosl(-1) * 7 * t / 60);
	oracle_hilbert(x, 60, z);
	for (int t = 0; t < 60; t++)
		assert_close(cabsl(z[t] - cexpl(2 * I * acosl(-1) * 7 * t / 60)), 0, 1e-16);
}
END_TEST

const char *skip_reason(void)
{
	return vectors_missing();
}

Suite *suite(void)
{
	Suite *s = suite_create("oracle");
	TCase *t = tcase_create("oracle");
	tcase_add_test(t, taps_equal_those_of_scipy);
	tcase_add_test(t, analytic_signals_equal_those_of_the_reference);
	tcase_add_test(t, whole_problems_equal_those_of_the_reference);
	tcase_add_test(t, the_transform_is_the_definition_at_any_length);
	tcase_add_test(t, a_cosine_is_its_own_analytic_signal);
	suite_add_tcase(s, t);
	return s;
}
