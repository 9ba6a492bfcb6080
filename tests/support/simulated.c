/* A simulated device over host memory.  It takes its memory past the library's hook, so that a test's failing host
 * allocation is always one of the library. */
#include "simulated.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct clpac__block {
	simulated_device *device;
	size_t bytes;
	unsigned char *data;
};

static const char *const call_names[] = {
	[SIMULATED_CREATE] = "create", [SIMULATED_WRITE] = "write",   [SIMULATED_READ] = "read",
	[SIMULATED_FILL] = "fill",     [SIMULATED_COPY] = "copy",     [SIMULATED_PREPARE] = "prepare",
	[SIMULATED_LAUNCH] = "launch", [SIMULATED_FINISH] = "finish",
};
_Static_assert(sizeof call_names / sizeof *call_names == SIMULATED_CALLS, "one name per call");

static simulated_device *device_of(clpac__queue *queue)
{
	return (simulated_device *)(void *)queue;
}

static simulated_device *enter(clpac__queue *queue)
{
	simulated_device *device = device_of(queue);
	if (atomic_fetch_add(&device->n_inside, 1) != 0)
		atomic_fetch_add(&device->overlaps, 1);
	for (unsigned i = 0; i < device->yields; i++)
		sched_yield();
	return device;
}

static void leave(simulated_device *device)
{
	atomic_fetch_sub(&device->n_inside, 1);
}

static clpac_status begin(simulated_device *device, enum simulated_call call, clpac_error *err)
{
	device->n_calls++;
	device->n_calls_of[call]++;
	if (device->failing_call != SIMULATED_ANY && device->failing_call != call)
		return CLPAC_OK;
	unsigned long number = ++device->n_seen;
	if (!device->failing_number || number < device->failing_number ||
	    (number > device->failing_number && !device->failing_sticky))
		return CLPAC_OK;
	return clpac__fail_native(err, device->failing_status, device->failing_code,
				  "simulated %s fails with code %d", call_names[call], device->failing_code);
}

static clpac_status breach(simulated_device *device, clpac_error *err)
{
	device->breaches++;
	return clpac__fail(err, CLPAC_ERROR_INTERNAL, "simulated device: the contract of the seam was broken");
}

static bool has(const simulated_device *device, const clpac__block *block, size_t offset, size_t bytes)
{
	return block && block->device == device && offset <= block->bytes && bytes <= block->bytes - offset;
}

static clpac_status create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__block *block = NULL;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_CREATE, err));
	if (!bytes)
		TRY(breach(device, err));
	if (device->largest_bytes && bytes > device->largest_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "simulated block of %zu bytes: the largest has %llu", bytes,
		     (unsigned long long)device->largest_bytes);
	/* A test may have lowered the memory below what is taken. */
	uint64_t room = device->memory_bytes > device->live_bytes ? device->memory_bytes - device->live_bytes : 0;
	if (device->memory_bytes && bytes > room)
		FAIL(CLPAC_ERROR_NO_DEVICE_MEMORY, "simulated block of %zu bytes: %llu of %llu are taken", bytes,
		     (unsigned long long)device->live_bytes, (unsigned long long)device->memory_bytes);
	block = calloc(1, sizeof *block);
	unsigned char *data = block ? malloc(bytes) : NULL;
	if (!data)
		FAIL(CLPAC_ERROR_NO_MEMORY, "simulated block of %zu bytes: the host has no memory left", bytes);
	memset(data, 0xA5, bytes);
	*block = (clpac__block){.device = device, .bytes = bytes, .data = data};
	device->live_blocks++;
	device->live_bytes += bytes;
	if (device->peak_bytes < device->live_bytes)
		device->peak_bytes = device->live_bytes;
	*out = block;
	block = NULL;
done:
	free(block);
	leave(device);
	return st;
}

static void release(clpac__queue *queue, clpac__block *block)
{
	simulated_device *device = enter(queue);
	device->n_releases++;
	if (has(device, block, 0, 0)) {
		device->live_blocks--;
		device->live_bytes -= block->bytes;
		block->device = NULL;
		free(block->data);
		free(block);
	} else {
		device->breaches++;
	}
	leave(device);
}

