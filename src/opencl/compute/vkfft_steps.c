/* How much local memory VkFFT plans with, and so how many values of a row a step takes.
 *
 * A GPU has what it has.  On a CPU it is memory like any other.  One step, with all of a row in it, is fastest by far,
 * but for multiples of 1024: work-groups of so many, each value's copies a power of two apart, fall on the same lines
 * of the first-level cache.  These, and rows beyond the second-level cache, go in steps of at most 2048 values.  Where
 * a length cannot be cut into such steps, as 13^4, VkFFT is given more.  doc/decisions/0012-two-opencl-engines.md has
 * the figures. */
#include "opencl/compute/vkfft_steps.h"

#include <pthread.h>

enum {
	VALUE = sizeof(cl_float2),
	LONGEST_STEP = 2048,
	SHORTEST_STEP = 1024,
	LONGEST_ROW = 65536, /* in one step */
	STACK_OF_VALUE = 128,
};

/* PoCL keeps the variables of a work-group on its thread's stack, and ends in a crash where they do not fit: 38 to 67
 * bytes for each value of a step were seen.  A driver's threads have the stack of any thread that is made without a
 * wish. */
static size_t values_on_stack(void)
{
	pthread_attr_t attributes;
	size_t bytes = 0;
	if (pthread_attr_init(&attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &bytes);
		pthread_attr_destroy(&attributes);
	}
	return bytes / STACK_OF_VALUE;
}

cl_ulong clpac__vkfft_local_bytes(const clpac_device *device, size_t length)
{
	const size_t fitting = values_on_stack();
	const bool is_fast = length <= LONGEST_STEP || (length <= LONGEST_ROW && length % 1024 != 0);
	if (device->kind != CLPAC_DEVICE_OPENCL_CPU ||
	    (is_fast && length <= fitting && VALUE * length <= device->local_bytes))
		return device->local_bytes;
	return VALUE * (fitting < LONGEST_STEP ? SHORTEST_STEP : LONGEST_STEP);
}
