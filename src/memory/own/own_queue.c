/* Queues over an application's own memory.
 *
 * A block is a piece of the application's, a part of one, or pages of the host.  What the application's functions do
 * not reach, or do not do, is done here by the host, after all work in the queue.
 */
#include "memory/own/own.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "memory/native/machine.h"

enum { PART_ALIGNMENT = 64 };

typedef struct own_queue {
	clpac__queue base; /* first */
	clpac_own_memory of;
	void *queue;
	bool is_sibling;
} own_queue;

typedef struct own_block {
	void *memory; /* as the application gave it, or pages of the host */
	size_t offset, bytes;
	bool is_part;
	bool is_on_host;   /* an address of the host, made for a block on the host */
	bool is_of_caller; /* the application's functions reach it */
	/* A mapping that is a copy; NULL: none. */
	void *copy;
	size_t copy_offset, copy_bytes;
	bool is_written;
} own_block;

/* An event of the application's with counted references; without events one stands for all, which have passed. */
struct clpac_event {
	void *event;
	atomic_uint n_holders;
};
static clpac_event passed;

static own_queue *own(clpac__queue *queue)
{
	return (own_queue *)queue;
}

static own_block *own_of(clpac__block *block)
{
	return (own_block *)block;
}

/* The host's address of a block; NULL: it has none. */
static unsigned char *address(const own_queue *queue, const own_block *block)
{
	return block->is_on_host || queue->of.is_host ? (unsigned char *)block->memory + block->offset : NULL;
}

/* What the application's function said, with its name. */
static clpac_status said(const own_queue *queue, const char *what, clpac_status st, const clpac_error *own_err,
			 clpac_error *err)
{
	if (st == CLPAC_OK)
		return st;
	return clpac__fail_native(err, st, own_err->native_code, "%s on %s%s%s", what, queue->of.name,
				  *own_err->text ? ": " : " failed", own_err->text);
}

/* Calls a function of the application, whose last argument is an error; RETURN_IF_ERROR with its name. */
#define ASK(queue, function, ...)                                                                                      \
	do {                                                                                                           \
		clpac_error said_ = {0};                                                                               \
		RETURN_IF_ERROR(said(queue, #function, (queue)->of.function((queue)->of.user, __VA_ARGS__, &said_),    \
				     &said_, err));                                                                    \
	} while (0)

static clpac_status finish(clpac__queue *queue, clpac_error *err)
{
	if (own(queue)->of.finish)
		ASK(own(queue), finish, own(queue)->queue);
	return CLPAC_OK;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static clpac_status check_range(const clpac__queue *queue, const char *what, const clpac__block *block, size_t offset,
				size_t bytes, clpac_error *err)
{
	const own_block *of = (const own_block *)block;
	if (!block)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s on %s: the block is NULL", what, queue->device.name);
	if (offset > of->bytes || bytes > of->bytes - offset)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s on %s: bytes %zu + %zu lie outside a block of %zu", what,
			     queue->device.name, offset, bytes, of->bytes);
	return CLPAC_OK;
}

static clpac_status check_bytes(const clpac__queue *queue, size_t bytes, clpac_error *err)
{
	if (!bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a block of 0 bytes on %s: ask for at least one",
			     queue->device.name);
	if (queue->device.max_allocation_bytes && bytes > queue->device.max_allocation_bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a block of %zu bytes on %s: the largest it can hold has %llu",
			     bytes, queue->device.name, (unsigned long long)queue->device.max_allocation_bytes);
	return CLPAC_OK;
}

/* On failure the block is the caller's to free. */
static clpac_status allocate(own_queue *queue, size_t bytes, void **out, clpac_error *err)
{
	*out = NULL;
	ASK(queue, allocate, bytes, out);
	if (!*out)
		RETURN_ERROR(CLPAC_ERROR_DEVICE, "allocate on %s: %zu bytes without an address", queue->of.name, bytes);
	return CLPAC_OK;
}

