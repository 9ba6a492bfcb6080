/* How much memory is free, on the device and on the host. */
#ifndef CLPAC_OPENCL_MEMORY_OPENCL_FREE_MEMORY_H
#define CLPAC_OPENCL_MEMORY_OPENCL_FREE_MEMORY_H

#include "opencl/memory/discover.h"

clpac_free_memory clpac__opencl_free_memory(clpac__queue *queue);
/* The same of any driver. */
clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device);
/* Whether the host can spare so many bytes; true where it does not tell. */
bool clpac__opencl_host_has(size_t bytes);

#endif
