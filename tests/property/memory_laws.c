/* A plan holds exactly the estimated bytes; a run asks the driver for nothing; a memory cap changes how a plan computes
 * and not its numbers, one fallback after the other. */
#include "memory_laws.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/estimate.h>
#include <clpac/memory/statistics.h>

#include "assertions.h"
#include "contract/places.h"
#include "results.h"

enum { MAX_BANDS = 12, N_CHANNELS = 3, N_SEGMENTS = 2, N_SAMPLES = 509, N_SURROGATES = 100 };

static bool is_thrifty;
static int n_random;
static unsigned long (*n_created)(void);

/* --- Estimates --- */

typedef struct drawn {
	clpac_problem problem;
	clpac_band phase[MAX_BANDS], amplitude[MAX_BANDS];
	clpac_plan_options options;
	double part;	 /* limit as a part of the unlimited need; 0: no limit */
	double of_least; /* limit as a multiple of the least need; 0: not used */
} drawn;

static void draw(unsigned long long seed, drawn *d)
{
	static const size_t lengths[] = {139, 257, 509, 1025, 2049, 5000}, few[] = {257, 509};
	static const unsigned bins[] = {2, 7, 18, 36, 64};
	unsigned long long state = seed;
	*d = (drawn){.problem = {.rate_hz = 250, .phase_bands = d->phase, .amplitude_bands = d->amplitude}};
	clpac_problem *p = &d->problem;
	p->n_channels = 1 + random_below(&state, 4);
	p->n_segments = 1 + random_below(&state, 3);
	p->n_samples =
		is_thrifty ? few[random_below(&state, COUNT(few))] : lengths[random_below(&state, COUNT(lengths))];
	p->n_bins = is_thrifty ? 18 : bins[random_below(&state, COUNT(bins))];
	p->hilbert = (clpac_hilbert)random_below(&state, 2);
	p->n_surrogates = random_below(&state, 3) ? random_below(&state, 300) : 0;
	p->edge_samples = random_below(&state, 2) ? CLPAC_EDGE_AUTO : 0;
	p->n_phase_bands = 1 + random_below(&state, MAX_BANDS);
	p->n_amplitude_bands = 1 + random_below(&state, MAX_BANDS);
	for (size_t b = 0; b < p->n_phase_bands; b++) {
		const double lo = is_thrifty && !b ? 6 : 6 + 10 * random_unit(&state);
		d->phase[b] = (clpac_band){lo, 1.5 * lo};
	}
	for (size_t b = 0; b < p->n_amplitude_bands; b++) {
		const double lo = 30 + 50 * random_unit(&state);
		d->amplitude[b] = (clpac_band){lo, 1.4 * lo};
	}
	d->options.strategy = (clpac_strategy)random_below(&state, CLPAC_STRATEGY_COUNT);
	d->options.max_batch = random_below(&state, 2) ? 0 : 1 + random_below(&state, 5);
	/* Limits often too small for the strategy asked for, sometimes for all. */
	d->part = random_below(&state, 2) ? 0 : random_unit(&state);
	d->of_least = random_below(&state, 2) ? 0 : 0.98 + 0.1 * random_unit(&state);
	if (random_below(&state, 2)) {
		p->size = sizeof *p;
		p->null = (clpac_null)(CLPAC_NULL_TRIALS + random_below(&state, p->n_segments > 1 ? 3 : 2) +
				       (p->n_segments > 1 ? 0 : 1));
		p->n_blocks = 1 + random_below(&state, 60);
	}
}

