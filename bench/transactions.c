/* Memory transactions of the surrogate stage on a GPU, from real edge lists and without a GPU.
 *
 *     bench/transactions [OPTION VALUE]... WORKLOAD...        workloads as in bench/run
 *
 *     --series N --surrogates N         series of the workload that are taken (2), surrogates (the workload's)
 *     --cache-kib N --threads N         first-level cache and threads of a multiprocessor (192, 1024)
 *     --processors N --modelled N       multiprocessors (132), and how many of them are modelled (4)
 *
 * Runs the workload on the native device, takes the edge lists and shifts of that run, and passes them through a model
 * of warps and their cache (bench/warps.h), once for each way of laying work-items over shifts and bands:
 *
 *     before        a shift walks from its own row of two copies; rows of as many bands as there are; groups of 64
 *     padded        the same with rows of 32 bands, 16 or 8; more than 32 bands are panels of 32
 *     panel-N       those rows once, every shift from row 0 on, in groups of N; entries of lists four at a time
 *
 * 192 KiB and 132 multiprocessors are those of NVIDIA's A100 (108) and H100 (256 KiB, of which a kernel without local
 * memory has nearly all), 1024 threads those that 64 registers leave of 65 536.
 *
 * Prints a JSON line per workload and mapping:
 *
 *     "lines_per_load"            lines of 128 bytes that a warp's load of prefix sums touches
 *     "l1_transactions_per_byte"  passes through the first-level cache, for lists and prefix sums, per useful byte:
 *                                 what some work-item adds, 4 bytes for each crossing, shift and band
 *     "l1_transactions_per_128"   the same per 128 useful bytes; 1 is the least there can be
 *     "l2_transactions_per_byte"  sectors of 32 bytes from the second level, per useful byte
 *     "l1_hits"                   share of the sectors that were in the first-level cache
 *     "l2_bytes_per_byte"         bytes from the second level, per useful byte
 */
#include <clpac/plan.h>
#include <clpac/memory/buffer.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/warps.h"
#include "bench/workload.h"
#include "coupling/run/execute.h"
#include "coupling/layout/test_settings.h"

typedef struct settings {
	size_t n_series, n_surrogates, cache_kib, n_threads, n_processors, n_modelled;
} settings;

static const mapping mappings[] = {
	{.name = "before", .group = 64, .of_entry = 1},
	{.name = "padded", .is_padded = true, .group = 64, .of_entry = 1},
	{.name = "panel-64", .is_panel = true, .is_padded = true, .group = 64, .of_entry = 4},
	{.name = "panel-256", .is_panel = true, .is_padded = true, .group = 256, .of_entry = 4},
	{.name = "panel-512", .is_panel = true, .is_padded = true, .group = 512, .of_entry = 4},
};

