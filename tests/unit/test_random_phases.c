/* Series with random phases: the spectrum of the recorded one at any length, and the angles that were drawn. */
#include "runner.h"
#include "assertions.h"

#include <complex.h>
#include <stdlib.h>

#include "oracle.h"
#include "random.h"
#include "coupling/signal/draws.h"
#include "coupling/signal/random_phases.h"

static const size_t lengths[] = {1,  2,	 3,  4,	 5,  6,	  7,   8,   9,	 10,  11,  12,	13,  15,  16,
				 17, 31, 32, 33, 60, 100, 127, 128, 251, 256, 500, 509, 512, 600, 641};

static oracle_complex *spectrum_of(const float *x, size_t n)
{
	oracle_complex *z = calloc(n, sizeof *z), *spectrum = calloc(n, sizeof *spectrum);
	for (size_t t = 0; t < n; t++)
		z[t] = (oracle_real)x[t];
	oracle_dft(z, n, -1, spectrum);
	free(z);
	return spectrum;
}

/* A float rounds a sample by 2^-24 of at most the largest, and a spectrum sums n of these as noise. */
static oracle_real rounding_of(const float *x, size_t n)
{
	oracle_real largest = 0;
	for (size_t t = 0; t < n; t++)
		largest = fmaxl(largest, fabsl((oracle_real)x[t]));
	return 0x1p-24L * largest * 6 * sqrtl((oracle_real)n) + 1e-12L;
}

TEST_EACH(the_spectrum_stays_and_its_phases_are_those_drawn, COUNT(lengths))
{
	const size_t n = lengths[_i];
	clpac_error err;
	unsigned long long state = 3 + n;
	float *x = malloc(n * sizeof *x), *made = malloc(n * sizeof *made);
	double *spectrum = calloc(2 * (n / 2 + 1), sizeof *spectrum);
	clpac__random_phases *phases = NULL;
	for (size_t t = 0; t < n; t++)
		x[t] = random_signed(&state) + (t % 7 == 0 ? 0.5f : 0);
	assert_works(clpac__random_phases_create(n, &phases, &err), err);
	clpac__spectrum(phases, x, spectrum);
	oracle_complex *wanted = spectrum_of(x, n);
	for (size_t f = 0; f <= n / 2; f++) {
		const oracle_complex ours = spectrum[2 * f] + I * spectrum[2 * f + 1];
		ck_assert_msg(cabsl(ours - wanted[f]) <= 1e-13L * (oracle_real)n, "%zu samples: frequency %zu", n, f);
	}
	for (uint32_t k = 0; k < 3; k++) {
		clpac__draws draws = clpac__draws_begin(9, 2, 1, k);
		clpac__draw_phases(phases, spectrum, 9, 2, 1, k, made);
		oracle_complex *got = spectrum_of(made, n);
		const oracle_real error = rounding_of(made, n);
		for (size_t f = 0; f <= n / 2; f++) {
			ck_assert_msg(fabsl(cabsl(got[f]) - cabsl(wanted[f])) <= error,
				      "%zu samples: frequency %zu has %Lg in place of %Lg", n, f, cabsl(got[f]),
				      cabsl(wanted[f]));
			const bool is_turned = f > 0 && 2 * f < n;
			const oracle_real turns =
				is_turned ? (oracle_real)clpac__draws_word(&draws) / 4294967296.0L : 0;
			const oracle_complex turned =
				wanted[f] * cexpl(I * 2 * 3.141592653589793238462643383279502884L * turns);
			ck_assert_msg(cabsl(got[f] - turned) <= error, "%zu samples: the phase of frequency %zu", n, f);
		}
		free(got);
	}
	free(wanted);
	clpac__random_phases_destroy(phases);
	free(spectrum);
	free(made);
	free(x);
}

TEST(each_failing_allocation_is_told)
{
	static const size_t tried[] = {64, 60};
	for (size_t i = 0; i < COUNT(tried); i++) {
		unsigned long number = 1;
		clpac_status st = CLPAC_ERROR_NO_MEMORY;
		for (; st != CLPAC_OK; number++) {
			clpac_error err;
			clpac__random_phases *phases = NULL;
			clpac__fail_allocation(number, false);
			st = clpac__random_phases_create(tried[i], &phases, &err);
			clpac__fail_allocation(0, false);
			if (st != CLPAC_OK)
				assert_refused(st, err, CLPAC_ERROR_NO_MEMORY, "memory");
			clpac__random_phases_destroy(phases);
		}
		ck_assert_uint_gt(number, i ? 6 : 4);
	}
}
