/* In how many steps VkFFT goes over a row. */
#ifndef CLPAC_OPENCL_COMPUTE_VKFFT_STEPS_H
#define CLPAC_OPENCL_COMPUTE_VKFFT_STEPS_H

#include "opencl/memory/opencl.h"

/* Local memory that VkFFT may plan with at a length: what it has decides on its steps.  Any thread. */
cl_ulong clpac__vkfft_local_bytes(const clpac_device *device, size_t length);

#endif
