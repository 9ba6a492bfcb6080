/* The gain of several devices in one run over the best of them alone.
 *
 *     bench/several [OPTION VALUE]... DEVICES [WORKLOAD]       DEVICES as native+0:0, or all; WORKLOAD: default
 *
 *     --repetitions N                5 by default, at least 3
 *     --series N                     changes the workload
 *     --memory, --threads, ...       any option of the library (clpac config), with its value
 *
 * Each device runs alone and all of them together, in turns, on plans made before; the first turn is not counted.
 * Prints one JSON line.  "speed_up" is the median over the turns of (the best device's time alone / the time together),
 * with the least and the highest; "devices" has each device's median alone, and the series it computed in the fastest
 * run together.  Devices on the same cores slow each other down: give each its own (`--threads 1` for native,
 * POCL_MAX_PTHREAD_COUNT=1 for PoCL).
 */
#include <clpac/plan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/workload.h"

enum { MAX_REPETITIONS = 100, TOGETHER = CLPAC_MAX_DEVICES };

static void end(const char *what, const char *why)
{
	fprintf(stderr, "bench/several: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void end_if(clpac_status st, const clpac_error *err)
{
	if (st != CLPAC_OK)
		end(clpac_status_text(st), err->text);
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const double *values, size_t n)
{
	double sorted[MAX_REPETITIONS];
	memcpy(sorted, values, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_value);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

struct party {
	clpac_context *contexts[CLPAC_MAX_DEVICES];
	clpac_plan *plans[CLPAC_MAX_DEVICES];
	size_t n;
};

static void open_party(struct party *party, const clpac_options *options, const char *selection,
		       const clpac_problem *problem)
{
	clpac_error err;
	clpac_device_list *list = NULL;
	const clpac_device *devices[CLPAC_MAX_DEVICES];
	end_if(clpac_devices_find(&list, &err), &err);
	end_if(clpac_devices_select_several(list, selection, 0, devices, CLPAC_MAX_DEVICES, &party->n, &err), &err);
	for (size_t i = 0; i < party->n; i++) {
		end_if(clpac_context_open(devices[i], options, &party->contexts[i], &err), &err);
		end_if(clpac_plan_create(party->contexts[i], problem, NULL, &party->plans[i], &err), &err);
	}
	clpac_devices_destroy(list);
}

static void close_party(struct party *party)
{
	for (size_t i = 0; i < party->n; i++) {
		clpac_plan_destroy(party->plans[i]);
		clpac_context_close(party->contexts[i]);
	}
}

static double run_once(clpac_plan *const *plans, size_t n, const clpac_samples *samples, clpac_report *report)
{
	clpac_error err;
	clpac_result *result = NULL;
	const double started = clpac__clock_seconds();
	end_if(clpac_plan_run_several(plans, n, samples, &result, &err), &err);
	const double seconds = clpac__clock_seconds() - started;
	*report = *clpac_result_report(result);
	clpac_result_destroy(result);
	return seconds;
}

static double seconds[CLPAC_MAX_DEVICES + 1][MAX_REPETITIONS];

static void measure(const workload *w, const struct party *party, const clpac_samples *samples, size_t n_repetitions)
{
	clpac_report report, fastest = {0};
	double speed_up[MAX_REPETITIONS], quickest = INFINITY;
	for (size_t r = 0; r <= n_repetitions; r++) {
		double best = INFINITY;
		const size_t at = r ? r - 1 : 0; /* the first turn is overwritten */
		for (size_t i = 0; i < party->n; i++) {
			seconds[i][at] = run_once(&party->plans[i], 1, samples, &report);
			best = fmin(best, seconds[i][at]);
		}
		seconds[TOGETHER][at] = run_once(party->plans, party->n, samples, &report);
		speed_up[at] = best / seconds[TOGETHER][at];
		if (r && seconds[TOGETHER][at] < quickest) {
			quickest = seconds[TOGETHER][at];
			fastest = report;
		}
	}
	qsort(speed_up, n_repetitions, sizeof *speed_up, by_value);
	printf("{\"bench\": \"several\", \"name\": \"%s\", \"series\": %zu, \"samples\": %zu, \"phase\": %zu, "
	       "\"amplitude\": %zu, "
	       "\"surrogates\": %zu, \"repetitions\": %zu, \"speed_up\": %.4g, \"low\": %.4g, \"high\": %.4g, "
	       "\"seconds\": %.6g, "
	       "\"devices\": [",
	       w->name, w->n_series, w->n_samples, w->n_phase, w->n_amplitude, w->n_surrogates, n_repetitions,
	       median(speed_up, n_repetitions), speed_up[0], speed_up[n_repetitions - 1],
	       median(seconds[TOGETHER], n_repetitions));
	for (size_t i = 0; i < party->n; i++)
		printf("%s{\"selection\": \"%s\", \"name\": \"%s\", \"platform\": \"%s\", \"alone_s\": %.6g, "
		       "\"series\": %zu, "
		       "\"batches\": %zu}",
		       i ? ", " : "", fastest.devices[i].selection, fastest.devices[i].device,
		       fastest.devices[i].platform, median(seconds[i], n_repetitions), fastest.devices[i].n_series,
		       fastest.devices[i].n_batches);
	puts("]}");
}

int main(int argc, char **argv)
{
	clpac_error err;
	clpac_options options = {0};
	size_t n_repetitions = 5, n_series = 0;
	int i = 1;
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		const char *name = argv[i] + 2, *value = argv[i + 1];
		if (strcmp(name, "repetitions") == 0)
			n_repetitions = strtoul(value, NULL, 10);
		else if (strcmp(name, "series") == 0)
			n_series = strtoul(value, NULL, 10);
		else
			end_if(clpac_options_set(&options, name, value, &err), &err);
	}
	if (i >= argc || n_repetitions < 3 || n_repetitions > MAX_REPETITIONS)
		end("usage", "bench/several [--repetitions N (3 to 100)] [OPTION VALUE]... DEVICES [WORKLOAD]");
	const char *name = i + 1 < argc ? argv[i + 1] : "default";
	if (!find_workload(name))
		end(name, "is no workload; bench/run --list names them");
	workload w = *find_workload(name);
	w.n_series = n_series ? n_series : w.n_series;

	clpac_band *phase = NULL, *amplitude = malloc(w.n_amplitude * sizeof *amplitude);
	char text[64];
	if (!amplitude)
		end(name, "no memory for the bands");
	clpac_problem problem = {.rate_hz = w.rate_hz,
				 .n_channels = w.n_series,
				 .n_samples = w.n_samples,
				 .n_surrogates = w.n_surrogates,
				 .seed = 1};
	snprintf(text, sizeof text, "2:20:%zu", w.n_phase);
	end_if(clpac_bands_read(text, CLPAC_PHASE, NULL, &phase, &problem.n_phase_bands, NULL, &err), &err);
	make_amplitude_bands(&w, amplitude);
	problem.n_amplitude_bands = w.n_amplitude;
	problem.phase_bands = phase;
	problem.amplitude_bands = amplitude;

	float *values = malloc(w.n_series * w.n_samples * sizeof *values);
	const void **channels = malloc(w.n_series * sizeof *channels);
	if (!values || !channels)
		end(name, "no memory for the samples");
	make_samples(&w, values);
	for (size_t ch = 0; ch < w.n_series; ch++)
		channels[ch] = values + ch * w.n_samples;
	const clpac_samples samples = {.type = CLPAC_FLOAT32, .channels = channels};

	struct party party = {0};
	open_party(&party, &options, argv[i], &problem);
	measure(&w, &party, &samples, n_repetitions);
	close_party(&party);
	clpac_bands_free(phase);
	free(amplitude);
	free(channels);
	free(values);
	return EXIT_SUCCESS;
}
