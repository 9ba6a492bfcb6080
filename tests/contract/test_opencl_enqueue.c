/* clpac_plan_enqueue_opencl: a plan between an application's own commands, on its own memory. */
#include "runner.h"

#include <clpac/opencl.h>
#include <clpac/plan.h>
#include <clpac/memory/queue.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assertions.h"
#include "coupling/fft/engine.h"
#include "memory/opencl/opencl.h"
#include "places.h"
#include "coupling/passes/plan.h"
#include "coupling/registry/registry.h"
#include "watched_driver.h"
#include "noise.h"

const int runner_no_fork = 1;

/* --- The application -------------------------------------------------------------------------- */

enum {
	N_CHANNELS = 2,
	N_SAMPLES = 682,
	N_ALL = N_CHANNELS * N_SAMPLES,
	N_PHASE = 2,
	N_AMPLITUDE = 3,
	N_SURROGATES = 9
};
enum { N_CELLS = N_CHANNELS * N_PHASE * N_AMPLITUDE };

static const clpac_band phase_bands[N_PHASE] = {{4.4, 7}, {6, 10}};
static const clpac_band amplitude_bands[N_AMPLITUDE] = {{25, 35}, {30, 40}, {35, 50}};

static cl_device_id device;
static cl_context context;
static cl_command_queue commands;
static clpac_context *clpac;
static clpac_plan *plan;
static clpac_error err;
static float x[N_ALL];
static clpac_result *expected; /* from x, through the host */

#define CL_OK(call) ck_assert_int_eq(call, CL_SUCCESS)

static clpac_problem problem(void)
{
	return (clpac_problem){.rate_hz = 250,
			       .n_channels = N_CHANNELS,
			       .n_samples = N_SAMPLES,
			       .phase_bands = phase_bands,
			       .n_phase_bands = N_PHASE,
			       .amplitude_bands = amplitude_bands,
			       .n_amplitude_bands = N_AMPLITUDE,
			       .n_surrogates = N_SURROGATES,
			       .seed = 1,
			       .keep_surrogates = true};
}

static cl_mem make_buffer(cl_context of, cl_mem_flags flags, size_t bytes, void *content)
{
	cl_int code;
	const cl_mem memory = clCreateBuffer(of, flags | (content ? CL_MEM_COPY_HOST_PTR : 0), bytes, content, &code);
	CL_OK(code);
	return memory;
}

/* Every place with every engine that serves it. */
static struct pair {
	size_t place;
	const char *engine;
} pairs[64];
static size_t n_pairs;

static void find_pairs(void)
{
	const size_t n = places_find("opencl");
	for (size_t i = 0; i < n; i++)
		for (const clpac__fft_engine *const *engine = clpac__fft_engines; *engine; engine++)
			if (strcmp((*engine)->backend, "opencl") == 0 && n_pairs < COUNT(pairs) &&
			    place_takes(i, (*engine)->name))
				pairs[n_pairs++] = (struct pair){i, (*engine)->name};
}

/* Calls none of which may wait. */
static void open_all(int i)
{
	cl_int code;
	const clpac_problem p = problem();
	clpac_context *found = place_open(pairs[i].place);
	const cl_command_queue queue = clpac_queue_opencl(clpac_pool_queue(clpac_context_pool(found)));
	CL_OK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
	clpac_context_close(found);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CL_OK(code);
	commands = clCreateCommandQueue(context, device, 0, &code);
	CL_OK(code);
	clpac_options options = {.cache = "none"};
	snprintf(options.fft, sizeof options.fft, "%s", pairs[i].engine);
	const char *cache = getenv("XDG_CACHE_HOME");
	if (cache)
		snprintf(options.cache, sizeof options.cache, "%s/clpac", cache);
	assert_works(clpac_context_from_opencl(context, device, commands, &options, &clpac, &err), err);
	plan = place_plan(clpac, &p, NULL);
	fill_noise(1, x, N_ALL);
	assert_works(clpac_plan_run(plan, x, &expected, &err), err);
}

static void close_all(void)
{
	clpac_result_destroy(expected);
	clpac_plan_destroy(plan);
	clpac_context_close(clpac);
	CL_OK(clReleaseCommandQueue(commands));
	CL_OK(clReleaseContext(context));
}

