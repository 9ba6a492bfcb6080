/* A simulated device over host memory: its memory and its calls; simulated_order.c holds the order.  It allocates past
 * the library's hook, so that only the library's host allocations can be made to fail. */
#include "simulated_order.h"
#include "base/system.h"
#include "assertions.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const call_names[] = {
	[SIMULATED_CREATE] = "create",
	[SIMULATED_WRITE] = "write",
	[SIMULATED_READ] = "read",
	[SIMULATED_FILL] = "fill",
	[SIMULATED_COPY] = "copy",
	[SIMULATED_PREPARE] = "prepare",
	[SIMULATED_LAUNCH] = "launch",
	[SIMULATED_FINISH] = "finish",
	[SIMULATED_CREATE_PART] = "create_part",
	[SIMULATED_CREATE_ON_HOST] = "create_on_host",
	[SIMULATED_MAP] = "map",
	[SIMULATED_UNMAP] = "unmap",
	[SIMULATED_OPEN_SIBLING] = "open_sibling",
	[SIMULATED_MARK] = "mark",
	[SIMULATED_WAIT_FOR] = "wait_for",
	[SIMULATED_WAIT] = "wait",
};
_Static_assert(COUNT(call_names) == SIMULATED_CALLS, "one name per call");

enum { FRESH = 0xA5, UNREAD = 0xC3 /* first content of a mapping for writing only */ };

static simulated_queue *of(clpac__queue *queue)
{
	return (simulated_queue *)(void *)queue;
}

/* Every call of a queue runs between enter and leave, and holds the device's lock there. */
static simulated_device *enter(clpac__queue *queue)
{
	simulated_device *device = of(queue)->device;
	if (atomic_fetch_add(&of(queue)->n_inside, 1) != 0)
		atomic_fetch_add(&device->overlaps, 1);
	for (unsigned i = 0; i < device->yields; i++)
		sched_yield();
	pthread_mutex_lock(&device->lock);
	return device;
}

static void leave(clpac__queue *queue)
{
	simulated_device *device = of(queue)->device;
	pthread_mutex_unlock(&device->lock);
	atomic_fetch_sub(&of(queue)->n_inside, 1);
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
	return clpac__fail_native(err, device->failing_status, device->failing_code, "simulated %s fails with code %d",
				  call_names[call], device->failing_code);
}

static clpac_status breach(simulated_device *device, clpac_error *err)
{
	device->breaches++;
	return clpac__fail(err, CLPAC_ERROR_INTERNAL, "simulated device: the contract of the interface was broken");
}

static clpac_status no_memory(size_t bytes, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "simulated device: the host has no memory left for %zu bytes",
			   bytes);
}

static bool has(const simulated_device *device, const clpac__block *block, size_t offset, size_t bytes)
{
	return block && block->device == device && !block->is_mapped && offset <= block->bytes &&
	       bytes <= block->bytes - offset;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static clpac__block *make_whole(simulated_device *device, enum simulated_place place, size_t bytes)
{
	clpac__block *block = calloc(1, sizeof *block);
	unsigned char *data = block ? clpac__aligned_alloc(4096, (bytes + 4095) / 4096 * 4096) : NULL;
	if (!data) {
		free(block);
		return NULL;
	}
	memset(data, FRESH, bytes);
	*block = (clpac__block){.device = device, .place = place, .bytes = bytes, .whole = block, .data = data};
	return block;
}

static clpac_status create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_CREATE, err));
	if (!bytes)
		TRY(breach(device, err));
	if (device->largest_bytes && bytes > device->largest_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "simulated block of %zu bytes: the largest has %llu", bytes,
		     (unsigned long long)device->largest_bytes);
	/* A test may have lowered the memory below what is allocated. */
	uint64_t room = device->memory_bytes > device->live_bytes ? device->memory_bytes - device->live_bytes : 0;
	if (device->memory_bytes && bytes > room)
		FAIL(CLPAC_ERROR_NO_DEVICE_MEMORY, "simulated block of %zu bytes: %llu of %llu are taken", bytes,
		     (unsigned long long)device->live_bytes, (unsigned long long)device->memory_bytes);
	clpac__block *block = make_whole(device, SIMULATED_ON_DEVICE, bytes);
	if (!block)
		TRY(no_memory(bytes, err));
	device->live_blocks++;
	device->live_bytes += bytes;
	if (device->peak_bytes < device->live_bytes)
		device->peak_bytes = device->live_bytes;
	*out = block;
done:
	leave(queue);
	return st;
}

