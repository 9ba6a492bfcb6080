/* The laws of forked children: a table names each exported function (forked_*.def, which tests/lint/null.test compares
 * with the libraries), and says what it does in a child with the parent's handles:
 *
 *     PLAIN(function, call)        it ends, with whatever result
 *     FORKED(function, call)       CLPAC_ERROR_FORKED
 *     EMPTY(function, condition)   a function without an error gives the empty value
 *     FORGETS(function, call)      a function that gives nothing ends
 *     CONTEXT(function, call)      success on a device without a driver, elsewhere CLPAC_ERROR_FORKED
 *     OPENS(function, call)        the same
 *     LAST(function, call), FORKED_LAST, EMPTY_LAST    what gives handles up, called after all others
 *
 * In a child that made the handles itself all of them do what they do elsewhere; other tests have the results.  The
 * child tells how far it came in shared memory, so that the parent can name the function that hangs. */
#include "config.h"

#include "forked_laws.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <clpac/cautions.h>
#include <clpac/compare.h>
#include <clpac/erpac.h>
#include <clpac/estimate.h>
#include <clpac/group.h>
#include <clpac/memory/async.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/cancel.h>
#include <clpac/memory/context.h>
#include <clpac/memory/estimate.h>
#include <clpac/memory/offsets.h>
#include <clpac/memory/own.h>
#include <clpac/memory/pressure.h>
#include <clpac/memory/queue.h>
#include <clpac/memory/statistics.h>
#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#include <clpac/plan.h>
#include <clpac/recording.h>
#include <clpac/signal.h>
#include <clpac/version.h>
#ifdef HAVE_OPENCL
#include <clpac/memory/opencl.h>
#include <clpac/opencl.h>
#endif
#ifdef WITH_IO
#include <clpac/analysis.h>
#include <clpac/devices.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/recording_store.h>
#include <clpac/write.h>
#endif

#include "assertions.h"
#include "sweeps.h"

enum { N_CHANNELS = 2, N_SAMPLES = 1024, N_TAPS = 31, N_TRIALS = 6 };

/* What the parent made; in the state before that, the child. */
static struct {
	char selection[64], path[64], samples_path[64];
	clpac_device_list *list;
	const clpac_device *device;
	clpac_context *context;
	clpac_limit *limit;
	clpac_pool *pool;
	clpac_queue *queue;
	clpac_buffer *buffer, *second, *third;
	clpac_event *event;
	clpac_scope *scope;
	clpac_async *async;
	clpac_ticket *ticket;
	clpac_store *store;
	clpac_entry *entry;
	clpac_store_scope *store_scope;
	clpac_offsets *offsets;
	clpac_recording *recording;
	clpac_result *result;
	clpac_plan *plan;
	clpac_problem problem, trials;
	clpac_window windows[N_TRIALS];
	clpac_band bands[2];
	const void *channels[N_CHANNELS];
	clpac_samples samples;
	clpac_bank bank;
	double taps[N_TAPS];
	const double *tap_rows[1];
	size_t n_taps[1];
	clpac_coupling coupling;
	float x[N_CHANNELS * N_SAMPLES];
#ifdef HAVE_OPENCL
	cl_device_id cl_device;
	cl_command_queue cl_queue;
	cl_event cl_event;
#endif
#ifdef WITH_IO
	clpac_analysis *analysis;
	clpac_output_set *set;
#endif
} f;