/* A whole map equals that of a run through the host bit for bit: this noise rounds the same way in both. */
static void map_is(cl_mem memory, size_t offset, const clpac_result *wanted)
{
	float got[N_CELLS];
	CL_OK(clEnqueueReadBuffer(commands, memory, CL_TRUE, offset, sizeof got, got, 0, NULL, NULL));
	ck_assert_mem_eq(got, clpac_result_array(wanted, CLPAC_MI, NULL), sizeof got);
}

/* Whether an array is finished on the host, and so never written to the application's memory. */
static bool is_of_the_host(clpac_array which)
{
	return (which >= CLPAC_Q_BH && which <= CLPAC_CLUSTER_MAXIMA) ||
	       (which >= CLPAC_EXCESS && which <= CLPAC_PHASE_NONUNIFORMITY);
}

/* --- Tests ------------------------------------------------------------------------------------ */

START_TEST(a_run_stands_between_the_applications_own_commands)
{
	enum { BEFORE = 20, BEHIND = 3 };
	driver.n_waits = 0;
	open_all(_i);
	ck_assert_uint_gt(driver.n_waits, 0); /* a run through the host was counted */
	const cl_mem source = make_buffer(context, CL_MEM_READ_ONLY, sizeof x, x);
	const cl_mem in = make_buffer(context, CL_MEM_READ_WRITE, 4 * BEFORE + sizeof x, NULL);
	const cl_mem maps = make_buffer(context, CL_MEM_READ_WRITE, 4 * 4096, NULL);
	const cl_mem words = make_buffer(context, CL_MEM_WRITE_ONLY, 4 * N_CHANNELS, NULL);
	const cl_mem kept = make_buffer(context, CL_MEM_READ_WRITE, 4 * 4096, NULL);
	clpac_opencl_run run = {.samples = {in, 4 * BEFORE}, .warnings = {words, 0}};
	size_t end = 4 * BEHIND;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n;
		if (!clpac_result_array(expected, (clpac_array)which, &n) || is_of_the_host((clpac_array)which))
			continue;
		run.arrays[which] = (clpac_opencl_memory){maps, end};
		end += 4 * (n + BEHIND);
	}
	ck_assert_uint_le(end, 4 * 4096);
	driver.n_waits = 0;
	/* One order: in, the run, out.  The copy overwrites nothing of the run before. */
	CL_OK(clEnqueueCopyBuffer(commands, source, in, 0, 4 * BEFORE, sizeof x, 0, NULL, NULL));
	assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
	CL_OK(clEnqueueCopyBuffer(commands, maps, kept, 0, 0, 4 * 4096, 0, NULL, NULL));
	const cl_float nothing = -1;
	CL_OK(clEnqueueFillBuffer(commands, maps, &nothing, sizeof nothing, 0, 4 * 4096, 0, NULL, NULL));
	CL_OK(clEnqueueFillBuffer(commands, in, &nothing, sizeof nothing, 0, sizeof x, 0, NULL, NULL));
	ck_assert_uint_eq(driver.n_waits, 0);

	float *got = malloc(4 * 4096);
	uint32_t warnings[N_CHANNELS];
	CL_OK(clEnqueueReadBuffer(commands, kept, CL_TRUE, 0, 4 * 4096, got, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(commands, words, CL_TRUE, 0, sizeof warnings, warnings, 0, NULL, NULL));
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n;
		const float *wanted = clpac_result_array(expected, (clpac_array)which, &n);
		/* Two divisions and a root, see cl/store.cl; directions of bins are turned, by 1e-7 for each of 18. */
		for (size_t j = 0; j < n && !is_of_the_host((clpac_array)which); j++) {
			const double length =
				(double)clpac_result_array(expected, CLPAC_MEAN_VECTOR, NULL)[j % N_CELLS];
			const double allowed = which == CLPAC_MEAN_VECTOR	? 18e-7
					       : which == CLPAC_PREFERRED_PHASE ? 18e-7 / length
										: 1e-6 * fabs((double)wanted[j]);
			const float value = got[run.arrays[which].offset / 4 + j];
			if (isnan(wanted[j])) /* of a cell that is not valid */
				ck_assert(isnan(value) && (which == CLPAC_P_MAX || which == CLPAC_STANDARDIZED));
			else
				assert_close(value, wanted[j], allowed);
		}
	}
	for (size_t ch = 0; ch < N_CHANNELS; ch++)
		ck_assert_uint_eq(warnings[ch], 0);
	free(got);
	CL_OK(clReleaseMemObject(source));
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(maps));
	CL_OK(clReleaseMemObject(words));
	CL_OK(clReleaseMemObject(kept));
	close_all();
}

