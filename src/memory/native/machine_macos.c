/* The facts of the CPU and its memory on macOS, from sysctl and the kernel's page counts. */
#include "memory/native/machine.h"

#ifdef __APPLE__

#include <mach/mach.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysctl.h>

/* A number of four or eight bytes; 0 where the system does not have it. */
static uint64_t get_number(const char *name)
{
	union {
		uint32_t narrow;
		uint64_t wide;
	} value = {.wide = 0};
	size_t bytes = sizeof value;
	if (sysctlbyname(name, &value, &bytes, NULL, 0) != 0)
		return 0;
	return bytes == sizeof value.narrow ? value.narrow : bytes == sizeof value.wide ? value.wide : 0;
}

static void get_text(const char *name, char *text, size_t size)
{
	size_t bytes = size - 1;
	memset(text, 0, size);
	if (sysctlbyname(name, text, &bytes, NULL, 0) != 0)
		*text = 0;
}

/* Pages in no use, and those unused for longest, which the kernel takes first. */
uint64_t clpac__machine_free_bytes(const char *root)
{
	(void)root;
	vm_statistics64_data_t pages;
	mach_msg_type_number_t n = HOST_VM_INFO64_COUNT;
	const mach_port_t host = mach_host_self();
	const bool is_known = host_statistics64(host, HOST_VM_INFO64, (host_info64_t)&pages, &n) == KERN_SUCCESS;
	mach_port_deallocate(mach_task_self(), host);
	return is_known ? ((uint64_t)pages.free_count + pages.inactive_count) * get_number("hw.pagesize") : 0;
}

void clpac__machine_look(const char *root, clpac__machine *out)
{
	*out = (clpac__machine){0};
	get_text("machdep.cpu.brand_string", out->name, sizeof out->name);
	get_text("machdep.cpu.vendor", out->vendor, sizeof out->vendor); /* Intel's; Apple's own have none */
	out->cores = (unsigned)get_number("hw.activecpu");
	if (!out->cores)
		out->cores = 1;
	out->clock_mhz = (unsigned)(get_number("hw.cpufrequency") / 1000000);
	out->memory_bytes = get_number("hw.memsize");
	out->free_bytes = clpac__machine_free_bytes(root);
	out->cache_bytes = get_number("hw.l3cachesize");
	if (!out->cache_bytes)
		out->cache_bytes = get_number("hw.l2cachesize");
}

#endif
