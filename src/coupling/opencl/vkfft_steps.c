/* Decides how much local memory VkFFT may plan with, and so how many values of a row one step takes.
 *
 * A GPU uses its own local memory.  On a CPU local memory is ordinary memory, and one step over the whole row is by far
 * the fastest, except for multiples of 1024: there the copies of a value in a work-group lie a power of two apart and
 * fall on the same lines of the first-level cache.  Such rows, and rows larger than the second-level cache, take steps
 * of at most 2048 values.  Lengths that cannot be divided into such steps, as 13^4, get more memory.  The figures are
 * in decision 0012.
 */
#include "coupling/opencl/vkfft_steps.h"

#include <pthread.h>

enum {
	VALUE = sizeof(cl_float2),
	LONGEST_STEP = 2048,
	SHORTEST_STEP = 1024,
	LONGEST_ROW = 65536, /* longest row taken in one step */
	STACK_OF_VALUE = 128,
};

/* The number of values that fit on a thread's stack.  PoCL keeps a work-group's variables there and crashes if they do
 * not fit; 38 to 67 bytes per value of a step were observed.  A driver's threads have the default stack size. */
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
