/* The facts of an OpenCL device, as reported by its driver. */
#ifndef CLPAC_MEMORY_OPENCL_FACTS_H
#define CLPAC_MEMORY_OPENCL_FACTS_H

#include "memory/opencl/discover.h"

/* Reads the facts of one device; the caller sets the numbers of platform and device.  Never fails: unreported facts
 * stay 0 or empty. */
void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* Free bytes of the device, if its driver reports them (AMD's do); otherwise false. */
bool clpac__opencl_free_bytes(const clpac__opencl_functions *functions, cl_device_id id, const clpac_device *device,
			      uint64_t *bytes);

/* Cleans a driver's text: at most size - 1 bytes, always terminated, without control characters and outer blanks. */
void clpac__opencl_clean_text(const char *raw, size_t length, char *text, size_t size);

/* The reason why clpac cannot use a device, in words that follow "it ", or NULL when it can. */
const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id);

#endif
