/* Several devices in one run. However the series are shared out, and whatever fails, each series has the numbers that
 * one of the devices computes alone. */
#include "several_laws.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"
#include "base/clock.h"
#include "contract/places.h"
#include "evidence.h"
#include "memory/context/context.h"
#include "coupling/passes/plan.h"
#include "coupling/stages/stages.h"

enum { N_CHANNELS = 7, N_SEGMENTS = 3, N_SAMPLES = 260, N_SERIES = N_CHANNELS * N_SEGMENTS, N_SURROGATES = 6 };

static const clpac_band phase_bands[] = {{4, 8}, {8, 13}}, amplitude_bands[] = {{30, 45}, {50, 75}, {60, 90}};

static clpac_problem base(void)
{
	return (clpac_problem){.rate_hz = 250,
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

/* --- Recordings and runs ---------------------------------------------------------------------- */

struct input {
	float *values;
	const void *channels[N_CHANNELS];
	clpac_samples samples;
};

static void make_input(struct input *input)
{
	unsigned long long state = 5;
	float *x = malloc(N_SERIES * N_SAMPLES * sizeof *x);
	for (size_t i = 0; i < N_SERIES * N_SAMPLES; i++)
		x[i] = (float)random_unit(&state);
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		input->channels[ch] = x + ch * N_SEGMENTS * N_SAMPLES;
	input->values = x;
	input->samples = (clpac_samples){.type = CLPAC_FLOAT32, .channels = input->channels};
}

/* Progress calls come from any thread, one at a time; overlapping calls would show here. */
struct progress {
	size_t done, total, stop_at; /* 0: never */
	bool went_back;
	atomic_int n_inside;
	bool was_crowded;
};

static bool note_progress(void *user, size_t done, size_t total)
{
	struct progress *progress = user;
	progress->was_crowded |= atomic_fetch_add(&progress->n_inside, 1) > 0;
	progress->went_back |= done < progress->done;
	progress->done = done;
	progress->total = total;
	atomic_fetch_sub(&progress->n_inside, 1);
	return !progress->stop_at || done < progress->stop_at;
}

struct team {
	clpac_context *contexts[MAX_MEMBERS];
	clpac_plan *plans[MAX_MEMBERS];
	size_t n;
	struct progress progress;
};

static void open_team(struct team *team, size_t way, const clpac_problem *p)
{
	*team = (struct team){0};
	team->n = members_open(way, team->contexts);
	ck_assert_uint_ge(team->n, 2);
	for (size_t i = 0; i < team->n; i++)
		team->plans[i] = place_plan(team->contexts[i], p,
					    &(clpac_plan_options){.max_batch = 2,
								  .progress = i ? NULL : note_progress,
								  .progress_user = &team->progress});
}

static void close_team(struct team *team)
{
	for (size_t i = 0; i < team->n; i++) {
		clpac_plan_destroy(team->plans[i]);
		clpac_context_close(team->contexts[i]);
	}
}

static void run_each_alone(struct team *team, const struct input *input, clpac_result *alone[MAX_MEMBERS])
{
	clpac_error err;
	for (size_t i = 0; i < team->n; i++)
		assert_works(clpac_plan_run_samples(team->plans[i], &input->samples, &alone[i], &err), err);
	team->progress = (struct progress){0};
}

static void destroy_each(const struct team *team, clpac_result *alone[MAX_MEMBERS])
{
	for (size_t i = 0; i < team->n; i++)
		clpac_result_destroy(alone[i]);
}

/* --- Laws ------------------------------------------------------------------------------------- */

static bool is_row_same(const clpac_result *a, const clpac_result *b, size_t series)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n;
		const float *x = clpac_result_array(a, (clpac_array)which, &n);
		const float *y = clpac_result_array(b, (clpac_array)which, NULL);
		const size_t row = n / N_SERIES;
		if (row && memcmp(x + series * row, y + series * row, row * sizeof *x) != 0)
			return false;
	}
	const size_t n_phase = COUNT(phase_bands);
	return memcmp(clpac_result_empty_bins(a) + series * n_phase, clpac_result_empty_bins(b) + series * n_phase,
		      n_phase * sizeof(uint32_t)) == 0;
}

