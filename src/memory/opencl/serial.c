/* Operations for drivers that two threads must not enter at once: each takes a turn, for all queues together.  Opening
 * devices is not covered; the application must not do that in two threads at once there.
 */
#include "memory/opencl/opencl.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void clpac__opencl_enter(const clpac__opencl_queue *queue)
{
	if (queue->quirks.is_serialised)
		pthread_mutex_lock(&turn);
}

void clpac__opencl_leave(clpac__opencl_queue *queue)
{
	if (queue->quirks.is_serialised)
		pthread_mutex_unlock(&turn);
	clpac__opencl_tell(queue);
}

static void serial_close(clpac__queue *queue)
{
	if (!queue)
		return;
	clpac__opencl_tell(clpac__opencl_of(queue));
	pthread_mutex_lock(&turn);
	clpac__opencl_operations.close(queue);
	pthread_mutex_unlock(&turn);
}

/* Ends a turn without delivering the log: buffers and events are handled under locks of the pool, where nothing may be
 * delivered.  The next launch delivers these lines. */
static void leave_silently(void)
{
	pthread_mutex_unlock(&turn);
}

#define IN_TURN(type, name, parameters, arguments)                                                                     \
	static type serial_##name parameters                                                                           \
	{                                                                                                              \
		clpac__opencl_enter(clpac__opencl_of(queue));                                                          \
		type answer = clpac__opencl_operations.name arguments;                                                 \
		leave_silently();                                                                                      \
		return answer;                                                                                         \
	}
#define DONE_IN_TURN(name, parameters, arguments)                                                                      \
	static void serial_##name parameters                                                                           \
	{                                                                                                              \
		clpac__opencl_enter(clpac__opencl_of(queue));                                                          \
		clpac__opencl_operations.name arguments;                                                               \
		leave_silently();                                                                                      \
	}

IN_TURN(clpac_status, create, (clpac__queue * queue, size_t bytes, clpac__block **out, clpac_error *err),
	(queue, bytes, out, err))
DONE_IN_TURN(release, (clpac__queue * queue, clpac__block *block), (queue, block))
IN_TURN(clpac_status, write,
	(clpac__queue * queue, clpac__block *block, size_t offset, size_t bytes, const void *source, clpac_error *err),
	(queue, block, offset, bytes, source, err))
IN_TURN(clpac_status, read,
	(clpac__queue * queue, clpac__block *block, size_t offset, size_t bytes, void *target, clpac_error *err),
	(queue, block, offset, bytes, target, err))
IN_TURN(clpac_status, write_later,
	(clpac__queue * queue, clpac__block *block, size_t offset, size_t bytes, const void *source, clpac_error *err),
	(queue, block, offset, bytes, source, err))
IN_TURN(clpac_status, read_later,
	(clpac__queue * queue, clpac__block *block, size_t offset, size_t bytes, void *target, clpac_error *err),
	(queue, block, offset, bytes, target, err))
IN_TURN(clpac_status, fill,
	(clpac__queue * queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value, clpac_error *err),
	(queue, block, offset, bytes, value, err))
IN_TURN(clpac_status, copy,
	(clpac__queue * queue, clpac__block *source, size_t from, clpac__block *target, size_t to, size_t bytes,
	 clpac_error *err),
	(queue, source, from, target, to, bytes, err))
IN_TURN(void *, host_pointer, (clpac__queue * queue, clpac__block *block), (queue, block))
IN_TURN(void *, handle, (clpac__queue * queue, clpac__block *block), (queue, block))
IN_TURN(clpac_status, create_part,
	(clpac__queue * queue, clpac__block *whole, size_t offset, size_t bytes, clpac__block **out, clpac_error *err),
	(queue, whole, offset, bytes, out, err))
IN_TURN(clpac_status, create_pinned, (clpac__queue * queue, size_t bytes, clpac__block **out, clpac_error *err),
	(queue, bytes, out, err))
IN_TURN(clpac_status, create_on_host, (clpac__queue * queue, size_t bytes, clpac__block **out, clpac_error *err),
	(queue, bytes, out, err))
IN_TURN(clpac_status, map,
	(clpac__queue * queue, clpac__block *block, size_t offset, size_t bytes, bool will_read, bool will_write,
	 void **out, bool *is_in_place, clpac_error *err),
	(queue, block, offset, bytes, will_read, will_write, out, is_in_place, err))
IN_TURN(clpac_status, unmap, (clpac__queue * queue, clpac__block *block, void *pointer, clpac_error *err),
	(queue, block, pointer, err))
IN_TURN(clpac_status, open_sibling, (clpac__queue * queue, bool is_in_order, clpac__queue **out, clpac_error *err),
	(queue, is_in_order, out, err))
IN_TURN(clpac_status, mark, (clpac__queue * queue, clpac_event **out, clpac_error *err), (queue, out, err))
IN_TURN(clpac_status, stamp, (clpac__queue * queue, clpac_event **out, clpac_error *err), (queue, out, err))
IN_TURN(clpac_status, send, (clpac__queue * queue, clpac_error *err), (queue, err))
IN_TURN(clpac_status, wait_for, (clpac__queue * queue, clpac_event *event, clpac_error *err), (queue, event, err))
IN_TURN(bool, has_passed, (clpac__queue * queue, clpac_event *event), (queue, event))
IN_TURN(bool, passed_at, (clpac__queue * queue, clpac_event *event, uint64_t *nanoseconds), (queue, event, nanoseconds))
IN_TURN(clpac_status, wait, (clpac__queue * queue, clpac_event *event, clpac_error *err), (queue, event, err))
IN_TURN(clpac_status, retain, (clpac__queue * queue, clpac_event *event, clpac_error *err), (queue, event, err))
DONE_IN_TURN(forget, (clpac__queue * queue, clpac_event *event), (queue, event))
IN_TURN(uint64_t, host_free_bytes, (clpac__queue * queue), (queue))
IN_TURN(clpac_free_memory, free_memory, (clpac__queue * queue), (queue))
IN_TURN(clpac_status, finish, (clpac__queue * queue, clpac_error *err), (queue, err))

const clpac__queue_operations clpac__opencl_serial_operations = {
	.close = serial_close,
	.create = serial_create,
	.release = serial_release,
	.write = serial_write,
	.read = serial_read,
	.write_later = serial_write_later,
	.read_later = serial_read_later,
	.fill = serial_fill,
	.copy = serial_copy,
	.host_pointer = serial_host_pointer,
	.handle = serial_handle,
	.create_part = serial_create_part,
	.create_on_host = serial_create_on_host,
	.create_pinned = serial_create_pinned,
	.map = serial_map,
	.unmap = serial_unmap,
	.open_sibling = serial_open_sibling,
	.mark = serial_mark,
	.stamp = serial_stamp,
	.send = serial_send,
	.wait_for = serial_wait_for,
	.has_passed = serial_has_passed,
	.passed_at = serial_passed_at,
	.wait = serial_wait,
	.retain = serial_retain,
	.forget = serial_forget,
	.host_free_bytes = serial_host_free_bytes,
	.free_memory = serial_free_memory,
	.finish = serial_finish,
};