/* Further measures go where their arrays say; memory of warnings may be for writing alone. */
START_TEST(each_measure_has_its_own_memory)
{
	static const clpac_measure measures[] = {CLPAC_MEASURE_GLM, CLPAC_MEASURE_MI, CLPAC_MEASURE_DPAC};
	open_all(_i);
	clpac_problem p = problem();
	p.measures = measures;
	p.n_measures = COUNT(measures);
	clpac_plan *several = place_plan(clpac, &p, NULL);
	clpac_result *wanted = NULL;
	assert_works(clpac_plan_run(several, x, &wanted, &err), err);
	const cl_mem in = make_buffer(context, CL_MEM_READ_ONLY, sizeof x, x);
	const cl_mem out = make_buffer(context, CL_MEM_READ_WRITE, 3 * 4 * N_CELLS, NULL);
	const cl_mem words = make_buffer(context, CL_MEM_WRITE_ONLY, 4 * N_CHANNELS, NULL);
	const clpac_opencl_arrays further[] = {{.arrays[CLPAC_MI] = {out, 4 * N_CELLS}},
					       {.arrays[CLPAC_MI] = {out, 8 * N_CELLS}}};
	const clpac_opencl_run run = {.samples = {in, 0},
				      .arrays[CLPAC_MI] = {out, 0},
				      .warnings = {words, 0},
				      .further = further,
				      .n_further = COUNT(further)};
	driver.n_waits = 0;
	assert_works(clpac_plan_enqueue_opencl(several, &run, NULL, &err), err);
	ck_assert_uint_eq(driver.n_waits, 0);
	for (size_t i = 0; i < COUNT(measures); i++)
		map_is(out, 4 * i * N_CELLS, clpac_result_of(wanted, measures[i]));
	clpac_result_destroy(wanted);
	clpac_plan_destroy(several);
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(out));
	CL_OK(clReleaseMemObject(words));
	close_all();
}

static bool is_complete(cl_event event)
{
	cl_int status;
	CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status == CL_COMPLETE;
}

