/* The time of a whole computation, from samples on the host to the result on the host.
 *
 *     bench/run [OPTION VALUE]... WORKLOAD...        bench/run --list names the workloads
 *
 *     --repetitions N                   7 by default
 *     --warm-up N                       uncounted runs before; 1 by default
 *     --at-most SECONDS                 after these no other repetition begins, and after half of them no other warm-up
 *     --series N --samples N --rate HZ --phase N --amplitude N --surrogates N
 *                                       change the workload: for a smaller one, or one of many sizes
 *     --strategy NAME                   as in `clpac run`
 *     --batch N                         most series in a batch; as many as pay by default
 *     --row-groups N --group N --span N --edge-tile N --cache-bytes N
 *                                       what else the library decides by the device: vectors that a sample has side by
 *                                       side, work-items of a group (a power of two), samples of a span, samples of a
 *                                       tile of edge lists (which a row has 64 of at most: more are ignored), bytes of
 *                                       prefix sums that are walked at once
 *     --write FILE                      writes the samples as .npy for other programs
 *     --paced yes                       each line on standard input starts one repetition, and its seconds are printed;
 *                                       the end of the input ends the program: for two programs that take turns
 *     --launches yes                    one more run, whose commands to OpenCL are counted and timed (bench/launches.h)
 *     --device, --memory, --threads...  any option of the library (clpac config), with its value
 *
 * Prints one JSON line per workload:
 *
 *     "seconds"              median of the runs on one plan
 *     "plan_s"               seconds to make that plan
 *     "open_s"               seconds to open the device
 *     "stages"               stages of the fastest run
 *     "resident_peak_bytes"  highest resident size of the process so far, samples included; it belongs to one workload
 *                            only if a single one is named
 */
#include "config.h"

#include <clpac/plan.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#ifdef HAVE_OPENCL
#include "bench/launches.h"
#include "coupling/opencl/opencl_compute.h"
#endif
#include "bench/workload.h"
#include "coupling/layout/test_settings.h"

enum { MAX_REPETITIONS = 1000 };

typedef struct settings {
	clpac_options options;
	clpac_plan_options plan;
	size_t n_repetitions, n_warm_up, cache_bytes;
	double at_most_s; /* INFINITY: no limit */
	const char *write, *paced, *launches;
	workload changes; /* 0: the workload's own value; for n_surrogates SIZE_MAX */
} settings;

static void end(const char *what, const char *why)
{
	fprintf(stderr, "bench/run: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void end_if(clpac_status st, const clpac_error *err)
{
	if (st != CLPAC_OK)
		end(clpac_status_text(st), err->text);
}

/* The highest resident size of this process, by Linux's count; 0 on other systems. */
static uint64_t resident_peak_bytes(void)
{
	char line[256];
	uint64_t kibibytes = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "VmHWM: %" SCNu64, &kibibytes) == 1)
			break;
	if (file)
		fclose(file);
	return kibibytes * 1024;
}