static clpac_status create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_CREATE_ON_HOST, err));
	if (!bytes)
		TRY(breach(device, err));
	uint64_t taken = device->live_host_bytes;
	if (device->host_memory_bytes &&
	    (taken > device->host_memory_bytes || bytes > device->host_memory_bytes - taken))
		TRY(no_memory(bytes, err));
	clpac__block *block = make_whole(device, SIMULATED_ON_HOST, bytes);
	if (!block)
		TRY(no_memory(bytes, err));
	device->live_host_blocks++;
	device->live_host_bytes += bytes;
	*out = block;
done:
	leave(queue);
	return st;
}

static clpac_status create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_CREATE_PART, err));
	if (!bytes || queue->has_no_parts || offset % queue->part_alignment || !has(device, whole, offset, bytes) ||
	    whole->place != SIMULATED_ON_DEVICE)
		TRY(breach(device, err));
	clpac__block *part = calloc(1, sizeof *part);
	if (!part)
		TRY(no_memory(sizeof *part, err));
	*part = (clpac__block){
		.device = device, .place = SIMULATED_PART, .bytes = bytes, .whole = whole, .offset = offset};
	whole->n_parts++;
	device->live_parts++;
	*out = part;
done:
	leave(queue);
	return st;
}

static void release(clpac__queue *queue, clpac__block *block)
{
	simulated_device *device = enter(queue);
	if (!has(device, block, 0, 0) || block->n_parts) {
		device->breaches++;
	} else if (block->place == SIMULATED_PART) {
		device->n_part_releases++;
		device->live_parts--;
		block->whole->n_parts--;
		free(block);
	} else {
		bool is_on_host = block->place == SIMULATED_ON_HOST;
		*(is_on_host ? &device->n_host_releases : &device->n_releases) += 1;
		*(is_on_host ? &device->live_host_blocks : &device->live_blocks) -= 1;
		*(is_on_host ? &device->live_host_bytes : &device->live_bytes) -= block->bytes;
		block->device = NULL;
		simulated_block_free(block);
	}
	leave(queue);
}

static unsigned char *data_of(const clpac__block *block)
{
	return block->whole->data + block->offset;
}

static clpac_status map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			bool will_write, void **out, bool *is_in_place, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char *copy = NULL;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_MAP, err));
	if (!has(device, block, offset, bytes) || !bytes || (!will_read && !will_write))
		TRY(breach(device, err));
	bool needs_copy = !queue->has_unified_memory && block->whole->place == SIMULATED_ON_DEVICE;
	if (needs_copy) {
		copy = malloc(bytes);
		if (!copy)
			TRY(no_memory(bytes, err));
	}
	simulated_run_all(of(queue));
	simulated_use use = simulated_use_of(block, offset, bytes, will_write);
	simulated_watch(of(queue), &use);
	unsigned char *place = copy ? copy : data_of(block) + offset;
	if (!will_read)
		memset(place, UNREAD, bytes);
	else if (copy)
		memcpy(copy, data_of(block) + offset, bytes);
	block->is_mapped = true;
	block->mapping_writes = will_write;
	block->mapped_offset = offset;
	block->mapped_bytes = bytes;
	block->mapped_copy = copy;
	device->live_mappings++;
	device->n_map_copies += needs_copy;
	*out = place;
	if (is_in_place)
		*is_in_place = !needs_copy;
done:
	leave(queue);
	return st;
}

static clpac_status unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	const clpac_status outcome = begin(device, SIMULATED_UNMAP, err);
	if (!block || block->device != device || !block->is_mapped)
		TRY(breach(device, err));
	unsigned char *place = data_of(block) + block->mapped_offset;
	if (pointer != (block->mapped_copy ? block->mapped_copy : place))
		TRY(breach(device, err));
	st = outcome;
	if (st == CLPAC_OK && block->mapped_copy && block->mapping_writes)
		memcpy(place, block->mapped_copy, block->mapped_bytes);
	free(block->mapped_copy);
	block->mapped_copy = NULL;
	block->is_mapped = false;
	device->live_mappings--;
done:
	leave(queue);
	return st;
}

static void *host_pointer(clpac__queue *queue, clpac__block *block)
{
	return of(queue)->device->is_host_reachable ? data_of(block) : NULL;
}

static void *handle(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	return data_of(block);
}

static uint64_t host_free_bytes(clpac__queue *queue)
{
	simulated_device *device = enter(queue);
	const uint64_t all = device->host_memory_bytes, taken = device->live_host_bytes;
	leave(queue);
	return all > taken ? all - taken : 0;
}

