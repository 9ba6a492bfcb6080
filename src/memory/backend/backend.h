/* The interface of memory and order: the operations of a backend on each of its devices.
 *
 * A backend is a kind of device (static, one per folder: native, opencl).  It lists its devices and opens queues.  A
 * queue is one opened device: memory and order.  Work put into a queue executes in the order in which it was put, and a
 * read waits for all earlier work.  Nothing above this header knows OpenCL, so the pool treats all devices alike.  The
 * other interface, coupling/stages/compute.h, has the kernels.
 *
 * Threads: any number of threads may use a queue.  The work of one thread executes in the order in which the thread put
 * it, the work of two threads in some order; finish and read then wait for the work of others too. close is called only
 * when no other thread uses the queue.  The content of a block is the users' to guard.  No operation calls the
 * application except its log, and that without a lock held.
 */
#ifndef CLPAC_MEMORY_BACKEND_BACKEND_H
#define CLPAC_MEMORY_BACKEND_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/memory/device.h>
#include <clpac/memory/pressure.h>
#include <clpac/memory/options.h>
#include "base/error.h"

/* A piece of a device's memory.  Opaque to all but its backend. */
typedef struct clpac__block clpac__block;

/* A moment in a queue's order: passed when everything put before it is done.  Counted references, beginning with 1. */
typedef struct clpac_event clpac_event;

typedef struct clpac_queue clpac__queue;

/* Data that a library above keeps with a queue: libclpac keeps its kernels (coupling/stages/compute.h).  Closed before
 * the queue. */
typedef struct clpac__attachment {
	void (*close)(struct clpac__attachment *attachment);
} clpac__attachment;

typedef struct clpac__queue_operations {
	void (*close)(clpac__queue *queue); /* waits for all work; every block must have been released */

	/* Memory. create leaves the content undefined and makes the block resident, so that the failure of a lazy
	 * driver shows here (CLPAC_ERROR_NO_DEVICE_MEMORY for out of memory, CLPAC_ERROR_ARGUMENT for larger than the
	 * device's largest block). */
	clpac_status (*create)(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
	void (*release)(clpac__queue *queue, clpac__block *block);

	/* Transfers. write returns when source may be reused, read when the data is there.  On an out-of-order queue
	 * these two and mappings still come after all earlier work and before all later work; fills, copies and
	 * launches are ordered by events alone. */
	clpac_status (*write)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, const void *source,
			      clpac_error *err);
	clpac_status (*read)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
			     clpac_error *err);
	/* A write that is not waited for: source must stay unchanged until the queue is past it. */
	clpac_status (*write_later)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				    const void *source, clpac_error *err);
	/* A read that is not waited for: target has the bytes once the queue is past it.  On an out-of-order queue both
	 * come after all earlier work. */
	clpac_status (*read_later)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				   clpac_error *err);
	clpac_status (*fill)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
			     clpac_error *err);
	clpac_status (*copy)(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
			     size_t target_offset, size_t bytes, clpac_error *err);

	/* The block's memory if the host can reach it in place (native), otherwise NULL. */
	void *(*host_pointer)(clpac__queue *queue, clpac__block *block);

	/* The name under which commands of the application know the block: its cl_mem on OpenCL, elsewhere the address
	 * of its first byte. */
	void *(*handle)(clpac__queue *queue, clpac__block *block);

	/* A block that is a range of another block on the device.  The other block must be a whole one; it must outlive
	 * the part; offset is a multiple of queue->part_alignment.  Released like any block; takes no memory of its
	 * own. */
	clpac_status (*create_part)(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				    clpac__block **out, clpac_error *err);

	/* A block in the host's memory that stages use like any other; page-aligned, so that a device that shares the
	 * host's memory uses it without a copy.  CLPAC_ERROR_NO_MEMORY when the host has none. */
	clpac_status (*create_on_host)(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);

	/* A block of the host's memory that the device reaches fastest (pinned, where the driver does that), to be
	 * mapped as a whole and kept so: writes and reads between it and other blocks go through that pointer. */
	clpac_status (*create_pinned)(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);

	/* Gives the host a pointer to a range of any block until unmap, after all earlier work; work put after unmap
	 * sees what the host wrote.  At least one byte, and at least one of will_write and will_read.  With will_write
	 * alone the bytes are undefined at first.  *is_in_place (nullable): the memory itself was mapped rather than a
	 * copy.  A block has one mapping at a time. */
	clpac_status (*map)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			    bool will_write, void **out, bool *is_in_place, clpac_error *err);
	clpac_status (*unmap)(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);

	/* Another queue on the same device and memory: both queues can use each other's blocks.  Closed like any queue,
	 * before the queue it was opened from. */
	clpac_status (*open_sibling)(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err);

	/* Events. mark makes an event that passes when all earlier work is done, on an out-of-order queue too. wait_for
	 * makes later work begin after the event, which may be of a sibling. has_passed never waits; wait does.  Both
	 * also end for an event whose work failed; only wait reports this.  retain takes one more reference, none where
	 * it fails.  None of them otherwise affects the queue's order, and has_passed, wait, retain and forget may be
	 * called from any thread.  mark also sends off what is in the queue, since waiting elsewhere would not; stamp
	 * is a mark that only passed_at asks about, of a queue with a clock. */
	clpac_status (*stamp)(clpac__queue *queue, clpac_event **out, clpac_error *err);
	clpac_status (*mark)(clpac__queue *queue, clpac_event **out, clpac_error *err);
	clpac_status (*wait_for)(clpac__queue *queue, clpac_event *event, clpac_error *err);
	bool (*has_passed)(clpac__queue *queue, clpac_event *event);
	clpac_status (*wait)(clpac__queue *queue, clpac_event *event, clpac_error *err);
	clpac_status (*retain)(clpac__queue *queue, clpac_event *event, clpac_error *err);
	void (*forget)(clpac__queue *queue, clpac_event *event);

	/* The time at which an event passed, by the device's clock, in nanoseconds since any moment; false if the event
	 * has not passed or the driver cannot tell.  Only where queue->has_clock; any thread. */
	bool (*passed_at)(clpac__queue *queue, clpac_event *event, uint64_t *nanoseconds);

	/* Bytes that the host has available now; 0: unknown. */
	uint64_t (*host_free_bytes)(clpac__queue *queue);

	/* The device's free memory now, and how that is known. */
	clpac_free_memory (*free_memory)(clpac__queue *queue);

	/* Sends off what is in the queue: a driver may keep it until somebody waits. */
	clpac_status (*send)(clpac__queue *queue, clpac_error *err);
	clpac_status (*finish)(clpac__queue *queue, clpac_error *err);
} clpac__queue_operations;