static clpac_status create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	own_block *block = NULL;
	TRY(check_bytes(queue, bytes, err));
	TRY(NEW(block));
	*block = (own_block){.bytes = bytes, .is_of_caller = true};
	TRY(allocate(own(queue), bytes, &block->memory, err));
	*out = (clpac__block *)block;
	block = NULL;
done:
	clpac__free(block);
	return st;
}

static clpac_status allocate_on_host(own_queue *queue, size_t bytes, void **out, clpac_error *err)
{
	*out = NULL;
	if (queue->of.allocate_on_host)
		ASK(queue, allocate_on_host, bytes, out);
	else
		*out = clpac__alloc_pages(bytes);
	if (!*out)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "a block of %zu bytes for %s: the host has no memory left for it",
			     bytes, queue->of.name);
	return CLPAC_OK;
}

static clpac_status create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	own_block *block = NULL;
	TRY(check_bytes(queue, bytes, err));
	TRY(NEW(block));
	*block = (own_block){
		.bytes = bytes, .is_on_host = true, .is_of_caller = own(queue)->of.allocate_on_host != NULL};
	TRY(allocate_on_host(own(queue), bytes, &block->memory, err));
	*out = (clpac__block *)block;
	block = NULL;
done:
	clpac__free(block);
	return st;
}

static clpac_status create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				clpac__block **out, clpac_error *err)
{
	own_block *part;
	RETURN_IF_ERROR(check_range(queue, "create_part", whole, offset, bytes, err));
	if (!bytes || offset % queue->part_alignment || own_of(whole)->is_part)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "create_part on %s: %zu bytes at %zu: a part has at least one byte, begins at a multiple "
			     "of %zu, and is of a whole block",
			     queue->device.name, bytes, offset, queue->part_alignment);
	RETURN_IF_ERROR(NEW(part));
	*part = *own_of(whole);
	part->offset = offset;
	part->bytes = bytes;
	part->is_part = true;
	part->copy = NULL;
	*out = (clpac__block *)part;
	return CLPAC_OK;
}

static void release(clpac__queue *queue, clpac__block *released)
{
	own_queue *of = own(queue);
	own_block *block = own_of(released);
	if (!block)
		return;
	if (!block->is_part && !block->is_on_host)
		of->of.release(of->of.user, block->memory, block->bytes);
	else if (!block->is_part && block->is_of_caller)
		of->of.release_on_host(of->of.user, block->memory, block->bytes);
	else if (!block->is_part)
		clpac__free_pages(block->memory);
	clpac__free(block);
}

/* --- Transfers -------------------------------------------------------------------------------- */

/* Whether the application's function is to do it; if not, the host does, and so all work is waited for. */
static clpac_status is_theirs(own_queue *queue, bool is_there, const own_block *block, bool *out, clpac_error *err)
{
	*out = is_there && block->is_of_caller;
	return *out ? CLPAC_OK : finish(&queue->base, err);
}

static clpac_status put(clpac__queue *queue, clpac__block *target, size_t offset, size_t bytes, const void *source,
			clpac_error *err)
{
	own_queue *of = own(queue);
	own_block *block = own_of(target);
	bool is_asked;
	RETURN_IF_ERROR(check_range(queue, "write", target, offset, bytes, err));
	if (!bytes)
		return CLPAC_OK;
	if (!source)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "write on %s: the source of %zu bytes is NULL", queue->device.name,
			     bytes);
	RETURN_IF_ERROR(is_theirs(of, of->of.write != NULL, block, &is_asked, err));
	if (is_asked)
		ASK(of, write, of->queue, block->memory, block->offset + offset, bytes, source);
	else
		memcpy(address(of, block) + offset, source, bytes);
	return CLPAC_OK;
}