static void check_equal(const clpac_plan_bytes *estimate, const clpac_plan_bytes *held, const char *label)
{
	for (int use = 0; use < CLPAC_USE_COUNT; use++) {
		const clpac_bytes *a = &estimate->uses[use], *b = &held->uses[use];
		ck_assert_msg(a->n_buffers == b->n_buffers && a->requested_bytes == b->requested_bytes &&
				      a->taken_bytes == b->taken_bytes,
			      "%s, %s: %zu buffers of %" PRIu64 " bytes in %" PRIu64 " estimated, %zu of %" PRIu64
			      " in %" PRIu64 " held",
			      label, clpac_plan_use_text((clpac_plan_use)use), a->n_buffers, a->requested_bytes,
			      a->taken_bytes, b->n_buffers, b->requested_bytes, b->taken_bytes);
	}
	ck_assert_uint_eq(estimate->total.n_buffers, held->total.n_buffers);
	ck_assert_uint_eq(estimate->total.requested_bytes, held->total.requested_bytes);
	ck_assert_uint_eq(estimate->total.taken_bytes, held->total.taken_bytes);
	ck_assert_int_eq(estimate->strategy, held->strategy);
	ck_assert_uint_eq(estimate->batch_series, held->batch_series);
	ck_assert_uint_eq(estimate->group_bands, held->group_bands);
	ck_assert_uint_eq(estimate->chunk_surrogates, held->chunk_surrogates);
	ck_assert_uint_eq(estimate->n_steps, held->n_steps);
	ck_assert_str_eq(estimate->backend, held->backend);
}

/* Checks the estimate, then the plan, then both for a second plan beside it. */
START_TEST(a_plan_holds_what_was_estimated_to_the_byte)
{
	clpac_error err, refused;
	size_t n_plans = 0, n_small = 0;
	clpac_context *context = place_open((size_t)_i);
	clpac_pool *pool = clpac_context_pool(context);
	for (int number = 0; number < n_random; number++) {
		char label[200];
		drawn d;
		clpac_plan *plans[2] = {NULL};
		const unsigned long long seed = 500 + (unsigned long long)number;
		draw(seed, &d);
		snprintf(label, sizeof label, "%s, seed %llu", place_label((size_t)_i), seed);
		if (d.part > 0 || d.of_least > 0) {
			clpac_plan_bytes whole;
			clpac_plan_options options = d.options;
			if (d.of_least > 0)
				options.strategy = CLPAC_STRATEGY_SEQUENTIAL;
			assert_works(clpac_estimate_plan(context, &d.problem, &options, &whole, sizeof whole, &err),
				     err);
			d.options.memory_bytes = 1 + (uint64_t)((d.of_least > 0 ? d.of_least : d.part) *
								(double)whole.total.taken_bytes);
		}
		for (size_t i = 0; i < COUNT(plans); i++) {
			clpac_plan_bytes estimate, held;
			clpac_pool_statistics before, after;
			clpac_pool_measure(pool, &before, sizeof before);
			const clpac_status st =
				clpac_estimate_plan(context, &d.problem, &d.options, &estimate, sizeof estimate, &err);
			clpac_pool_measure(pool, &after, sizeof after);
			ck_assert_uint_eq(after.active_buffers, before.active_buffers);
			ck_assert_uint_eq(after.misses, before.misses); /* the pool was not even asked */
			ck_assert_uint_eq(after.hits, before.hits);
			const clpac_status st_plan =
				clpac_plan_create(context, &d.problem, &d.options, &plans[i], &refused);
			ck_assert_msg(st == st_plan, "%s: %s, and the plan %s", label, st ? err.text : "is estimated",
				      st_plan ? refused.text : "is made");
			if (st != CLPAC_OK) {
				ck_assert_int_eq(st, CLPAC_ERROR_NO_DEVICE_MEMORY);
				ck_assert_str_eq(err.text, refused.text);
				continue;
			}
			clpac_plan_measure(plans[i], &held, sizeof held);
			check_equal(&estimate, &held, label);
			clpac_pool_measure(pool, &after, sizeof after);
			const bool is_here = strcmp(estimate.backend, clpac_context_device(context)->backend) == 0;
			/* The native backend finds another number of bytes free every time. */
			ck_assert(!is_here || estimate.budget_bytes == held.budget_bytes);
			const clpac_bytes none = {0}, *total = is_here ? &estimate.total : &none;
			ck_assert_uint_eq(after.active_buffers - before.active_buffers, total->n_buffers);
			ck_assert_uint_eq(after.requested_bytes - before.requested_bytes, total->requested_bytes);
			ck_assert_msg(after.in_use_bytes - before.in_use_bytes == total->taken_bytes,
				      "%s: %" PRIu64 " bytes in use, %" PRIu64 " estimated", label,
				      after.in_use_bytes - before.in_use_bytes, total->taken_bytes);
			const clpac_report *report = clpac_plan_report(plans[i]);
			ck_assert_uint_eq(report->estimate_bytes, estimate.total.requested_bytes);
			ck_assert_uint_eq(report->taken_bytes, estimate.total.taken_bytes);
			ck_assert_uint_le(estimate.total.taken_bytes, estimate.budget_bytes);
			n_plans++;
			n_small += estimate.n_steps > 0;
		}
		clpac_plan_destroy(plans[0]);
		clpac_plan_destroy(plans[1]);
	}
	/* Both outcomes occurred. */
	ck_assert_uint_gt(n_plans, (size_t)n_random);
	ck_assert_uint_gt(n_small, 0);
	clpac_context_close(context);
}

