/* The driver entered in turn. */
#ifndef CLPAC_OPENCL_MEMORY_SERIAL_H
#define CLPAC_OPENCL_MEMORY_SERIAL_H

#include "opencl/memory/opencl_queue.h"

/* The operations of a queue, of which one at a time is in the driver. */
extern const clpac__queue_operations clpac__opencl_serial_operations;
/* For those who come into the driver by another way, a library for transforms: takes that turn where there are turns to
 * be taken; and gives it back, and tells. */
void clpac__opencl_enter(const clpac__opencl_queue *queue);
void clpac__opencl_leave(clpac__opencl_queue *queue);

#endif