static clpac_status write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, const void *source,
			  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_WRITE, err));
	if (!has(device, block, offset, bytes))
		TRY(breach(device, err));
	memcpy(block->data + offset, source, bytes);
done:
	leave(device);
	return st;
}

static clpac_status read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
			 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_READ, err));
	if (!has(device, block, offset, bytes))
		TRY(breach(device, err));
	memcpy(target, block->data + offset, bytes);
done:
	leave(device);
	return st;
}

static clpac_status fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
			 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_FILL, err));
	if (!has(device, block, offset, bytes))
		TRY(breach(device, err));
	memset(block->data + offset, value, bytes);
done:
	leave(device);
	return st;
}

static clpac_status copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
			 size_t target_offset, size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_COPY, err));
	size_t apart = source_offset < target_offset ? target_offset - source_offset : source_offset - target_offset;
	if (!has(device, source, source_offset, bytes) || !has(device, target, target_offset, bytes) ||
	    (source == target && apart < bytes))
		TRY(breach(device, err));
	memcpy(target->data + target_offset, source->data + source_offset, bytes);
done:
	leave(device);
	return st;
}

static void *host_pointer(clpac__queue *queue, clpac__block *block)
{
	return device_of(queue)->is_host_reachable ? block->data : NULL;
}

static clpac_status prepare(clpac__queue *queue, unsigned n_bins, clpac_error *err)
{
	(void)n_bins;
	simulated_device *device = enter(queue);
	clpac_status st = begin(device, SIMULATED_PREPARE, err);
	leave(device);
	return st;
}

static clpac_status launch(clpac__queue *queue, const clpac__launch *launch, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_LAUNCH, err));
	if ((unsigned)launch->stage >= CLPAC__STAGE_COUNT)
		TRY(breach(device, err));
	const char *kinds = clpac__stages[launch->stage].arguments;
	for (size_t i = 0; kinds[i]; i++)
		if (kinds[i] == 'b' && !has(device, launch->arguments[i].block, 0, 0))
			TRY(breach(device, err));
done:
	leave(device);
	return st;
}

static clpac_status finish(clpac__queue *queue, clpac_error *err)
{
	simulated_device *device = enter(queue);
	clpac_status st = begin(device, SIMULATED_FINISH, err);
	leave(device);
	return st;
}

static void close(clpac__queue *queue)
{
	(void)queue;
}

static const clpac__queue_operations operations = {
	.close = close,
	.create = create,
	.release = release,
	.write = write,
	.read = read,
	.fill = fill,
	.copy = copy,
	.host_pointer = host_pointer,
	.prepare = prepare,
	.launch = launch,
	.finish = finish,
};

void simulated_open(simulated_device *device, uint64_t memory_bytes, uint64_t largest_bytes)
{
	*device = (simulated_device){.memory_bytes = memory_bytes, .largest_bytes = largest_bytes};
	device->queue = (clpac__queue){.operations = &operations, .vector_width = 4, .n_threads = 1};
	clpac_device *facts = &device->queue.device;
	facts->kind = CLPAC_DEVICE_OTHER;
	facts->platform = facts->index = -1;
	snprintf(facts->backend, sizeof facts->backend, "simulated");
	snprintf(facts->name, sizeof facts->name, "simulated");
	facts->memory_bytes = memory_bytes;
	facts->max_allocation_bytes = largest_bytes;
	facts->compute_units = 1;
	facts->is_available = true;
}

static void set_failure(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
			int native_code, bool is_sticky)
{
	device->failing_number = number;
	device->failing_call = call;
	device->failing_status = status;
	device->failing_code = native_code;
	device->failing_sticky = is_sticky;
	device->n_seen = 0;
}

void simulated_fail(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
		    int native_code)
{
	set_failure(device, number, call, status, native_code, false);
}

void simulated_fail_from(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
			 int native_code)
{
	set_failure(device, number, call, status, native_code, true);
}

const unsigned char *simulated_bytes(const clpac__block *block)
{
	return block->data;
}

size_t simulated_size(const clpac__block *block)
{
	return block->bytes;
}
