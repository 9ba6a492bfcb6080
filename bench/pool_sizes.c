/* S1, S2, S3: the same sizes again and again. */
#include "bench/pool_bench.h"

#include <stdio.h>
#include <string.h>

static const uint64_t mebibyte = 1 << 20;

static const char *size_text(char *text, size_t size, size_t bytes)
{
	if (bytes >= mebibyte)
		snprintf(text, size, "%zu MiB", bytes >> 20);
	else
		snprintf(text, size, "%zu KiB", bytes >> 10);
	return text;
}

static bool is_mmap(const bench *b)
{
	return strcmp(b->setting, "mmap") == 0;
}

/* On the native device raw already is malloc; mmap remains to be tried. */
static const char *host_baseline(const bench *b)
{
	return is_native(b) ? "mmap" : "malloc";
}

/* A call of the pool: the least time of all repetitions, less that of the loop around it. */
static void measure_call(const bench *b, const char *what, const struct trace *t)
{
	line l;
	const contest c = {"S1", what, "nothing", L0, t, .wanted = NAN};
	if (!contest_run(b, &c, &l))
		return;
	line call = line_make("S1", what, L0, "a call, nanoseconds");
	call.ours_least_ns = l.ours_least_ns;
	call.baseline_least_ns = l.baseline_least_ns;
	call.found = l.ours_least_ns - l.baseline_least_ns;
	call.wanted = 10;
	call.is_at_most = true;
	line_print(b, &call);
}

void scenario_same_size(const bench *b)
{
	static const struct {
		size_t bytes, n_rounds, n_held;
	} sizes[] = {
		{4 << 10, 200, 32}, {64 << 10, 200, 32}, {1 << 20, 200, 32}, {16 << 20, 200, 32}, {64 << 20, 20, 4}};
	const char *const baselines[] = {"raw", "bins16", "mutex", "pow2", "best-fit", host_baseline(b)};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (level level = L0; level < N_LEVELS; level++) {
			char text[32];
			size_t n_rounds = sizes[i].n_rounds;
			const uint64_t round_bytes = (uint64_t)sizes[i].bytes * sizes[i].n_held;
			/* If bytes are touched, as many rounds as make a GiB. */
			const bool is_touched = level == L2 || (level == L1 && is_native(b));
			const uint64_t most = (is_touched ? 1024 * mebibyte : UINT64_MAX) / round_bytes;
			n_rounds = n_rounds < most ? n_rounds : most ? (size_t)most : 1;
			struct trace t = trace_same_size(sizes[i].bytes, b->is_quick ? 1 : n_rounds, sizes[i].n_held);
			for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++) {
				contest c = {"S1",	   size_text(text, sizeof text, sizes[i].bytes),
					     baselines[k], level,
					     &t,	   .baseline_bytes = 2 * round_bytes,
					     .wanted = NAN};
				if (k == 0 && level == L0)
					c.wanted = 2;
				if (k == 0 && level == L2 && is_mmap(b) && sizes[i].bytes >= mebibyte)
					c.wanted = 4;
				contest_print(b, &c);
			}
			if (level == L0)
				measure_call(b, size_text((char[32]){0}, 32, sizes[i].bytes), &t);
			trace_free(&t);
		}
}

/* The geometric mean of the ratios of several lines. */
typedef struct mean {
	double log_ratio, low, high, control;
	size_t n;
} mean;

static void mean_add(mean *m, const line *l)
{
	m->log_ratio += log(l->ratio);
	m->low = m->n ? fmin(m->low, l->low) : l->low;
	m->high = m->n ? fmax(m->high, l->high) : l->high;
	if (!m->n || fabs(l->control - 1) > fabs(m->control - 1))
		m->control = l->control;
	m->n++;
}

static void mean_print(const bench *b, const mean *m, size_t n, const char *what, const char *baseline, double wanted)
{
	line l = line_make("S2", what, L2, baseline);
	if (m->n != n) /* some lines were not selected */
		return;
	l.ratio = l.found = exp(m->log_ratio / (double)m->n);
	l.low = m->low;
	l.high = m->high;
	l.control = m->control; /* the control farthest from 1 */
	l.wanted = wanted;
	line_print(b, &l);
}

void scenario_large(const bench *b)
{
	const char *const baselines[] = {"raw", "bins16", "mutex", host_baseline(b)};
	for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++) {
		mean all = {0}, from_32 = {0};
		size_t n = 0, n_from_32 = 0;
		for (size_t bytes = 2 * mebibyte; bytes <= 256 * mebibyte; bytes *= 2, n++) {
			char text[32];
			line l;
			struct trace t = trace_one_by_one(bytes, (b->is_quick ? 256 : 512) * mebibyte);
			contest c = {"S2", size_text(text, sizeof text, bytes), baselines[k], L2, &t, .wanted = NAN};
			n_from_32 += bytes >= 32 * mebibyte;
			if (contest_run(b, &c, &l)) {
				line_print(b, &l);
				mean_add(&all, &l);
				if (bytes >= 32 * mebibyte)
					mean_add(&from_32, &l);
			}
			trace_free(&t);
		}
		const bool is_raw = k == 0;
		mean_print(b, &all, n, "geometric mean", baselines[k], is_raw && is_mmap(b) ? 3.92 : NAN);
		mean_print(b, &from_32, n_from_32, "geometric mean from 32 MiB", baselines[k],
			   is_raw && !is_mmap(b) ? 6 : NAN);
	}
}

void scenario_transformer(const bench *b)
{
	static const size_t n_tokens[] = {128, 512};
	const char *const baselines[] = {"raw", "bins16", "mutex", "pow2", host_baseline(b)};
	for (size_t i = 0; i < sizeof n_tokens / sizeof *n_tokens; i++) {
		struct trace t = trace_transformer(n_tokens[i]);
		for (level level = L0; level < N_LEVELS; level++)
			for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++) {
				char text[32];
				line l;
				snprintf(text, sizeof text, "T = %zu", n_tokens[i]);
				const contest c = {"S3",  text, baselines[k],
						   level, &t,	.wanted = k == 0 && level == L2 ? 1.89 : NAN};
				if (!contest_run(b, &c, &l))
					continue;
				line_print(b, &l);
				if (k)
					continue;
				line calls = line_make("S3", text, level, "driver calls after step 1");
				calls.found = (double)l.driver_calls;
				calls.wanted = 0;
				calls.is_at_most = true;
				line_print(b, &calls);
			}
		trace_free(&t);
	}
}
