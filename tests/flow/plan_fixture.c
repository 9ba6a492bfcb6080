/* A small problem, and runs of it on the native device. */
#include "plan_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "assertions.h"
#include "contract/places.h"

static const clpac_band phase_bands[N_PHASE] = {{4, 8}, {8, 13}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{30, 45}, {50, 75}, {60, 90}};

clpac_problem base(void)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = N_SURROGATES,
			       .share_shifts = true,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

double *make_samples(unsigned long long seed, size_t n)
{
	double *x = malloc(n * sizeof *x), drift = 0;
	for (size_t t = 0; t < n; t++)
		x[t] = (float)(random_drifting(&seed, &drift) - 0.5);
	return x;
}

clpac_context *open_native(void)
{
	return place_open(0);
}

clpac_result *run(clpac_context *context, const clpac_problem *p, const double *x)
{
	clpac_error err;
	const void *channels[8];
	for (size_t ch = 0; ch < p->n_channels; ch++)
		channels[ch] = x + ch * p->n_samples;
	clpac_plan *plan = place_plan(context, p, NULL);
	clpac_result *result = NULL;
	assert_works(clpac_plan_run_samples(plan, &(clpac_samples){.type = CLPAC_FLOAT64, .channels = channels},
					    &result, &err),
		     err);
	clpac_plan_destroy(plan);
	return result;
}

const float *array_of(const clpac_result *result, clpac_array which)
{
	return clpac_result_array(result, which, NULL);
}

size_t warned(const clpac_result *result, clpac_warning_kind kind, const char *part)
{
	const clpac_warning *warning = &clpac_result_report(result)->warnings[kind];
	if (warning->count)
		ck_assert_msg(strstr(warning->text, part) != NULL, "'%s' is not in '%s'", part, warning->text);
	return warning->count;
}