/* --- Runs --- */

/* Enough bands that a chunk of two surrogates takes more memory than one surrogate. */
static const clpac_band phase_bands[] = {{6, 9}, {7, 10}, {8, 12}, {8, 13}, {9, 13}, {9, 14}, {10, 15}, {11, 16}};
static const clpac_band amplitude_bands[] = {{30, 45}, {50, 75}, {60, 90}};

/* The null of the problem, and how often a test is repeated for all of them but that of all shifts. */
static clpac_null null_of_base;
enum { N_NULLS = 4 };

static size_t place_of(int repetition)
{
	static const clpac_null nulls[N_NULLS] = {CLPAC_NULL_SHIFTS, CLPAC_NULL_TRIALS, CLPAC_NULL_BLOCKS,
						  CLPAC_NULL_PHASES};
	null_of_base = nulls[repetition % N_NULLS];
	return (size_t)repetition / N_NULLS;
}

static clpac_problem base(void)
{
	return (clpac_problem){.size = sizeof(clpac_problem),
			       .null = null_of_base,
			       .rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_segments = N_SEGMENTS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = COUNT(phase_bands),
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = COUNT(amplitude_bands),
			       .n_surrogates = N_SURROGATES,
			       .keep_surrogates = true,
			       .keep_distributions = true};
}

static float *make_samples(void)
{
	unsigned long long state = 5;
	float *x = malloc(N_CHANNELS * N_SEGMENTS * N_SAMPLES * sizeof *x);
	for (size_t i = 0; i < N_CHANNELS * N_SEGMENTS * N_SAMPLES; i++)
		x[i] = (float)(random_unit(&state) - 0.5);
	return x;
}

/* The driver's counts at the end of the first batch, to compare later ones with. */
typedef struct driver_watch {
	clpac_pool *pool;
	size_t first_batch; /* the first call of progress after it */
	size_t n_progress;
	uint64_t calls;
	unsigned long created;
} driver_watch;

static void look(driver_watch *watch)
{
	clpac_pool_statistics now;
	clpac_pool_measure(watch->pool, &now, sizeof now);
	watch->calls = now.driver_calls;
	watch->created = n_created ? n_created() : 0;
}

static bool look_after_the_first_batch(void *user, size_t done, size_t total)
{
	driver_watch *watch = user;
	(void)total;
	if (!watch->n_progress && done > N_SURROGATES) {
		watch->n_progress++;
		look(watch);
	}
	return true;
}

