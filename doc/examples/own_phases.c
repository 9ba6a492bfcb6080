/* The modulation index of phases and amplitudes that come from elsewhere: here, of an amplitude 1 + k cos(phi), whose
 * index is known in closed form (k = 0.5 over 18 bins: 0.022129).
 */
#include <clpac/signal.h>

#include <math.h>
#include <stdio.h>

enum { N = 36000 };

static float phase[N], amplitude[N];

int main(void)
{
	clpac_error err;
	clpac_context *context = NULL;
	clpac_result *result = NULL;
	const clpac_coupling coupling = {.n_series = 1, .n_phase = 1, .n_amplitude = 1, .n_samples = N};

	for (int t = 0; t < N; t++) {
		const double cycles = (t + 0.5) / N; /* one slow cycle that meets every phase alike */
		phase[t] = (float)(6.283185307179586 * (cycles - 0.5));
		amplitude[t] = (float)(1 + 0.5 * cos(phase[t]));
	}
	clpac_status status = clpac_context_open(NULL, NULL, &context, &err);
	if (status == CLPAC_OK)
		status = clpac_signal_modulation_index(context, &coupling, (clpac_values){.host = phase},
						       (clpac_values){.host = amplitude}, &result, &err);
	if (status != CLPAC_OK) {
		fprintf(stderr, "%s: %s\n", clpac_status_text(status), err.text);
	} else {
		const float index = *clpac_result_array(result, CLPAC_MI, NULL);
		printf("modulation index %.6f\n", (double)index);
		if (fabsf(index - 0.022129f) > 1e-5f)
			status = CLPAC_ERROR_INTERNAL;
	}
	clpac_result_destroy(result);
	clpac_context_close(context);
	return status != CLPAC_OK;
}