START_TEST(the_events_of_the_wait_list_are_waited_for)
{
	open_all(_i);
	cl_int code;
	const cl_command_queue other = clCreateCommandQueue(context, device, 0, &code);
	CL_OK(code);
	const cl_mem in = make_buffer(context, CL_MEM_READ_WRITE, sizeof x, NULL);
	const cl_mem out = make_buffer(context, CL_MEM_READ_WRITE, 4 * N_CELLS, NULL);
	const cl_float nothing = 5; /* constant series give no numbers */
	CL_OK(clEnqueueFillBuffer(other, in, &nothing, sizeof nothing, 0, sizeof x, 0, NULL, NULL));
	CL_OK(clFinish(other));
	cl_event gates[2], finished = NULL, *const done = &finished;
	for (int i = 0; i < 2; i++) {
		gates[i] = clCreateUserEvent(context, &code);
		CL_OK(code);
	}
	const clpac_opencl_run run = {.samples = {in, 0}, .arrays[CLPAC_MI] = {out, 0}, .n_wait = 2, .wait = gates};
	driver.n_waits = 0;
	assert_works(clpac_plan_enqueue_opencl(plan, &run, done, &err), err);
	ck_assert_uint_eq(driver.n_waits, 0);
	CL_OK(clSetUserEventStatus(gates[1], CL_COMPLETE));
	usleep(20000);
	ck_assert(!is_complete(finished));
	CL_OK(clEnqueueWriteBuffer(other, in, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
	ck_assert(!is_complete(finished));
	CL_OK(clSetUserEventStatus(gates[0], CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &finished));
	ck_assert(is_complete(finished));
	/* A wait for the event in another queue makes the run's results visible there. */
	float got[N_CELLS];
	CL_OK(clEnqueueReadBuffer(other, out, CL_TRUE, 0, sizeof got, got, 1, &finished, NULL));
	ck_assert_mem_eq(got, clpac_result_array(expected, CLPAC_MI, NULL), sizeof got);
	CL_OK(clReleaseEvent(finished));
	CL_OK(clReleaseEvent(gates[0]));
	CL_OK(clReleaseEvent(gates[1]));
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(out));
	CL_OK(clReleaseCommandQueue(other));
	close_all();
}

START_TEST(several_runs_are_on_their_way_at_once)
{
	enum { RUNS = 5 };
	open_all(_i);
	static float samples[RUNS][N_ALL];
	cl_int code;
	cl_mem out[RUNS];
	clpac_result *wanted[RUNS];
	for (int i = 0; i < RUNS; i++) {
		fill_noise(100 + (unsigned long long)i, samples[i], N_ALL);
		assert_works(clpac_plan_run(plan, samples[i], &wanted[i], &err), err);
	}
	const cl_event gate = clCreateUserEvent(context, &code);
	CL_OK(code);
	driver.n_waits = 0;
	for (int i = 0; i < RUNS; i++) {
		const cl_mem in = make_buffer(context, CL_MEM_READ_ONLY, sizeof x, samples[i]);
		out[i] = make_buffer(context, CL_MEM_READ_WRITE, 4 * N_CELLS, NULL);
		const clpac_opencl_run run = {
			.samples = {in, 0}, .arrays[CLPAC_MI] = {out[i], 0}, .n_wait = i == 0, .wait = &gate};
		assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
		CL_OK(clReleaseMemObject(in)); /* the driver keeps it until the run is done */
	}
	ck_assert_uint_eq(driver.n_waits, 0);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	for (int i = RUNS - 1; i >= 0; i--) {
		map_is(out[i], 0, wanted[i]);
		CL_OK(clReleaseMemObject(out[i]));
		clpac_result_destroy(wanted[i]);
	}
	/* A run through the host behind one that is still under way, and a plan destroyed before its run is done. */
	const cl_mem in = make_buffer(context, CL_MEM_READ_ONLY, sizeof x, x);
	const cl_mem last = make_buffer(context, CL_MEM_READ_WRITE, 4 * N_CELLS, NULL);
	const clpac_opencl_run run = {.samples = {in, 0}, .arrays[CLPAC_MI] = {last, 0}};
	assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
	clpac_result *behind = NULL;
	assert_works(clpac_plan_run(plan, samples[1], &behind, &err), err);
	clpac_result_destroy(behind);
	map_is(last, 0, expected);
	assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
	clpac_plan_destroy(plan);
	plan = NULL;
	map_is(last, 0, expected);
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(last));
	CL_OK(clReleaseEvent(gate));
	close_all();
}

/* A thread with a plan of its own on the common context; the test asserts what it recorded. */
typedef struct worker {
	pthread_t thread;
	clpac_plan *plan;
	cl_mem in, out;
	clpac_status status;
	cl_int code;
} worker;

static void *enqueue_many(void *argument)
{
	worker *self = argument;
	const clpac_opencl_run run = {.samples = {self->in, 0}, .arrays[CLPAC_MI] = {self->out, 0}};
	for (int i = 0; i < 10 && self->status == CLPAC_OK && self->code == CL_SUCCESS; i++) {
		cl_event finished = NULL;
		self->status = clpac_plan_enqueue_opencl(self->plan, &run, i % 2 ? &finished : NULL, NULL);
		if (finished) {
			self->code = clWaitForEvents(1, &finished);
			clReleaseEvent(finished);
		}
	}
	return NULL;
}

START_TEST(plans_of_several_threads_share_a_context)
{
	enum { THREADS = 3 };
	open_all(_i);
	static float samples[THREADS][N_ALL];
	const clpac_problem p = problem();
	worker workers[THREADS] = {0};
	clpac_result *wanted[THREADS];
	for (int i = 0; i < THREADS; i++) {
		fill_noise(200 + (unsigned long long)i, samples[i], N_ALL);
		workers[i].plan = place_plan(clpac, &p, NULL);
		workers[i].in = make_buffer(context, CL_MEM_READ_ONLY, sizeof x, samples[i]);
		workers[i].out = make_buffer(context, CL_MEM_READ_WRITE, 4 * N_CELLS, NULL);
		assert_works(clpac_plan_run(workers[i].plan, samples[i], &wanted[i], &err), err);
	}
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, enqueue_many, &workers[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < THREADS; i++) {
		ck_assert_int_eq(workers[i].status, CLPAC_OK);
		ck_assert_int_eq(workers[i].code, CL_SUCCESS);
		map_is(workers[i].out, 0, wanted[i]);
		clpac_result_destroy(wanted[i]);
		clpac_plan_destroy(workers[i].plan);
		CL_OK(clReleaseMemObject(workers[i].in));
		CL_OK(clReleaseMemObject(workers[i].out));
	}
	close_all();
}