static clpac_status get(clpac__queue *queue, clpac__block *source, size_t offset, size_t bytes, void *target,
			clpac_error *err)
{
	own_queue *of = own(queue);
	own_block *block = own_of(source);
	bool is_asked;
	RETURN_IF_ERROR(check_range(queue, "read", source, offset, bytes, err));
	if (!bytes)
		return finish(queue, err);
	if (!target)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "read on %s: the target of %zu bytes is NULL", queue->device.name,
			     bytes);
	RETURN_IF_ERROR(is_theirs(of, of->of.read != NULL, block, &is_asked, err));
	if (is_asked)
		ASK(of, read, of->queue, block->memory, block->offset + offset, bytes, target);
	else
		memcpy(target, address(of, block) + offset, bytes);
	return CLPAC_OK;
}

static clpac_status fill(clpac__queue *queue, clpac__block *target, size_t offset, size_t bytes, uint8_t value,
			 clpac_error *err)
{
	own_queue *of = own(queue);
	own_block *block = own_of(target);
	bool is_asked;
	RETURN_IF_ERROR(check_range(queue, "fill", target, offset, bytes, err));
	if (!bytes)
		return CLPAC_OK;
	RETURN_IF_ERROR(is_theirs(of, of->of.fill != NULL, block, &is_asked, err));
	if (is_asked)
		ASK(of, fill, of->queue, block->memory, block->offset + offset, bytes, value);
	else
		memset(address(of, block) + offset, value, bytes);
	return CLPAC_OK;
}

static clpac_status copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
			 size_t target_offset, size_t bytes, clpac_error *err)
{
	own_queue *of = own(queue);
	own_block *from = own_of(source), *to = own_of(target);
	RETURN_IF_ERROR(check_range(queue, "copy from", source, source_offset, bytes, err));
	RETURN_IF_ERROR(check_range(queue, "copy to", target, target_offset, bytes, err));
	if (!bytes)
		return CLPAC_OK;
	const size_t first = from->offset + source_offset, second = to->offset + target_offset;
	if (from->memory == to->memory && (first < second ? second - first : first - second) < bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "copy on %s: bytes %zu + %zu and %zu + %zu of one block overlap",
			     queue->device.name, source_offset, bytes, target_offset, bytes);
	if (of->of.copy && from->is_of_caller && to->is_of_caller) {
		ASK(of, copy, of->queue, from->memory, first, to->memory, second, bytes);
		return CLPAC_OK;
	}
	/* One of them has an address of the host. */
	RETURN_IF_ERROR(finish(queue, err));
	return address(of, from) ? put(queue, target, target_offset, bytes, address(of, from) + source_offset, err)
				 : get(queue, source, source_offset, bytes, address(of, to) + target_offset, err);
}

static void *host_pointer(clpac__queue *queue, clpac__block *block)
{
	return block ? address(own(queue), own_of(block)) : NULL;
}

static void *handle(clpac__queue *queue, clpac__block *block)
{
	(void)queue;
	return block ? (unsigned char *)own_of(block)->memory + own_of(block)->offset : NULL;
}

static clpac_status map(clpac__queue *queue, clpac__block *mapped, size_t offset, size_t bytes, bool will_read,
			bool will_write, void **out, bool *is_in_place, clpac_error *err)
{
	own_block *block = own_of(mapped);
	RETURN_IF_ERROR(check_range(queue, "map", mapped, offset, bytes, err));
	if (!bytes || !(will_read || will_write))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "map on %s: %zu bytes to be %s", queue->device.name, bytes,
			     will_read || will_write ? "used" : "neither read nor written");
	unsigned char *place = address(own(queue), block);
	if (is_in_place)
		*is_in_place = place;
	if (place) {
		RETURN_IF_ERROR(finish(queue, err));
		*out = place + offset;
		return CLPAC_OK;
	}
	void *made = clpac__alloc_pages(bytes);
	if (!made)
		RETURN_NO_MEMORY(bytes);
	const clpac_status st = will_read ? get(queue, mapped, offset, bytes, made, err) : CLPAC_OK;
	if (st != CLPAC_OK) {
		clpac__free_pages(made);
		return st;
	}
	block->copy = *out = made;
	block->copy_offset = offset;
	block->copy_bytes = bytes;
	block->is_written = will_write;
	return CLPAC_OK;
}