/* Every series has exactly the bits that one of the devices computes alone, and the report counts each series once. */
static void check_together(const struct team *team, const clpac_result *result, clpac_result *const alone[],
			   const char *label)
{
	const clpac_report *report = clpac_result_report(result);
	size_t n_series = 0;
	for (size_t series = 0; series < N_SERIES; series++) {
		bool is_found = false;
		for (size_t i = 0; i < team->n; i++)
			is_found |= is_row_same(result, alone[i], series);
		ck_assert_msg(is_found, "%s: series %zu is that of no device", label, series);
	}
	ck_assert_uint_eq(report->n_devices, team->n);
	for (size_t i = 0; i < team->n; i++) {
		const clpac_device_report *did = &report->devices[i];
		n_series += did->n_series;
		ck_assert_uint_le(did->n_batches, did->n_series);
		ck_assert_int_eq(did->n_series > 0, did->n_batches > 0);
		ck_assert_int_eq(did->has_failed, did->failure[0] != 0);
		ck_assert_str_eq(did->device, clpac_context_device(team->contexts[i])->name);
		ck_assert(did->seconds >= 0 && (did->n_series == 0 || did->peak_bytes > 0));
	}
	ck_assert_uint_eq(n_series, N_SERIES);
	ck_assert_uint_eq(team->progress.done, team->progress.total);
	ck_assert_uint_eq(team->progress.total, N_SERIES * (1 + N_SURROGATES));
	ck_assert(!team->progress.was_crowded);
	for (int kind = 0; kind < CLPAC_WARN_KIND_COUNT; kind++)
		if (kind != CLPAC_WARN_DEVICE && kind != CLPAC_WARN_STRATEGY)
			ck_assert_uint_eq(report->warnings[kind].count,
					  clpac_result_report(alone[0])->warnings[kind].count);
}

START_TEST(who_computes_a_series_changes_no_number)
{
	clpac_error err;
	const clpac_problem p = base();
	struct input input;
	struct team team;
	clpac_result *alone[MAX_MEMBERS], *result = NULL;
	make_input(&input);
	/* A fault of a series is reported once, whichever device found it. */
	input.values[4 * N_SAMPLES + 17] = NAN;
	for (size_t t = 0; t < N_SAMPLES; t++)
		input.values[11 * N_SAMPLES + t] = 3;
	open_team(&team, (size_t)_i, &p);
	run_each_alone(&team, &input, alone);
	ck_assert_uint_eq(clpac_result_report(alone[0])->warnings[CLPAC_WARN_NOT_FINITE].count, 1);
	for (int round = 0; round < 4; round++) {
		result = NULL;
		assert_works(clpac_plan_run_several(team.plans, team.n, &input.samples, &result, &err), err);
		check_together(&team, result, alone, "together");
		ck_assert(!team.progress.went_back);
		ck_assert_uint_eq(clpac_result_report(result)->warnings[CLPAC_WARN_DEVICE].count, 0);
		clpac_result_destroy(result);
		team.progress = (struct progress){0};
	}
	destroy_each(&team, alone);
	close_team(&team);
	free(input.values);
}

/* --- Devices that fail ------------------------------------------------------------------------ */

/* Counts the launches of every device, by its queue, and makes them fail. */
static struct {
	const clpac__queue *queue;
	const clpac__compute_operations *usual;
	clpac__compute_operations failing;
	unsigned long left; /* launches until the first that fails, after which all fail; 0: none fails */
	atomic_bool has_failed;
	atomic_ulong n_launches;
	clpac_status as;
} injected[MAX_MEMBERS];

/* The other devices wait until this one has launched a given number of times, or has failed; otherwise a fast device
 * leaves a slow one no work. */
static struct {
	size_t member;
	unsigned long n_launches;
} ahead;

static bool must_wait(size_t i)
{
	return i != ahead.member && !atomic_load(&injected[ahead.member].has_failed) &&
	       atomic_load(&injected[ahead.member].n_launches) < ahead.n_launches;
}

static clpac_status launch_or_fail(clpac__compute *compute, const clpac__launch *launch, clpac_error *err)
{
	size_t i = 0;
	while (injected[i].queue != compute->queue)
		i++;
	for (const double begun = clpac__clock_seconds(); must_wait(i);) {
		if (clpac__clock_seconds() - begun >
		    120) /* reported as an error: a thread of the run must not end the test */
			return clpac__fail(err, CLPAC_ERROR_INTERNAL, "member %zu has nothing to do", ahead.member);
		sched_yield();
	}
	atomic_fetch_add(&injected[i].n_launches, 1);
	if (injected[i].left == 1) {
		atomic_store(&injected[i].has_failed, true);
		if (injected[i].as == CLPAC_ERROR_NO_DEVICE_MEMORY)
			injected[i].left = 0; /* fails once */
		return clpac__fail(err, injected[i].as, "launch %s was made to fail",
				   clpac__stage_get(launch->stage)->name);
	}
	injected[i].left -= injected[i].left > 0;
	return injected[i].usual->launch(compute, launch, err);
}

