/* The number of steps in which VkFFT transforms a row. */
#ifndef CLPAC_OPENCL_COMPUTE_VKFFT_STEPS_H
#define CLPAC_OPENCL_COMPUTE_VKFFT_STEPS_H

#include "opencl/memory/opencl.h"

/* The local memory, in bytes, that VkFFT may plan with at a length; it decides the number of steps.  Any thread. */
cl_ulong clpac__vkfft_local_bytes(const clpac_device *device, size_t length);

#endif
