/* The libraries in which OpenCL's loader is looked for. */
#ifndef CLPAC_MEMORY_OPENCL_LIBRARIES_H
#define CLPAC_MEMORY_OPENCL_LIBRARIES_H

/* Names for dlopen, those of this system, the likeliest first; NULL ends them. */
extern const char *const clpac__opencl_libraries[];

#endif