/* What calls make; not freed. */
static struct {
	char *text, line[256], checksum[65];
	const char *name;
	uint64_t bytes;
	size_t n, dimensions[5];
	double seconds;
	bool is_exact;
	float values[2], out[2 * N_SAMPLES];
	void *memory;
	clpac_pool_options *pool_options;
	clpac_plan_options *plan_options;
	clpac_cancel *cancel;
	clpac_limit *limit;
	clpac_pool *pool;
	clpac_queue *queue;
	clpac_buffer *buffer;
	clpac_event *event;
	clpac_scope *scope;
	clpac_async *async;
	clpac_ticket *ticket;
	clpac_store *store;
	clpac_entry *entry;
	clpac_store_scope *store_scope;
	clpac_offsets *offsets;
	clpac_piece piece;
	clpac_key_list keys;
	clpac_live_list live;
	clpac_trace trace;
	clpac_advice advice;
	clpac_pool_statistics statistics;
	clpac_store_statistics store_statistics;
	clpac_peak_bytes peak;
	clpac_transformer_bytes transformer;
	clpac_device_list *list;
	const clpac_device *device;
	clpac_context *context;
	clpac_plan *plan;
	clpac_plan_bytes plan_bytes;
	clpac_problem_copy *problem;
	clpac_recording *recording;
	clpac_result *result;
	clpac_band *bands;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
#ifdef WITH_IO
	clpac_analysis *analysis;
	clpac_output_set *set;
#endif
} m;

static float a_value = 1;
static const clpac_stored_array an_array = {
	.name = "x", .type = "float32", .shape = {1}, .bytes = sizeof a_value, .data = &a_value};

static void watch(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	(void)user, (void)pool, (void)from, (void)to;
}

static uint64_t relieve(void *user, clpac_pool *pool, uint64_t bytes)
{
	(void)user, (void)pool, (void)bytes;
	return 0;
}

static int rank(const clpac_device *device, void *user)
{
	(void)device, (void)user;
	return 1;
}

static void *take(void *user, size_t bytes)
{
	(void)user;
	return malloc(bytes);
}

static void give(void *user, void *memory)
{
	(void)user;
	free(memory);
}

static clpac_status load(void *user, clpac_store *store, const char *key, clpac_metadata *metadata, clpac_buffer **out,
			 clpac_error *err)
{
	(void)user, (void)key, (void)metadata;
	return clpac_pool_allocate(clpac_store_pool(store), 64, "", out, err);
}

static clpac_status found_gap(void *user, size_t channel, size_t first, size_t n, clpac_error *err)
{
	(void)user, (void)channel, (void)first, (void)n, (void)err;
	return CLPAC_OK;
}

/* --- The table ------------------------------------------------------------------------------- */

enum kind { IS_PLAIN, IS_FORKED, IS_EMPTY, IS_CONTEXT };

typedef struct row {
	const char *function;
	enum kind kind;
	clpac_status (*call)(clpac_error *err); /* of those with a status */
	bool (*holds)(clpac_error *err);	/* of the others: the value is empty */
	bool is_last;
} row;

#define CALLED(function, ...)                                                                                          \
	static clpac_status function##_called(clpac_error *err)                                                        \
	{                                                                                                              \
		(void)err;                                                                                             \
		return __VA_ARGS__;                                                                                    \
	}
#define HOLDS(function, ...)                                                                                           \
	static bool function##_holds(clpac_error *err)                                                                 \
	{                                                                                                              \
		(void)err;                                                                                             \
		return __VA_ARGS__;                                                                                    \
	}
