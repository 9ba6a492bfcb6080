/* coupling/run/bank.c: what a bank of filters takes, and phase and amplitude of what it gives. */
#include "runner.h"

#include <math.h>
#include <clpac/memory/context.h>
#include <clpac/signal.h>

#include "assertions.h"

enum { N = 100, N_TAPS = 11 };

TEST(phase_and_amplitude_are_those_of_the_definition)
{
	static const float analytic[][2] = {{3, 4}, {-3, 4}, {-3, -4}, {5, -12}, {0, -2}, {-1, 0}, {0, 0}};
	enum { N_VALUES = COUNT(analytic) };
	float phase[N_VALUES + 1], amplitude[N_VALUES + 1], alone[N_VALUES];
	phase[N_VALUES] = amplitude[N_VALUES] = 77;
	clpac_signal_phase_amplitude(analytic[0], N_VALUES, phase, amplitude);
	for (int i = 0; i < N_VALUES; i++) {
		/* Both are computed in double and rounded once. */
		ck_assert(phase[i] == (float)atan2(analytic[i][1], analytic[i][0]));
		ck_assert(amplitude[i] == (float)hypot(analytic[i][0], analytic[i][1]));
	}
	ck_assert(phase[N_VALUES] == 77 && amplitude[N_VALUES] == 77);
	clpac_signal_phase_amplitude(analytic[0], N_VALUES, alone, NULL);
	ck_assert_mem_eq(alone, phase, sizeof alone);
	clpac_signal_phase_amplitude(analytic[0], N_VALUES, NULL, alone);
	ck_assert_mem_eq(alone, amplitude, sizeof alone);
	clpac_signal_phase_amplitude(analytic[0], N_VALUES, NULL, NULL);
}

static clpac_context *context;
static clpac_error err;

/* Filters N samples with filters of N_TAPS and of fewer taps. */
static clpac_status filter(size_t n_samples, size_t extension, float *filtered)
{
	double taps[N_TAPS], samples[N];
	const double *const each[2] = {taps, taps};
	static const size_t n_taps[2] = {N_TAPS - 2, N_TAPS};
	for (int i = 0; i < N_TAPS; i++)
		taps[i] = 1.0 / N_TAPS;
	for (int i = 0; i < N; i++)
		samples[i] = sin(i);
	float in[N];
	for (int i = 0; i < N; i++)
		in[i] = (float)samples[i];
	return clpac_signal_filter(context, &(clpac_bank){2, each, n_taps, extension}, (clpac_values){.host = in}, 1,
				   n_samples, (clpac_values){.host = filtered}, &err);
}

TEST(an_extension_lies_between_the_longest_order_and_the_samples)
{
	float usual[2 * N], filtered[2 * N];
	assert_works(clpac_context_open(NULL, &(clpac_options){.device = "native", .threads = 1}, &context, &err), err);
	/* 0 is the least. */
	assert_works(filter(N, 0, usual), err);
	assert_works(filter(N, N_TAPS - 1, filtered), err);
	ck_assert_mem_eq(filtered, usual, sizeof usual);
	assert_works(filter(N, N - 1, filtered), err);
	assert_refused(filter(N, N_TAPS - 2, filtered), err, CLPAC_ERROR_ARGUMENT,
		       "extension is 9 samples: it must be at least the longest order, 10, and below the 100 samples");
	assert_refused(filter(N, N, filtered), err, CLPAC_ERROR_ARGUMENT, "extension is 100 samples");
	/* A filter is shorter than the series. */
	assert_works(filter(N_TAPS + 1, 0, filtered), err);
	assert_refused(filter(N_TAPS, 0, filtered), err, CLPAC_ERROR_ARGUMENT,
		       "filter 1 has 11 taps and the series 11");
	clpac_context_close(context);
}
