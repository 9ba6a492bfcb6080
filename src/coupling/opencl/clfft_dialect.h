/* Whether a driver's compiler accepts the OpenCL C that clFFT generates. */
#ifndef CLPAC_COUPLING_OPENCL_CLFFT_DIALECT_H
#define CLPAC_COUPLING_OPENCL_CLFFT_DIALECT_H

#include "coupling/opencl/opencl_compute.h"

/* CLPAC_ERROR_UNSUPPORTED if the compiler refuses it.  The first call for an opened device compiles one line, which
 * takes some milliseconds; later calls remember the answer.  Any thread. */
clpac_status clpac__clfft_is_compiled(const clpac__queue *queue, clpac_error *err);

#endif
