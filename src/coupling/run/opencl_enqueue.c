/* Plans on an application's memory: checks the buffers handed over, then puts the plan's run into its queue. */
#include <clpac/opencl.h>

#include <stdio.h>

#include "base/memory.h"
#include "memory/opencl/opencl.h"
#include "memory/opencl/calls.h"
#include "coupling/run/enqueue.h"
#include "coupling/run/place.h"

/* One buffer of the application as a block, and its used range, for comparison with the others. */
struct piece {
	clpac__block block;
	char name[32];
	size_t begin, end; /* byte range in the parent buffer */
	bool is_written;
};

enum { MAX_PIECES = CLPAC_MEASURE_COUNT * CLPAC_ARRAY_COUNT + 2, WORD = 4 /* bytes */ };

struct checker {
	const clpac_plan *plan;
	const clpac__opencl_queue *queue;
	struct piece pieces[MAX_PIECES];
	size_t n;
};

static clpac_status ask(cl_mem memory, const char *name, cl_mem_info what, size_t size, void *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	CL(CLPAC__OPENCL_TRANSFERRING, clGetMemObjectInfo(memory, what, size, out, NULL), "the memory of %s", name);
done:
	return st;
}

static clpac_status check_kind(const struct checker *checker, const clpac_opencl_memory *given, const char *name,
			       bool is_written, clpac_error *err)
{
	cl_mem_object_type type;
	cl_context context;
	cl_mem_flags flags;
	RETURN_IF_ERROR(ask(given->memory, name, CL_MEM_TYPE, sizeof type, &type, err));
	if (type != CL_MEM_OBJECT_BUFFER)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the memory of %s is no buffer", name);
	RETURN_IF_ERROR(ask(given->memory, name, CL_MEM_CONTEXT, sizeof context, &context, err));
	if (context != checker->queue->context)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the memory of %s is of another context than the plan on %s", name,
			     checker->queue->base.device.name);
	RETURN_IF_ERROR(ask(given->memory, name, CL_MEM_FLAGS, sizeof flags, &flags, err));
	if (flags & (is_written ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "the memory of %s is for kernels to %s alone: make it CL_MEM_READ_WRITE", name,
			     is_written ? "read" : "write");
	return CLPAC_OK;
}

/* Checks one buffer for n_values values, and for overlap with the earlier ones, and makes a place of it. */
static clpac_status take(struct checker *checker, const clpac_opencl_memory *given, const char *name, size_t n_values,
			 bool is_written, clpac__place *out, clpac_error *err)
{
	struct piece *piece = &checker->pieces[checker->n];
	cl_mem whole = NULL;
	size_t bytes, offset = 0, last;
	RETURN_IF_ERROR(check_kind(checker, given, name, is_written, err));
	RETURN_IF_ERROR(ask(given->memory, name, CL_MEM_SIZE, sizeof bytes, &bytes, err));
	if (given->offset % WORD)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the offset of %s is %zu: it must be a multiple of %d", name,
			     given->offset, WORD);
	/* Kernels take the offset in 32 bits. */
	if (given->offset / WORD > UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the offset of %s is %zu: beyond 16 GiB it takes a sub-buffer", name,
			     given->offset);
	if (!clpac__size_mul(n_values, WORD, &last) || !clpac__size_add(last, given->offset, &last) || last > bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "the memory of %s holds %zu bytes, and %zu values from byte %zu on are needed", name,
			     bytes, n_values, given->offset);
	RETURN_IF_ERROR(ask(given->memory, name, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, err));
	RETURN_IF_ERROR(ask(given->memory, name, CL_MEM_OFFSET, sizeof offset, &offset, err));
	piece->block = (clpac__block){
		.memory = given->memory, .bytes = bytes, .whole = whole ? whole : given->memory, .offset = offset};
	piece->begin = offset + given->offset;
	piece->end = offset + last;
	piece->is_written = is_written;
	snprintf(piece->name, sizeof piece->name, "%s", name);
	for (size_t i = 0; i < checker->n; i++) {
		const struct piece *other = &checker->pieces[i];
		if (other->block.whole == piece->block.whole && other->begin < piece->end && piece->begin < other->end)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s and %s share bytes %zu to %zu of a buffer", other->name,
				     name, other->begin > piece->begin ? other->begin : piece->begin,
				     (other->end < piece->end ? other->end : piece->end) - 1);
	}
	*out = (clpac__place){&piece->block, given->offset / WORD};
	checker->n++;
	return CLPAC_OK;
}

static clpac_status take_samples(struct checker *checker, const clpac_opencl_run *given, clpac__enqueued *run,
				 clpac_error *err)
{
	const clpac_problem *p = checker->plan->problem;
	size_t n;
	if (!given->samples.memory)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_enqueue_opencl: no samples were given");
	run->sample_stride = given->sample_stride ? given->sample_stride : 1;
	run->segment_stride = given->segment_stride;
	run->channel_stride = given->channel_stride;
	bool fits = run->segment_stride || clpac__size_mul(p->n_samples, run->sample_stride, &run->segment_stride);
	fits = fits &&
	       (run->channel_stride || clpac__size_mul(p->n_segments, run->segment_stride, &run->channel_stride));
	/* Strides without a second segment or channel are never used. */
	run->segment_stride = p->n_segments > 1 ? run->segment_stride : 0;
	run->channel_stride = p->n_channels > 1 ? run->channel_stride : 0;
	if (!fits || run->sample_stride > UINT32_MAX || run->segment_stride > UINT32_MAX ||
	    run->channel_stride > UINT32_MAX || !clpac__enqueued_samples(checker->plan, run, &n))
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"strides of %zu from sample to sample, %zu of segments and %zu of channels: each must be below "
			"2^32",
			run->sample_stride, run->segment_stride, run->channel_stride);
	return take(checker, &given->samples, "samples", n, false, &run->samples, err);
}

