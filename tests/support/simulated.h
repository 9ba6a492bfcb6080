/* A device that is not there: a queue of the seam over host memory, with as much memory as told and failing when
 * told, so that all above the seam can be brought into situations which no driver offers on demand.
 *
 *     simulated_device device;
 *     simulated_open(&device, 1 << 20, 1 << 18);
 *     simulated_fail(&device, 3, SIMULATED_ANY, CLPAC_ERROR_DEVICE, -5);      the third call from now on fails
 *     clpac__pool_create(&device.queue, ...);
 *
 * Stages do nothing but are counted.  It has nothing to close; live_blocks tells what was not released.  Counters
 * may be read while no other thread uses the device. */
#ifndef CLPAC_TESTS_SIMULATED_H
#define CLPAC_TESTS_SIMULATED_H

#include <stdatomic.h>
#include "backend/backend.h"

enum simulated_call {
	SIMULATED_CREATE,
	SIMULATED_WRITE,
	SIMULATED_READ,
	SIMULATED_FILL,
	SIMULATED_COPY,
	SIMULATED_PREPARE,
	SIMULATED_LAUNCH,
	SIMULATED_FINISH,
	SIMULATED_CALLS, /* number of calls that can fail */
	SIMULATED_ANY = SIMULATED_CALLS
};

typedef struct simulated_device {
	clpac__queue queue;         /* what is handed to the code under test */

	/* Settings, zero meaning none. */
	uint64_t memory_bytes;      /* creating more fails; what queue.device says of it may be changed apart */
	uint64_t largest_bytes;     /* one block of more fails */
	bool is_host_reachable;     /* host_pointer answers */
	unsigned yields;            /* within a call: lets other threads run so often */

	/* What happened. */
	unsigned long n_calls;      /* that can fail */
	unsigned long n_calls_of[SIMULATED_CALLS];
	unsigned long n_releases;
	unsigned long live_blocks;
	uint64_t live_bytes, peak_bytes;
	atomic_ulong overlaps;      /* calls that came while another was in the queue: a breach of contract */
	unsigned long breaches;     /* ranges outside a block, blocks of another device, a launch of no stage */

	/* Which call is to fail; set by simulated_fail. */
	unsigned long failing_number, n_seen;
	enum simulated_call failing_call;
	bool failing_sticky;
	clpac_status failing_status;
	int failing_code;

	atomic_int n_inside;
} simulated_device;

/* A device with so much memory and so large a block at most (0: no limit).  Blocks begin filled with 0xA5. */
void simulated_open(simulated_device *device, uint64_t memory_bytes, uint64_t largest_bytes);

/* From now on the call with this number (from 1; 0: none), counted among those of one kind or SIMULATED_ANY, fails
 * with a status and a driver's code. */
void simulated_fail(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
		    int native_code);
/* The same for that call and all after it. */
void simulated_fail_from(simulated_device *device, unsigned long number, enum simulated_call call, clpac_status status,
			 int native_code);

/* The block's bytes, for comparing. */
const unsigned char *simulated_bytes(const clpac__block *block);
size_t simulated_size(const clpac__block *block);

#endif
