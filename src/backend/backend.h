/* The seam of memory and order: what a backend offers of each device.
 *
 * A backend is a kind of device (static, one per folder: native, opencl).  It lists its devices and opens queues.  A
 * queue is one device opened: memory and order.  Work put into a queue happens in the order it was put; a read waits
 * for all that was put before it.  Nothing above this header knows OpenCL: the pool sees all devices alike.  The other
 * seam, stages/compute.h, has the kernels.
 *
 * A queue is used by any number of threads: what each of them puts happens in the order in which it put it, and what
 * two of them put, in some order; finish and a read then wait for the work of others too.  Only close is called when
 * nobody else is in it, and a block is guarded by those who use it.  No operation calls the application but for its
 * log, and that holding no lock.
 */
#ifndef CLPAC_BACKEND_BACKEND_H
#define CLPAC_BACKEND_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/memory/device.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/options.h>
#include "base/error.h"

/* A piece of a device's memory, as its backend knows it.  Only the backend looks inside. */
typedef struct clpac__block clpac__block;

/* A moment in a queue's order: passed when everything put before it is done.  Counted references begin at 1. */
typedef struct clpac_event clpac_event;

typedef struct clpac_queue clpac__queue;

/* What a library above keeps with a queue: libclpac, its kernels (stages/compute.h).  Closed before the queue is. */
typedef struct clpac__attachment {
	void (*close)(struct clpac__attachment *attachment);
} clpac__attachment;

typedef struct clpac__queue_operations {
	void (*close)(clpac__queue *queue); /* waits for what was put; every block must have been released */

	/* Memory.  create leaves the content undefined and makes the block resident, so that a lazy driver's failure
	 * shows here (CLPAC_ERROR_NO_DEVICE_MEMORY for out of memory, CLPAC_ERROR_ARGUMENT for larger than the device's
	 * largest block). */
	clpac_status (*create)(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
	void (*release)(clpac__queue *queue, clpac__block *block);

	/* Transfers; write returns when source may be reused, read when the data is there.  On an out-of-order queue
	 * both (and a mapping) still come after all that was put before, and what is put later comes after them; fills,
	 * copies and launches are ordered by events alone. */
	clpac_status (*write)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, const void *source,
			      clpac_error *err);
	clpac_status (*read)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
			     clpac_error *err);
	/* A write that is put and not waited for: source must stay as it is until the queue is past it. */
	clpac_status (*write_later)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				    const void *source, clpac_error *err);
	clpac_status (*fill)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
			     clpac_error *err);
	clpac_status (*copy)(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
			     size_t target_offset, size_t bytes, clpac_error *err);

	/* The block's memory when the host can reach it in place (native), else NULL. */
	void *(*host_pointer)(clpac__queue *queue, clpac__block *block);

	/* A block that is a range of another one on the device, which is no part itself: offset a multiple of
	 * queue->part_alignment, and the whole outlives the part.  Released like any block; takes no memory of its own.
	 */
	clpac_status (*create_part)(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				    clpac__block **out, clpac_error *err);

	/* A block in the host's memory that stages take like any other; page-aligned, so that a device that shares the
	 * host's memory uses it without a copy.  CLPAC_ERROR_NO_MEMORY when the host has none. */
	clpac_status (*create_on_host)(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);

	/* Gives the host a pointer to a range of any block until unmap, after all work put before; what it writes there
	 * is seen by what is put after unmap.  will_write and will_read say what for: one of them at least, and of the
	 * bytes, one at least; only written, they are undefined at first.  *is_in_place (nullable) tells whether the
	 * memory itself was handed out rather than a copy.  A block has one mapping at a time. */
	clpac_status (*map)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			    bool will_write, void **out, bool *is_in_place, clpac_error *err);
	clpac_status (*unmap)(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);

	/* Another queue on the same device and memory: blocks of either are good for both.  Closed like any queue,
	 * before the one it was opened from. */
	clpac_status (*open_sibling)(clpac__queue *queue, bool is_in_order, clpac__queue **out, clpac_error *err);

	/* Events.  mark: passed when all that was put so far is done, on an out-of-order queue too.  wait_for: what is
	 * put from now on begins after the event, which may be of a sibling.  has_passed never waits, wait does; both
	 * also end for an event whose work failed (wait says so).  None of the four uses the queue's order otherwise,
	 * and has_passed, wait, retain and forget may be called from any thread. */
	clpac_status (*mark)(clpac__queue *queue, clpac_event **out, clpac_error *err);
	clpac_status (*wait_for)(clpac__queue *queue, clpac_event *event, clpac_error *err);
	bool (*has_passed)(clpac__queue *queue, clpac_event *event);
	clpac_status (*wait)(clpac__queue *queue, clpac_event *event, clpac_error *err);
	void (*retain)(clpac__queue *queue, clpac_event *event);
	void (*forget)(clpac__queue *queue, clpac_event *event);

	/* Bytes of the device's memory that are free now, and how that is known. */
	clpac_free_memory (*free_memory)(clpac__queue *queue);

	clpac_status (*finish)(clpac__queue *queue, clpac_error *err);
} clpac__queue_operations;

/* Every backend's queue begins with this. */
struct clpac_queue {
	const clpac__queue_operations *operations;
	clpac_device device;			 /* the facts of the opened device */
	unsigned n_threads;			 /* native: threads that run the items; 1 elsewhere */
	bool is_in_order;			 /* what was put happens in the order it was put */
	bool has_unified_memory;		 /* a host block is used in place, not by way of a copy */
	bool has_no_parts;			 /* parts of blocks are not to be used here (a driver's quirk) */
	size_t part_alignment;			 /* of the offset of a part, in bytes; 1 or more */
	_Atomic(clpac__attachment *) attachment; /* NULL: none yet */

	/* Options that the device was opened with, for the attachment. */
	char instruction_set[32], cache[512];
	unsigned vector_width;
};

/* Closes the attachment, where there is one; a backend's close begins with it. */
void clpac__queue_detach(clpac__queue *queue);
/* Keeps an opened queue's options for the attachment.  options NULL: the defaults. */
void clpac__queue_set_options(clpac__queue *queue, const clpac_options *options);

/* What discovery is handed: each backend appends its platforms and devices (device/list.h implements it). */
typedef struct clpac__discovery clpac__discovery;
clpac_status clpac__discovery_add_platform(clpac__discovery *found, const clpac_platform *platform, clpac_error *err);
clpac_status clpac__discovery_add_device(clpac__discovery *found, const clpac_device *device, clpac_error *err);

typedef struct clpac__backend {
	const char *name;
	/* Appends what is there.  A broken platform is appended with its trouble in words; only lack of host memory
	 * fails. */
	clpac_status (*discover)(clpac__discovery *found, clpac_error *err);
	clpac_status (*open)(const clpac_device *device, const clpac_options *options, clpac__queue **out,
			     clpac_error *err);
} clpac__backend;

/* The backends of this build, ended by NULL; native always, opencl where it was configured (registry.c). */
extern const clpac__backend *const clpac__backends[];

#endif
