/* Puts one stage into the queue. */
#include "coupling/opencl/opencl_compute.h"

#include "memory/opencl/calls.h"

#include <math.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/memory.h"
#include "coupling/stages/loads.h"
#include "coupling/stages/pulse.h"

static clpac_status set_arguments(const clpac__queue *queue, cl_kernel kernel, const clpac__launch *launch,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__stage_facts *stage = clpac__stage_get(launch->stage);
	const cl_ulong end = launch->items[0];
	CL(CLPAC__OPENCL_LAUNCHING, clSetKernelArg(kernel, 0, sizeof end, &end), "the end of the items of %s on %s",
	   stage->name, queue->device.name);
	for (size_t i = 0; i < stage->n_arguments; i++) {
		const clpac__argument *argument = &stage->arguments[i];
		const void *value = clpac__argument_value(launch, argument);
		size_t size = sizeof(cl_uint); /* also the size of a float */
		if (argument->kind == CLPAC__ARGUMENT_BUFFER) {
			const clpac__block *block = clpac__argument_block(launch, argument);
			if (!block)
				FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: the buffer \"%s\" is NULL", stage->name,
				     queue->device.name, argument->name);
			value = &block->memory;
			size = sizeof block->memory;
		}
		CL(CLPAC__OPENCL_LAUNCHING, clSetKernelArg(kernel, (cl_uint)i + 1, size, value), "%s of %s on %s",
		   argument->name, stage->name, queue->device.name);
	}
done:
	return st;
}

enum {
	GROUP = 64,	     /* work-items in a work-group; a power of two */
	SHIFT_GROUP = 128,   /* 4 shifts of 32 bands, which walk through the same rows (cl/bin_tiles.cl) */
	ROW_GROUP = 256,     /* of fused stages: AMD's drivers have no larger ones unless they are asked for */
	GROUPS_PER_UNIT = 4, /* work-groups per compute unit that balance the load */
	LEAST_GROUP = 16,    /* work-items of a group where that leaves no rest, or which are few in all */
	FEW_ITEMS = 1 << 16, /* of a launch that is over before groups of another size would be compiled for it */
};

/* Whether a work-item keeps the sums of all bins.  PoCL gives every item of a group its own memory for them, so a group
 * of 64 puts 300 KiB into the second-level cache, where the prefix sums should stay: 8 % slower than groups of one.
 * These items take so long that 10 ns per group do not matter. */
static bool keeps_sums(unsigned stage)
{
	return stage == CLPAC__STAGE_modulation_index || stage == CLPAC__STAGE_modulation_index_direct ||
	       stage == CLPAC__STAGE_slab_sums || stage == CLPAC__STAGE_slab_indices;
}

size_t clpac__opencl_group_of_tests;

size_t clpac__opencl_group(const clpac__opencl_queue *queue, cl_kernel kernel, unsigned stage)
{
	size_t most = 0, group = GROUP;
	if (queue->base.device.kind == CLPAC_DEVICE_OPENCL_CPU && keeps_sums(stage))
		return 1;
	if (clpac__stage_get(stage)->is_fused)
		group = ROW_GROUP;
	else if (stage == CLPAC__STAGE_modulation_index || stage == CLPAC__STAGE_slab_sums)
		group = SHIFT_GROUP;
	if (clpac__opencl_group_of_tests && group != ROW_GROUP)
		group = clpac__opencl_group_of_tests;
	/* A kernel that needs many registers may be limited to smaller groups.  Every driver has groups of one. */
	if (clGetKernelWorkGroupInfo(kernel, queue->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL) !=
		    CL_SUCCESS ||
	    !most)
		return 1;
	while (group > most)
		group /= 2;
	return group;
}

/* Items first[i] .. first[i] + n[i] - 1 of each dimension of a launch, in groups of a size that divides n[0]. */
struct box {
	size_t first[3], n[3], group;
};

