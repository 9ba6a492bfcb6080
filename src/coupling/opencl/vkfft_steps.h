/* The number of steps in which VkFFT transforms a row. */
#ifndef CLPAC_COUPLING_OPENCL_VKFFT_STEPS_H
#define CLPAC_COUPLING_OPENCL_VKFFT_STEPS_H

#include "memory/opencl/opencl.h"

/* The local memory, in bytes, that VkFFT may plan with at a length; it decides the number of steps.  Any thread. */
cl_ulong clpac__vkfft_local_bytes(const clpac_device *device, size_t length);

#endif
