/* The oracle's fast variant against the oracle: transforms, Hilbert transforms of any length, whole problems. */
#include "runner.h"

#include <complex.h>
#include <stdlib.h>

#include "assertions.h"
#include "long_series.h"

/* Transforms of n doubles: sqrt(log2 n) roundings, up to six times as many; the oracle adds none. */
static double allowed(size_t n)
{
	return 6 * 0x1p-52 * (1 + sqrt(log2((double)n)));
}

static double *make_samples(size_t n)
{
	unsigned long long state = n;
	double *x = malloc(n * sizeof *x);
	for (size_t t = 0; t < n; t++)
		x[t] = random_unit(&state) - 0.4;
	return x;
}

START_TEST(a_transform_is_the_definition)
{
	for (size_t n = 1; n <= 256; n *= 2) {
		double *x = make_samples(2 * n);
		double complex *fast = malloc(n * sizeof *fast);
		oracle_complex *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
		for (int sign = -1; sign <= 1; sign += 2) {
			for (size_t t = 0; t < n; t++)
				in[t] = fast[t] = x[2 * t] + I * x[2 * t + 1];
			long_transform(fast, n, sign);
			oracle_dft(in, n, sign, out);
			for (size_t k = 0; k < n; k++)
				assert_close(cabsl(out[k] - fast[k]), 0, allowed(n) * sqrt((double)n));
		}
		free(x);
		free(fast);
		free(in);
		free(out);
	}
}
END_TEST

START_TEST(a_hilbert_transform_has_the_very_length)
{
	for (size_t n = 2; n < 100; n += n < 12 ? 1 : 13) {
		double *x = make_samples(n);
		oracle_real *series = malloc(n * sizeof *series);
		double complex *fast = malloc(n * sizeof *fast);
		oracle_complex *z = malloc(n * sizeof *z);
		for (size_t t = 0; t < n; t++)
			series[t] = x[t];
		long_hilbert(x, n, fast);
		oracle_hilbert(series, n, z);
		for (size_t t = 0; t < n; t++)
			assert_close(cabsl(z[t] - fast[t]), 0, 4 * allowed(4 * n));
		free(x);
		free(series);
		free(fast);
		free(z);
	}
}
END_TEST

START_TEST(a_whole_problem_is_the_same)
{
	static const clpac_band phase[] = {{4, 8}, {8, 13}}, amplitude[] = {{30, 45}, {60, 90}};
	for (int hilbert = 0; hilbert < 2; hilbert++) {
		const clpac_problem p = {.rate_hz = 250,
					 .n_samples = 401,
					 .phase_bands = phase,
					 .n_phase_bands = 2,
					 .amplitude_bands = amplitude,
					 .n_amplitude_bands = 2,
					 .phase_cycles = 3,
					 .amplitude_cycles = 6,
					 .n_bins = 18,
					 .edge_samples = 20,
					 .hilbert = (clpac_hilbert)hilbert};
		double *x = make_samples(p.n_samples);
		oracle_signals *slow = oracle_analyse(&p, x, 0), *fast = long_analyse(&p, x, 0);
		ck_assert_uint_eq(slow->kept, fast->kept);
		for (size_t i = 0; i < 2 * slow->kept; i++) {
			assert_close(slow->strength[i], fast->strength[i], 4 * allowed(1024));
			assert_close(slow->amplitude[i], fast->amplitude[i], 4 * allowed(1024));
			assert_close(slow->phase[i], fast->phase[i], 4 * allowed(1024) / (double)slow->strength[i]);
			ck_assert_uint_eq(slow->bins[i], fast->bins[i]);
		}
		oracle_signals_free(slow);
		oracle_signals_free(fast);
		free(x);
	}
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("long series");
	TCase *t = tcase_create("long series");
	tcase_add_test(t, a_transform_is_the_definition);
	tcase_add_test(t, a_hilbert_transform_has_the_very_length);
	tcase_add_test(t, a_whole_problem_is_the_same);
	suite_add_tcase(s, t);
	return s;
}
