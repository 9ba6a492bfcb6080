/* Puts one stage into the queue. */
#include "opencl/compute/opencl_compute.h"
#include "opencl/memory/calls.h"

#include "base/memory.h"

static clpac_status set_arguments(const clpac__queue *queue, cl_kernel kernel, const clpac__launch *launch,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__stage_facts *stage = clpac__stage_get(launch->stage);
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
		CL(CLPAC__OPENCL_LAUNCHING, clSetKernelArg(kernel, (cl_uint)i, size, value), "%s of %s on %s",
		   argument->name, stage->name, queue->device.name);
	}
done:
	return st;
}

enum {
	GROUP = 64,	     /* work-items in a work-group; a power of two */
	GROUPS_PER_UNIT = 4, /* work-groups per compute unit that balance the load */
};

/* Whether a work-item keeps the sums of all bins.  PoCL gives every item of a group its own memory for them, so a group
 * of 64 puts 300 KiB into the second-level cache, where the prefix sums should stay: 8 % slower than groups of one.
 * These items take so long that 10 ns per group do not matter. */
static bool keeps_sums(unsigned stage)
{
	return stage == CLPAC__STAGE_modulation_index || stage == CLPAC__STAGE_modulation_index_direct ||
	       stage == CLPAC__STAGE_distribution || stage == CLPAC__STAGE_distribution_direct ||
	       stage == CLPAC__STAGE_window_sums || stage == CLPAC__STAGE_window_indices;
}

size_t clpac__opencl_group(const clpac__opencl_queue *queue, cl_kernel kernel, unsigned stage)
{
	size_t most = 0, group = GROUP;
	if (queue->base.device.kind == CLPAC_DEVICE_OPENCL_CPU && keeps_sums(stage))
		return 1;
	/* A kernel that needs many registers may be limited to smaller groups. */
	if (clGetKernelWorkGroupInfo(kernel, queue->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL) !=
	    CL_SUCCESS)
		return 0;
	while (group > most)
		group /= 2;
	return group;
}

/* Enqueues one part of a launch: items first .. first + count - 1 of dimension 0, all of the others. */
static clpac_status enqueue(clpac__opencl_queue *queue, cl_kernel kernel, const clpac__launch *launch, size_t first,
			    size_t count, size_t group, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t offset[3] = {first, 0, 0}, items[3] = {count, launch->items[1], launch->items[2]};
	const size_t local[3] = {group, 1, 1};
	CL(CLPAC__OPENCL_LAUNCHING,
	   clEnqueueNDRangeKernel(queue->commands, kernel, 3, first ? offset : NULL, items, group ? local : NULL, 0,
				  NULL, NULL),
	   "stage %s of %zu x %zu x %zu work-items in groups of %zu on %s", clpac__stage_get(launch->stage)->name,
	   items[0], items[1], items[2], group, queue->base.device.name);
done:
	return st;
}

/* Enqueues a launch in groups of a fixed size, and the rest as a second launch.  By itself PoCL chooses a divisor of
 * the number of work-items, which may be 1 and is then 30 to 50 times slower on light kernels (10 against 0.2 to 0.3 ns
 * per work-item; 64 gives most of the gain), and it compiles a kernel again for each group size, 40 to 500 ms.  So only
 * powers of two occur.  On a CPU a launch with few, heavy work-items uses groups of one, so that every core gets
 * some. */
static clpac_status enqueue_parts(clpac__opencl_queue *queue, cl_kernel kernel, size_t group,
				  const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool is_cpu = queue->base.device.kind == CLPAC_DEVICE_OPENCL_CPU;
	size_t n = launch->items[0], n_groups = group ? n / group : 0, rest = group ? n % group : 0;
	size_t few = is_cpu ? (size_t)GROUPS_PER_UNIT * queue->base.device.compute_units : 0, rows;

	if (!clpac__size_mul(launch->items[1], launch->items[2], &rows) || rows > SIZE_MAX / n)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s on %s: %zu x %zu x %zu work-items are too many",
		     clpac__stage_get(launch->stage)->name, queue->base.device.name, n, launch->items[1],
		     launch->items[2]);
	if (!n_groups || n_groups * rows <= few) {
		TRY(enqueue(queue, kernel, launch, 0, n, is_cpu ? 1 : 0, err));
		goto done;
	}
	TRY(enqueue(queue, kernel, launch, 0, n - rest, group, err));
	if (rest)
		TRY(enqueue(queue, kernel, launch, n - rest, rest, is_cpu ? (rest & (~rest + 1)) : 0, err));
done:
	return st;
}

clpac_status clpac__opencl_launch(clpac__opencl_compute *compute, const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__queue *queue = compute->base.queue;
	clpac__opencl_queue *own = clpac__opencl_of(queue);
	clpac__opencl_program *program;
	const size_t *items = launch->items;
	bool is_locked = false;

	if (!clpac__stage_get(launch->stage))
		FAIL(CLPAC_ERROR_ARGUMENT, "launch on %s: there is no stage %u", queue->device.name,
		     (unsigned)launch->stage);
	if (!items[0] || !items[1] || !items[2])
		goto done;
	TRY(clpac__opencl_program_get(compute, launch->n_bins, &program, err));
	/* Enqueuing copies a kernel's arguments; until then another thread could change them. */
	pthread_mutex_lock(&compute->arguments);
	is_locked = true;
	TRY(set_arguments(queue, program->kernels[launch->stage], launch, err));
	TRY(enqueue_parts(own, program->kernels[launch->stage], program->groups[launch->stage], launch, err));
done:
	if (is_locked)
		pthread_mutex_unlock(&compute->arguments);
	return st;
}
