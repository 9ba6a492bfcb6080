/* Commands of the simulated device's queues and when they run; the inner half of simulated.h. */
#ifndef CLPAC_TESTS_SIMULATED_ORDER_H
#define CLPAC_TESTS_SIMULATED_ORDER_H

#include "simulated.h"
#include "coupling/stages/stages.h"

enum simulated_place { SIMULATED_ON_DEVICE, SIMULATED_PART, SIMULATED_ON_HOST };

struct clpac__block {
	simulated_device *device; /* NULL once released */
	enum simulated_place place;
	size_t bytes;
	clpac__block *whole;   /* the block that a part was cut from; otherwise the block itself */
	size_t offset;	       /* in the whole */
	unsigned long n_parts; /* live parts */
	unsigned long n_uses;  /* commands not yet executed that use the block or its parts */
	unsigned char *data;   /* data of the whole */
	bool is_mapped, mapping_writes;
	size_t mapped_offset, mapped_bytes;
	unsigned char *mapped_copy; /* NULL: in place */
};

struct clpac_event {
	simulated_queue *queue;
	unsigned n_references;
	uint64_t number; /* the event has passed once so many commands of its queue are done */
	simulated_clock after;
};

/* Bytes of a block that a command reads or writes. */
typedef struct simulated_use {
	clpac__block *block;
	size_t offset, bytes;
	bool is_written;
} simulated_use;

enum simulated_kind { DO_FILL, DO_WRITE, DO_READ, DO_COPY, DO_LAUNCH, DO_WAIT, DO_NOTHING };

struct simulated_command {
	simulated_command *next;
	uint64_t number; /* place in its queue */
	enum simulated_kind kind;
	bool is_fence;				  /* in order even on an out-of-order queue */
	simulated_use uses[CLPAC__MAX_ARGUMENTS]; /* in terms of wholes; copy: source, target */
	unsigned n_uses;
	uint8_t value;	       /* fill */
	unsigned char *bytes;  /* write: the source, later a copy of it */
	unsigned char *target; /* read */
	clpac__launch launch;
	unsigned char *memory[CLPAC__MAX_ARGUMENTS];
	clpac_event *event; /* wait */
};

/* All of these expect the device's lock to be held. */

/* A use of a block, translated to its whole. */
simulated_use simulated_use_of(clpac__block *block, size_t offset, size_t bytes, bool is_written);

/* Counts hazards between a use from this queue now and the commands that other queues have still to run. */
void simulated_watch(simulated_queue *queue, const simulated_use *use);

/* Runs the command now, or keeps a copy of it for later where the device lags.  False: no host memory. */
bool simulated_put(simulated_queue *queue, simulated_command *command);

/* Runs the queue's commands up to this number. */
void simulated_run(simulated_queue *queue, uint64_t number);
void simulated_run_all(simulated_queue *queue);

bool simulated_event_has_passed(const clpac_event *event);
void simulated_event_forget(clpac_event *event);
void simulated_queue_forget(simulated_queue *queue);

/* Frees a released block once no command uses it any more. */
void simulated_block_free(clpac__block *whole);

#endif