/* The first member of every backend's queue. */
struct clpac_queue {
	const clpac__queue_operations *operations;
	clpac_device device;			 /* the facts of the opened device */
	unsigned n_threads;			 /* native: threads that execute work-items; 1 elsewhere */
	bool is_in_order;			 /* work executes in the order in which it was put */
	bool has_unified_memory;		 /* a host block is used in place, without a copy */
	atomic_bool has_clock;			 /* events have times: passed_at */
	bool has_no_parts;			 /* parts of blocks must not be used here (a driver's quirk) */
	size_t part_alignment;			 /* alignment of a part's offset in bytes, 1 or more */
	_Atomic(clpac__attachment *) attachment; /* NULL: none yet */
	atomic_size_t n_holders;		 /* the context and the pools on it; 0: its owner closes it himself */

	/* Options with which the device was opened, for the attachment. */
	char instruction_set[32], cache[512];
	unsigned vector_width;
};

/* Closes the attachment if there is one; first step of a backend's close. */
void clpac__queue_detach(clpac__queue *queue);
/* Takes a reference to a queue whose holders are counted; false, and none, for one whose owner closes it.  The last
 * holder that lets go closes it.  NULL is fine. */
bool clpac__queue_hold(clpac__queue *queue);
void clpac__queue_let_go(clpac__queue *queue);

/* Stores the options of an opened queue for the attachment. options NULL: the defaults. */
void clpac__queue_set_options(clpac__queue *queue, const clpac_options *options);

/* Discovery in progress: each backend appends its platforms and devices (implemented by memory/device/list.h). */
typedef struct clpac__discovery clpac__discovery;
clpac_status clpac__discovery_add_platform(clpac__discovery *found, const clpac_platform *platform, clpac_error *err);
clpac_status clpac__discovery_add_device(clpac__discovery *found, const clpac_device *device, clpac_error *err);

typedef struct clpac__backend {
	const char *name;
	bool has_drivers; /* discovery runs others' code in this process */
	/* Appends the backend's platforms and devices.  A broken platform is appended with its trouble in words; only
	 * lack of host memory fails. */
	clpac_status (*discover)(clpac__discovery *found, clpac_error *err);
	clpac_status (*open)(const clpac_device *device, const clpac_options *options, clpac__queue **out,
			     clpac_error *err);
	/* Loads the library that the drivers are reached by from a path; *is_new: this call did.  NULL: there is none.
	 * Errors: CLPAC_ERROR_ARGUMENT for a file that is none, and where another is in use; CLPAC_ERROR_FORKED. */
	clpac_status (*use_library)(const char *path, bool *is_new, clpac_error *err);
} clpac__backend;

#endif