static void end(const char *what, const char *why)
{
	fprintf(stderr, "bench/transactions: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void end_if(clpac_status st, const clpac_error *err)
{
	if (st != CLPAC_OK)
		end(clpac_status_text(st), err->text);
}

static void *must(void *allocated)
{
	if (!allocated)
		end("no memory", "give fewer --series");
	return allocated;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Runs a workload in a single batch whose series are one span each. */
static clpac_plan *run(clpac_context *context, const workload *w)
{
	clpac_error err;
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	clpac_band *phase = NULL, *amplitude = must(malloc(w->n_amplitude * sizeof *amplitude));
	float *samples = must(malloc(w->n_series * w->n_samples * sizeof *samples));
	char text[64];
	clpac_problem problem = {.rate_hz = w->rate_hz,
				 .n_channels = w->n_series,
				 .n_samples = w->n_samples,
				 .n_surrogates = w->n_surrogates,
				 .seed = 1,
				 .measures = &w->measure,
				 .n_measures = 1};
	const clpac_plan_options options = {.strategy = CLPAC_STRATEGY_VECTORIZED};
	snprintf(text, sizeof text, "2:20:%zu", w->n_phase);
	end_if(clpac_bands_read(text, CLPAC_PHASE, NULL, &phase, &problem.n_phase_bands, NULL, &err), &err);
	make_amplitude_bands(w, amplitude);
	make_samples(w, samples);
	problem.phase_bands = phase;
	problem.amplitude_bands = amplitude;
	problem.n_amplitude_bands = w->n_amplitude;
	/* Spans as long as this leave a series whole, as it is where its prefix sums fit in a second-level cache. */
	clpac__for_tests.span = SIZE_MAX / 4;
	end_if(clpac_plan_create(context, &problem, &options, &plan, &err), &err);
	end_if(clpac_plan_run(plan, samples, &result, &err), &err);
	clpac_result_destroy(result);
	clpac_bands_free(phase);
	free(amplitude);
	free(samples);
	const clpac__layout *l = &plan->layout;
	if (l->batch < w->n_series || l->n_spans > 1 || l->row_stride != 1 || !l->n_surrogates)
		end(w->name, "its edge lists are not those of one batch of whole, shifted series; give fewer --series");
	return plan;
}

static uint32_t *read_part(const clpac_plan *plan, enum clpac__tensor tensor)
{
	clpac_error err;
	const size_t bytes = plan->layout.bytes[tensor];
	uint32_t *values = must(malloc(bytes));
	end_if(clpac_buffer_read(plan->runs->batches->tensors[tensor], 0, bytes, values, &err), &err);
	return values;
}

/* The edge lists of a run, which point into `entries` (cl/phase_edges.cl). */
static edge_list *lists_of(const clpac_plan *plan, size_t n_series, const uint32_t *entries)
{
	const clpac__layout *l = &plan->layout;
	const size_t n_rows = n_series * l->n_phase, n = l->n_bins;
	uint32_t *starts = read_part(plan, CLPAC__TENSOR_STARTS);
	edge_list *lists = must(calloc(n_rows, sizeof *lists));
	for (size_t row = 0; row < n_rows; row++) {
		const uint32_t *start = starts + row * (2 * n + 4);
		if (!start[2 * n + 3])
			end("edge lists", "those of a phase band did not fit, and are empty");
		lists[row] = (edge_list){.entries = entries + row * l->capacity,
					 .n_cycles = start[2 * n + 2],
					 .n_bins = n,
					 .n_others = start[2 * n] - start[0]};
	}
	free(starts);
	return lists;
}

/* Shifts in ascending order, as those of a chunk are. */
static uint32_t *shifts_of(const clpac_plan *plan, size_t n_series)
{
	const size_t n = plan->layout.n_surrogates;
	uint32_t *shifts = must(malloc(n_series * n * sizeof *shifts));
	for (size_t i = 0; i < n_series; i++) {
		for (size_t k = 0; k < n; k++)
			shifts[i * n + k] = plan->runs->batches->shifts[i * (n + 1) + 1 + k].samples;
		qsort(shifts + i * n, n, sizeof *shifts, by_value);
	}
	return shifts;
}

static void print_line(const settings *s, const workload *w, const mapping *how, const traffic *t)
{
	const double useful = (double)t->useful_bytes, passes = (double)(t->lines + t->list_lines);
	printf("{\"bench\": \"transactions\", \"name\": \"%s\", \"mapping\": \"%s\", ", w->name, how->name);
	printf("\"series\": %zu, \"samples\": %zu, \"phase\": %zu, \"amplitude\": %zu, \"surrogates\": %zu, ",
	       w->n_series, w->n_samples, w->n_phase, w->n_amplitude, w->n_surrogates);
	printf("\"bands_of_row\": %zu, \"group\": %zu, \"cache_kib\": %zu, \"threads\": %zu, ",
	       bands_of_row(how, w->n_amplitude), how->group, s->cache_kib, s->n_threads);
	printf("\"processors\": %zu, \"modelled\": %zu, \"useful_bytes\": %.6g, ", s->n_processors, s->n_modelled,
	       useful);
	printf("\"lines_per_load\": %.2f, ", (double)t->lines / (double)t->loads);
	printf("\"l1_transactions_per_128\": %.2f, ", passes / useful * LINE_BYTES);
	printf("\"l1_transactions_per_byte\": %.4f, ", passes / useful);
	printf("\"l2_transactions_per_byte\": %.4f, ", (double)t->missed / useful);
	printf("\"l1_hits\": %.2f, ", 1 - (double)t->missed / (double)t->sectors);
	printf("\"l2_bytes_per_byte\": %.2f}\n", (double)t->missed * SECTOR_BYTES / useful);
	fflush(stdout);
}

static void trace(const settings *s, clpac_context *context, const workload *named)
{
	workload w = *named;
	w.n_series = s->n_series < w.n_series ? s->n_series : w.n_series;
	w.n_surrogates = s->n_surrogates ? s->n_surrogates : w.n_surrogates;
	if (!w.n_surrogates || w.n_surrogates == ALL_SHIFTS || w.measure != CLPAC_MEASURE_MI)
		end(w.name, "it has no shifts that pass edge lists");
	clpac_plan *plan = run(context, &w);
	uint32_t *entries = read_part(plan, CLPAC__TENSOR_EDGES), *shifts = shifts_of(plan, w.n_series);
	edge_list *lists = lists_of(plan, w.n_series, entries);
	const traced what = {.lists = lists,
			     .shifts = shifts,
			     .n_series = w.n_series,
			     .n_phase = w.n_phase,
			     .n_amplitude = w.n_amplitude,
			     .n_shifts = w.n_surrogates,
			     .n_samples = plan->layout.kept};
	for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
		traffic sum = {0};
		for (size_t k = 0; k < s->n_modelled; k++) {
			const processor where = {.cache_bytes = s->cache_kib * 1024,
						 .n_threads = s->n_threads,
						 .n_processors = s->n_processors,
						 .number = k * s->n_processors / s->n_modelled};
			if (!add_traffic(&what, mappings + i, &where, &sum))
				end(mappings[i].name, "no memory, a cache below 2 KiB or threads for no group");
		}
		if (!sum.loads)
			end(mappings[i].name,
			    "no group runs on the multiprocessors that are modelled; give fewer --processors");
		print_line(s, &w, mappings + i, &sum);
	}
	free(lists);
	free(shifts);
	free(entries);
	clpac_plan_destroy(plan);
}

static size_t read_count(const char *name, const char *value)
{
	char *rest = NULL;
	errno = 0;
	const unsigned long long n = strtoull(value, &rest, 10);
	if (errno || rest == value || *rest || *value == '-' || !n)
		end(name, "wants a whole number above 0");
	return (size_t)n;
}

int main(int argc, char **argv)
{
	clpac_error err;
	clpac_context *context = NULL;
	settings s = {.n_series = 2, .cache_kib = 192, .n_threads = 1024, .n_processors = 132, .n_modelled = 4};
	const struct {
		const char *name;
		size_t *count;
	} counts[] = {{"series", &s.n_series},	 {"surrogates", &s.n_surrogates}, {"cache-kib", &s.cache_kib},
		      {"threads", &s.n_threads}, {"processors", &s.n_processors}, {"modelled", &s.n_modelled}};
	clpac_options options = {0};
	int i = 1;
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		size_t *count = NULL;
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
			if (strcmp(argv[i] + 2, counts[k].name) == 0)
				count = counts[k].count;
		if (!count)
			end(argv[i], "is no option of this program");
		*count = read_count(argv[i], argv[i + 1]);
	}
	if (i == argc)
		end("no workload", "bench/run --list names them");
	if (s.n_modelled > s.n_processors)
		end("--modelled", "is more than --processors");
	snprintf(options.device, sizeof options.device, "native");
	end_if(clpac_context_open(NULL, &options, &context, &err), &err);
	for (; i < argc; i++) {
		const workload *w = find_workload(argv[i]);
		if (!w)
			end(argv[i], "is no workload; bench/run --list names them");
		trace(&s, context, w);
	}
	clpac_context_close(context);
	return EXIT_SUCCESS;
}
