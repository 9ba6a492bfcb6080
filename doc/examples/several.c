/* One job on every device of this machine: a plan on each, one run, and who did what.
 *
 * On a machine whose only device is its CPU that is a run on one.
 */
#include <clpac/plan.h>

#include <stdio.h>
#include <stdlib.h>

enum { N_CHANNELS = 24, N_SAMPLES = 4000, MAX = CLPAC_MAX_DEVICES };

static clpac_context *contexts[MAX];
static clpac_plan *plans[MAX];

/* A plan on each device that can be opened; how many there are. */
static size_t open_all(const clpac_problem *problem, clpac_error *err)
{
	clpac_device_list *list = NULL;
	const clpac_device *devices[MAX];
	size_t n_devices = 0, n = 0;
	if (clpac_devices_find(&list, err) == CLPAC_OK)
		clpac_devices_select_several(list, "all", 0, devices, MAX, &n_devices, err);
	for (size_t i = 0; i < n_devices; i++) {
		if (clpac_context_open(devices[i], NULL, &contexts[n], err) != CLPAC_OK)
			continue;
		if (clpac_plan_create(contexts[n], problem, NULL, &plans[n], err) == CLPAC_OK)
			n++;
		else
			clpac_context_close(contexts[n]);
	}
	clpac_devices_destroy(list);
	return n;
}

int main(void)
{
	clpac_error err = {0};
	clpac_result *result = NULL;
	float *samples = malloc(N_CHANNELS * N_SAMPLES * sizeof *samples);
	const void *channels[N_CHANNELS];
	const clpac_problem problem = {.rate_hz = 500,
				       .n_channels = N_CHANNELS,
				       .n_samples = N_SAMPLES,
				       .n_surrogates = 100,
				       .min_shift = 250};
	unsigned noise = 1;
	int code = EXIT_FAILURE;
	if (!samples)
		return code;
	for (size_t i = 0; i < N_CHANNELS * N_SAMPLES; i++)
		samples[i] = (float)(noise = noise * 1664525u + 1013904223u);
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		channels[ch] = samples + ch * N_SAMPLES;

	const size_t n = open_all(&problem, &err);
	const clpac_samples input = {.type = CLPAC_FLOAT32, .channels = channels};
	if (n && clpac_plan_run_several(plans, n, &input, &result, &err) == CLPAC_OK) {
		const clpac_report *report = clpac_result_report(result);
		for (size_t i = 0; i < report->n_devices; i++)
			printf("%s, %s: %zu channels\n", report->devices[i].selection, report->devices[i].device,
			       report->devices[i].n_series);
		code = EXIT_SUCCESS;
	} else {
		fprintf(stderr, "%s\n", err.text);
	}
	clpac_result_destroy(result);
	for (size_t i = 0; i < n; i++) {
		clpac_plan_destroy(plans[i]);
		clpac_context_close(contexts[i]);
	}
	free(samples);
	return code;
}