#define PLAIN(function, ...) HOLDS(function, ((void)(__VA_ARGS__), true))
#define FORGETS(function, ...) PLAIN(function, __VA_ARGS__)
#define LAST(function, ...) PLAIN(function, __VA_ARGS__)
#define FORKED(function, ...) CALLED(function, __VA_ARGS__)
#define FORKED_LAST(function, ...) CALLED(function, __VA_ARGS__)
#define CONTEXT(function, ...) CALLED(function, __VA_ARGS__)
#define OPENS(function, ...) CALLED(function, __VA_ARGS__)
#define EMPTY(function, ...) HOLDS(function, __VA_ARGS__)
#define EMPTY_LAST(function, ...) HOLDS(function, __VA_ARGS__)
#ifdef WITH_IO
#include "forked_analysis.def" /* before others change the recording */
#include "forked_io.def"
#endif
#include "forked_compute.def"
#include "forked_memory.def"
#undef PLAIN
#undef FORGETS
#undef LAST
#undef FORKED
#undef FORKED_LAST
#undef CONTEXT
#undef OPENS
#undef EMPTY
#undef EMPTY_LAST
#define PLAIN(function, ...) {#function, IS_PLAIN, NULL, function##_holds, false},
#define FORGETS(function, ...) {#function, IS_PLAIN, NULL, function##_holds, false},
#define LAST(function, ...) {#function, IS_PLAIN, NULL, function##_holds, true},
#define FORKED(function, ...) {#function, IS_FORKED, function##_called, NULL, false},
#define FORKED_LAST(function, ...) {#function, IS_FORKED, function##_called, NULL, true},
#define CONTEXT(function, ...) {#function, IS_CONTEXT, function##_called, NULL, false},
#define OPENS(function, ...) {#function, IS_CONTEXT, function##_called, NULL, false},
#define EMPTY(function, ...) {#function, IS_EMPTY, NULL, function##_holds, false},
#define EMPTY_LAST(function, ...) {#function, IS_EMPTY, NULL, function##_holds, true},
static const row rows[] = {
#ifdef WITH_IO
#include "forked_analysis.def" /* before others change the recording */
#include "forked_io.def"
#endif
#include "forked_compute.def"
#include "forked_memory.def"
};

/* --- The parent's handles --------------------------------------------------------------------- */

static void fill_in(void)
{
	const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	snprintf(f.path, sizeof f.path, "%.30s/clpac-forked-%ld", folder, (long)getpid());
	snprintf(f.samples_path, sizeof f.samples_path, "%.30s/clpac-forked-%ld.npy", folder, (long)getpid());
	for (size_t i = 0; i < COUNT(f.x); i++)
		f.x[i] = (float)(i * 7919 % 1000) / 1000;
	f.bands[0] = (clpac_band){4, 8};
	f.bands[1] = (clpac_band){40, 80};
	f.problem = (clpac_problem){.rate_hz = 512,
				    .n_channels = N_CHANNELS,
				    .n_samples = N_SAMPLES,
				    .phase_bands = &f.bands[0],
				    .n_phase_bands = 1,
				    .amplitude_bands = &f.bands[1],
				    .n_amplitude_bands = 1,
				    .n_surrogates = 20};
	/* An order of the longest filter, 384 samples, from both ends. */
	for (size_t i = 0; i < N_TRIALS; i++)
		f.windows[i] = (clpac_window){386 + 20 * i, 130};
	f.trials = f.problem;
	f.trials.windows = f.windows;
	f.trials.n_windows = N_TRIALS;
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		f.channels[ch] = f.x + ch * N_SAMPLES;
	f.samples = (clpac_samples){.type = CLPAC_FLOAT32, .channels = f.channels};
	f.taps[N_TAPS / 2] = 1;
	f.tap_rows[0] = f.taps;
	f.n_taps[0] = N_TAPS;
	f.bank = (clpac_bank){.n_bands = 1, .taps = f.tap_rows, .n_taps = f.n_taps};
	f.coupling = (clpac_coupling){.n_series = 1, .n_phase = 1, .n_amplitude = 1, .n_samples = N_SAMPLES};
}

static bool is_native(void)
{
	return strcmp(f.selection, "native") == 0;
}

/* The threads of a native context are what a child lacks. */
static void open_context(clpac_error *err)
{
	const clpac_options options = {.threads = 2};
	assert_works(clpac_devices_find_for(&(clpac_options){.probe = CLPAC_PROBE_NONE}, &f.list, err), *err);
	assert_works(clpac_devices_select(f.list, f.selection, 0, &f.device, err), *err);
	assert_works(clpac_context_open(f.device, &options, &f.context, err), *err);
}

