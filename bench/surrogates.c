/* The speed of the surrogate stage against the definition.
 *
 * Both kernels of one build compute the same indices from the same buffers, in turns: modulation_index from edge lists,
 * modulation_index_direct sample by sample (one vector load, one subtraction and one vector add into a bin per sample
 * and group of bands: a direct sum, with its additions written as differences of prefix sums).
 *
 *     bench/surrogates [DEVICE [SAMPLES RATE PHASE AMPLITUDE SURROGATES]]     default: native 2048 512 50 32 200
 *
 * Prints one JSON line: medians in seconds, their ratio with the lowest and highest of the pairs, an A/A control (edge
 * lists against edge lists), the ratio of the best times, sample-pair-surrogates per second, and
 *
 *     "cpu_ratio"           the same ratio in processor time of the whole process, the driver's threads included, which
 *                           other programs on the machine disturb least
 *     "load_bytes_per_s"    bytes that the edge lists load per second of processor time
 *     "read_bytes_per_s"    speed of the C library's memchr (as wide as the machine's vectors) on a buffer of the
 *                           prefix sums' size, in one thread
 *     "textbook_cpu_ratio"  processor time of a third way over that of the edge lists: the definition as one writes it
 *                           down, in plain C with vectors as the compiler makes them, on the plan's phase bins.  Sample
 *                           after sample the amplitudes of all bands are added to the sums of the sample's bin, in
 *                           float; then the logarithm gives the index.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <clpac/memory/buffer.h>

#include "base/clock.h"
#include "base/memory.h"
#include "coupling/passes/indices.h"
#include "coupling/run/execute.h"

enum { REPETITIONS = 15 };

static void end_if(clpac_status st, const clpac_error *err)
{
	if (st == CLPAC_OK)
		return;
	fprintf(stderr, "bench/surrogates: %s\n", err->text);
	exit(1);
}

static clpac_band *spread(double lo_hz, double hi_hz, double fraction, size_t n)
{
	clpac_band *bands = calloc(n, sizeof *bands);
	for (size_t i = 0; bands && i < n; i++) {
		const double centre = lo_hz + (hi_hz - lo_hz) * (double)i / (double)(n > 1 ? n - 1 : 1);
		bands[i] = (clpac_band){centre * (1 - fraction), centre * (1 + fraction)};
	}
	return bands;
}

/* Elapsed seconds and processor seconds. */
typedef struct spent {
	double wall, cpu;
} spent;

static double cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static spent timed(clpac_plan *plan, bool is_direct)
{
	clpac_error err;
	clpac__queue *queue = plan->context->queue;
	const double cpu = cpu_seconds(), started = clpac__clock_seconds();
	end_if(clpac__indices(plan, plan->runs->batches, CLPAC_MEASURE_MI, 1,
			      is_direct ? CLPAC__DIRECTLY : CLPAC__BY_EDGES, 1, plan->layout.n_surrogates,
			      plan->runs->batches->tensors[CLPAC__TENSOR_CHUNK], &err),
	       &err);
	end_if(queue->operations->finish(queue, &err), &err);
	return (spent){clpac__clock_seconds() - started, cpu_seconds() - cpu};
}

/* Entries of the edge lists of a row of one span: those of cycles, and the others. */
static double crossings_of(const uint32_t *start, size_t n_bins)
{
	return (double)start[2 * n_bins + 2] * (double)n_bins + (double)(start[2 * n_bins] - start[0]);
}

/* Bytes of prefix sums that the edge lists load: one vector per crossing, shift and group of bands. */
static double bytes_loaded(const clpac_plan *plan)
{
	clpac_error err;
	const clpac__layout *l = &plan->layout;
	const size_t bytes = l->bytes[CLPAC__TENSOR_STARTS], n_starts = bytes / l->n_phase / sizeof(uint32_t);
	const size_t vector_bytes = l->padded / l->groups * sizeof(float);
	uint32_t *starts = malloc(bytes);
	double crossings = 0;
	if (!starts)
		exit(1);
	end_if(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_STARTS], 0, bytes, starts, &err), &err);
	for (size_t p = 0; p < l->n_phase; p++)
		crossings += crossings_of(starts + p * n_starts, l->n_bins);
	free(starts);
	return crossings * (double)(l->groups * vector_bytes) * (double)l->n_surrogates;
}