static clpac_status unmap(clpac__queue *queue, clpac__block *mapped, void *pointer, clpac_error *err)
{
	own_block *block = own_of(mapped);
	if (!mapped || !pointer)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "unmap on %s: the %s is NULL", queue->device.name,
			     mapped ? "pointer" : "block");
	if (!block->copy)
		return CLPAC_OK;
	void *made = block->copy;
	block->copy = NULL;
	const clpac_status st =
		block->is_written ? put(queue, mapped, block->copy_offset, block->copy_bytes, made, err) : CLPAC_OK;
	clpac__free_pages(made);
	return st;
}

/* --- Events ----------------------------------------------------------------------------------- */

static clpac_status mark(clpac__queue *queue, clpac_event **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_event *event = NULL;
	clpac_error own_err = {0};
	own_queue *of = own(queue);
	*out = &passed;
	if (!of->of.mark)
		return finish(queue, err);
	TRY(NEW(event));
	atomic_init(&event->n_holders, 1);
	TRY(said(of, "mark", of->of.mark(of->of.user, of->queue, &event->event, &own_err), &own_err, err));
	*out = event;
	event = NULL;
done:
	clpac__free(event);
	return st;
}

static clpac_status check_event(const clpac__queue *queue, const char *what, const clpac_event *event, clpac_error *err)
{
	if (!event)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s on %s: the event is NULL", what, queue->device.name);
	return CLPAC_OK;
}

static clpac_status wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	RETURN_IF_ERROR(check_event(queue, "wait_for", event, err));
	if (event != &passed)
		ASK(own(queue), wait_for, own(queue)->queue, event->event);
	return CLPAC_OK;
}

static bool has_passed(clpac__queue *queue, clpac_event *event)
{
	return event == &passed || own(queue)->of.has_passed(own(queue)->of.user, event->event);
}

static clpac_status wait(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	RETURN_IF_ERROR(check_event(queue, "wait", event, err));
	if (event != &passed)
		ASK(own(queue), wait, event->event);
	return CLPAC_OK;
}

static clpac_status retain(clpac__queue *queue, clpac_event *event, clpac_error *err)
{
	(void)queue, (void)err;
	if (event != &passed)
		atomic_fetch_add(&event->n_holders, 1);
	return CLPAC_OK;
}

static void forget(clpac__queue *queue, clpac_event *event)
{
	if (!event || event == &passed || atomic_fetch_sub(&event->n_holders, 1) > 1)
		return;
	own(queue)->of.forget(own(queue)->of.user, event->event);
	clpac__free(event);
}

/* --- Queues ----------------------------------------------------------------------------------- */

void clpac__own_queue_forget(clpac__queue *queue)
{
	clpac__queue_detach(queue);
	clpac__free(queue);
}

static void close_queue(clpac__queue *queue)
{
	if (!queue)
		return;
	const own_queue *of = own(queue);
	const clpac_own_memory functions = of->of;
	finish(queue, NULL);
	if (of->is_sibling && functions.close_queue)
		functions.close_queue(functions.user, of->queue);
	const bool is_last = !of->is_sibling && functions.closed;
	clpac__own_queue_forget(queue);
	if (is_last)
		functions.closed(functions.user);
}

