/* Known faults of drivers. */
#ifndef CLPAC_MEMORY_OPENCL_QUIRKS_H
#define CLPAC_MEMORY_OPENCL_QUIRKS_H

#include <stdbool.h>
#include <clpac/memory/device.h>

typedef struct clpac__opencl_quirks {
	bool has_no_parts;	      /* sub-buffers do not work */
	bool finishes_before_release; /* releasing a buffer that work under way uses is not safe */
	bool has_no_clock;	      /* times of events are not those at which the work before them was done */
	bool copies_wholes;	      /* parts are copied as ranges of their wholes */
	bool is_serialised;	      /* two threads must not be in the driver at once */
	bool finish_forgets_flushed;  /* clFinish waits only for commands that were not flushed before */
	bool keeps_programs; /* what it compiled it keeps on disk, and reading a program compiles all its kernels */
	unsigned most_steps; /* of loops, after which a work-item's are given up without a word; 0: no limit */
} clpac__opencl_quirks;

clpac__opencl_quirks clpac__opencl_quirks_of(const clpac_device *device);

#endif