static void open_all(bool has_plan)
{
	clpac_error error, *err = &error;
	open_context(err);
	assert_works(clpac_limit_create(1 << 28, &f.limit, err), *err);
	assert_works(clpac_pool_create(f.context,
				       &(clpac_pool_options){.budget = {.bytes = 1 << 26, .limit = f.limit},
							     .checks = {.is_tracked = true},
							     .may_move = true},
				       &f.pool, err),
		     *err);
	assert_works(clpac_queue_open(f.pool, true, &f.queue, err), *err);
	assert_works(clpac_scope_begin(f.pool, CLPAC_SCOPE_MEASURE, "", &f.scope, err), *err);
	assert_works(clpac_pool_allocate(f.pool, 10000, "", &f.buffer, err), *err);
	assert_works(clpac_pool_allocate(f.pool, 10000, "", &f.second, err), *err);
	assert_works(clpac_pool_allocate(f.pool, 10000, "", &f.third, err), *err);
	assert_works(clpac_queue_mark(f.pool, NULL, &f.event, err), *err);
	assert_works(clpac_async_create(f.pool, 0, &f.async, err), *err);
	assert_works(clpac_async_request(f.async, 1, &(clpac_request){.bytes = 100}, NULL, NULL, &f.ticket, err), *err);
	assert_works(clpac_store_create(f.pool, NULL, &f.store, err), *err);
	assert_works(clpac_store_save(f.store, "a", 1, &an_array, NULL, CLPAC_PUT_FAIL, err), *err);
	assert_works(clpac_store_acquire(f.store, "a", &f.entry, err), *err);
	assert_works(clpac_store_scope_open(f.store, NULL, &f.store_scope, err), *err);
	assert_works(clpac_offsets_create(8, &f.offsets, err), *err);
	assert_works(clpac_recording_create("x", &f.recording, err), *err);
	assert_works(clpac_recording_add_channel(f.recording, "a", "V", 512, N_SAMPLES, CLPAC_FLOAT32, &m.memory, err),
		     *err);
	memcpy(m.memory, f.x, N_SAMPLES * sizeof(float));
#ifdef WITH_IO
	assert_works(clpac_npy_write(f.samples_path, f.x, N_CHANNELS, N_SAMPLES, true, err), *err);
	assert_works(clpac_analysis_read("phase=4-8 amplitude=40-80 surrogates=20", &f.analysis, err), *err);
	assert_works(clpac_output_set_open(&f.set, err), *err);
	assert_works(clpac_output_set_create(f.set, f.path, true, &m.name, err), *err);
#endif
#ifdef HAVE_OPENCL
	if (!is_native()) {
		f.cl_device = clpac_device_opencl(f.device);
		f.cl_queue = clpac_queue_opencl(f.queue);
		f.cl_event = clpac_event_opencl(f.pool, f.event);
	}
#endif
	const clpac_result_shape shape = {.n_channels = 1,
					  .n_segments = 1,
					  .n_phase_bands = 1,
					  .n_amplitude_bands = 1,
					  .n_bins = 18,
					  .n_surrogates = 0};
	assert_works(clpac_result_create(&shape, 1u << CLPAC_MI, &f.result, err), *err);
	if (has_plan)
		assert_works(clpac_plan_create(f.context, &f.problem, NULL, &f.plan, err), *err);
}

static void close_all(void)
{
#ifdef WITH_IO
	clpac_output_set_close(f.set);
	clpac_analysis_destroy(f.analysis);
#endif
	clpac_plan_destroy(f.plan);
	clpac_result_destroy(f.result);
	clpac_recording_destroy(f.recording);
	clpac_offsets_destroy(f.offsets);
	clpac_store_scope_close(f.store_scope);
	clpac_entry_release(f.entry);
	clpac_store_destroy(f.store);
	clpac_ticket_release(f.ticket);
	clpac_async_destroy(f.async);
	clpac_event_release(f.pool, f.event);
	clpac_buffer_release(f.third);
	clpac_buffer_release(f.second);
	clpac_buffer_release(f.buffer);
	clpac_scope_end(f.scope, NULL, NULL);
	clpac_queue_close(f.pool, f.queue);
	clpac_pool_destroy(f.pool);
	clpac_limit_destroy(f.limit);
	clpac_context_close(f.context);
	clpac_devices_destroy(f.list);
	unlink(f.path);
	unlink(f.samples_path);
}

