/* Free memory, on the device and on the host. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_FREE_MEMORY_H
#define CLPAC_MEMORY_OPENCL_OPENCL_FREE_MEMORY_H

#include "memory/opencl/discover.h"

clpac_free_memory clpac__opencl_free_memory(clpac__queue *queue);
/* Free memory of a device, through any driver functions. */
clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device);
/* True when the host can spare that many bytes, or does not report it. */
bool clpac__opencl_host_has(size_t bytes);

/* The host's available memory; 0: unknown. */
uint64_t clpac__opencl_host_free_bytes(clpac__queue *queue);

#endif
