/* Contexts on the targets. */
#include "places.h"

#include "test_thread.h"
#include "queue_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>

#include "coupling/layout/test_settings.h"
#include "coupling/passes/plan.h"
#include "targets.h"

size_t places_find(const char *backend)
{
	return targets_find(backend);
}

size_t places_sample(const char *backend)
{
	return targets_sample(backend);
}

const char *places_missing(const char *backend)
{
	return targets_missing(backend);
}

const char *place_label(size_t i)
{
	return targets_get(i)->label;
}

bool place_takes(size_t i, const char *engine)
{
	return target_takes(targets_get(i), engine);
}

static clpac_context *open_context(const target *where, const clpac_options *options)
{
	clpac_context *context = NULL;
	clpac_error err = {0};
	clpac__for_tests.are_lives_marked = true;
	ck_assert_msg(clpac_context_open(&where->device, options, &context, &err) == CLPAC_OK, "%s: %s", where->label,
		      err.text);
	ck_assert_ptr_nonnull(context);
	return context;
}

clpac_context *place_open_with(size_t i, const char *memory, clpac_log_function *log, void *log_user)
{
	const target *where = targets_get(i);
	clpac_options options = where->options;
	snprintf(options.memory, sizeof options.memory, "%s", memory ? memory : "");
	options.log = log;
	options.log_user = log_user;
	return open_context(where, &options);
}

clpac_context *place_open_engine(size_t i, const char *engine)
{
	const target *where = targets_get(i);
	clpac_options options = where->options;
	snprintf(options.fft, sizeof options.fft, "%s", engine);
	return open_context(where, &options);
}

clpac_context *place_open_profiled(size_t i)
{
	const target *where = targets_get(i);
	clpac_options options = where->options;
	options.profile = true;
	return open_context(where, &options);
}

clpac_context *place_open_wide(size_t i, unsigned least_width)
{
	const target *where = targets_get(i);
	clpac_options options = where->options;
	clpac_context *context = place_open(i);
	if (width_of(context->queue) >= least_width)
		return context;
	clpac_context_close(context);
	options.vector_width = least_width;
	return open_context(where, &options);
}

clpac_context *place_open_card(size_t i)
{
	const target *where = targets_get(i);
	clpac_options options = where->options;
	options.vector_width = 1;
	clpac_context *context = open_context(where, &options);
	compute_of(context->queue);
	context->queue->device.kind = CLPAC_DEVICE_DISCRETE_GPU;
	return context;
}

clpac_context *place_open(size_t i)
{
	return place_open_with(i, NULL, NULL, NULL);
}

static bool has_all(void)
{
	const char *asked = getenv("CLPAC_TEST_PLACES");
	return asked && strcmp(asked, "all") == 0;
}

int rounds_count(const place_rounds *rounds)
{
	if (has_all())
		return (int)(rounds->n_places * rounds->n_problems);
	return (int)(rounds->n_places > rounds->n_problems ? rounds->n_places : rounds->n_problems);
}

size_t round_place(const place_rounds *rounds, int round)
{
	return has_all() ? (size_t)round / rounds->n_problems : (size_t)round % rounds->n_places;
}

size_t round_problem(const place_rounds *rounds, int round)
{
	return (size_t)round % rounds->n_problems;
}

clpac_plan *place_plan(clpac_context *context, const clpac_problem *problem, const clpac_plan_options *options)
{
	clpac_plan *plan = NULL;
	clpac_error err = {0};
	ck_assert_msg(clpac_plan_create(context, problem, options, &plan, &err) == CLPAC_OK, "%s", err.text);
	ck_assert_ptr_nonnull(plan);
	return plan;
}

unsigned char *place_bins(clpac_plan *plan, size_t *stride)
{
	const size_t bytes = (size_t)plan->layout.bytes[CLPAC__TENSOR_BINS];
	unsigned char *bins = malloc(bytes);
	clpac_error err = {0};
	ck_assert_ptr_nonnull(bins);
	ck_assert_msg(clpac_buffer_read(plan->runs->batches->tensors[CLPAC__TENSOR_BINS], 0, bytes, bins, &err) ==
			      CLPAC_OK,
		      "%s", err.text);
	*stride = plan->layout.bin_stride;
	return bins;
}
