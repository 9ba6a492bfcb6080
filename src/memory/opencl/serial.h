/* Taking turns in drivers that only one thread may enter at a time. */
#ifndef CLPAC_MEMORY_OPENCL_SERIAL_H
#define CLPAC_MEMORY_OPENCL_SERIAL_H

#include "memory/opencl/opencl_queue.h"

/* The operations of a queue, each of which takes a turn. */
extern const clpac__queue_operations clpac__opencl_serial_operations;
/* For other code that calls the driver, such as FFT libraries: enter takes the turn if the driver needs turns; leave
 * ends it and delivers the log. */
void clpac__opencl_enter(const clpac__opencl_queue *queue);
void clpac__opencl_leave(clpac__opencl_queue *queue);

#endif
