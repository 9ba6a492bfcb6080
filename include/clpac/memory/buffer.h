/** @file memory/buffer.h
 *  Buffers: their release, their use by kernels of the application, transfers, mappings, facts.
 *  Threads: as in clpac/memory/pool.h.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_BUFFER_H
#define CLPAC_MEMORY_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/handles.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Releases a buffer: it becomes a cached block, or its memory is given back if max_kept_per_class blocks are cached
 * already.  NULL is fine.
 *
 * Work already put into its queue, and into queues made known by clpac_buffer_record, may still use it: the next owner
 * of the block is ordered behind that work.  A buffer is released once.  A second release is detected, ignored and
 * counted (clpac_pool_statistics.bad_releases) until the buffer is handed out again, after which it would take the
 * buffer from its new owner, or its memory given back, as by clpac_pool_clear, pressure or the end of the pool, after
 * which the handle is gone, and the program may crash as after a second free().  Releasing a buffer that a store owns
 * is ignored and counted too.  In a checked pool it is always ignored, and counted for the last 4096 released buffers.
 */
void clpac_buffer_release(clpac_buffer *buffer);

/** Releases a buffer that is in use until the given events have passed, in addition to the work of its queues.
 * @param events n events of queues of the pool's device.  The pool takes references of its own; the caller keeps his.
 * Errors: CLPAC_ERROR_ARGUMENT (the buffer or an event was released before, or a store owns the buffer),
 * CLPAC_ERROR_NO_MEMORY; the buffer is then still the caller's.
 */
clpac_status clpac_buffer_release_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err);

/** Declares that a further queue uses the buffer, by work put into it before the release.  At the release an event is
 * put into that queue.  Up to 8 queues beside the buffer's own.
 * Errors: CLPAC_ERROR_ARGUMENT (another device's queue, too many queues).
 */
clpac_status clpac_buffer_record(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err);

/** Begins a use of a buffer by commands of the application, a kernel's for example, and tells where its memory is.
 * Until the end of the use the buffer stays in its place; between uses it may be moved by the ladder, by
 * clpac_pool_defragment and to the device, with its content.
 *
 *      void *memory;                                            a cl_mem on OpenCL
 *      clpac_buffer_use_begin(buffer, queue, &memory, &err);
 *      clSetKernelArg(kernel, 0, sizeof memory, &memory);
 *      clEnqueueNDRangeKernel(commands, kernel, ...);           commands are those of the queue
 *      clpac_buffer_use_end(buffer, queue, &err);
 *
 * Work put into the queue from now on comes after the transfers of the buffer and after the uses that ended before, in
 * whatever queues; a wait is put into the queue where it needs one.  Uses that are open at the same time are not
 * ordered.  Uses nest, and several threads may have some open.  A fallback buffer is moved to the device first if there
 * is room, as at a transfer.
 * @param queue the queue that the commands are put into, one of the pool's; NULL: the pool's own.
 * @param[out] memory the buffer's memory, valid until the end of the use: its cl_mem on OpenCL, on the native device
 * the address of its first byte. Errors: CLPAC_ERROR_ARGUMENT (released, mapped, another pool's queue),
 * CLPAC_ERROR_DEVICE; no use is open then. Cost: nanoseconds for the buffer's own in-order queue, otherwise an event
 * and a wait for it.  A move in progress in another thread is waited for.
 */
clpac_status clpac_buffer_use_begin(clpac_buffer *buffer, clpac_queue *queue, void **memory, clpac_error *err);
/** Ends a use, once its commands were put into a queue.  They may still be running: the buffer moves when they are
 * done, later transfers and uses come after them, and so does the next owner after a release, without
 * clpac_buffer_record.
 *
 * A release while uses are open takes effect with the end of the last one, which the handle then still serves for.  A
 * buffer of a store is held by its entry as long as uses are open.
 * @param queue as for clpac_buffer_use_begin.
 * Errors: CLPAC_ERROR_ARGUMENT (no use is open, another pool's queue or a closed one); nothing ends then.
 * Cost: nanoseconds for the buffer's own queue, otherwise an event.
 */
clpac_status clpac_buffer_use_end(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err);
/** Ends a use whose commands are done when the given events have passed.
 * @param events n events of queues of the pool's device.  The pool takes references of its own; the caller keeps his.
 * Errors: CLPAC_ERROR_ARGUMENT (no use is open, an event is NULL or was released), CLPAC_ERROR_NO_MEMORY; the use is
 * then still open.
 */
clpac_status clpac_buffer_use_end_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err);

/** Releases n buffers and sets them to NULL; NULLs among them are fine. */
void clpac_buffer_release_batch(clpac_buffer **buffers, size_t n);

/* A released buffer is refused with CLPAC_ERROR_ARGUMENT, and gives false, 0, "" or NULL where there is no error:
 * always in a checked pool, otherwise as long as its memory is cached.
 *
 * Transfers keep the order of everything put into the buffer's queue: they come after all earlier work, on an
 * out-of-order queue too.  There, later work is ordered behind a transfer by an event of clpac_queue_mark.  A range
 * outside the bytes requested gives CLPAC_ERROR_ARGUMENT with the numbers; a transfer of 0 bytes does nothing. */

