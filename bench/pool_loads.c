/* S4, S5, S6, S7: different sizes, with and without a budget. */
#include "bench/pool_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t mebibyte = 1 << 20;

/* Prints a line whose target is a figure of the pool alone. */
static void print_found(const bench *b, const char *id, const char *what, level level, const char *of, double found,
			double wanted, bool is_at_most)
{
	line l = line_make(id, what, level, of);
	l.found = found;
	l.wanted = wanted;
	l.is_at_most = is_at_most;
	line_print(b, &l);
}

/* --- S4 --------------------------------------------------------------------------------------- */

/* Plays the trace twice and measures the second time, when the caches are as in the middle of a job. */
static audit audit_of(allocator *a, const struct trace *t, uint64_t budget)
{
	audit found;
	for (int i = 0; i < 2; i++)
		trace_audit(t, a, L1, budget, &found);
	a->close(a);
	return found;
}

static double success(const audit *a)
{
	return (double)a->n_taken / (double)(a->n_taken + a->n_refused);
}

static void measure_pressure(const bench *b, const char *what, const struct trace *t, const clpac_pool_options *options,
			     const char *baseline, double wanted)
{
	line l;
	const contest c = {"S4", what, baseline, L1, t, *options, .wanted = wanted};
	if (!contest_run(b, &c, &l))
		return;
	const audit ours = audit_of(ours_open(b, options), t, options->budget.bytes);
	const audit theirs = audit_of(baseline_open(b, baseline, L1, options->budget.bytes), t, options->budget.bytes);
	snprintf(l.more, sizeof l.more,
		 ", \"requests\": %" PRIu64 ", \"success\": %.5f, \"baseline_success\": %.5f, \"refused\": %" PRIu64
		 ", \"baseline_refused\": %" PRIu64 ", \"refused_that_fit\": %" PRIu64,
		 ours.n_taken + ours.n_refused, success(&ours), success(&theirs), ours.n_refused, theirs.n_refused,
		 ours.n_wrong);
	line_print(b, &l);
	if (isnan(wanted))
		return;
	print_found(b, "S4", what, L1, "success / that of bins16", success(&ours) / success(&theirs), 1, false);
	print_found(b, "S4", what, L1, "refused that fit", (double)ours.n_wrong, 0, true);
}

void scenario_pressure(const bench *b)
{
	const uint64_t budget = 512 * mebibyte;
	const clpac_pool_options options = {.budget = {.bytes = budget}},
				 moving = {.budget = {.bytes = budget}, .may_move = true},
				 whole = {.budget = {.bytes = budget},
					  .cache = {.blocks = CLPAC_BLOCKS_WHOLE,
						    .classes_per_octave = CLPAC_MAX_CLASSES_PER_OCTAVE}};
	const char *what = "512 MiB, 90-98 %";
	struct trace t = trace_pressure(budget, b->is_quick ? 2000 : 20000, 4);
	measure_pressure(b, what, &t, &options, "bins16", 4.83);
	measure_pressure(b, what, &t, &options, "mutex", NAN);
	measure_pressure(b, what, &t, &options, "pow2", NAN);
	measure_pressure(b, what, &t, &options, "best-fit", NAN);
	measure_pressure(b, "512 MiB, 90-98 %, buffers may move", &t, &moving, "bins16", 4.83);
	measure_pressure(b, "512 MiB, 90-98 %, whole blocks", &t, &whole, "raw", NAN);
	measure_pressure(b, "512 MiB, 90-98 %, whole blocks", &t, &whole, "mutex", NAN);
	measure_pressure(b, "512 MiB, 90-98 %, whole blocks", &t, &whole, "bins16", 1);
	trace_free(&t);
}

/* --- S5 --------------------------------------------------------------------------------------- */

static void measure_reserve(const bench *b, const char *what, const struct trace *t)
{
	static const char *const of = "reserved / requested";
	usage used;
	if (!is_wanted(b, "S5", what, L0, of))
		return;
	allocator *a = ours_open(b, NULL);
	for (int i = 0; i < 2; i++)
		trace_play(t, a, L0);
	a->measure(a, &used);
	a->close(a);
	print_found(b, "S5", what, L0, of, (double)used.peak_reserved_bytes / (double)used.peak_requested_bytes, 1.25,
		    true);
}

