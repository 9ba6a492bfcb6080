/* The facts of the CPU and its memory on Windows: from the system, the registry, and the job that may limit the
 * process.
 */
#include "memory/native/machine.h"

#ifdef _WIN32

#include <windows.h>

typedef struct memory_seen {
	uint64_t total, available;
} memory_seen;

static memory_seen see_memory(void)
{
	MEMORYSTATUSEX status = {.dwLength = sizeof status};
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {0};
	memory_seen seen = {0, 0};
	if (GlobalMemoryStatusEx(&status)) {
		seen.total = status.ullTotalPhys;
		seen.available = status.ullAvailPhys;
	}
	if (QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &job, sizeof job, NULL)) {
		const DWORD flags = job.BasicLimitInformation.LimitFlags;
		if (flags & JOB_OBJECT_LIMIT_JOB_MEMORY && job.JobMemoryLimit < seen.total)
			seen.total = job.JobMemoryLimit;
		if (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY && job.ProcessMemoryLimit < seen.total)
			seen.total = job.ProcessMemoryLimit;
	}
	if (seen.available > seen.total)
		seen.available = seen.total;
	return seen;
}

uint64_t clpac__machine_free_bytes(const char *root)
{
	(void)root;
	return see_memory().available;
}

/* CPUs of the process's affinity mask, which are those of one group of 64. */
static unsigned count_cores(void)
{
	DWORD_PTR own = 0, all = 0;
	unsigned cores = 0;
	if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all))
		for (; own; own &= own - 1)
			cores++;
	return cores ? cores : 1;
}

static void get_text(const char *name, char *text, DWORD size)
{
	if (RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", name, RRF_RT_REG_SZ,
			 NULL, text, &size) != ERROR_SUCCESS)
		*text = 0;
}

static uint64_t see_cache(void)
{
	SYSTEM_LOGICAL_PROCESSOR_INFORMATION
	parts[1024]; /* of a group of 64 CPUs; where more, the cache stays unknown */
	DWORD bytes = sizeof parts;
	uint64_t largest = 0;
	if (!GetLogicalProcessorInformation(parts, &bytes))
		return 0;
	for (size_t i = 0; i < bytes / sizeof *parts; i++)
		if (parts[i].Relationship == RelationCache && parts[i].Cache.Size > largest)
			largest = parts[i].Cache.Size;
	return largest;
}

void clpac__machine_look(const char *root, clpac__machine *out)
{
	(void)root;
	DWORD mhz = 0, bytes = sizeof mhz;
	const memory_seen memory = see_memory();
	*out = (clpac__machine){0};
	get_text("ProcessorNameString", out->name, sizeof out->name);
	get_text("VendorIdentifier", out->vendor, sizeof out->vendor);
	if (RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "~MHz",
			 RRF_RT_REG_DWORD, NULL, &mhz, &bytes) == ERROR_SUCCESS)
		out->clock_mhz = mhz;
	out->cores = count_cores();
	out->memory_bytes = memory.total;
	out->free_bytes = memory.available;
	out->cache_bytes = see_cache();
}

#endif