/* Bytes per second of a plain read of a buffer of the prefix sums' size. */
static double plain_read_rate(const clpac_plan *plan)
{
	enum { ROUNDS = 64 };
	const size_t bytes = 2 * plan->layout.kept * plan->layout.padded * sizeof(float);
	char *buffer = calloc(1, bytes);
	double best = INFINITY;
	if (!buffer)
		exit(1);
	memset(buffer, 1, bytes);
	for (int i = 0; i < REPETITIONS; i++) {
		const double started = cpu_seconds();
		for (int round = 0; round < ROUNDS; round++)
			if (memchr(buffer, 2 + round, bytes))
				exit(1);
		best = fmin(best, (cpu_seconds() - started) / ROUNDS);
	}
	free(buffer);
	return (double)bytes / best;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define AS_WIDE_AS_THE_MACHINE __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define AS_WIDE_AS_THE_MACHINE
#endif

/* Sums the shifted amplitudes per bin, by the definition. */
AS_WIDE_AS_THE_MACHINE
static void add_samples(const uint8_t *bins, const float *shifted, size_t n_samples, size_t n_bands, float *sums)
{
	for (size_t t = 0; t < n_samples; t++) {
		float *restrict sum = sums + bins[t] * n_bands;
		const float *restrict row = shifted + t * n_bands;
		for (size_t band = 0; band < n_bands; band++)
			sum[band] += row[band];
	}
}

/* Processor time of computing all indices of the plan by the definition, in one thread. */
static double textbook_seconds(const clpac_plan *plan)
{
	clpac_error err;
	const clpac__layout *l = &plan->layout;
	const size_t n = l->kept, bands = l->padded, n_bins = l->n_bins;
	uint8_t *bins = malloc(l->n_phase * l->bin_stride);
	/* Aligned to cache lines, which is twice as fast as malloc's alignment. */
	float *amplitudes = aligned_alloc(64, clpac__round_up(2 * n * bands * sizeof *amplitudes, 64));
	float *sums = aligned_alloc(64, clpac__round_up(n_bins * bands * sizeof *sums, 64));
	uint32_t *counts = calloc(n_bins, sizeof *counts);
	if (!bins || !amplitudes || !sums || !counts)
		exit(1);
	end_if(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_BINS], 0, l->n_phase * l->bin_stride, bins,
				 &err),
	       &err);
	unsigned state = 1;
	for (size_t i = 0; i < n * bands; i++) {
		state = state * 1664525u + 1013904223u;
		amplitudes[i] = amplitudes[n * bands + i] = 1 + (float)state * 0x1p-32f;
	}
	volatile float sink = 0;
	const double started = cpu_seconds();
	for (size_t p = 0; p < l->n_phase; p++) {
		const uint8_t *bin = bins + p * l->bin_stride;
		memset(counts, 0, n_bins * sizeof *counts);
		for (size_t t = 0; t < n; t++)
			counts[bin[t]]++;
		for (size_t k = 1; k <= l->n_surrogates; k++) {
			memset(sums, 0, n_bins * bands * sizeof *sums);
			add_samples(bin, amplitudes + plan->runs->batches->shifts[k].samples * bands, n, bands, sums);
			for (size_t band = 0; band < l->n_amplitude; band++) {
				float total = 0, entropy = 0;
				for (size_t j = 0; j < n_bins; j++)
					total += counts[j] ? sums[j * bands + band] / (float)counts[j] : 0;
				for (size_t j = 0; j < n_bins; j++) {
					const float q =
						counts[j] ? sums[j * bands + band] / (float)counts[j] / total : 0;
					entropy += q > 0 ? q * logf(q) : 0;
				}
				sink = 1 + entropy / logf((float)n_bins);
			}
		}
	}
	const double seconds = cpu_seconds() - started;
	(void)sink;
	free(bins);
	free(amplitudes);
	free(sums);
	free(counts);
	return seconds;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, REPETITIONS, sizeof *values, by_value);
	return values[REPETITIONS / 2];
}

