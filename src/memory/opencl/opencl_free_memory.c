/* Free memory: the device's if its driver reports it, and the host's, which is the device's when the device is a CPU.
 *
 * NVIDIA's and Intel's drivers have no such query in OpenCL; the pool then uses the device's size.
 */
#include "memory/opencl/opencl.h"

#include "memory/native/machine.h"

clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device)
{
	clpac_free_memory answer = {0};
	if (clpac__opencl_free_bytes(functions, id, device, &answer.bytes)) {
		answer.knowledge = CLPAC_EXACT;
	} else if (device->kind == CLPAC_DEVICE_OPENCL_CPU) {
		answer.bytes = clpac__machine_free_bytes("");
		answer.knowledge = answer.bytes ? CLPAC_EXACT : CLPAC_UNKNOWN;
	}
	/* A CPU's driver may offer less than the machine's memory. */
	if (device->memory_bytes && answer.bytes > device->memory_bytes)
		answer.bytes = device->memory_bytes;
	return answer;
}

clpac_free_memory clpac__opencl_free_memory(clpac__queue *queue)
{
	return clpac__opencl_ask_free_memory(&clpac__opencl_loader, clpac__opencl_of(queue)->device, &queue->device);
}

bool clpac__opencl_host_has(size_t bytes)
{
	uint64_t free_bytes = clpac__machine_free_bytes("");
	return !free_bytes || bytes <= free_bytes;
}

uint64_t clpac__opencl_host_free_bytes(clpac__queue *queue)
{
	(void)queue;
	return clpac__machine_free_bytes("");
}