static void inject(const struct team *team, size_t i, unsigned long launch, clpac_status as)
{
	clpac__queue *queue = team->contexts[i]->queue;
	injected[i].queue = queue;
	clpac__compute *compute = clpac__compute_of(queue);
	injected[i].usual = compute->operations;
	injected[i].failing = *compute->operations;
	injected[i].failing.launch = launch_or_fail;
	injected[i].left = launch;
	atomic_store(&injected[i].has_failed, false);
	atomic_store(&injected[i].n_launches, 0);
	injected[i].as = as;
	compute->operations = &injected[i].failing;
}

static void heal(const struct team *team, size_t i)
{
	clpac__compute_of(team->contexts[i]->queue)->operations = injected[i].usual;
}

/* The number of launches that a device needs for its first batch, two series. */
static unsigned long launches_of_a_batch(const struct team *team, size_t i, const struct input *input)
{
	clpac_error err;
	clpac_result *result = NULL;
	inject(team, i, 0, CLPAC_OK);
	assert_works(clpac_plan_run_samples(team->plans[i], &input->samples, &result, &err), err);
	heal(team, i);
	const unsigned long n_batches = (N_SERIES + 1) / 2, n = atomic_load(&injected[i].n_launches) / n_batches;
	clpac_result_destroy(result);
	ck_assert_uint_ge(n, 5);
	return n;
}

/* Runs all devices together. One fails at a given launch; the others wait for its first `n_ahead` launches. */
static clpac_result *run_with_failure(struct team *team, const struct input *input, size_t bad, unsigned long launch,
				      clpac_status as, unsigned long n_ahead)
{
	clpac_error err;
	clpac_result *result = NULL;
	team->progress = (struct progress){0};
	ahead.member = bad;
	ahead.n_launches = n_ahead;
	for (size_t i = 0; i < team->n; i++) {
		/* Alike, so that none is left out as too slow: guesses go by the kind of device. */
		team->plans[i]->runs->batches->speed = 1;
		inject(team, i, i == bad ? launch : 0, as);
	}
	assert_works(clpac_plan_run_several(team->plans, team->n, &input->samples, &result, &err), err);
	for (size_t i = 0; i < team->n; i++)
		heal(team, i);
	ahead.n_launches = 0;
	return result;
}

START_TEST(a_device_that_fails_loses_nothing)
{
	clpac_error err;
	const clpac_problem p = base();
	struct input input;
	struct team team;
	clpac_result *alone[MAX_MEMBERS];
	make_input(&input);
	open_team(&team, (size_t)_i, &p);
	run_each_alone(&team, &input, alone);
	/* Each launch of a device's first batch fails in turn, and some later ones. */
	for (size_t bad = 0; bad < team.n; bad++) {
		const unsigned long n_first = launches_of_a_batch(&team, bad, &input);
		for (unsigned long launch = 1; launch < 200; launch += launch < n_first ? 1 : 23) {
			char label[64];
			snprintf(label, sizeof label, "launch %lu of device %zu fails", launch, bad);
			clpac_result *result =
				run_with_failure(&team, &input, bad, launch, CLPAC_ERROR_DEVICE, n_first);
			const bool has_failed = atomic_load(&injected[bad].has_failed);
			ck_assert_msg(has_failed || launch > n_first, "%s: it did not", label);
			check_together(&team, result, alone, label);
			const clpac_report *report = clpac_result_report(result);
			const clpac_warning *warning = &report->warnings[CLPAC_WARN_DEVICE];
			for (size_t i = 0; i < team.n; i++)
				ck_assert_int_eq(report->devices[i].has_failed, i == bad && has_failed);
			ck_assert_uint_eq(warning->count, has_failed);
			if (has_failed) {
				ck_assert_ptr_nonnull(strstr(warning->text, "was made to fail"));
				ck_assert_ptr_nonnull(strstr(report->devices[bad].failure, "was made to fail"));
			}
			clpac_result_destroy(result);
		}
	}
	/* A failed device can be used again. */
	clpac_result *result = NULL;
	team.progress = (struct progress){0};
	assert_works(clpac_plan_run_several(team.plans, team.n, &input.samples, &result, &err), err);
	check_together(&team, result, alone, "afterwards");
	clpac_result_destroy(result);
	destroy_each(&team, alone);
	close_team(&team);
	free(input.values);
}