/** Copies bytes from the host; source may be reused on return.
 * @param offset first byte in the buffer.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_DEVICE_MEMORY.
 */
clpac_status clpac_buffer_write(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source,
				clpac_error *err);
/** Copies bytes to the host, after all earlier work of the queue. */
clpac_status clpac_buffer_read(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_error *err);
/** clpac_buffer_write that is not waited for.
 * @param source unchanged until the event has passed.
 * @param[out] out an event that passes when the bytes are in the buffer, for clpac_event_wait, clpac_queue_wait_for and
 *   the like; the caller releases it.  Made for 0 bytes too.  NULL: no event is made, which costs a driver call; source
 * may then be changed when anything later in the buffer's queue has been waited for. Errors: those of
 * clpac_buffer_write, and CLPAC_ERROR_NO_MEMORY; source is then not needed any more, and the bytes are undefined.  A
 * failure of the transfer itself is reported by clpac_event_wait. Cost: that of two driver calls.  On a device with
 * memory of its own, from 256 KiB on, also a copy of the bytes on the host, of at most
 * clpac_pool_options.staging_bytes, and two calls for each of four pieces.
 */
clpac_status clpac_buffer_write_later(clpac_buffer *buffer, size_t offset, size_t bytes, const void *source,
				      clpac_event **out, clpac_error *err);
/** clpac_buffer_read that is not waited for: target has the bytes when the event has passed, and must be there until
 * then.  The device writes there itself, not through pinned memory.  Otherwise as clpac_buffer_write_later.
 */
clpac_status clpac_buffer_read_later(clpac_buffer *buffer, size_t offset, size_t bytes, void *target, clpac_event **out,
				     clpac_error *err);
/** Sets bytes to a value. */
clpac_status clpac_buffer_fill(clpac_buffer *buffer, size_t offset, size_t bytes, uint8_t value, clpac_error *err);
/** Copies bytes.  Ranges of the same buffer must not overlap.  Within a pool, or between the own queues of two pools of
 * a context, the device makes the copy, in the order of the target's queue, and nothing is waited for.  Otherwise, as
 * between two devices, the bytes go through the host in chunks of 4 MiB, one device sending while the other one takes
 * what came before; the call returns when all are there, and counts them in both pools' statistics.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_DEVICE; through the host also CLPAC_ERROR_NO_MEMORY for 8 MiB, and after a
 * failure the target's bytes are undefined.
 */
clpac_status clpac_buffer_copy(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
			       size_t bytes, clpac_error *err);

/** How the host uses a mapping. */
typedef enum clpac_access { CLPAC_READ = 1, CLPAC_WRITE = 2, CLPAC_READ_WRITE = 3 } clpac_access;

/** Gives the host a pointer to bytes of the buffer until clpac_buffer_unmap, after all earlier work of the queue.  If
 * the device shares the host's memory, this is the memory itself.  While it is mapped, no kernel may use the buffer,
 * and the buffer stays in its place.
 * @param access without CLPAC_READ the bytes are undefined at first and all of them must be written.
 * Errors: CLPAC_ERROR_ARGUMENT (a range outside the buffer, already mapped), CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_DEVICE.
 */
clpac_status clpac_buffer_map(clpac_buffer *buffer, size_t offset, size_t bytes, clpac_access access, void **out,
			      clpac_error *err);
/** Ends the mapping; work put into the queue from now on sees what the host wrote. */
clpac_status clpac_buffer_unmap(clpac_buffer *buffer, clpac_error *err);

/** Moves a buffer from the host to the device if a cached block serves it, or bytes of the budget that are not in use,
 * for which cached memory goes back.  A buffer with CLPAC_PLACE_HOST stays on the host.  A buffer in use, or with
 * commands of its uses running in another queue, stays until they are done, and another call may move it then.
 * @param[out] is_on_device where it lives now; NULL is fine.
 * Errors: CLPAC_ERROR_ARGUMENT (mapped), CLPAC_ERROR_DEVICE; the buffer then stays on the host, intact.
 */
clpac_status clpac_buffer_promote(clpac_buffer *buffer, bool *is_on_device, clpac_error *err);
/** Promotes the pool's fallback buffers, the oldest first, until one finds no room.  A pool does this by itself at the
 * first transfer or use once there is room.  Buffers in use stay.
 * @param[out] n number of buffers moved; NULL is fine.
 */
clpac_status clpac_pool_promote(clpac_pool *pool, size_t *n, clpac_error *err);

/** True when the buffer lives on the device, false when on the host. */
bool clpac_buffer_is_on_device(const clpac_buffer *buffer);
/** Bytes requested. */
size_t clpac_buffer_bytes(const clpac_buffer *buffer);
/** Bytes taken on the device. */
size_t clpac_buffer_class(const clpac_buffer *buffer);
/** A number unique among all allocations of the pool, from 1 on. */
uint64_t clpac_buffer_id(const clpac_buffer *buffer);
/** The tag of the request; never NULL. */
const char *clpac_buffer_tag(const clpac_buffer *buffer);
/** The pool of the buffer; NULL after the pool was destroyed, or its context closed, though the buffer keeps it. */
clpac_pool *clpac_buffer_pool(const clpac_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