typedef struct references {
	cl_uint context, queue, in, part, out, gate;
} references;

static references count(cl_mem in, cl_mem part, cl_mem out, cl_event gate)
{
	references n = {0};
	CL_OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n.context, &n.context, NULL));
	CL_OK(clGetCommandQueueInfo(commands, CL_QUEUE_REFERENCE_COUNT, sizeof n.queue, &n.queue, NULL));
	CL_OK(clGetMemObjectInfo(in, CL_MEM_REFERENCE_COUNT, sizeof n.in, &n.in, NULL));
	CL_OK(clGetMemObjectInfo(part, CL_MEM_REFERENCE_COUNT, sizeof n.part, &n.part, NULL));
	CL_OK(clGetMemObjectInfo(out, CL_MEM_REFERENCE_COUNT, sizeof n.out, &n.out, NULL));
	CL_OK(clGetEventInfo(gate, CL_EVENT_REFERENCE_COUNT, sizeof n.gate, &n.gate, NULL));
	return n;
}

static bool none_exceeds(const references *a, const references *b)
{
	return a->context <= b->context && a->queue <= b->queue && a->in <= b->in && a->part <= b->part &&
	       a->out <= b->out && a->gate <= b->gate;
}

/* Drivers release a command's objects a while after it finishes: counts that stood still for 300 ms have settled. */
static references settled_count(cl_mem in, cl_mem part, cl_mem out, cl_event gate)
{
	references last = count(in, part, out, gate);
	for (int still = 0, all = 0; still < 60 && all < 2000; all++) {
		usleep(5000);
		const references now = count(in, part, out, gate);
		still = memcmp(&now, &last, sizeof now) == 0 ? still + 1 : 0;
		last = now;
	}
	return last;
}