static clpac_free_memory free_memory(clpac__queue *queue)
{
	simulated_device *device = enter(queue);
	clpac_free_memory answer = {.knowledge = device->free_knowledge};
	device->n_free_questions++;
	if (answer.knowledge != CLPAC_UNKNOWN && device->memory_bytes > device->live_bytes)
		answer.bytes = device->memory_bytes - device->live_bytes;
	leave(queue);
	return answer;
}

/* ---- Work ------------------------------------------------------------------------------------ */

static clpac_status put(clpac__queue *queue, simulated_command *command, clpac_error *err)
{
	return simulated_put(of(queue), command) ? CLPAC_OK : no_memory(sizeof *command, err);
}

static clpac_status write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, const void *source,
			  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_WRITE, err));
	if (!has(device, block, offset, bytes))
		TRY(breach(device, err));
	simulated_command command = {.kind = DO_WRITE, .is_fence = true, .bytes = (unsigned char *)(uintptr_t)source};
	command.uses[command.n_uses++] = simulated_use_of(block, offset, bytes, true);
	TRY(put(queue, &command, err));
done:
	leave(queue);
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
	simulated_run_all(of(queue));
	simulated_use use = simulated_use_of(block, offset, bytes, false);
	simulated_watch(of(queue), &use);
	memcpy(target, data_of(block) + offset, bytes);
done:
	leave(queue);
	return st;
}

static clpac_status read_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_READ, err));
	if (!has(device, block, offset, bytes))
		TRY(breach(device, err));
	simulated_command command = {.kind = DO_READ, .is_fence = true, .target = target};
	command.uses[command.n_uses++] = simulated_use_of(block, offset, bytes, false);
	TRY(put(queue, &command, err));
done:
	leave(queue);
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
	simulated_command command = {.kind = DO_FILL, .value = value};
	command.uses[command.n_uses++] = simulated_use_of(block, offset, bytes, true);
	TRY(put(queue, &command, err));
done:
	leave(queue);
	return st;
}

static clpac_status copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
			 size_t target_offset, size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_COPY, err));
	if (!has(device, source, source_offset, bytes) || !has(device, target, target_offset, bytes))
		TRY(breach(device, err));
	simulated_use from = simulated_use_of(source, source_offset, bytes, false);
	simulated_use to = simulated_use_of(target, target_offset, bytes, true);
	size_t apart = from.offset < to.offset ? to.offset - from.offset : from.offset - to.offset;
	if (from.block == to.block && apart < bytes)
		TRY(breach(device, err));
	simulated_command command = {.kind = DO_COPY, .n_uses = 2, .uses = {from, to}};
	TRY(put(queue, &command, err));
done:
	leave(queue);
	return st;
}

clpac_status simulated_prepare(clpac__queue *queue, clpac_error *err)
{
	clpac_status st = begin(enter(queue), SIMULATED_PREPARE, err);
	leave(queue);
	return st;
}

/* Nothing says which buffers a stage writes: any of them is taken as written. */
clpac_status simulated_launch(clpac__queue *queue, const clpac__launch *launch, clpac__block *const *blocks, size_t n,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_LAUNCH, err));
	if (!blocks)
		TRY(breach(device, err));
	simulated_command command = {.kind = DO_LAUNCH, .launch = *launch};
	for (size_t i = 0; i < n; i++) {
		if (!blocks[i])
			continue;
		if (!has(device, blocks[i], 0, 0))
			TRY(breach(device, err));
		command.memory[i] = data_of(blocks[i]);
		command.uses[command.n_uses++] = simulated_use_of(blocks[i], 0, blocks[i]->bytes, true);
	}
	TRY(put(queue, &command, err));
done:
	leave(queue);
	return st;
}

static clpac_status send(clpac__queue *queue, clpac_error *err)
{
	(void)queue, (void)err;
	return CLPAC_OK;
}

static clpac_status finish(clpac__queue *queue, clpac_error *err)
{
	simulated_device *device = enter(queue);
	clpac_status st = begin(device, SIMULATED_FINISH, err);
	if (st == CLPAC_OK)
		simulated_run_all(of(queue));
	leave(queue);
	return st;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static clpac_status mark(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_event *event = NULL;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_MARK, err));
	event = malloc(sizeof *event);
	if (!event)
		TRY(no_memory(sizeof *event, err));
	simulated_command command = {.kind = DO_NOTHING}; /* a command to wait for */
	TRY(put(queue, &command, err));
	unsigned slot = of(queue)->slot;
	*event = (clpac_event){of(queue), 1, device->n_put[slot], of(queue)->after};
	event->after.at[slot] = event->number;
	of(queue)->n_references++;
	device->live_events++;
	*out = event;
	event = NULL;
