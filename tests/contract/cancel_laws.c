/* The laws of cancelled calls: a call that is cancelled at any moment ends with CLPAC_ERROR_CANCELLED, or with its
 * result where it was nearly done; it leaves no buffer in the pool, no open file, no file that is none of its own or is
 * not whole; and the context goes on to give the same numbers.
 *
 * `make check` tries a few moments of each call, `make check-full` 200.  How long calls take to end is printed and not
 * judged: it depends on what else the machine does. */
#include "cancel_laws.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <clpac/cautions.h>
#include <clpac/compare.h>
#include <clpac/erpac.h>
#include <clpac/group.h>
#include <clpac/memory/cancel.h>
#include <clpac/memory/statistics.h>
#include <clpac/plan.h>

#include "assertions.h"
#include "cancel_io.h"
#include "open_files.h"
#include "places.h"
#include "random.h"

#ifdef WITH_IO
#define N_IO_CALLS cancel_io_n_calls
#define CHECK_FILES() cancel_io_check()
#else
#define N_IO_CALLS 0
#define CHECK_FILES() (void)0
#endif

/* From the wish to end until the call has ended. */
static const double wanted_s = 0.1;

enum { N_CHANNELS = 2, N_SAMPLES = 16000, N_BANDS = 4, N_SUBJECTS = 14, N_WINDOWS = 24, WINDOW = 400 };

static struct {
	size_t place;
	clpac_context *context;
	clpac_plan *plan;
	float x[N_CHANNELS * N_SAMPLES];
	const void *channels[N_CHANNELS];
	clpac_samples samples;
	clpac_band phase[N_BANDS], amplitude[N_BANDS];
	clpac_window windows[N_WINDOWS];
	clpac_problem problem, trials, epochs;
	clpac_result *result, *of_epochs, *subjects[N_SUBJECTS];
} f;

static clpac_status create_plan(clpac_result **out, clpac_error *err)
{
	clpac_plan *plan = NULL;
	(void)out;
	const clpac_status st = clpac_plan_create(f.context, &f.problem, NULL, &plan, err);
	clpac_plan_destroy(plan);
	return st;
}

static clpac_status run_plan(clpac_result **out, clpac_error *err)
{
	return clpac_plan_run(f.plan, f.x, out, err);
}

static clpac_status run_problem(clpac_result **out, clpac_error *err)
{
	return clpac_problem_run(&f.context, 1, &f.problem, NULL, &f.samples, out, err);
}

static clpac_status run_epochs(clpac_result **out, clpac_error *err)
{
	return clpac_problem_run(&f.context, 1, &f.epochs, NULL, &f.samples, out, err);
}

static clpac_status run_trials(clpac_result **out, clpac_error *err)
{
	return clpac_erpac_run(&f.context, 1, &(clpac_erpac){.problem = &f.trials, .step = 8}, NULL, &f.samples, out,
			       err);
}

static clpac_status group(clpac_result **out, clpac_error *err)
{
	return clpac_result_group(&(clpac_group){.first = (const clpac_result *const *)f.subjects,
						 .n_first = N_SUBJECTS,
						 .side = CLPAC_SIDE_GREATER},
				  out, err);
}

static clpac_status compare(clpac_result **out, clpac_error *err)
{
	return clpac_result_compare(
		&(clpac_comparison){.result = f.of_epochs, .first = "a", .second = "b", .n_permutations = 20000}, out,
		err);
}

static clpac_status caution(clpac_result **out, clpac_error *err)
{
	(void)out;
	return clpac_result_caution(f.result, &f.problem, &f.samples, err);
}

static const cancel_call calls[] = {{"clpac_plan_create", create_plan}, {"clpac_plan_run", run_plan},
				    {"clpac_problem_run", run_problem}, {"clpac_problem_run of epochs", run_epochs},
				    {"clpac_erpac_run", run_trials},	{"clpac_result_group", group},
				    {"clpac_result_compare", compare},	{"clpac_result_caution", caution}};

static size_t n_calls(void)
{
	return COUNT(calls) + N_IO_CALLS;
}

static const cancel_call *call_at(size_t i)
{
#ifdef WITH_IO
	if (i >= COUNT(calls))
		return &cancel_io_calls[i - COUNT(calls)];
#endif
	return &calls[i];
}