/* --- The child -------------------------------------------------------------------------------- */

enum state { BEFORE, OPEN, PLANNED, RUNNING, STATES };
static const char *const state_names[] = {"before anything is opened", "with everything open", "with a plan",
					  "while another thread runs"};

/* Shared with the parent, which reads how far the child came, and whatever went wrong first. */
typedef struct report {
	atomic_int row; /* that is being called */
	int n_called, n_forked, n_results, n_errors, n_plain;
	int slowest;
	double slowest_s;
	char fault[512];
} report;

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void note_fault(report *to, const row *of, const char *what)
{
	if (!*to->fault)
		snprintf(to->fault, sizeof to->fault, "%s %s", of->function, what);
}

/* What a function with a status says, in a child that has the parent's handles. */
static void judge(report *to, const row *of, clpac_status st, const clpac_error *err)
{
	char what[400];
	const bool has_no_plan = !f.plan && strstr(of->function, "clpac_plan_"),
		   works = of->kind == IS_CONTEXT && is_native();
	if (has_no_plan && st == CLPAC_ERROR_ARGUMENT)
		return;
	snprintf(what, sizeof what, "gave \"%s\": %.300s", clpac_status_text(st), st ? err->text : "");
	if (works ? st != CLPAC_OK : st != CLPAC_ERROR_FORKED)
		note_fault(to, of, what);
	if (st == CLPAC_ERROR_FORKED && !strstr(err->text, "another process"))
		note_fault(to, of, what);
}

static void call(report *to, int i, enum state state)
{
	const row *of = &rows[i];
	clpac_error err = {0};
	/* What OpenCL alone has is refused on the native device as anywhere. */
	const bool is_of_opencl = strstr(of->function, "opencl");
	const double started_s = seconds();
	atomic_store(&to->row, i);
	to->n_called++;
	if (of->call) {
		const clpac_status st = of->call(&err);
		to->n_forked += st == CLPAC_ERROR_FORKED;
		to->n_results += st == CLPAC_OK;
		to->n_errors += st && st != CLPAC_ERROR_FORKED;
		if (state != BEFORE && !(is_of_opencl && is_native()))
			judge(to, of, st, &err);
		else if (state == BEFORE && st == CLPAC_ERROR_FORKED)
			note_fault(to, of, "refused what this process made itself");
	} else {
		const bool holds = of->holds(&err);
		to->n_plain++;
		if (of->kind == IS_EMPTY && state != BEFORE && !holds)
			note_fault(to, of, "did not give the empty value");
	}
	const double took_s = seconds() - started_s;
	if (took_s > to->slowest_s) {
		to->slowest_s = took_s;
		to->slowest = i;
	}
}

/* A test's child does not return: it has the test's name and no part in its verdict. */
static _Noreturn void be_child(report *to, enum state state)
{
	if (state == BEFORE)
		open_all(true);
	for (int last = 0; last < 2; last++)
		for (int i = 0; i < (int)COUNT(rows); i++)
			if (rows[i].is_last == last)
				call(to, i, state);
	_exit(0);
}

/* Waits until the child ends; where it stays at one function for a minute, ends it and says which. */
static void await(pid_t child, report *of, enum state state)
{
	int status = 0, row = -1;
	double since_s = seconds();
	while (waitpid(child, &status, WNOHANG) == 0) {
		const int now = atomic_load(&of->row);
		if (now != row) {
			row = now;
			since_s = seconds();
		}
		if (seconds() - since_s > 60) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			ck_abort_msg("%s, %s: %s hangs in a forked child", f.selection, state_names[state],
				     rows[row].function);
		}
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s, %s: a forked child ended by %s %d in %s",
		      f.selection, state_names[state], WIFEXITED(status) ? "status" : "signal",
		      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), rows[atomic_load(&of->row)].function);
	ck_assert_msg(!*of->fault, "%s, %s: %s", f.selection, state_names[state], of->fault);
	ck_assert_int_eq(of->n_called, COUNT(rows));
}

