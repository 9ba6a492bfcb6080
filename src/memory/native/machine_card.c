/* Linux's driver for AMD's cards writes its memory in use beside the card's other facts, whichever driver of OpenCL
 * sits above it: AMD's own answers in OpenCL too, Mesa's does not. */
#include "memory/native/machine.h"

#include <inttypes.h>
#include <stdio.h>

static bool read_number(const char *root, const char *pci, const char *name, uint64_t *out)
{
	char path[512];
	if ((size_t)snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/%s", root, pci, name) >= sizeof path)
		return false;
	FILE *file = fopen(path, "re");
	const bool is_read = file && fscanf(file, "%" SCNu64, out) == 1;
	if (file)
		fclose(file);
	return is_read;
}

bool clpac__machine_card_free_bytes(const char *root, const char *pci, uint64_t *bytes)
{
	uint64_t all, used;
	if (!*pci || !read_number(root, pci, "mem_info_vram_total", &all) ||
	    !read_number(root, pci, "mem_info_vram_used", &used))
		return false;
	*bytes = used < all ? all - used : 0;
	return true;
}
