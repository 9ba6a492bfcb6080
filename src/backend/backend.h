/* The seam between what is computed and where.
 *
 * A backend is a kind of place to compute (static, one per folder: native, opencl).  It lists its devices and opens
 * queues. A queue is one device opened: memory and order.  What was put into a queue happens in the order it was put; a
 * read waits for all that was put before it.  Nothing above this header knows OpenCL, and the pool and the plan see all
 * devices alike.
 *
 * A queue is used by one thread at a time.  Two queues are independent.
 */
#ifndef CLPAC_BACKEND_BACKEND_H
#define CLPAC_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <clpac/device.h>
#include <clpac/options.h>
#include "base/error.h"

/* A piece of a device's memory, as its backend knows it.  Only the backend looks inside. */
typedef struct clpac__block clpac__block;

enum clpac__stage {
#define STAGE(name, arguments) CLPAC__STAGE_##name,
#include "backend/stages.def"
#undef STAGE
	CLPAC__STAGE_COUNT
};

/* Name and argument kinds of each stage, indexed by enum clpac__stage. */
typedef struct clpac__stage_facts {
	const char *name;
	const char *arguments;
} clpac__stage_facts;
extern const clpac__stage_facts clpac__stages[CLPAC__STAGE_COUNT];

typedef union clpac__argument {
	clpac__block *block;
	uint32_t number;
	float real;
} clpac__argument;

enum { CLPAC__MAX_ARGUMENTS = 24 };

/* One stage over items[0] x items[1] x items[2] work-items; items[0] varies fastest. */
typedef struct clpac__launch {
	enum clpac__stage stage;
	unsigned n_bins; /* phase bins where the stage depends on them (kernels are specialised), else 0 */
	size_t items[3];
	clpac__argument arguments[CLPAC__MAX_ARGUMENTS];
} clpac__launch;

typedef struct clpac__queue clpac__queue;

typedef struct clpac__queue_operations {
	void (*close)(clpac__queue *queue); /* waits for what was put; every block must have been released */

	/* Memory.  create leaves the content undefined and makes the block resident, so that a lazy driver's failure
	 * shows here (CLPAC_ERROR_NO_DEVICE_MEMORY for out of memory, CLPAC_ERROR_ARGUMENT for larger than the device's
	 * largest block). */
	clpac_status (*create)(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
	void (*release)(clpac__queue *queue, clpac__block *block);

	/* Transfers; write returns when source may be reused, read when the data is there. */
	clpac_status (*write)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, const void *source,
			      clpac_error *err);
	clpac_status (*read)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
			     clpac_error *err);
	clpac_status (*fill)(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
			     clpac_error *err);
	clpac_status (*copy)(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
			     size_t target_offset, size_t bytes, clpac_error *err);

	/* The block's memory when the host can reach it in place (native), else NULL. */
	void *(*host_pointer)(clpac__queue *queue, clpac__block *block);

	/* Makes every kernel ready, those that depend on n_bins specialised for it (0: only the others). */
	clpac_status (*prepare)(clpac__queue *queue, unsigned n_bins, clpac_error *err);

	clpac_status (*launch)(clpac__queue *queue, const clpac__launch *launch, clpac_error *err);
	clpac_status (*finish)(clpac__queue *queue, clpac_error *err);
} clpac__queue_operations;

/* Every backend's queue begins with this. */
struct clpac__queue {
	const clpac__queue_operations *operations;
	clpac_device device;	  /* the facts of the opened device */
	unsigned vector_width;	  /* amplitude bands per vector in the kernels: 1, 4, 8 or 16 */
	unsigned n_threads;	  /* native: threads that run the items; 1 elsewhere */
	char instruction_set[32]; /* native: "baseline", "avx2", "avx512"; elsewhere "" */
};

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