START_TEST(a_device_that_is_refused_memory_goes_on_with_less)
{
	const clpac_problem p = base();
	struct input input;
	make_input(&input);
	for (size_t bad = 0; bad < 2; bad++) {
		struct team team;
		clpac_result *alone[MAX_MEMBERS];
		open_team(&team, (size_t)_i, &p);
		run_each_alone(&team, &input, alone);
		clpac_result *result = run_with_failure(&team, &input, bad, 5, CLPAC_ERROR_NO_DEVICE_MEMORY, 5);
		check_together(&team, result, alone, "refused");
		const clpac_report *report = clpac_result_report(result);
		ck_assert_uint_eq(report->warnings[CLPAC_WARN_STRATEGY].count, 1);
		ck_assert_uint_eq(report->warnings[CLPAC_WARN_DEVICE].count, 0);
		clpac_result_destroy(result);
		destroy_each(&team, alone);
		close_team(&team);
	}
	free(input.values);
}

START_TEST(when_no_device_is_left_the_first_ones_reason_is_told)
{
	clpac_error err;
	const clpac_problem p = base();
	struct input input;
	struct team team;
	clpac_result *result = NULL;
	char wanted[64];
	make_input(&input);
	open_team(&team, (size_t)_i, &p);
	for (size_t i = 0; i < team.n; i++)
		inject(&team, i, 3 + 2 * i, CLPAC_ERROR_DEVICE);
	snprintf(wanted, sizeof wanted, "none of %zu devices is left", team.n);
	assert_refused(clpac_plan_run_several(team.plans, team.n, &input.samples, &result, &err), err,
		       CLPAC_ERROR_DEVICE, wanted);
	ck_assert_ptr_nonnull(strstr(err.text, "was made to fail"));
	ck_assert_ptr_null(result);
	for (size_t i = 0; i < team.n; i++)
		heal(&team, i);
	close_team(&team);
	free(input.values);
}

/* --- The caller ------------------------------------------------------------------------------- */

START_TEST(a_run_of_several_stops_when_told)
{
	clpac_error err;
	const clpac_problem p = base();
	struct input input;
	struct team team;
	clpac_result *result = NULL;
	make_input(&input);
	open_team(&team, (size_t)_i, &p);
	team.progress.stop_at = 40;
	assert_refused(clpac_plan_run_several(team.plans, team.n, &input.samples, &result, &err), err,
		       CLPAC_ERROR_CANCELLED, "as asked");
	ck_assert_ptr_null(result);
	team.progress = (struct progress){0};
	assert_works(clpac_plan_run_several(team.plans, team.n, &input.samples, &result, &err), err);
	ck_assert_uint_eq(team.progress.done, team.progress.total);
	clpac_result_destroy(result);
	close_team(&team);
	free(input.values);
}

START_TEST(plans_that_do_not_go_together_are_refused)
{
	clpac_error err;
	clpac_problem p = base();
	struct input input;
	struct team team;
	clpac_result *result = NULL;
	make_input(&input);
	open_team(&team, (size_t)_i, &p);
	clpac_plan *plans[MAX_MEMBERS] = {team.plans[0], team.plans[0]};
	const clpac_samples *samples = &input.samples;
	assert_refused(clpac_plan_run_several(NULL, 2, samples, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "plans is NULL");
	assert_refused(clpac_plan_run_several(plans, 0, samples, &result, &err), err, CLPAC_ERROR_ARGUMENT, "no plans");
	assert_refused(clpac_plan_run_several(plans, 17, samples, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "more than 16");
	assert_refused(clpac_plan_run_several(plans, 2, samples, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "plans 0 and 1 are one plan");
	assert_refused(clpac_plan_run_several(team.plans, 2, NULL, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "samples is NULL");
	plans[1] = NULL;
	assert_refused(clpac_plan_run_several(plans, 2, samples, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "plan 1 is NULL");
	p.n_bins = 17;
	plans[1] = place_plan(team.contexts[1], &p, NULL);
	assert_refused(clpac_plan_run_several(plans, 2, samples, &result, &err), err, CLPAC_ERROR_ARGUMENT,
		       "plan 1 is for another problem");
	ck_assert_ptr_null(result);
	clpac_plan_destroy(plans[1]);
	close_team(&team);
	free(input.values);
}

void several_laws_add(TCase *tests, size_t n_ways)
{
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, who_computes_a_series_changes_no_number, 0, (int)n_ways);
	tcase_add_loop_test(tests, a_device_that_fails_loses_nothing, 0, (int)n_ways);
	tcase_add_loop_test(tests, a_device_that_is_refused_memory_goes_on_with_less, 0, (int)n_ways);
	tcase_add_loop_test(tests, when_no_device_is_left_the_first_ones_reason_is_told, 0, (int)n_ways);
	tcase_add_loop_test(tests, a_run_of_several_stops_when_told, 0, (int)n_ways);
	tcase_add_loop_test(tests, plans_that_do_not_go_together_are_refused, 0, (int)n_ways);
}