static clpac_status open_sibling(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err)
{
	(void)is_in_order;
	clpac_status st = CLPAC_OK;
	clpac_error own_err = {0};
	own_queue *of = own(queue), *sibling = NULL;
	TRY(NEW(sibling));
	*sibling = *of;
	atomic_init(&sibling->base.attachment, NULL);
	atomic_init(&sibling->base.n_holders, 0);
	sibling->is_sibling = true;
	sibling->of.name = sibling->base.device.name;
	if (of->of.open_queue)
		TRY(said(of, "open_queue", of->of.open_queue(of->of.user, &sibling->queue, &own_err), &own_err, err));
	*out = &sibling->base;
	sibling = NULL;
done:
	clpac__free(sibling);
	return st;
}

static uint64_t host_free_bytes(clpac__queue *queue)
{
	(void)queue;
	return clpac__machine_free_bytes("");
}

static clpac_free_memory free_memory(clpac__queue *queue)
{
	const clpac_own_memory *of = &own(queue)->of;
	const clpac_free_memory unknown = {0};
	return of->free_bytes ? (clpac_free_memory){of->free_bytes(of->user), CLPAC_EXACT} : unknown;
}

static clpac_status send(clpac__queue *queue, clpac_error *err)
{
	(void)queue, (void)err;
	return CLPAC_OK;
}

static const clpac__queue_operations operations = {
	.close = close_queue,
	.create = create,
	.release = release,
	.write = put,
	.read = get,
	.write_later = put,
	.read_later = get,
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
	.stamp = mark,
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

static clpac_status check(const clpac_own_memory *of, clpac_error *err)
{
	const char *missing = NULL;
	if (!of->allocate || !of->release)
		missing = "allocate and release are";
	else if (!of->is_host && !(of->write && of->read && of->fill && of->copy))
		missing = "is_host is not set: write, read, fill and copy are";
	else if ((of->mark || of->wait_for || of->has_passed || of->wait || of->forget) &&
		 !(of->mark && of->wait_for && of->has_passed && of->wait && of->forget))
		missing = "one function of events is there: all five are";
	else if (!of->open_queue != !of->close_queue)
		missing = "open_queue and close_queue are, or neither is,";
	else if (!of->allocate_on_host != !of->release_on_host)
		missing = "allocate_on_host and release_on_host are, or neither is,";
	if (missing)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_own_memory \"%s\": %s needed", of->name ? of->name : "",
			     missing);
	if (of->alignment & (of->alignment - 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_own_memory: alignment is %zu: it must be a power of two",
			     of->alignment);
	return CLPAC_OK;
}

clpac_status clpac__own_queue_open(const clpac_own_memory *memory, clpac__queue **out, clpac_error *err)
{
	clpac_own_memory of;
	own_queue *queue;
	RETURN_IF_ERROR(clpac__take_sized(&of, memory, clpac_own_memory, err));
	RETURN_IF_ERROR(check(&of, err));
	RETURN_IF_ERROR(NEW(queue));
	queue->base.operations = &operations;
	queue->base.device = (clpac_device){
		.kind = CLPAC_DEVICE_OTHER,
		.platform = -1,
		.index = -1,
		.backend = "own",
		.platform_name = "own",
		.memory_bytes = of.memory_bytes,
		.max_allocation_bytes = of.largest_bytes ? of.largest_bytes : of.memory_bytes,
		.has_unified_memory = of.is_host,
		.is_available = true,
	};
	snprintf(queue->base.device.name, sizeof queue->base.device.name, "%s", of.name ? of.name : "own memory");
	clpac__queue_set_options(&queue->base, NULL);
	queue->base.n_threads = 1;
	queue->base.is_in_order = true;
	queue->base.has_unified_memory = of.is_host;
	queue->base.has_no_parts = of.has_no_offsets;
	queue->base.part_alignment = of.alignment ? of.alignment : PART_ALIGNMENT;
	queue->of = of;
	queue->of.name = queue->base.device.name;
	queue->queue = of.queue;
	if (of.free_bytes) {
		queue->base.device.free_bytes = of.free_bytes(of.user);
		queue->base.device.free_knowledge = CLPAC_EXACT;
	}
	*out = &queue->base;
	return CLPAC_OK;
}