static void set_up(void)
{
	clpac_error err;
	unsigned long long state = 7;
	for (size_t i = 0; i < COUNT(f.x); i++)
		f.x[i] = random_signed(&state);
	for (size_t i = 0; i < N_BANDS; i++) {
		f.phase[i] = (clpac_band){4 + 2 * (double)i, 7 + 2 * (double)i};
		f.amplitude[i] = (clpac_band){40 + 20 * (double)i, 70 + 20 * (double)i};
	}
	for (size_t i = 0; i < N_WINDOWS; i++)
		f.windows[i] = (clpac_window){600 + WINDOW * i, WINDOW};
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		f.channels[ch] = f.x + ch * N_SAMPLES;
	f.samples = (clpac_samples){.type = CLPAC_FLOAT32, .channels = f.channels};
	f.problem = (clpac_problem){.rate_hz = 512,
				    .n_channels = N_CHANNELS,
				    .n_samples = N_SAMPLES,
				    .phase_bands = f.phase,
				    .n_phase_bands = N_BANDS,
				    .amplitude_bands = f.amplitude,
				    .n_amplitude_bands = N_BANDS,
				    .n_surrogates = 1500};
	f.trials = f.problem;
	f.trials.windows = f.windows;
	f.trials.n_windows = N_WINDOWS;
	f.trials.n_surrogates = 200;
	f.epochs = f.trials;
	f.epochs.separate_windows = true;
	f.epochs.n_surrogates = 0;
	f.context = place_open(f.place);
	f.plan = place_plan(f.context, &f.problem, NULL);
	assert_works(run_plan(&f.result, &err), err);
	assert_works(run_epochs(&f.of_epochs, &err), err);
	for (size_t i = 0; i < N_WINDOWS; i++)
		assert_works(clpac_result_set_condition(f.of_epochs, i, i % 2 ? "a" : "b", &err), err);
	/* Copies with noise on top: subjects have to differ. */
	const size_t only = 0; /* the one segment */
	for (size_t i = 0; i < N_SUBJECTS; i++)
		assert_works(clpac_result_stack(&f.result, 1, &only, &f.subjects[i], &err), err);
	for (size_t i = 0; i < N_SUBJECTS; i++) {
		size_t n;
		float *z = clpac_result_array(f.subjects[i], CLPAC_Z, &n);
		for (size_t k = 0; k < n; k++)
			z[k] += random_signed(&state);
	}
#ifdef WITH_IO
	cancel_io_begin(f.context, f.subjects, N_SUBJECTS);
#endif
}

