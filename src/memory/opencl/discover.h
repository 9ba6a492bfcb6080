/* Discovery of OpenCL devices. */
#ifndef CLPAC_MEMORY_OPENCL_DISCOVER_H
#define CLPAC_MEMORY_OPENCL_DISCOVER_H

#include "memory/opencl/cl.h"
#include "memory/backend/backend.h"

/* The driver calls made by discovery, replaceable in tests of drivers that are not there. */
typedef struct clpac__opencl_functions {
	/* Gets the other four ready; false, with the reason in `why`, when there is no OpenCL.  NULL: they are. */
	bool (*load)(char *why, size_t size);
	cl_int(CL_API_CALL *platform_ids)(cl_uint room, cl_platform_id *ids, cl_uint *n);
	cl_int(CL_API_CALL *platform_info)(cl_platform_id platform, cl_platform_info what, size_t room, void *value,
					   size_t *size);
	cl_int(CL_API_CALL *device_ids)(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
					cl_uint *n);
	cl_int(CL_API_CALL *device_info)(cl_device_id device, cl_device_info what, size_t room, void *value,
					 size_t *size);
} clpac__opencl_functions;

extern const clpac__opencl_functions clpac__opencl_loader; /* the ICD loader's */

clpac_status clpac__opencl_discover(const clpac__opencl_functions *functions, clpac__discovery *found,
				    clpac_error *err);

/* Adds a platform for each vendor's file whose library cannot be loaded: OpenCL's loader passes over it without a word.
 * Called after clpac__opencl_discover; nothing where drivers were left out or there is no loader. */
clpac_status clpac__opencl_add_missing_libraries(clpac__discovery *found, clpac_error *err);

/* The i-th device of the p-th platform, as numbered by discovery.  False when there is none. */
bool clpac__opencl_find_device(const clpac__opencl_functions *functions, int platform, int index, cl_device_id *out);

/* The numbers that discovery gives to a device, or to the device that it is a part of, and its platform's name; false
 * when it is not listed. */
bool clpac__opencl_number_device(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

#endif