done:
	free(event);
	leave(queue);
	return st;
}

static clpac_status wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_WAIT_FOR, err));
	if (!event || event->queue->device != device)
		TRY(breach(device, err));
	simulated_command command = {.kind = DO_WAIT, .event = event};
	TRY(put(queue, &command, err));
done:
	leave(queue);
	return st;
}

static bool has_passed(clpac__queue *queue, clpac_event *event)
{
	pthread_mutex_lock(&of(queue)->device->lock);
	bool answer = simulated_event_has_passed(event);
	pthread_mutex_unlock(&of(queue)->device->lock);
	return answer;
}

static clpac_status wait(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	simulated_device *device = of(queue)->device;
	pthread_mutex_lock(&device->lock);
	clpac_status st = begin(device, SIMULATED_WAIT, err);
	simulated_run(event->queue, event->number);
	pthread_mutex_unlock(&device->lock);
	return st;
}

static clpac_status retain(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	(void)err;
	pthread_mutex_lock(&of(queue)->device->lock);
	event->n_references++;
	pthread_mutex_unlock(&of(queue)->device->lock);
	return CLPAC_OK;
}

static void forget(clpac__queue *queue, clpac_event *event)
{
	simulated_device *device = of(queue)->device;
	pthread_mutex_lock(&device->lock);
	simulated_event_forget(event);
	pthread_mutex_unlock(&device->lock);
}

void simulated_pass(clpac__queue *queue)
{
	pthread_mutex_lock(&of(queue)->device->lock);
	simulated_run_all(of(queue));
	pthread_mutex_unlock(&of(queue)->device->lock);
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static clpac_status open_sibling(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned slot = 0;
	simulated_queue *sibling = NULL;
	simulated_device *device = enter(queue);
	TRY(begin(device, SIMULATED_OPEN_SIBLING, err));
	while (slot < SIMULATED_QUEUES && device->queues[slot])
		slot++;
	if (slot == SIMULATED_QUEUES)
		FAIL(CLPAC_ERROR_DEVICE, "simulated device: %d queues are open", SIMULATED_QUEUES);
	sibling = calloc(1, sizeof *sibling);
	if (!sibling)
		TRY(no_memory(sizeof *sibling, err));
	sibling->base = *queue;
	sibling->base.is_in_order = is_in_order || device->has_one_order_only;
	atomic_store(&sibling->base.attachment, NULL);
	if (device->attach)
		device->attach(sibling);
	sibling->device = device;
	sibling->slot = slot;
	sibling->n_references = 1;
	device->queues[slot] = sibling;
	device->live_siblings++;
	*out = &sibling->base;
done:
	leave(queue);
	return st;
}

static void close(clpac__queue *queue)
{
	simulated_queue *own = of(queue);
	simulated_device *device = own->device;
	pthread_mutex_lock(&device->lock);
	if (own->n_inside)
		atomic_fetch_add(&device->overlaps, 1);
	simulated_run_all(own);
	if (own == &device->own) {
		device->breaches += device->live_siblings != 0;
	} else {
		device->queues[own->slot] = NULL;
		device->live_siblings--;
		simulated_queue_forget(own);
	}
	pthread_mutex_unlock(&device->lock);
}

static const clpac__queue_operations operations = {
	.close = close,
	.create = create,
	.release = release,
	.write = write,
	.read = read,
	.write_later = write,
	.read_later = read_later,
	.fill = fill,
	.copy = copy,
	.host_pointer = host_pointer,
	.handle = handle,
	.create_part = create_part,
	.create_on_host = create_on_host,
	.create_pinned = create_on_host,
	.map = map,
	.unmap = unmap,
	.open_sibling = open_sibling,
	.mark = mark,
	.wait_for = wait_for,
	.has_passed = has_passed,
	.wait = wait,
	.retain = retain,
	.forget = forget,
	.host_free_bytes = host_free_bytes,
	.free_memory = free_memory,
	.send = send,
	.finish = finish,
};

void simulated_open(simulated_device *device, uint64_t memory_bytes, uint64_t largest_bytes)
{
	*device = (simulated_device){.memory_bytes = memory_bytes, .largest_bytes = largest_bytes};
	pthread_mutex_init(&device->lock, NULL);
	device->queue =
		(clpac__queue){.operations = &operations, .n_threads = 1, .is_in_order = true, .part_alignment = 64};
	device->own.device = device;
	device->own.n_references = 1;
	device->queues[0] = &device->own;
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
	return data_of(block);
}

size_t simulated_size(const clpac__block *block)
{
	return block->bytes;
}