void scenario_variable(const bench *b)
{
	static const char *const baselines[] = {"raw", "bins16", "mutex", "best-fit", "pow2"};
	const size_t n = b->is_quick ? 5000 : 50000;
	struct trace traces[] = {trace_uniform(n, 1024, 5), trace_batches(n, 1024, 6)};
	static const char *const what[] = {"uniform 1 KiB-4 MiB", "drifting batches"};
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		for (level level = L0; level <= L1; level++)
			for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++) {
				const contest c = {"S5",
						   what[i],
						   baselines[k],
						   level,
						   &traces[i],
						   .baseline_bytes = k == 3 ? trace_peak(&traces[i]) / 4 * 5 : 0,
						   .wanted = k		   ? NAN
							     : level == L0 ? 1
									   : 3};
				contest_print(b, &c);
			}
		measure_reserve(b, what[i], &traces[i]);
		trace_free(&traces[i]);
	}
}

/* --- S6 --------------------------------------------------------------------------------------- */

typedef struct player {
	struct trace trace;
	allocator *allocator;
} player;

static double play(void *user)
{
	const player *p = user;
	return trace_play(&p->trace, p->allocator, L0) / (double)p->trace.n_timed;
}

static void measure_growth(const bench *b, size_t n_few, size_t n_many, double wanted)
{
	char what[64];
	snprintf(what, sizeof what, "%zu against %zu live", n_many, n_few);
	if (!is_wanted(b, "S6", what, L0, "ours"))
		return;
	player few = {trace_random(n_few, 200000, 7), ours_open(b, NULL)};
	player many = {trace_random(n_many, 200000, 7), ours_open(b, NULL)};
	line l = line_make("S6", what, L0, "ours");
	play(&few);
	play(&many);
	take_turns(b, play, &few, play, &many, &l);
	l.found = 1 / l.ratio;
	l.wanted = wanted;
	l.is_at_most = true;
	line_print(b, &l);
	few.allocator->close(few.allocator);
	many.allocator->close(many.allocator);
	trace_free(&few.trace);
	trace_free(&many.trace);
}

void scenario_scaling(const bench *b)
{
	static const size_t n_live[] = {1000, 10000, 100000};
	static const char *const baselines[] = {"raw", "bins16", "mutex"};
	for (size_t i = 0; i < sizeof n_live / sizeof *n_live; i++) {
		char what[32];
		struct trace t = trace_random(n_live[i], b->is_quick ? 20000 : 200000, 7);
		snprintf(what, sizeof what, "%zu live", n_live[i]);
		for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++)
			contest_print(b, &(contest){"S6", what, baselines[k], L0, &t, .wanted = NAN});
		trace_free(&t);
	}
	measure_growth(b, 1000, 10000, NAN);
	measure_growth(b, 1000, 100000, 2);
}

/* --- S7 --------------------------------------------------------------------------------------- */

/* Rounds of large buffers, each larger than in the round before.  Between the large buffers of a round small ones are
 * made, which outlive the round. */
static struct trace big_small_big(void)
{
	enum { N_ROUNDS = 8, N_SMALL = 16, MAX_BIG = 16 };
	const uint64_t most = 200 * mebibyte;
	struct trace t = {0};
	uint64_t seed = 8, small_bytes[2] = {0};
	size_t sizes[2][MAX_BIG * N_SMALL], n_small[2] = {0}, big = 8 * mebibyte;
	for (size_t round = 0; round < N_ROUNDS; round++, big += big / 3) {
		const size_t now = round % 2, first = 1024 + now * MAX_BIG * N_SMALL;
		size_t n_big = 0;
		for (size_t i = 0; i < n_small[now]; i++) /* those of the round before the last */
			trace_add(&t, GIVE, first + i, sizes[now][i]);
		n_small[now] = 0;
		small_bytes[now] = 0;
		while (n_big < MAX_BIG &&
		       n_big * big + big + small_bytes[0] + small_bytes[1] + N_SMALL * mebibyte / 2 <= most) {
			trace_add(&t, TAKE, n_big++, big);
			for (size_t i = 0; i < N_SMALL; i++) {
				const size_t bytes = (64 << 10) + next_random(&seed) % (448 << 10);
				sizes[now][n_small[now]] = bytes;
				small_bytes[now] += bytes;
				trace_add(&t, TAKE, first + n_small[now]++, bytes);
			}
		}
		for (size_t i = 0; i < n_big; i++)
			trace_add(&t, GIVE, i, big);
	}
	trace_end(&t);
	return t;
}