START_TEST(a_run_asks_the_driver_for_no_memory_after_its_first_batch)
{
	clpac_error err;
	const size_t place = place_of(_i);
	clpac_context *context = place_open(place);
	float *x = make_samples();
	for (int hilbert = 0; hilbert < 2; hilbert++) {
		clpac_problem p = base();
		p.hilbert = (clpac_hilbert)hilbert;
		driver_watch watch = {.pool = clpac_context_pool(context)}, after;
		clpac_plan *plan = place_plan(context, &p,
					      &(clpac_plan_options){.max_batch = 1,
								    .progress = look_after_the_first_batch,
								    .progress_user = &watch});
		clpac_pool_statistics planned, now;
		clpac_pool_measure(watch.pool, &planned, sizeof planned);
		for (int times = 0; times < 2; times++) {
			clpac_result *result = NULL;
			assert_works(clpac_plan_run(plan, x, &result, &err), err);
			clpac_result_destroy(result);
			ck_assert_uint_eq(watch.n_progress, 1);
			after = watch;
			look(&after);
			ck_assert_uint_eq(after.calls, watch.calls);
			ck_assert_msg(after.created == watch.created, "%s: the driver made %lu blocks during a run",
				      place_label(place), after.created - watch.created);
		}
		/* The pool was not asked at all, even in the first batch. */
		clpac_pool_measure(watch.pool, &now, sizeof now);
		ck_assert_uint_eq(now.driver_calls, planned.driver_calls);
		ck_assert_uint_eq(now.hits + now.misses, planned.hits + planned.misses);
		clpac_plan_destroy(plan);
	}
	clpac_context_close(context);
	free(x);
}

/* --- Caps --- */

enum { VECTORIZED, CHUNKED, SEQUENTIAL, NATIVE };

static int strategy_of(const clpac_report *report, const clpac_context *context)
{
	if (strcmp(report->backend, clpac_context_device(context)->backend) != 0)
		return NATIVE;
	for (int strategy = CLPAC_STRATEGY_VECTORIZED; strategy <= CLPAC_STRATEGY_SEQUENTIAL; strategy++)
		if (strcmp(report->strategy, clpac_strategy_text((clpac_strategy)strategy)) == 0)
			return strategy - CLPAC_STRATEGY_VECTORIZED;
	ck_abort_msg("strategy %s", report->strategy);
	return -1;
}

