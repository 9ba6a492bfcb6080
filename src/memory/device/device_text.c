/* Names of kinds of devices, and the selection of one device. */
#include <clpac/memory/device.h>

#include <stdio.h>
#include <string.h>

static const char *const kind_text[] = {
	[CLPAC_DEVICE_DISCRETE_GPU] = "discrete GPU", [CLPAC_DEVICE_INTEGRATED_GPU] = "integrated GPU",
	[CLPAC_DEVICE_ACCELERATOR] = "accelerator",   [CLPAC_DEVICE_NATIVE] = "native CPU",
	[CLPAC_DEVICE_OPENCL_CPU] = "OpenCL CPU",     [CLPAC_DEVICE_OTHER] = "other device",
};
_Static_assert(sizeof kind_text / sizeof *kind_text == CLPAC_DEVICE_KIND_COUNT, "one text per kind");

const char *clpac_device_kind_text(clpac_device_kind kind)
{
	return (unsigned)kind < CLPAC_DEVICE_KIND_COUNT ? kind_text[kind] : "unknown kind";
}

void clpac_device_selection(const clpac_device *device, char *text, size_t size)
{
	if (!text || !size)
		return;
	*text = 0;
	if (!device)
		return;
	if (strcmp(device->backend, "native") == 0)
		snprintf(text, size, "native");
	else
		snprintf(text, size, "%d:%d", device->platform, device->index);
}
