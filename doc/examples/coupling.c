/* Phase-amplitude coupling of two channels held in memory: problem, plan, run, result.
 *
 * The first channel is an 80 Hz tone whose amplitude follows a 6 Hz rhythm that drifts; the second has the same parts
 * without the coupling.  Prints the peak of each.
 */
#include <clpac/plan.h>

#include <math.h>
#include <stdio.h>

enum { RATE = 500, SECONDS = 20, N = RATE * SECONDS };

static float samples[2][N];

static void synthesise(void)
{
	const double tau = 6.283185307179586;
	unsigned noise = 1;
	double theta = 0, drift = 0;
	for (int t = 0; t < N; t++) {
		noise = noise * 1664525u + 1013904223u;
		drift = 0.98 * drift + 0.35 * ((double)noise / 4294967296.0 - 0.5);
		theta += tau * (6 + drift) / RATE;
		const double gamma = sin(tau * 80 * t / RATE);
		samples[0][t] = (float)(cos(theta) + 0.2 * (1 + cos(theta)) * gamma + 0.5 * drift);
		samples[1][t] = (float)(cos(theta) + 0.2 * gamma + 0.5 * drift);
	}
}

int main(void)
{
	clpac_error err;
	clpac_context *context = NULL;
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	const clpac_problem problem = {
		.rate_hz = RATE,
		.n_channels = 2,
		.n_samples = N,
		.n_surrogates = 200,
		.min_shift = RATE,
		.seed = 42,
	};

	synthesise();
	clpac_status status = clpac_context_open(NULL, NULL, &context, &err);
	if (status == CLPAC_OK)
		status = clpac_plan_create(context, &problem, NULL, &plan, &err);
	if (status == CLPAC_OK)
		status = clpac_plan_run(plan, &samples[0][0], &result, &err);
	if (status != CLPAC_OK) {
		fprintf(stderr, "%s: %s\n", clpac_status_text(status), err.text);
	} else {
		const clpac_band *phase = clpac_result_phase_bands(result),
				 *amplitude = clpac_result_amplitude_bands(result);
		for (size_t channel = 0; channel < 2; channel++) {
			const clpac_peak peak = clpac_result_peak(result, channel);
			printf("channel %zu: phase %g-%g Hz, amplitude %g-%g Hz, index %.5f, z %.1f, p %.3f\n", channel,
			       phase[peak.phase].lo_hz, phase[peak.phase].hi_hz, amplitude[peak.amplitude].lo_hz,
			       amplitude[peak.amplitude].hi_hz, (double)peak.mi, (double)peak.z, (double)peak.p);
		}
	}
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	return status != CLPAC_OK;
}