static void fork_once(enum state state)
{
	report *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	fflush(NULL);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		be_child(shared, state);
	await(child, shared, state);
	printf("# %s, %s: %d functions: %d refused, %d results, %d other errors, %d without a status; the slowest took "
	       "%.3f s (%s)\n",
	       f.selection, state_names[state], shared->n_called, shared->n_forked, shared->n_results, shared->n_errors,
	       shared->n_plain, shared->slowest_s, rows[shared->slowest].function);
	munmap(shared, sizeof *shared);
}

/* --- The tests -------------------------------------------------------------------------------- */

/* The z of a run, to be freed. */
static float *run_plan(size_t *n)
{
	clpac_error err;
	clpac_result *result;
	assert_works(clpac_plan_run(f.plan, f.x, &result, &err), err);
	const float *array = clpac_result_array(result, CLPAC_Z, n);
	ck_assert_ptr_nonnull(array);
	float *copy = malloc(*n * sizeof *copy);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, array, *n * sizeof *copy);
	clpac_result_destroy(result);
	return copy;
}

/* The parent is as it was: its next run gives the same bytes, and what it has open is there. */
static void assert_undisturbed(const float *before, size_t n_before)
{
	size_t n;
	clpac_error err;
	clpac_buffer *buffer;
	float *now = run_plan(&n);
	ck_assert_uint_eq(n, n_before);
	ck_assert(memcmp(now, before, n * sizeof *now) == 0);
	free(now);
	assert_works(clpac_pool_allocate(f.pool, 10000, "", &buffer, &err), err);
	assert_works(clpac_buffer_fill(buffer, 0, 10000, 1, &err), err);
	clpac_buffer_release(buffer);
	float value = 0;
	assert_works(clpac_store_get(f.store, "a", 0, sizeof value, &value, &err), err);
	ck_assert(value == a_value);
	assert_works(clpac_ticket_wait(f.ticket, NULL, &err), err);
#ifdef WITH_IO
	ck_assert_int_eq(access(m.name, F_OK), 0);
#endif
}

START_TEST(a_child_opens_all_by_itself)
{
	fill_in();
	fork_once(BEFORE);
	unlink(f.path);
	unlink(f.samples_path);
}

START_TEST(a_child_is_refused_what_its_parent_has_open)
{
	fill_in();
	open_all(false);
	fork_once(OPEN);
	close_all();
}

START_TEST(a_child_is_refused_its_parents_plan_and_the_parent_is_undisturbed)
{
	size_t n;
	fill_in();
	open_all(true);
	float *before = run_plan(&n);
	fork_once(PLANNED);
	assert_undisturbed(before, n);
	free(before);
	close_all();
}

/* Threads that run, allocate, put and fetch until they are told to end. */
static atomic_bool is_over;
static atomic_int n_failed;

static void *run_on(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over)) {
		clpac_result *result = NULL;
		if (clpac_plan_run(f.plan, f.x, &result, NULL) != CLPAC_OK)
			atomic_fetch_add(&n_failed, 1);
		clpac_result_destroy(result);
	}
	return NULL;
}