START_TEST(references_are_given_back_and_sub_buffers_serve)
{
	const long at_start = driver.n_objects;
	open_all(_i);
	cl_int code;
	cl_uint align;
	CL_OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
	const cl_mem in = make_buffer(context, CL_MEM_READ_WRITE, align / 8 + sizeof x, NULL);
	const cl_buffer_region region = {align / 8, sizeof x};
	const cl_mem part = clCreateSubBuffer(in, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_OK(code);
	const cl_mem out = make_buffer(context, CL_MEM_READ_WRITE, 4 * N_CELLS, NULL);
	const cl_event gate = clCreateUserEvent(context, &code);
	CL_OK(code);
	CL_OK(clEnqueueWriteBuffer(commands, part, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	const clpac_opencl_run run = {
		.samples = {part, 0}, .arrays[CLPAC_MI] = {out, 0}, .n_wait = 1, .wait = (const cl_event[]){gate}};
	/* The first run may leave the last arguments of kernels referenced, where a driver does that; a second one adds
	 * none. */
	assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
	CL_OK(clFinish(commands));
	const references before = settled_count(in, part, out, gate);
	const long objects = driver.n_objects;
	for (int i = 0; i < 3; i++) {
		cl_event finished;
		cl_uint n;
		assert_works(clpac_plan_enqueue_opencl(plan, &run, &finished, &err), err);
		CL_OK(clWaitForEvents(1, &finished));
		CL_OK(clFinish(commands));
		for (int quiet = 0; quiet < 5000; quiet++) {
			CL_OK(clGetEventInfo(finished, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL));
			if (n == 1)
				break;
			usleep(1000);
		}
		ck_assert_uint_eq(n, 1);
		CL_OK(clReleaseEvent(finished));
	}
	references after = count(in, part, out, gate);
	for (int quiet = 0; quiet < 5000 && !none_exceeds(&after, &before); quiet++) {
		usleep(1000);
		after = count(in, part, out, gate);
	}
	ck_assert_msg(none_exceeds(&after, &before),
		      "before: context %u, queue %u, buffers %u %u %u, event %u; after: %u, %u, %u %u %u, %u",
		      before.context, before.queue, before.in, before.part, before.out, before.gate, after.context,
		      after.queue, after.in, after.part, after.out, after.gate);
	ck_assert_int_eq(driver.n_objects, objects);
	map_is(out, 0, expected);
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseMemObject(part));

	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(out));
	close_all();
	/* Our references are counted instead of asking the driver: PoCL 3.1 keeps a reference to a queue that had a
	 * write not waited for, whoever put it. */
	ck_assert_int_eq(driver.n_objects, at_start);
}

#define REFUSED(wanted, part, ...)                                                                                     \
	do {                                                                                                           \
		clpac_opencl_run run_ = good;                                                                          \
		__VA_ARGS__;                                                                                           \
		err = (clpac_error){0};                                                                                \
		assert_refused(clpac_plan_enqueue_opencl(plan, &run_, &finished, &err), err, wanted, part);            \
	} while (0)

START_TEST(what_cannot_be_run_is_refused_by_name)
{
	open_all(_i);
	cl_int code;
	cl_event finished = NULL;
	const cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CL_OK(code);
	const cl_mem in = make_buffer(context, CL_MEM_READ_WRITE, sizeof x, x);
	const cl_mem out = make_buffer(context, CL_MEM_READ_WRITE, 8 * N_CELLS, NULL);
	const cl_mem elsewhere = make_buffer(foreign, CL_MEM_READ_WRITE, sizeof x, NULL);
	const cl_mem only_read = make_buffer(context, CL_MEM_READ_ONLY, sizeof x, NULL);
	const cl_mem only_written = make_buffer(context, CL_MEM_WRITE_ONLY, sizeof x, NULL);
	const cl_event users = clCreateUserEvent(foreign, &code);
	CL_OK(code);
	const cl_event own = clCreateUserEvent(context, &code);
	CL_OK(code);
	const clpac_opencl_run good = {.samples = {in, 0}, .arrays[CLPAC_MI] = {out, 0}};
	const long objects = driver.n_objects;
	const clpac_status wrong = CLPAC_ERROR_ARGUMENT;
	REFUSED(wrong, "no samples", run_.samples.memory = NULL);
	REFUSED(wrong, "no memory was given for any array", run_.arrays[CLPAC_MI].memory = NULL);
	REFUSED(wrong, "the memory of samples holds", run_.samples.offset = 4);
	REFUSED(wrong, "the memory of samples holds", run_.sample_stride = 2);
	REFUSED(wrong, "multiple of 4", run_.samples.offset = 2);
	REFUSED(wrong, "below 2^32", run_.sample_stride = (size_t)1 << 33);
	REFUSED(wrong, "below 2^32", run_.channel_stride = SIZE_MAX);
	REFUSED(wrong, "the memory of mi holds", run_.arrays[CLPAC_MI].offset = 4 * N_CELLS + 4);
	REFUSED(wrong, "beyond 16 GiB it takes a sub-buffer", run_.arrays[CLPAC_MI].offset = SIZE_MAX / 4 * 4);
	REFUSED(wrong, "the memory of samples is of another context", run_.samples.memory = elsewhere);
	REFUSED(wrong, "the memory of mi is of another context", run_.arrays[CLPAC_MI].memory = elsewhere);
	REFUSED(wrong, "the memory of z is for kernels to read", run_.arrays[CLPAC_Z].memory = only_read);
	REFUSED(wrong, "the memory of samples is for kernels to write", run_.samples.memory = only_written);
	REFUSED(wrong, "samples and mi share", run_.arrays[CLPAC_MI].memory = in);
	REFUSED(wrong, "mi and z share", run_.arrays[CLPAC_Z] = (clpac_opencl_memory){out, 4 * (N_CELLS - 1)});
	REFUSED(wrong, "mi and warnings share", run_.warnings.memory = out);
	REFUSED(wrong, "does not keep distribution", run_.arrays[CLPAC_DISTRIBUTION].memory = only_written);
	REFUSED(wrong, "q_by is not written to the application's memory",
		run_.arrays[CLPAC_Q_BY].memory = only_written);
	const clpac_opencl_arrays none = {.arrays[CLPAC_MI] = {only_written, 0}};
	REFUSED(wrong, "the problem has 1 measures", run_.n_further = 1, run_.further = &none);
	REFUSED(wrong, "event 0 to be waited for is of another context", run_.n_wait = 1, run_.wait = &users);
	REFUSED(wrong, "wait is NULL", run_.n_wait = 1);
	REFUSED(wrong, "event 0 to be waited for is NULL", run_.n_wait = 1, run_.wait = (const cl_event[]){NULL});
	REFUSED(wrong, "event 1 to be waited for is NULL", run_.n_wait = 2, run_.wait = (const cl_event[]){own, NULL});
	REFUSED(wrong, "event 1 to be waited for is of another context", run_.n_wait = 2,
		run_.wait = (const cl_event[]){own, users});
	assert_refused(clpac_plan_enqueue_opencl(NULL, &good, NULL, &err), err, wrong, "plan is NULL");
	assert_refused(clpac_plan_enqueue_opencl(plan, NULL, NULL, &err), err, wrong, "run is NULL");

	ck_assert_int_eq(driver.n_objects, objects);

	clpac_problem p = problem();
	p.n_surrogates = 0;
	p.keep_surrogates = false;
	clpac_plan *usual = plan;
	plan = place_plan(clpac, &p, NULL);
	REFUSED(wrong, "does not keep z: its problem has no surrogates", run_.arrays[CLPAC_Z].memory = only_written);
	clpac_plan_destroy(plan);
	p.n_surrogates = 3;
	plan = place_plan(clpac, &p, NULL);
	REFUSED(wrong, "no keep_surrogates", run_.arrays[CLPAC_SURROGATES].memory = only_written);
	clpac_plan_destroy(plan);
	p.measures = (const clpac_measure[]){CLPAC_MEASURE_MI, CLPAC_MEASURE_GLM};
	p.n_measures = 2;
	plan = place_plan(clpac, &p, NULL);
	clpac_opencl_arrays further = {.arrays[CLPAC_Z] = {out, 4 * N_CELLS + 4}};
	REFUSED(wrong, "n_further is 1 and further NULL", run_.n_further = 1);
	REFUSED(wrong, "n_further is 2 and further is given", run_.n_further = 2, run_.further = &further);
	REFUSED(wrong, "the memory of glm_z holds", run_.n_further = 1, run_.further = &further);
	further.arrays[CLPAC_Z].offset = 4 * N_CELLS - 4;
	REFUSED(wrong, "mi and glm_z share", run_.n_further = 1, run_.further = &further);
	further = (clpac_opencl_arrays){.arrays[CLPAC_MEAN_VECTOR] = {only_written, 0}};
	REFUSED(wrong, "mean_vector is the same for all measures", run_.n_further = 1, run_.further = &further);
	clpac_plan_destroy(plan);
	p.measures = NULL;
	p.n_measures = 0;
	/* Too little memory for one series: the plan falls back to the native CPU. */
	plan = place_plan(clpac, &p, &(clpac_plan_options){.memory_bytes = 1000});
	REFUSED(CLPAC_ERROR_UNSUPPORTED, "native CPU", (void)0);
	clpac_plan_destroy(plan);
	plan = usual;
	ck_assert_ptr_null(finished);
	assert_works(clpac_plan_enqueue_opencl(plan, &good, NULL, &err), err);
	map_is(out, 0, expected);
	/* NVIDIA's driver waits, where a context is released, for a user event of it that is never set. */
	CL_OK(clSetUserEventStatus(users, CL_COMPLETE));
	CL_OK(clSetUserEventStatus(own, CL_COMPLETE));
	CL_OK(clReleaseEvent(users));
	CL_OK(clReleaseEvent(own));
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(out));
	CL_OK(clReleaseMemObject(elsewhere));
	CL_OK(clReleaseMemObject(only_read));
	CL_OK(clReleaseMemObject(only_written));
	CL_OK(clReleaseContext(foreign));
	close_all();
}