/* Takes the arrays of the problem's measure number i. */
static clpac_status take_measure(struct checker *checker, size_t i, const clpac_opencl_memory *given, clpac__place *out,
				 clpac_error *err)
{
	const clpac_problem *p = checker->plan->problem;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		const size_t n = clpac__enqueued_values(checker->plan, i, (clpac_array)which);
		char name[32];
		if (!given[which].memory)
			continue;
		snprintf(name, sizeof name, "%s%s%s", i ? clpac_measure_text(p->measures[i]) : "", i ? "_" : "",
			 clpac_array_name((clpac_array)which));
		if (which == CLPAC_P_MAX && p->family == CLPAC_FAMILY_RUN)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%s of the whole run is not written to the application's memory: take the maxima, from "
				"which it follows, or give the family map",
				name);
		if (clpac__is_made_on_the_host((clpac_array)which))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%s is not written to the application's memory: for q and p_gamma take p, mean and "
				"deviation and call clpac_signal_false_discovery or clpac_signal_gamma_tail; for "
				"clusters "
				"and counts of bins call clpac_plan_run",
				name);
		if (i && clpac__is_of_no_measure((clpac_array)which))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "%s is the same for all measures: give it with the first one's arrays",
				     clpac_array_name((clpac_array)which));
		if (!n)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the plan does not keep %s: its problem has %s", name,
				     which == CLPAC_DISTRIBUTION ? "no keep_distributions"
				     : p->n_surrogates		 ? "no keep_surrogates"
								 : "no surrogates");
		RETURN_IF_ERROR(take(checker, &given[which], name, n, true, &out[which], err));
	}
	return CLPAC_OK;
}

static clpac_status take_arrays(struct checker *checker, const clpac_opencl_run *given, clpac__enqueued *run,
				clpac_error *err)
{
	const size_t before = checker->n, n_measures = checker->plan->problem->n_measures;
	if (given->n_further > n_measures - 1 || (given->n_further && !given->further))
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"clpac_plan_enqueue_opencl: n_further is %zu and further %s: the problem has %zu measures, the "
			"first of which has its arrays in the run itself",
			given->n_further, given->further ? "is given" : "NULL", n_measures);
	RETURN_IF_ERROR(take_measure(checker, 0, given->arrays, run->arrays[0], err));
	for (size_t i = 0; i < given->n_further; i++)
		RETURN_IF_ERROR(take_measure(checker, i + 1, given->further[i].arrays, run->arrays[i + 1], err));
	if (given->warnings.memory)
		RETURN_IF_ERROR(take(checker, &given->warnings, "warnings", checker->plan->layout.n_series, true,
				     &run->warnings, err));
	if (checker->n == before)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_enqueue_opencl: no memory was given for any array");
	return CLPAC_OK;
}

static clpac_status check_events(const struct checker *checker, cl_uint n, const cl_event *events, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	cl_context context;
	if (n && !events)
		FAIL(CLPAC_ERROR_ARGUMENT, "%u events are to be waited for and wait is NULL", n);
	for (cl_uint i = 0; i < n; i++) {
		if (!events[i])
			FAIL(CLPAC_ERROR_ARGUMENT, "event %u to be waited for is NULL", i);
		CL(CLPAC__OPENCL_ORDERING, clGetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL),
		   "event %u to be waited for", i);
		if (context != checker->queue->context)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "event %u to be waited for is of another context than the plan on %s", i,
			     checker->queue->base.device.name);
	}
done:
	return st;
}

clpac_status clpac_plan_enqueue_opencl(clpac_plan *plan, const clpac_opencl_run *given, cl_event *done_event,
				       clpac_error *err)
{
	NEED(plan);
	NEED_AS(given, "run");
	NEED_HERE(plan);
	clpac_event *event = NULL;
	clpac__enqueued run = {0};
	if (!plan || !given)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_plan_enqueue_opencl: no %s was given", plan ? "run" : "plan");
	const clpac_plan *now = clpac__plan_now(plan);
	clpac__queue *queue = now->context->queue;
	if (now->fallback)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "the plan did not fit on its device and went to the native CPU, which cannot use OpenCL "
			     "memory: "
			     "%s",
			     now->report.warnings[CLPAC_WARN_STRATEGY].text);
	if (!clpac__opencl_is(queue))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the plan runs on %s, which is no OpenCL device",
			     queue->device.name);
	struct checker checker = {.plan = plan, .queue = clpac__opencl_of(queue)};
	RETURN_IF_ERROR(take_samples(&checker, given, &run, err));
	RETURN_IF_ERROR(take_arrays(&checker, given, &run, err));
	RETURN_IF_ERROR(check_events(&checker, given->n_wait, given->wait, err));
	for (cl_uint i = 0; i < given->n_wait; i++)
		RETURN_IF_ERROR(queue->operations->wait_for(queue, (clpac_event *)(void *)given->wait[i], err));
	RETURN_IF_ERROR(clpac__plan_enqueue(plan, &run, err));
	/* mark flushes the queue, so that nobody waits for a run that has not begun. */
	RETURN_IF_ERROR(queue->operations->mark(queue, &event, err));
	if (done_event)
		*done_event = clpac__opencl_event(event);
	else
		queue->operations->forget(queue, event);
	return CLPAC_OK;
}
