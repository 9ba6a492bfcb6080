/* A simulated device: queues of the interface over host memory, with as much memory as told and failing when told, so
 * that all code above the interface can be brought into situations which no driver offers on demand.
 *
 *     simulated_device device;
 *     simulated_open(&device, 1 << 20, 1 << 18);
 *     simulated_fail(&device, 3, SIMULATED_ANY, CLPAC_ERROR_DEVICE, -5);      the third call from now on fails
 *     clpac__pool_create(&device.queue, ...);
 *
 * Stages are counted and compute nothing, unless the test supplies a function for them (simulated_computes).  The
 * device needs no closing; live_blocks counts the blocks that were not released.  Counters may be read while no other
 * thread uses the device.
 *
 * Time.  A command is executed at once, unless is_lagging: then it waits until its queue is driven, by a read, a map,
 * finish or close, by a wait for an event of it (the host's, or another queue's that is driven), or by simulated_pass;
 * until then its events have not passed.  So a test decides which of two queues comes first.  An out-of-order queue
 * executes the commands that it may reorder in the reverse order.  A command that touches bytes which another queue has
 * still to read or write, with no event between, is counted as a hazard whatever happens then. */
#ifndef CLPAC_TESTS_SIMULATED_H
#define CLPAC_TESTS_SIMULATED_H

#include <pthread.h>
#include <stdatomic.h>
#include "coupling/stages/compute.h"

enum simulated_call {
	SIMULATED_CREATE,
	SIMULATED_WRITE,
	SIMULATED_READ,
	SIMULATED_FILL,
	SIMULATED_COPY,
	SIMULATED_PREPARE,
	SIMULATED_LAUNCH,
	SIMULATED_FINISH,
	SIMULATED_CREATE_PART,
	SIMULATED_CREATE_ON_HOST,
	SIMULATED_MAP,
	SIMULATED_UNMAP, /* the mapping ends all the same; data written into a copy is lost */
	SIMULATED_OPEN_SIBLING,
	SIMULATED_MARK,
	SIMULATED_WAIT_FOR,
	SIMULATED_WAIT,	 /* the event passes all the same; its work has failed */
	SIMULATED_CALLS, /* number of kinds of calls that can fail */
	SIMULATED_ANY = SIMULATED_CALLS
};

enum { SIMULATED_QUEUES = 16 /* open at once */ };

/* A moment in the orders of all queues: for each queue, the number of its last command that comes before. */
typedef struct simulated_clock {
	uint64_t at[SIMULATED_QUEUES];
} simulated_clock;

typedef struct simulated_device simulated_device;
typedef struct simulated_command simulated_command;

/* One queue of the device, with its private members. */
typedef struct simulated_queue {
	clpac__queue base; /* must be first */
	clpac__compute compute;
	simulated_device *device;
	unsigned slot;
	atomic_int n_inside;
	unsigned n_references;		 /* the queue itself and its events */
	simulated_command *first, *last; /* commands not yet executed */
	simulated_clock after;		 /* every further command comes after all of this */
} simulated_queue;

/* The function that a stage computes: memory[i] is the beginning of argument i, for buffers. */
typedef void simulated_stage_function(void *user, const clpac__launch *launch, unsigned char *const *memory);

struct simulated_device {
	union {
		clpac__queue queue; /* handed to the code under test; its facts may be changed before */
		simulated_queue own;
	};

	/* Settings; zero means none. */
	uint64_t memory_bytes;	    /* allocations beyond it fail; queue.device may be made to say something else */
	uint64_t host_memory_bytes; /* the same for blocks on the host */
	uint64_t largest_bytes;	    /* a larger block fails */
	bool is_host_reachable;	    /* host_pointer returns an address */
	bool has_one_order_only;    /* siblings are in order whatever is asked for */
	bool is_lagging;
	clpac_knowledge free_knowledge;		/* what free_memory says of memory_bytes less live_bytes */
	unsigned yields;			/* how often each call lets other threads run */
	void (*attach)(simulated_queue *queue); /* of simulated_computes */
	simulated_stage_function *stage;
	void *stage_user;

	/* Counters. */
	unsigned long n_calls; /* calls that can fail */
	unsigned long n_calls_of[SIMULATED_CALLS];
	unsigned long n_releases; /* releases of blocks on the device; those of parts and of host blocks are apart */
	unsigned long n_part_releases, n_host_releases;
	unsigned long live_blocks;
	uint64_t live_bytes, peak_bytes;
	unsigned long live_parts;
	unsigned long live_host_blocks;
	uint64_t live_host_bytes;
	unsigned long live_mappings, n_map_copies; /* mappings that were copies */
	unsigned long live_siblings, live_events;
	unsigned long n_free_questions;
	unsigned long hazards;
	atomic_ulong overlaps;	/* calls that came while another was in the same queue, which the pool must prevent */
	unsigned long breaches; /* ranges outside a block, blocks of another device, a launch of no stage, parts that
				   may not be or outlive their whole, use of a mapped block, ... */

	/* The call that is to fail; set by simulated_fail. */
	unsigned long failing_number, n_seen;
	enum simulated_call failing_call;
	bool failing_sticky;
	clpac_status failing_status;
	int failing_code;

	pthread_mutex_t lock; /* guards all above but the settings, and the contents of blocks */
	simulated_queue *queues[SIMULATED_QUEUES];
	uint64_t n_put[SIMULATED_QUEUES], n_done[SIMULATED_QUEUES];
};

/* Opens a device with so much memory and so large a block at most (0: no limit), parts at multiples of 64 bytes, and
 * memory of its own.  New blocks are filled with 0xA5. */
void simulated_open(simulated_device *device, uint64_t memory_bytes, uint64_t largest_bytes);

/* Lets the queues of an open device take stages; in a file of its own, so that tests of memory need no stages. */
void simulated_computes(simulated_device *device);
/* What it does with one: blocks[i] is that of argument i, NULL where it is no buffer; blocks NULL: no such stage. */
clpac_status simulated_launch(clpac__queue *queue, const clpac__launch *launch, clpac__block *const *blocks, size_t n,
			      clpac_error *err);
clpac_status simulated_prepare(clpac__queue *queue, clpac_error *err);

/* Makes one later call fail with a status and a driver's code: number 1, 2, ... from now on (0: none) among those of
 * one kind or SIMULATED_ANY. */
void simulated_fail(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
		    int native_code);
/* The same for that call and all after it. */
void simulated_fail_from(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
			 int native_code);

/* Executes all commands of a lagging device, so that their events pass.  Not a call of the interface. */
void simulated_pass(clpac__queue *queue);

/* The block's bytes as they are now, for comparing. */
const unsigned char *simulated_bytes(const clpac__block *block);
size_t simulated_size(const clpac__block *block);

#endif
