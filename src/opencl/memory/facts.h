/* Facts of an OpenCL device, as its driver tells them. */
#ifndef CLPAC_OPENCL_MEMORY_FACTS_H
#define CLPAC_OPENCL_MEMORY_FACTS_H

#include "opencl/memory/discover.h"

/* The facts of one device.  Numbers of platform and device are the caller's to set.  Fails never: what a driver does
 * not tell stays 0 or empty. */
void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* Bytes of the device that are free, where its driver tells (AMD's do); false where it does not. */
bool clpac__opencl_free_bytes(const clpac__opencl_functions *functions, cl_device_id id, const clpac_device *device,
			      uint64_t *bytes);

/* A driver's text made safe: at most size - 1 bytes, always terminated, control characters and outer blanks removed. */
void clpac__opencl_clean_text(const char *raw, size_t length, char *text, size_t size);

/* Why clpac cannot use a device, in words that follow "it ", or NULL when it can. */
const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id);

#endif