static void print_text(const char *name, const char *text)
{
	printf("\"%s\": \"", name);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar((unsigned char)*text < ' ' ? ' ' : *text);
	printf("\", ");
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The outcome of a run: its report, and its highest cell, to compare the findings of two programs. */
typedef struct outcome {
	clpac_report report;
	float highest_index, highest_z;
} outcome;

static float highest(const clpac_result *result, clpac_array which)
{
	size_t n;
	const float *values = clpac_result_array(result, which, &n);
	float most = NAN;
	for (size_t i = 0; i < n; i++)
		most = fmaxf(most, values[i]);
	return most;
}

static double run_once(clpac_plan *plan, const float *samples, outcome *out)
{
	clpac_error err;
	clpac_result *result = NULL;
	const double started = clpac__clock_seconds();
	end_if(clpac_plan_run(plan, samples, &result, &err), &err);
	const double seconds = clpac__clock_seconds() - started;
	*out = (outcome){*clpac_result_report(result), highest(result, CLPAC_MI), highest(result, CLPAC_Z)};
	clpac_result_destroy(result);
	return seconds;
}

/* Keeps the outcome of the fastest run; returns the number of runs. */
static size_t run_all(const settings *s, clpac_plan *plan, const float *samples, double *seconds, outcome *best)
{
	size_t n = 0;
	char line[64];
	double fastest = INFINITY;
	const double started = clpac__clock_seconds();
	for (size_t i = 0; i < s->n_warm_up && clpac__clock_seconds() - started < s->at_most_s / 2; i++)
		run_once(plan, samples, best);
	if (s->paced)
		puts("ready");
	fflush(stdout);
	while (n < (s->paced ? (size_t)MAX_REPETITIONS : s->n_repetitions)) {
		if (s->paced && !fgets(line, sizeof line, stdin))
			break;
		outcome made;
		seconds[n] = run_once(plan, samples, &made);
		if (seconds[n] < fastest) {
			fastest = seconds[n];
			*best = made;
		}
		if (s->paced)
			printf("%.9f\n", seconds[n]);
		fflush(stdout);
		n++;
		if (clpac__clock_seconds() - started >= s->at_most_s)
			break;
	}
	return n;
}

#ifdef HAVE_OPENCL
static void watch_launches(void)
{
	launches_watch();
}

/* Counts and times the commands of one more run, and prints them as members of the line. */
static void print_launches(clpac_plan *plan, const float *samples)
{
	outcome unused;
	launches_begin();
	run_once(plan, samples, &unused);
	launches_end();
}
#else
static void watch_launches(void)
{
	end("--launches", "was built without OpenCL, whose commands it counts");
}

static void print_launches(clpac_plan *plan, const float *samples)
{
	(void)plan, (void)samples;
}
#endif

/* Prints all of the line but its end. */
static void print_line(const workload *w, const clpac_plan *plan, const outcome *best, double open_s, double plan_s,
		       double *seconds, size_t n)
{
	clpac_error err;
	const clpac_report *report = &best->report;
	char *problem = NULL;
	double load = 0;
	getloadavg(&load, 1);
	qsort(seconds, n, sizeof *seconds, by_value);
	const double median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
	const double work = (double)w->n_series * (double)w->n_samples * (double)(w->n_phase * w->n_amplitude) *
			    (double)w->n_surrogates;
	end_if(clpac_problem_write(clpac_plan_problem(plan), &problem, &err), &err);
	printf("{\"bench\": \"run\", ");
	print_text("name", w->name);
	printf("\"series\": %zu, \"samples\": %zu, \"rate_hz\": %g, ", w->n_series, w->n_samples, w->rate_hz);
	printf("\"phase\": %zu, \"amplitude\": %zu, \"surrogates\": %zu, ", w->n_phase, w->n_amplitude,
	       w->n_surrogates);
	print_text("problem", problem);
	print_text("device", report->device);
	print_text("platform", report->platform);
	print_text("driver", report->driver);
	print_text("backend", report->backend);
	print_text("engine", report->fft_engine);
	print_text("strategy", report->strategy);
	print_text("instruction_set", report->instruction_set);
	printf("\"threads\": %u, \"vector_width\": %u, \"batch\": %zu, \"fft_length\": %zu, ", report->n_threads,
	       report->vector_width, report->batch_series, report->fft_length);
	printf("\"repetitions\": %zu, \"seconds\": %.6g, \"min\": %.6g, \"max\": %.6g, ", n, median, seconds[0],
	       seconds[n - 1]);
	printf("\"plan_s\": %.6g, \"open_s\": %.6g, ", plan_s, open_s);
	printf("\"stages\": {");
	for (size_t i = 0; i < report->n_stages; i++)
		printf("%s\"%s\": %.6g", i ? ", " : "", report->stages[i].name, report->stages[i].seconds);
	printf("}, \"samples_bytes\": %zu, \"estimate_bytes\": %" PRIu64 ", \"peak_bytes\": %" PRIu64
	       ", \"budget_bytes\": %" PRIu64 ", \"resident_peak_bytes\": %" PRIu64 ", \"cpu_fallbacks\": %zu, ",
	       w->n_series * w->n_samples * sizeof(float), report->estimate_bytes, report->peak_bytes,
	       report->budget_bytes, resident_peak_bytes(), report->n_cpu_fallbacks);
	if (w->n_surrogates)
		printf("\"sample_pair_surrogates_per_s\": %.4g, \"highest_z\": %.6g, ", work / median,
		       (double)best->highest_z);
	printf("\"highest_index\": %.6g, \"load\": %.2f", (double)best->highest_index, load);
	clpac_text_free(problem);
}

static workload changed(const workload *w, const workload *changes)
{
	workload made = *w;
	made.n_series = changes->n_series ? changes->n_series : w->n_series;
	made.n_samples = changes->n_samples ? changes->n_samples : w->n_samples;
	made.rate_hz = changes->rate_hz > 0 ? changes->rate_hz : w->rate_hz;
	made.n_phase = changes->n_phase ? changes->n_phase : w->n_phase;
	made.n_amplitude = changes->n_amplitude ? changes->n_amplitude : w->n_amplitude;
	made.n_surrogates = changes->n_surrogates != SIZE_MAX ? changes->n_surrogates : w->n_surrogates;
	return made;
}

static void measure(const settings *s, clpac_context *context, double open_s, const workload *named)
{
	clpac_error err;
	clpac_plan *plan = NULL;
	outcome best;
	clpac_band *phase = NULL;
	char text[64];
	workload w = changed(named, &s->changes);
	clpac_band *amplitude = malloc(w.n_amplitude * sizeof *amplitude);
	float *samples = malloc(w.n_series * w.n_samples * sizeof *samples);
	double *seconds = malloc(MAX_REPETITIONS * sizeof *seconds);
	if (!amplitude || !samples || !seconds)
		end(w.name, "no memory for the samples");
	make_samples(&w, samples);
	const int code = s->write ? write_samples(&w, samples, s->write) : 0;
	if (code)
		end(s->write, strerror(code));

	clpac_problem problem = {.rate_hz = w.rate_hz,
				 .n_channels = w.n_series,
				 .n_samples = w.n_samples,
				 .n_surrogates = w.n_surrogates == ALL_SHIFTS ? 0 : w.n_surrogates,
				 .null = w.n_surrogates == ALL_SHIFTS ? CLPAC_NULL_ALL_SHIFTS : CLPAC_NULL_SHIFTS,
				 .seed = 1,
				 .measures = &w.measure,
				 .n_measures = 1};
	snprintf(text, sizeof text, "2:20:%zu", w.n_phase);
	end_if(clpac_bands_read(text, CLPAC_PHASE, NULL, &phase, &problem.n_phase_bands, NULL, &err), &err);
	make_amplitude_bands(&w, amplitude);
	problem.n_amplitude_bands = w.n_amplitude;
	problem.phase_bands = phase;
	problem.amplitude_bands = amplitude;

	const double started = clpac__clock_seconds();
	end_if(clpac_plan_create(context, &problem, &s->plan, &plan, &err), &err);
	const double plan_s = clpac__clock_seconds() - started;
	w.n_surrogates = clpac_plan_problem(plan)->n_surrogates;
	const size_t n = run_all(s, plan, samples, seconds, &best);
	if (n) {
		print_line(&w, plan, &best, open_s, plan_s, seconds, n);
		if (s->launches)
			print_launches(plan, samples);
		puts("}");
		fflush(stdout);
	}
	clpac_plan_destroy(plan);
	clpac_bands_free(phase);
	free(amplitude);
	free(seconds);
	free(samples);
}

static size_t read_count(const char *name, const char *value, size_t least)
{
	char *rest = NULL;
	errno = 0;
	const unsigned long long n = strtoull(value, &rest, 10);
	if (errno || rest == value || *rest || *value == '-' || n < least)
		end(name, "wants a whole number");
	return (size_t)n;
}

static void read_strategy(settings *s, const char *value)
{
	for (int i = 0; i < CLPAC_STRATEGY_COUNT; i++)
		if (strcmp(clpac_strategy_text((clpac_strategy)i), value) == 0) {
			s->plan.strategy = (clpac_strategy)i;
			return;
		}
	end(value, "is no strategy; see `clpac run --help`");
}

static void read_option(settings *s, const char *name, const char *value)
{
	const struct {
		const char *name;
		size_t *count, least;
	} counts[] = {
		{"repetitions", &s->n_repetitions, 1},
		{"warm-up", &s->n_warm_up, 0},
		{"series", &s->changes.n_series, 1},
		{"samples", &s->changes.n_samples, 1},
		{"phase", &s->changes.n_phase, 1},
		{"amplitude", &s->changes.n_amplitude, 1},
		{"surrogates", &s->changes.n_surrogates, 0},
		{"batch", &s->plan.max_batch, 1},
		{"row-groups", &clpac__for_tests.row_groups, 1},
#ifdef HAVE_OPENCL
		{"group", &clpac__opencl_group_of_tests, 1},
#endif
		{"span", &clpac__for_tests.span, 1},
		{"edge-tile", &clpac__for_tests.edge_tile, 16},
		{"cache-bytes", &s->cache_bytes, 1},
	};
	const struct {
		const char *name, **text;
	} texts[] = {{"write", &s->write}, {"paced", &s->paced}, {"launches", &s->launches}};
	char key[64];
	clpac_error err;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (strcmp(name, counts[i].name) == 0) {
			*counts[i].count = read_count(name, value, counts[i].least);
			return;
		}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(name, texts[i].name) == 0) {
			*texts[i].text = value;
			return;
		}
	if (strcmp(name, "rate") == 0) {
		s->changes.rate_hz = strtod(value, NULL);
	} else if (strcmp(name, "at-most") == 0) {
		s->at_most_s = strtod(value, NULL);
	} else if (strcmp(name, "strategy") == 0) {
		read_strategy(s, value);
	} else {
		/* The library's table of options uses underscores. */
		snprintf(key, sizeof key, "%s", name);
		for (char *c = key; *c; c++)
			*c = *c == '-' ? '_' : *c;
		end_if(clpac_options_set(&s->options, key, value, &err), &err);
	}
}