static void *allocate_on(void *unused)
{
	(void)unused;
	for (size_t i = 0; !atomic_load(&is_over); i++) {
		clpac_buffer *buffer = NULL;
		clpac_entry *entry = NULL;
		clpac_device_list *list = NULL;
		if (clpac_pool_allocate(f.pool, 5000 + i % 7 * 3000, "", &buffer, NULL) != CLPAC_OK ||
		    clpac_buffer_fill(buffer, 0, 5000, 1, NULL) != CLPAC_OK ||
		    clpac_store_fetch(f.store, i % 2 ? "g" : "h", NULL, load, NULL, &entry, NULL) != CLPAC_OK ||
		    clpac_devices_find(&list, NULL) != CLPAC_OK)
			atomic_fetch_add(&n_failed, 1);
		clpac_buffer_release(buffer);
		clpac_entry_release(entry);
		clpac_devices_destroy(list);
		clpac_store_delete_prefix(f.store, i % 2 ? "g" : "h");
		clpac_pool_trim(f.pool, 0);
	}
	return NULL;
}

START_TEST(a_child_does_not_hang_while_other_threads_of_its_parent_run)
{
	enum { FORKS = 5 };
	size_t n;
	pthread_t threads[2];
	fill_in();
	open_all(true);
	float *before = run_plan(&n);
	atomic_store(&is_over, false);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, run_on, NULL), 0);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, allocate_on, NULL), 0);
	for (int i = 0; i < FORKS; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 3000000 + i * 1700000}, NULL);
		fork_once(RUNNING);
	}
	atomic_store(&is_over, true);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(atomic_load(&n_failed), 0);
	assert_undisturbed(before, n);
	free(before);
	close_all();
}

/* --- What a child can do ----------------------------------------------------------------------- */

/* Runs the problem in the context; 0 where the numbers are the same. */
static int run_again(const float *wanted, size_t n_wanted)
{
	size_t n;
	clpac_result *result;
	if (clpac_problem_run(&f.context, 1, &f.problem, NULL, &f.samples, &result, NULL) != CLPAC_OK)
		return 2;
	const float *array = clpac_result_array(result, CLPAC_Z, &n);
	const bool is_same = array && n == n_wanted && memcmp(array, wanted, n * sizeof *array) == 0;
	clpac_result_destroy(result);
	return is_same ? 0 : 3;
}

/* A child, its child and so on, each of which runs the problem before it forks; the exit status of the first that
 * fails. */
static _Noreturn void run_in_children(const float *wanted, size_t n_wanted, int n_generations)
{
	int status = 0;
	pid_t child = 0;
	for (int i = 0; i < n_generations && child == 0; i++) {
		status = run_again(wanted, n_wanted);
		if (status)
			_exit(status);
		child = i + 1 < n_generations ? fork() : 0;
	}
	if (child && (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)))
		_exit(4);
	clpac_context_close(f.context);
	_exit(child ? WEXITSTATUS(status) : 0);
}

START_TEST(a_native_context_computes_the_same_in_a_child_and_in_its_child)
{
	clpac_error err;
	size_t n;
	int status;
	fill_in();
	open_context(&err);
	assert_works(clpac_plan_create(f.context, &f.problem, NULL, &f.plan, &err), err);
	float *wanted = run_plan(&n);
	fflush(NULL);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		run_in_children(wanted, n, 3);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d of the child", status);
	free(wanted);
	clpac_plan_destroy(f.plan);
	clpac_context_close(f.context);
	clpac_devices_destroy(f.list);
}

const char *forked_missing(void)
{
	return IS_SANITIZED ? "sanitizers do not let a child of a threaded process fork or allocate" : NULL;
}

void forked_laws_add(Suite *suite, const char *selection)
{
	TCase *states = tcase_create("states");
	snprintf(f.selection, sizeof f.selection, "%s", selection);
	tcase_add_test(states, a_child_opens_all_by_itself);
	tcase_add_test(states, a_child_is_refused_what_its_parent_has_open);
	tcase_add_test(states, a_child_is_refused_its_parents_plan_and_the_parent_is_undisturbed);
	tcase_add_test(states, a_child_does_not_hang_while_other_threads_of_its_parent_run);
	if (is_native())
		tcase_add_test(states, a_native_context_computes_the_same_in_a_child_and_in_its_child);
	tcase_set_timeout(states, 600);
	suite_add_tcase(suite, states);
}
