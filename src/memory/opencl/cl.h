/* The headers of OpenCL, for the folders opencl alone.  The base is OpenCL 1.2; newer functions and constants are named
 * by number and used only when a device supports them.
 */
#ifndef CLPAC_MEMORY_OPENCL_CL_H
#define CLPAC_MEMORY_OPENCL_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#endif