/* Fills the cap with buffers too large for segments of small ones, keeps every eighth, then requests large ones. */
static struct trace pinned(void)
{
	enum { N = 160, KEPT = 8, N_BIG = 8 };
	const size_t bytes = 3 << 19, big = 24 << 20;
	struct trace t = {0};
	for (size_t i = 0; i < N; i++)
		trace_add(&t, TAKE, i, bytes);
	for (size_t i = 0; i < N; i++)
		if (i % KEPT)
			trace_add(&t, GIVE, i, bytes);
	for (size_t i = 0; i < N_BIG; i++)
		trace_add(&t, TAKE, N + i, big);
	trace_end(&t);
	return t;
}

typedef struct tight {
	allocator *allocator;
	const struct trace *trace;
	uint64_t n_refused, n_defragmented;
} tight;

/* Acts as an application would: a refused request is repeated after the pool was defragmented. */
static void play_tight(tight *own)
{
	const struct trace *t = own->trace;
	allocator *a = own->allocator;
	own->n_refused = own->n_defragmented = 0;
	for (size_t i = 0; i < t->n; i++) {
		const operation *o = &t->operations[i];
		void **slot = &t->slots[o->slot];
		if (o->step == GIVE) {
			if (*slot)
				a->give(a, *slot, o->bytes);
			*slot = NULL;
			continue;
		}
		*slot = a->take(a, o->bytes);
		if (!*slot) {
			clpac_error err;
			end_if(clpac_pool_defragment(ours_pool(a), UINT64_MAX, NULL, &err), &err);
			own->n_defragmented++;
			*slot = a->take(a, o->bytes);
			own->n_refused += !*slot;
		}
	}
}

/* The same where the ladder moves buffers: nobody defragments. */
static void measure_moving(const bench *b, const char *what, const struct trace *t, clpac_pool_options options)
{
	audit found;
	options.may_move = true;
	allocator *a = ours_open(b, &options);
	trace_audit(t, a, L1, options.budget.bytes, &found);
	a->close(a);
	print_found(b, "S7", what, L1, "refused (buffers may move)", (double)found.n_refused, 0, true);
}

void scenario_fragmentation(const bench *b)
{
	struct trace traces[] = {big_small_big(), pinned()};
	static const char *const what[] = {"big, small, big", "pinned by every eighth"};
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		const uint64_t peak = trace_peak(&traces[i]);
		/* With this cap every success meets the target too. */
		const clpac_pool_options options = {.budget = {.bytes = peak + peak / 5}};
		usage used;
		if (is_wanted(b, "S7", what[i], L1, "ours")) {
			measure_moving(b, what[i], &traces[i], options);
			tight own = {ours_open(b, &options), &traces[i], 0, 0};
			char text[96];
			play_tight(&own);
			play_tight(&own);
			own.allocator->measure(own.allocator, &used);
			snprintf(text, sizeof text, "refused (defragmented %" PRIu64 " times)", own.n_defragmented);
			print_found(b, "S7", what[i], L1, text, (double)own.n_refused, 0, true);
			print_found(b, "S7", what[i], L1, "reserved / peak requested",
				    (double)used.peak_reserved_bytes / (double)used.peak_requested_bytes, 1.2, true);
			own.allocator->close(own.allocator);
		}
		contest_print(b, &(contest){"S7", what[i], "raw", L1, &traces[i], options, .wanted = NAN});
		contest_print(b, &(contest){"S7", what[i], "bins16", L1, &traces[i], options, .wanted = NAN});
		trace_free(&traces[i]);
	}
}