int main(int argc, char **argv)
{
	clpac_error err;
	clpac_context *context = NULL;
	settings s = {.n_repetitions = 7, .n_warm_up = 1, .at_most_s = INFINITY, .changes.n_surrogates = SIZE_MAX};
	int i = 1;
	if (argc < 2 || strcmp(argv[1], "--list") == 0) {
		for (size_t k = 0; get_workload(k); k++)
			puts(get_workload(k)->name);
		return EXIT_SUCCESS;
	}
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
		read_option(&s, argv[i] + 2, argv[i + 1]);
	if (s.n_repetitions > MAX_REPETITIONS)
		s.n_repetitions = MAX_REPETITIONS;
#ifdef HAVE_OPENCL
	if (clpac__opencl_group_of_tests & (clpac__opencl_group_of_tests - 1))
		end("--group", "give a power of two");
#endif
	if (i == argc)
		end("no workload", "bench/run --list names them");
	clpac__for_tests.cache = s.cache_bytes;
	if (s.launches)
		watch_launches();

	const double started = clpac__clock_seconds();
	end_if(clpac_context_open(NULL, &s.options, &context, &err), &err);
	const double open_s = clpac__clock_seconds() - started;
	for (; i < argc; i++) {
		const workload *w = find_workload(argv[i]);
		if (!w)
			end(argv[i], "is no workload; bench/run --list names them");
		measure(&s, context, open_s, w);
	}
	clpac_context_close(context);
	return EXIT_SUCCESS;
}