static clpac_status enqueue(clpac__opencl_queue *queue, cl_kernel kernel, const clpac__launch *launch,
			    const struct box *box, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const bool is_moved = box->first[0] || box->first[1] || box->first[2];
	const size_t local[3] = {box->group, 1, 1};
	CL(CLPAC__OPENCL_LAUNCHING,
	   clEnqueueNDRangeKernel(queue->commands, kernel, 3, is_moved ? box->first : NULL, box->n, local, 0, NULL,
				  NULL),
	   "stage %s of %zu x %zu x %zu work-items in groups of %zu on %s", clpac__stage_get(launch->stage)->name,
	   box->n[0], box->n[1], box->n[2], box->group, queue->base.device.name);
done:
	return st;
}

/* As many of n as `most` allows, in pieces that differ by one at most. */
static size_t even_piece(size_t n, size_t most)
{
	const size_t n_pieces = n / most + (n % most != 0);
	return n / n_pieces + (n % n_pieces != 0);
}

/* The loads of an item: the lanes of a fused stage share those of their row. */
static uint64_t loads_of_item(const clpac__launch *launch, const struct box *whole)
{
	const uint64_t loads = clpac__loads_of_item(launch);
	return launch->lanes && loads ? loads / whole->n[0] + 1 : loads;
}

/* Loads that are put into the queue before a call that may be cancelled waits: no command ends before its time.  A core
 * of 2020 takes some 20 ms for these, a GPU with 100 GB/s 40 ms, a card with 500 GB/s 36 ms, so that the wait costs
 * nothing. */
enum { LOADS_OF_A_CORE = 1 << 21, LEAST_LOADS = 4 /* of an item, for what it computes */ };
static const uint64_t loads_of_a_gpu = (uint64_t)1 << 30, loads_of_a_card = (uint64_t)1 << 32;

/* Whether commands are to end soon: the call may be cancelled, or somebody hears how far it is. */
static bool is_heard(void)
{
	return clpac_cancel_used() || clpac__pulse_used();
}

static bool is_cpu(const clpac__opencl_compute *compute)
{
	return compute->base.queue->device.kind == CLPAC_DEVICE_OPENCL_CPU;
}

static uint64_t loads_before_waiting(const clpac__opencl_compute *compute)
{
	const unsigned n_cores = compute->base.queue->device.compute_units;
	if (is_cpu(compute))
		return (uint64_t)LOADS_OF_A_CORE * (n_cores ? n_cores : 1);
	return compute->base.queue->device.kind == CLPAC_DEVICE_DISCRETE_GPU ? loads_of_a_card : loads_of_a_gpu;
}

/* The most loads of a command.  On a CPU that of a call that may be cancelled is short. */
static uint64_t most_loads(const clpac__opencl_compute *compute)
{
	const uint64_t most = loads_before_waiting(compute);
	return is_cpu(compute) && is_heard() && most < compute->base.most_loads ? most : compute->base.most_loads;
}

uint64_t clpac__opencl_loads_of_a_second(uint64_t loads, double seconds, uint64_t least)
{
	const double found = seconds > 0 ? (double)loads / seconds : (double)CLPAC__OPENCL_MOST_LOADS;
	return (uint64_t)fmin(fmax(found, (double)least), (double)CLPAC__OPENCL_MOST_LOADS);
}

/* Waits where so much is in the queue that a cancelled call would end late.  The arguments are locked, and set anew. */
static clpac_status wait_for_some(clpac__opencl_compute *compute, cl_kernel kernel, const clpac__launch *launch,
				  const struct box *box, double share, clpac_error *err)
{
	const uint64_t each = loads_of_item(launch, box), n = (uint64_t)box->n[0] * box->n[1] * box->n[2];
	const uint64_t more = n * (each > LEAST_LOADS ? each : LEAST_LOADS);
	if (!is_heard() || atomic_fetch_add(&compute->n_unawaited, more) + more < loads_before_waiting(compute))
		return CLPAC_OK;
	const uint64_t awaited = atomic_exchange(&compute->n_unawaited, 0);
	const double since_s = compute->unawaited_since_s;
	RETURN_IF_ERROR(clpac__opencl_finish(clpac__opencl_queue_of(compute), err));
	if (!is_cpu(compute))
		atomic_store(&compute->base.most_loads,
			     clpac__opencl_loads_of_a_second(awaited, clpac__clock_seconds() - since_s,
							     loads_before_waiting(compute)));
	/* Who hears may launch something else, with other arguments. */
	pthread_mutex_unlock(&compute->arguments);
	clpac__opencl_leave(clpac__opencl_queue_of(compute));
	const bool goes_on = clpac__pulse_beat(share);
	clpac__opencl_enter(clpac__opencl_queue_of(compute));
	pthread_mutex_lock(&compute->arguments);
	RETURN_IF_ERROR(clpac__cancel_checked(!goes_on, err));
	return set_arguments(compute->base.queue, kernel, launch, err);
}