START_TEST(a_plan_on_the_native_device_is_refused)
{
	open_all(_i);
	const clpac_problem p = problem();
	const cl_mem in = make_buffer(context, CL_MEM_READ_WRITE, sizeof x, x);
	clpac_device_list *list = NULL;
	const clpac_device *native;
	clpac_context *other = NULL;
	assert_works(clpac_devices_find(&list, &err), err);
	assert_works(clpac_devices_select(list, "native", 0, &native, &err), err);
	assert_works(clpac_context_open(native, NULL, &other, &err), err);
	clpac_plan *elsewhere = place_plan(other, &p, NULL);
	const clpac_opencl_run run = {.samples = {in, 0}};
	assert_refused(clpac_plan_enqueue_opencl(elsewhere, &run, NULL, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no OpenCL device");
	clpac_plan_destroy(elsewhere);
	clpac_context_close(other);
	clpac_devices_destroy(list);
	CL_OK(clReleaseMemObject(in));
	close_all();
}

/* Among thousands of calls, neighbours of one kind fail alike: each of the first hundred is tried, then every
 * seventh. */
START_TEST(whichever_call_fails_nothing_is_lost_and_the_next_run_works)
{
	open_all(_i);
	cl_int code;
	const cl_mem in = make_buffer(context, CL_MEM_READ_WRITE, sizeof x, x);
	const cl_mem out = make_buffer(context, CL_MEM_READ_WRITE, 4 * 4096, NULL);
	const cl_event gate = clCreateUserEvent(context, &code);
	CL_OK(code);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	const clpac_opencl_run run = {.samples = {in, 0},
				      .arrays[CLPAC_MI] = {out, 0},
				      .arrays[CLPAC_Z] = {out, 1024},
				      .arrays[CLPAC_PEAK_DISTRIBUTION] = {out, 2048},
				      .warnings = {out, 4096},
				      .n_wait = 1,
				      .wait = &gate};
	cl_event finished = NULL;
	driver.n_calls = 0;
	assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
	const unsigned all = driver.n_calls;
	ck_assert_uint_gt(all, 100);
	CL_OK(clFinish(commands));
	const long objects = driver.n_objects;
	for (unsigned k = 1; k <= all; k += k < 100 || k + 7 > all ? 1 : 7) {
		driver.failed_name = NULL;
		driver.failing_call = k;
		driver.n_calls = 0;
		err = (clpac_error){0};
		const clpac_status st = clpac_plan_enqueue_opencl(plan, &run, &finished, &err);
		driver.failing_call = 0;
		ck_assert_ptr_nonnull(driver.failed_name);
		ck_assert_msg(st == CLPAC_ERROR_DEVICE || st == CLPAC_ERROR_NO_DEVICE_MEMORY, "call %u, %s: %s", k,
			      driver.failed_name, clpac_status_text(st));
		ck_assert_int_eq(err.status, st);
		ck_assert_ptr_null(finished);
		ck_assert_msg(driver.n_objects == objects, "%s failed and %ld objects are left", driver.failed_name,
			      driver.n_objects - objects);
	}
	CL_OK(clFinish(commands));
	assert_works(clpac_plan_enqueue_opencl(plan, &run, NULL, &err), err);
	map_is(out, 0, expected);
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(out));
	close_all();
}

const char *skip_reason(void)
{
	if (!places_find("opencl"))
		return "no OpenCL device that can be used (clpac devices says why)";
	find_pairs();
	return n_pairs ? NULL : "this build has no FFT engine for the OpenCL devices";
}

Suite *suite(void)
{
	const int n = (int)n_pairs;
	Suite *s = suite_create("runs on an application's memory");
	TCase *t = tcase_create("enqueue");
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, a_run_stands_between_the_applications_own_commands, 0, n);
	tcase_add_loop_test(t, each_measure_has_its_own_memory, 0, n);
	tcase_add_loop_test(t, the_events_of_the_wait_list_are_waited_for, 0, n);
	tcase_add_loop_test(t, several_runs_are_on_their_way_at_once, 0, n);
	tcase_add_loop_test(t, plans_of_several_threads_share_a_context, 0, n);
	tcase_add_loop_test(t, references_are_given_back_and_sub_buffers_serve, 0, n);
	tcase_add_loop_test(t, what_cannot_be_run_is_refused_by_name, 0, n);
	tcase_add_loop_test(t, a_plan_on_the_native_device_is_refused, 0, n);
	tcase_add_loop_test(t, whichever_call_fails_nothing_is_lost_and_the_next_run_works, 0, n);
	suite_add_tcase(s, t);
	return s;
}