/* The same problem under one cap: as a limit of the plan, or as the context's, which its pool keeps too. */
static int compute_under(size_t place, uint64_t cap, bool is_of_context, const float *x, const clpac_result *wanted,
			 char *reasons, size_t size)
{
	clpac_error err;
	char memory[32], label[200];
	snprintf(memory, sizeof memory, "%" PRIu64, cap);
	clpac_context *context = place_open_with(place, is_of_context ? memory : NULL, NULL, NULL);
	const bool is_native = strcmp(clpac_context_device(context)->backend, "native") == 0;
	const clpac_problem p = base();
	const clpac_plan_options options = {.memory_bytes = is_of_context ? 0 : cap};
	clpac_plan *plan = NULL;
	clpac_result *result = NULL;
	int strategy = NATIVE + 1;
	const clpac_status st = clpac_plan_create(context, &p, &options, &plan, &err);
	snprintf(label, sizeof label, "%s, %" PRIu64 " bytes", place_label(place), cap);
	if (st == CLPAC_OK) {
		assert_works(clpac_plan_run(plan, x, &result, &err), err);
		const clpac_report *report = clpac_result_report(result);
		strategy = strategy_of(report, context);
		ck_assert_str_eq(report->strategy_wanted, "vectorized");
		ck_assert_uint_le(report->taken_bytes, strategy == NATIVE && !is_of_context ? UINT64_MAX : cap);
		ck_assert_uint_eq(report->n_cpu_fallbacks > 0, strategy == NATIVE);
		/* Each lower strategy is one step, and so is the change of the device.  A smaller layout of the same
		 * strategy is one for two reasons: a pool of just that size may have gaps between its blocks and refuse
		 * a request that fits by its sum, and the FFT tells of its workspace only when it is set up. */
		const char *first = report->n_steps ? report->steps[0].reason : "";
		const bool may_stay = is_of_context || strstr(first, "the FFT's workspace") != NULL;
		ck_assert_msg(report->n_steps == 0 ? strategy == VECTORIZED : may_stay || strategy != VECTORIZED,
			      "%s: %zu steps to %d, the first: %s", label, report->n_steps, strategy, first);
		ck_assert_uint_eq(report->warnings[CLPAC_WARN_STRATEGY].count, report->n_steps > 0);
		*reasons = 0;
		for (size_t i = 0; i < report->n_steps; i++) {
			ck_assert_msg(is_of_context || strstr(report->steps[i].reason, "MiB") != NULL, "%s: %s", label,
				      report->steps[i].reason);
			ck_assert(is_of_context || report->steps[i].bytes > cap);
			if (i == 0 || strcmp(report->steps[i].strategy, report->steps[i - 1].strategy) != 0)
				snprintf(reasons + strlen(reasons), size - strlen(reasons), "%s%s", i ? " " : "",
					 report->steps[i].strategy);
		}
		if (strategy != NATIVE || is_native)
			results_same_bits(wanted, result, label, "");
	} else {
		/* The error lists all attempts, from the first to the last. */
		ck_assert_int_eq(st, CLPAC_ERROR_NO_DEVICE_MEMORY);
		static const char *const parts[] = {"vectorized on", "chunked on", "sequential on", "on native", "MiB"};
		for (size_t i = 0; i < COUNT(parts); i++)
			ck_assert_msg(strstr(err.text, parts[i]) != NULL, "%s: '%s' is not in '%s'", label, parts[i],
				      err.text);
	}
	clpac_pool_statistics now;
	clpac_pool_measure(clpac_context_pool(context), &now, sizeof now);
	if (is_of_context)
		ck_assert_msg(now.peak_allocated_bytes <= cap, "%s: the pool held %" PRIu64, label,
			      now.peak_allocated_bytes);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	clpac_context_close(context);
	return strategy;
}

/* Bytes that a plan of one strategy takes without a limit. */
static uint64_t taken_by(size_t place, clpac_strategy strategy, size_t max_batch)
{
	clpac_error err;
	clpac_plan_bytes bytes;
	clpac_context *context = place_open(place);
	const clpac_problem p = base();
	const clpac_plan_options options = {.strategy = strategy, .max_batch = max_batch};
	assert_works(clpac_estimate_plan(context, &p, &options, &bytes, sizeof bytes, &err), err);
	ck_assert_int_eq(bytes.strategy, strategy);
	clpac_context_close(context);
	return bytes.total.taken_bytes;
}