/* On a CPU a box that is a few commands long stays whole: PoCL compiles a kernel anew, for 0.1 s and more, where its
 * items do not begin at 0. */
enum { UNCUT = 4 };

/* The largest piece of a box that the device takes in one command.  Work-items are cut off the slowest dimension first,
 * so that those of a command read what their neighbours read. */
static void decide_piece(const clpac__opencl_compute *compute, const clpac__launch *launch, const struct box *whole,
			 size_t piece[3])
{
	enum { MOST_ITEMS = 1 << 30 }; /* of the first dimension, whose numbers devices hold in 32 bits */
	const uint64_t each = loads_of_item(launch, whole), most = most_loads(compute);
	const uint64_t loads = each > LEAST_LOADS || !is_cpu(compute) || !is_heard() ? each : LEAST_LOADS;
	uint64_t items = loads ? most / loads : UINT64_MAX;
	if (is_cpu(compute) && is_heard() && (uint64_t)whole->n[0] * whole->n[1] * whole->n[2] / UNCUT <= items)
		items = UINT64_MAX;
	piece[0] = clpac__smaller(whole->n[0], MOST_ITEMS);
	for (int i = 1; i < 3; i++)
		piece[i] = even_piece(whole->n[i], clpac__smaller(whole->n[i], compute->most_groups));
	for (int i = 0; i < 3; i++) {
		const size_t at_once = items < 1 ? 1 : items < piece[i] ? (size_t)items : piece[i];
		/* The first dimension is cut at whole groups. */
		piece[i] = i ? even_piece(whole->n[i], at_once)
			     : clpac__smaller(piece[0], clpac__round_up(at_once, whole->group));
		items /= piece[i];
	}
}

/* Enqueues a box in pieces that the device takes: NVIDIA's devices take 65 535 groups in the second and the third
 * dimension, and watchdogs end launches that take seconds. */
static clpac_status enqueue_box(clpac__opencl_compute *compute, cl_kernel kernel, const clpac__launch *launch,
				const struct box *whole, clpac_error *err)
{
	size_t piece[3], at[3];
	decide_piece(compute, launch, whole, piece);
	if (!atomic_load(&compute->n_unawaited))
		compute->unawaited_since_s = clpac__clock_seconds();
	for (at[2] = 0; at[2] < whole->n[2]; at[2] += piece[2])
		for (at[1] = 0; at[1] < whole->n[1]; at[1] += piece[1])
			for (at[0] = 0; at[0] < whole->n[0]; at[0] += piece[0]) {
				struct box part = {.group = whole->group};
				for (int i = 0; i < 3; i++) {
					part.first[i] = whole->first[i] + at[i];
					part.n[i] = clpac__smaller(piece[i], whole->n[i] - at[i]);
				}
				RETURN_IF_ERROR(enqueue(clpac__opencl_queue_of(compute), kernel, launch, &part, err));
				RETURN_IF_ERROR(wait_for_some(compute, kernel, launch, &part,
							      (double)at[2] / (double)whole->n[2], err));
			}
	return CLPAC_OK;
}

/* Enqueues a launch whose kernel returns from items behind the last: one row of groups, of which the last is filled up.
 * Rows shorter than a group have smaller groups.  A row of a fused stage is a group, whatever its size. */