static void tear_down(void)
{
#ifdef WITH_IO
	cancel_io_end();
#endif
	for (size_t i = 0; i < N_SUBJECTS; i++)
		clpac_result_destroy(f.subjects[i]);
	clpac_result_destroy(f.of_epochs);
	clpac_result_destroy(f.result);
	clpac_plan_destroy(f.plan);
	clpac_context_close(f.context);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A thread that cancels after a while, and notes when. */
typedef struct canceller {
	clpac_cancel *cancel;
	double after_s, at_s;
	pthread_t thread;
} canceller;

static void *cancel_later(void *user)
{
	canceller *self = user;
	const time_t whole = (time_t)self->after_s;
	nanosleep(&(struct timespec){whole, (long)((self->after_s - (double)whole) * 1e9)}, NULL);
	self->at_s = seconds();
	clpac_cancel_set(self->cancel);
	return NULL;
}

/* Calls once, and says how long the call went on after it was cancelled; 0: it had ended. */
static double call_once(const cancel_call *call, canceller *by, unsigned *n_cancelled)
{
	clpac_error err = {0};
	clpac_result *result = NULL;
	clpac_cancel_clear(by->cancel);
	ck_assert_int_eq(pthread_create(&by->thread, NULL, cancel_later, by), 0);
	clpac_cancel_use(by->cancel);
	const clpac_status st = call->call(&result, &err);
	const double ended_s = seconds();
	clpac_cancel_use(NULL);
	pthread_join(by->thread, NULL);
	ck_assert_msg(st == CLPAC_OK || st == CLPAC_ERROR_CANCELLED, "%s: %s: %s", call->name, clpac_status_text(st),
		      err.text);
	ck_assert_msg(st == CLPAC_OK || strstr(err.text, "cancelled"), "%s: %s", call->name, err.text);
	ck_assert(st == CLPAC_OK || !result);
	*n_cancelled += st == CLPAC_ERROR_CANCELLED;
	clpac_result_destroy(result);
	return st == CLPAC_ERROR_CANCELLED ? ended_s - by->at_s : 0;
}

static uint64_t n_active(void)
{
	clpac_pool_statistics now;
	clpac_pool_measure(clpac_context_pool(f.context), &now, sizeof now);
	return now.active_buffers;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

START_TEST(a_call_that_is_cancelled_at_any_moment_leaves_nothing_behind)
{
	const char *sweeps = getenv("CLPAC_TEST_SWEEPS");
	const int n_moments = sweeps && strcmp(sweeps, "all") == 0 ? 200 : 6;
	unsigned long long state = 11;
	unsigned n_cancelled = 0;
	double sum_s = 0;
	clpac_error err;
	clpac_result *first = NULL, *last = NULL;
	canceller by = {0};
	const cancel_call *call = call_at((size_t)_i);
	set_up();
	assert_works(clpac_cancel_create(&by.cancel, &err), err);
	/* Twice: the first call may compile kernels, those of launches that are cut for who may be cancelled among
	 * them. */
	clpac_cancel_use(by.cancel);
	assert_works(call->call(&first, &err), err);
	clpac_result_destroy(first);
	first = NULL;
	const double started_s = seconds();
	assert_works(call->call(&first, &err), err);
	const double whole_s = seconds() - started_s;
	clpac_cancel_use(NULL);
	const uint64_t n_before = n_active();
	const size_t n_open = open_files_count();
	double took_s[200];
	unsigned n_over = 0;
	for (int i = 0; i < n_moments; i++) {
		by.after_s = whole_s * random_unit(&state);
		took_s[i] = call_once(call, &by, &n_cancelled);
		n_over += took_s[i] > wanted_s;
		sum_s += took_s[i];
		ck_assert_uint_eq(n_active(), n_before);
		CHECK_FILES();
	}
	qsort(took_s, (size_t)n_moments, sizeof *took_s, ascending);
	printf("# %s on %s, %.0f ms: %u of %d cancelled; ms later: %.1f mean, %.1f median, %.1f of 99 %%, %.1f at "
	       "most, "
	       "%u above %.0f\n",
	       call->name, place_label(f.place), 1e3 * whole_s, n_cancelled, n_moments,
	       n_cancelled ? 1e3 * sum_s / n_cancelled : 0, 1e3 * took_s[n_moments / 2],
	       1e3 * took_s[n_moments * 99 / 100], 1e3 * took_s[n_moments - 1], n_over, 1e3 * wanted_s);
	ck_assert_uint_eq(open_files_count(), n_open);
	assert_works(call->call(&last, &err), err);
	if (first) {
		size_t n = 0, n_last = 0;
		const float *a = clpac_result_array(first, CLPAC_MI, &n),
			    *b = clpac_result_array(last, CLPAC_MI, &n_last);
		ck_assert_uint_eq(n, n_last);
		ck_assert(!n || memcmp(a, b, n * sizeof *a) == 0);
	}
	clpac_result_destroy(first);
	clpac_result_destroy(last);
	clpac_cancel_destroy(by.cancel);
	tear_down();
}

START_TEST(a_call_that_is_cancelled_before_it_begins_ends_at_once_and_others_go_on)
{
	clpac_error err = {0};
	clpac_result *result = NULL;
	clpac_cancel *cancel;
	set_up();
	assert_works(clpac_cancel_create(&cancel, &err), err);
	ck_assert(!clpac_cancel_is_set(cancel));
	clpac_cancel_set(cancel);
	ck_assert(clpac_cancel_is_set(cancel));
	ck_assert_int_eq(clpac_cancel_check(NULL), CLPAC_OK); /* this thread does not use it yet */
	ck_assert_ptr_null(clpac_cancel_use(cancel));
	ck_assert_ptr_eq(clpac_cancel_used(), cancel);
	ck_assert_int_eq(clpac_cancel_check(&err), CLPAC_ERROR_CANCELLED);
	for (size_t i = 0; i < n_calls(); i++) {
		ck_assert_msg(call_at(i)->call(&result, &err) == CLPAC_ERROR_CANCELLED, "%s: %s", call_at(i)->name,
			      err.text);
		ck_assert_ptr_null(result);
	}
	ck_assert_ptr_eq(clpac_cancel_use(NULL), cancel);
	for (size_t i = 0; i < n_calls(); i++) {
		assert_works(call_at(i)->call(&result, &err), err);
		clpac_result_destroy(result);
		result = NULL;
	}
	clpac_cancel_destroy(cancel);
	tear_down();
}

void cancel_laws_add(Suite *suite, size_t place)
{
	TCase *laws = tcase_create("cancelled calls");
	f.place = place;
	tcase_add_test(laws, a_call_that_is_cancelled_before_it_begins_ends_at_once_and_others_go_on);
	tcase_add_loop_test(laws, a_call_that_is_cancelled_at_any_moment_leaves_nothing_behind, 0, (int)n_calls());
	tcase_set_timeout(laws, 3600);
	suite_add_tcase(suite, laws);
}