START_TEST(a_smaller_cap_goes_further_down_and_changes_no_number)
{
	const size_t place = place_of(_i);
	clpac_context *context = place_open(place);
	float *x = make_samples();
	clpac_error err;
	clpac_result *wanted = NULL;
	const clpac_problem p = base();
	clpac_plan *plan = place_plan(context, &p, NULL);
	assert_works(clpac_plan_run(plan, x, &wanted, &err), err);
	clpac_plan_destroy(plan);
	const bool is_native = strcmp(clpac_context_device(context)->backend, "native") == 0;
	clpac_context_close(context);

	const uint64_t whole = taken_by(place, CLPAC_STRATEGY_VECTORIZED, 0);
	const uint64_t one = taken_by(place, CLPAC_STRATEGY_VECTORIZED, 1);
	const uint64_t least = taken_by(place, CLPAC_STRATEGY_SEQUENTIAL, 0);
	ck_assert_uint_lt(least, one);
	uint64_t caps[70] = {2 * whole, whole};
	size_t n_caps = 2;
	for (uint64_t cap = whole / 10 * 7; cap > one; cap = cap / 10 * 7)
		caps[n_caps++] = cap;
	for (uint64_t part = 8; part; part--) /* between the largest and the smallest for one series */
		caps[n_caps++] = least + (one - least) * part / 8;
	/* Chunks of one surrogate are little larger than a single one, and other amplitudes take far more. */
	for (uint64_t more = (one - least) / 16; null_of_base != CLPAC_NULL_SHIFTS && more > 64; more /= 2)
		caps[n_caps++] = least + more;
	caps[n_caps++] = least;
	caps[n_caps++] = least - 1;
	caps[n_caps++] = 5000;
	ck_assert_uint_le(n_caps, COUNT(caps));
	char reasons[200];
	int last = VECTORIZED, strategy = VECTORIZED;
	unsigned met = 0;
	uint64_t vectorized = 0, sequential = 0; /* the lowest and the highest cap of theirs */
	for (size_t c = 0; c < n_caps; c++) {
		strategy = compute_under(place, caps[c], false, x, wanted, reasons, sizeof reasons);
		ck_assert_msg(strategy >= last, "%s: strategy %d at %" PRIu64 " bytes after %d", place_label(place),
			      strategy, caps[c], last);
		met |= 1u << strategy;
		if (strategy == VECTORIZED)
			vectorized = caps[c];
		if (strategy == SEQUENTIAL && !sequential)
			sequential = caps[c];
		if (strategy == SEQUENTIAL)
			ck_assert_str_eq(reasons, "vectorized chunked");
		if (strategy == NATIVE)
			ck_assert_str_eq(reasons, "vectorized chunked sequential");
		if (caps[c] == whole)
			ck_assert_int_eq(strategy, VECTORIZED);
		/* Chunks may take no more than a single surrogate, in the pool's size classes. */
		if (caps[c] == least) {
			ck_assert(strategy == SEQUENTIAL || strategy == CHUNKED);
			met |= 1u << SEQUENTIAL;
		}
		/* A pool of that size has size classes of its own, and falls back at other caps. */
		compute_under(place, caps[c], true, x, wanted, reasons, sizeof reasons);
		last = strategy;
	}
	/* Chunks may be little larger than a single surrogate and little smaller than all. */
	for (unsigned halvings = 0; !(met & 1u << CHUNKED) && halvings < 8; halvings++) {
		const uint64_t middle = sequential + (vectorized - sequential) / 2;
		const int found = compute_under(place, middle, false, x, wanted, reasons, sizeof reasons);
		ck_assert_int_ge(found, VECTORIZED);
		ck_assert_int_le(found, SEQUENTIAL);
		met |= 1u << found;
		*(found == VECTORIZED ? &vectorized : &sequential) = middle;
	}
	ck_assert_msg((met & 7) == 7, "%s: strategies %x", place_label(place), met);
	/* A cap of the plan's own does not limit the native backend. */
	ck_assert_int_eq(strategy, is_native ? NATIVE + 1 : NATIVE);
	clpac_result_destroy(wanted);
	free(x);
}

TCase *memory_arrangement_laws(size_t n_places)
{
	TCase *t = tcase_create("memory arrangement");
	tcase_set_timeout(t, 600);
	tcase_set_tags(t, "arrangement");
	tcase_add_loop_test(t, a_smaller_cap_goes_further_down_and_changes_no_number, 0, (int)n_places * N_NULLS);
	return t;
}

TCase *memory_laws(size_t n_places, int n_problems, bool thrifty, unsigned long (*created)(void))
{
	is_thrifty = thrifty;
	n_random = n_problems;
	n_created = created;
	TCase *t = tcase_create("memory");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, a_plan_holds_what_was_estimated_to_the_byte, 0, (int)n_places);
	tcase_add_loop_test(t, a_run_asks_the_driver_for_no_memory_after_its_first_batch, 0, (int)n_places * N_NULLS);
	return t;
}