int main(int argc, char **argv)
{
	clpac_error err;
	clpac_options options = {0};
	snprintf(options.device, sizeof options.device, "%s", argc > 1 ? argv[1] : "native");
	const size_t n_samples = argc > 6 ? strtoull(argv[2], NULL, 10) : 2048;
	const double rate_hz = argc > 6 ? strtod(argv[3], NULL) : 512;
	const size_t n_phase = argc > 6 ? strtoull(argv[4], NULL, 10) : 50,
		     n_amplitude = argc > 6 ? strtoull(argv[5], NULL, 10) : 32;
	const size_t n_surrogates = argc > 6 ? strtoull(argv[6], NULL, 10) : 200;

	clpac_band *phase = spread(2, 20, 0.25, n_phase), *amplitude = spread(60, 160, 0.125, n_amplitude);
	float *samples = malloc(n_samples * sizeof *samples);
	if (!phase || !amplitude || !samples)
		return 1;
	unsigned state = 1;
	for (size_t t = 0; t < n_samples; t++) {
		state = state * 1664525u + 1013904223u;
		samples[t] = (float)(int)state * 0x1p-31f;
	}
	const clpac_problem problem = {
		.rate_hz = rate_hz,
		.n_samples = n_samples,
		.phase_bands = phase,
		.n_phase_bands = n_phase,
		.amplitude_bands = amplitude,
		.n_amplitude_bands = n_amplitude,
		.n_surrogates = n_surrogates,
	};
	const clpac_plan_options plan_options = {.strategy = CLPAC_STRATEGY_VECTORIZED};
	clpac_context *context;
	clpac_plan *plan;
	clpac_result *result;
	end_if(clpac_context_open(NULL, &options, &context, &err), &err);
	end_if(clpac_plan_create(context, &problem, &plan_options, &plan, &err), &err);
	end_if(clpac_plan_run(plan, samples, &result, &err), &err);

	double lists[REPETITIONS], again[REPETITIONS], direct[REPETITIONS], ratio[REPETITIONS], control[REPETITIONS];
	double lists_cpu[REPETITIONS], cpu_ratio[REPETITIONS], load = 0;
	timed(plan, false);
	timed(plan, true);
	for (int i = 0; i < REPETITIONS; i++) {
		const spent one = timed(plan, false), sum = timed(plan, true), two = timed(plan, false);
		lists[i] = one.wall;
		direct[i] = sum.wall;
		again[i] = two.wall;
		ratio[i] = sum.wall / ((one.wall + two.wall) / 2);
		control[i] = two.wall / one.wall;
		lists_cpu[i] = (one.cpu + two.cpu) / 2;
		cpu_ratio[i] = sum.cpu / lists_cpu[i];
	}
	double textbook = INFINITY;
	for (int i = 0; i < 3; i++)
		textbook = fmin(textbook, textbook_seconds(plan));
	getloadavg(&load, 1);
	const double edges = median(lists), sums = median(direct), middle = median(ratio),
		     cpu_middle = median(cpu_ratio);
	median(again);
	const double work = (double)n_samples * (double)(n_phase * n_amplitude) * (double)n_surrogates;
	const clpac_report *report = clpac_plan_report(plan);
	printf("{\"bench\": \"surrogates\", \"device\": \"%s\", \"platform\": \"%s\", \"driver\": \"%s\", \"backend\": "
	       "\"%s\", "
	       "\"instruction_set\": \"%s\", \"threads\": %u, \"vector_width\": %u, ",
	       report->device, report->platform, report->driver, report->backend, report->instruction_set,
	       report->n_threads, report->vector_width);
	printf("\"samples\": %zu, \"rate_hz\": %g, \"phase\": %zu, \"amplitude\": %zu, \"surrogates\": %zu, ",
	       n_samples, rate_hz, n_phase, n_amplitude, n_surrogates);
	printf("\"edge_lists_s\": %.6f, \"edge_lists_min\": %.6f, \"edge_lists_cpu_s\": %.6f, \"direct_s\": %.6f, ",
	       edges, fmin(lists[0], again[0]), median(lists_cpu), sums);
	printf("\"ratio\": %.2f, \"low\": %.2f, \"high\": %.2f, \"control\": %.2f, \"best_ratio\": %.2f, "
	       "\"cpu_ratio\": %.2f, ",
	       middle, ratio[0], ratio[REPETITIONS - 1], median(control), direct[0] / fmin(lists[0], again[0]),
	       cpu_middle);
	printf("\"textbook_cpu_s\": %.6f, \"textbook_cpu_ratio\": %.2f, ", textbook, textbook / median(lists_cpu));
	const double loaded = bytes_loaded(plan) / median(lists_cpu), plain = plain_read_rate(plan);
	printf("\"load_bytes_per_s\": %.3g, \"read_bytes_per_s\": %.3g, \"loads_of_plain_read\": %.2f, ", loaded, plain,
	       loaded / plain);
	printf("\"sample_pair_surrogates_per_s\": %.3g, \"best_per_s\": %.3g, \"load\": %.2f}\n", work / edges,
	       work / fmin(lists[0], again[0]), load);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	free(samples);
	free(phase);
	free(amplitude);
	return 0;
}