static clpac_status enqueue_filled(clpac__opencl_compute *compute, cl_kernel kernel, size_t group,
				   const clpac__launch *launch, clpac_error *err)
{
	const size_t wanted = launch->lanes ? launch->lanes : launch->items[0];
	while (group / 2 >= wanted)
		group /= 2;
	const struct box all = {.n = {clpac__round_up(launch->items[0], group), launch->items[1], launch->items[2]},
				.group = group};
	return enqueue_box(compute, kernel, launch, &all, err);
}

/* Enqueues a launch on a CPU in groups of a fixed size, or half of it and so on where these leave no rest, else the
 * rest as a second launch.  By itself PoCL chooses a divisor of the number of work-items, which may be 1 and is then 30
 * to 50 times slower on light kernels (10 against 0.2 to 0.3 ns per work-item; 64 gives most of the gain), and it
 * compiles a kernel again for each group size, 40 to 500 ms.  So only powers of two occur, and short launches have
 * groups of one size.  A launch with few, heavy work-items uses groups of one, so that every core gets some. */
static clpac_status enqueue_parts(clpac__opencl_compute *compute, cl_kernel kernel, size_t group,
				  const clpac__launch *launch, clpac_error *err)
{
	const size_t n = launch->items[0];
	for (size_t half = group / 2; half >= LEAST_GROUP && n % group; half /= 2)
		if (n % half == 0)
			group = half;
	const size_t n_groups = n / group, rest = n % group;
	const size_t few = (size_t)GROUPS_PER_UNIT * compute->base.queue->device.compute_units;
	struct box whole = {.n = {n, launch->items[1], launch->items[2]}, .group = 1}, behind = whole;
	if (!n_groups || n_groups * launch->items[1] * launch->items[2] <= few)
		return enqueue_box(compute, kernel, launch, &whole, err);
	if (group > LEAST_GROUP && !rest && n * launch->items[1] * launch->items[2] <= FEW_ITEMS)
		group = LEAST_GROUP;
	whole.n[0] = n - rest;
	whole.group = group;
	behind.first[0] = n - rest;
	behind.n[0] = rest;
	behind.group = rest & (~rest + 1);
	RETURN_IF_ERROR(enqueue_box(compute, kernel, launch, &whole, err));
	if (rest)
		RETURN_IF_ERROR(enqueue_box(compute, kernel, launch, &behind, err));
	return CLPAC_OK;
}

clpac_status clpac__opencl_launch(clpac__opencl_compute *compute, const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = compute->base.queue;
	clpac__opencl_program *program;
	const size_t *items = launch->items;
	size_t rows;
	bool is_locked = false;

	TRY(clpac_cancel_check(err));
	if (!clpac__stage_get(launch->stage))
		FAIL(CLPAC_ERROR_ARGUMENT, "launch on %s: there is no stage %u", queue->device.name,
		     (unsigned)launch->stage);
	if (!items[0] || !items[1] || !items[2])
		goto done;
	TRY(clpac__opencl_program_get(compute, clpac__opencl_part_of(launch->stage), launch->n_bins, &program, err));
	/* Groups that are filled up have twice the items at most. */
	if (!clpac__size_mul(items[1], items[2], &rows) || rows > SIZE_MAX / 2 / items[0])
		FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: %zu x %zu x %zu work-items are too many",
		     clpac__stage_get(launch->stage)->name, queue->device.name, items[0], items[1], items[2]);
	/* Enqueuing copies a kernel's arguments; until then another thread could change them. */
	pthread_mutex_lock(&compute->arguments);
	is_locked = true;
	TRY(set_arguments(queue, program->kernels[launch->stage], launch, err));
	TRY((program->fills_groups ? enqueue_filled : enqueue_parts)(compute, program->kernels[launch->stage],
								     program->groups[launch->stage], launch, err));
done:
	if (is_locked)
		pthread_mutex_unlock(&compute->arguments);
	return st;
}
