/* Whether a driver's compiler takes the OpenCL C that clFFT writes. */
#ifndef CLPAC_OPENCL_COMPUTE_CLFFT_DIALECT_H
#define CLPAC_OPENCL_COMPUTE_CLFFT_DIALECT_H

#include "opencl/compute/opencl_compute.h"

/* CLPAC_ERROR_UNSUPPORTED where it does not.  The first call for a device that was opened compiles a line, some
 * milliseconds; later ones know the answer.  Any thread. */
clpac_status clpac__clfft_is_compiled(const clpac__queue *queue, clpac_error *err);

#endif
