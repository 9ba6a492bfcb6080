/* The facts of the CPU and its memory on Linux, from /proc and /sys.
 *
 * In a container less memory is available than the machine has: the control groups of the process and all their parents
 * may each limit it, in version 1 (a folder per controller) or 2 (one folder).  Inactive page cache in a group's usage
 * can be reclaimed at once and counts as available, as in the kernel's MemAvailable.
 */
#include "config.h"

#include "memory/native/machine.h"

#if !defined(__APPLE__) && !defined(_WIN32)

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, LINE_SIZE = 4096 };

/* The value after "name" and a colon or blanks on the first line that starts so, cut at size; false when there is
 * none. */
static bool find_line(const char *root, const char *path, const char *name, char *value, size_t size)
{
	char full[PATH_SIZE], line[LINE_SIZE];
	snprintf(full, sizeof full, "%s%s", root, path);
	FILE *file = fopen(full, "r");
	if (!file)
		return false;
	bool found = false;
	size_t length = strlen(name);
	while (!found && fgets(line, sizeof line, file)) {
		if (strncmp(line, name, length) != 0 || !strchr(": \t", line[length]))
			continue;
		const char *start = line + length + strspn(line + length, ": \t");
		snprintf(value, size, "%.*s", (int)strcspn(start, "\n"), start);
		found = true;
	}
	fclose(file);
	return found;
}

/* The first number of a file, or of the named line; false when there is none ("max"). */
static bool find_number(const char *root, const char *path, const char *name, double *out)
{
	char value[64];
	if (name) {
		if (!find_line(root, path, name, value, sizeof value))
			return false;
	} else {
		char full[PATH_SIZE];
		snprintf(full, sizeof full, "%s%s", root, path);
		FILE *file = fopen(full, "r");
		if (!file)
			return false;
		bool is_read = fgets(value, sizeof value, file);
		fclose(file);
		if (!is_read)
			return false;
	}
	char *end;
	*out = strtod(value, &end);
	return end != value;
}

/* Files with the limits of a control group, in both versions. */
typedef struct group_files {
	const char *controller; /* in /proc/self/cgroup; "" is version 2 */
	const char *mounts[2];	/* mount points; NULL when there is no second one */
	const char *limit, *usage, *idle_cache;
} group_files;

static const group_files memory_groups[] = {
	{"", {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}, "memory.max", "memory.current", "inactive_file"},
	{"memory",
	 {"/sys/fs/cgroup/memory", NULL},
	 "memory.limit_in_bytes",
	 "memory.usage_in_bytes",
	 "total_inactive_file"},
};

static const group_files cpu_groups[] = {
	{"", {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}, "cpu.max", NULL, NULL},
	{"cpu", {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}, "cpu.cfs_quota_us", "cpu.cfs_period_us", NULL},
};

enum { N_VERSIONS = 2 };
_Static_assert(sizeof memory_groups / sizeof *memory_groups == N_VERSIONS, "one row per version");
_Static_assert(sizeof cpu_groups / sizeof *cpu_groups == N_VERSIONS, "one row per version");

/* The process's group under a controller, as "/user.slice/a"; false when it has none. */
static bool find_group(const char *root, const char *controller, char *group, size_t size)
{
	char full[PATH_SIZE], line[LINE_SIZE];
	snprintf(full, sizeof full, "%s/proc/self/cgroup", root);
	FILE *file = fopen(full, "r");
	if (!file)
		return false;
	bool found = false;
	while (!found && fgets(line, sizeof line, file)) {
		/* format of a line: number:controller,controller:path */
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		if (!*controller) {
			found = !names[1];
		} else {
			char *rest;
			for (char *name = strtok_r(names + 1, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
				found |= strcmp(name, controller) == 0;
		}
		if (found)
			snprintf(group, size, "%s", strcmp(path, "/") ? path : "");
	}
	fclose(file);
	return found;
}

typedef void visit_folder(const char *root, const char *folder, const group_files *files, void *data);

/* Calls visit for the folders of the process's group and of all its parents, up to the controller's mount point. */
static void each_group(const char *root, const group_files *files, visit_folder *visit, void *data)
{
	char group[1024];
	if (!find_group(root, files->controller, group, sizeof group))
		return;
	for (;;) {
		for (size_t i = 0; i < 2 && files->mounts[i]; i++) {
			char folder[2048];
			snprintf(folder, sizeof folder, "%s%s", files->mounts[i], group);
			visit(root, folder, files, data);
		}
		char *last = strrchr(group, '/');
		if (!last)
			return;
		*last = 0;
	}
}

static bool number_in(const char *root, const char *folder, const char *file, const char *line, double *out)
{
	char path[PATH_SIZE];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	return find_number(root, path, line, out);
}

typedef struct memory_seen {
	double total, available; /* bytes */
} memory_seen;

static void see_memory_group(const char *root, const char *folder, const group_files *files, void *data)
{
	memory_seen *seen = data;
	double limit, usage, idle_cache = 0;
	/* Version 1 writes a number close to 2^63 when there is no limit. */
	if (!number_in(root, folder, files->limit, NULL, &limit) || limit >= 0x1p62)
		return;
	if (limit < seen->total)
		seen->total = limit;
	if (!number_in(root, folder, files->usage, NULL, &usage))
		return;
	number_in(root, folder, "memory.stat", files->idle_cache, &idle_cache);
	double available = limit - usage + idle_cache;
	if (available < 0)
		available = 0;
	if (available < seen->available)
		seen->available = available;
}

static memory_seen see_memory(const char *root)
{
	memory_seen seen = {0, 0};
	find_number(root, "/proc/meminfo", "MemTotal", &seen.total);
	find_number(root, "/proc/meminfo", "MemAvailable", &seen.available);
	seen.total *= 1024;
	seen.available *= 1024;
	for (size_t version = 0; version < N_VERSIONS; version++)
		each_group(root, &memory_groups[version], see_memory_group, &seen);
	return seen;
}

static void see_cpu_group(const char *root, const char *folder, const group_files *files, void *data)
{
	unsigned *cores = data;
	double quota, period;
	if (files->usage) {
		if (!number_in(root, folder, files->limit, NULL, &quota) ||
		    !number_in(root, folder, files->usage, NULL, &period))
			return;
	} else {
		/* "quota period" or "max period" */
		char path[PATH_SIZE], text[64];
		snprintf(path, sizeof path, "%s%s/%s", root, folder, files->limit);
		FILE *file = fopen(path, "r");
		if (!file)
			return;
		bool is_limited = fgets(text, sizeof text, file) && sscanf(text, "%lf %lf", &quota, &period) == 2;
		fclose(file);
		if (!is_limited)
			return;
	}
	if (!(quota > 0 && period > 0) || quota / period >= *cores)
		return;
	/* For one and a half cores, two threads share the quota. */
	*cores = (unsigned)(quota / period);
	*cores += (double)*cores * period < quota;
}

static unsigned count_cores(const char *root)
{
	unsigned cores = 1;
	/* A set for 1024 CPUs is too small on the largest machines: EINVAL until it is large enough. */
	for (int n = CPU_SETSIZE; n <= 1 << 16; n *= 4) {
		cpu_set_t *set = CPU_ALLOC((size_t)n);
		if (!set)
			break;
		bool is_known = sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)n), set) == 0;
		if (is_known)
			cores = (unsigned)CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)n), set);
		CPU_FREE(set);
		if (is_known)
			break;
	}
	for (size_t version = 0; version < N_VERSIONS; version++)
		each_group(root, &cpu_groups[version], see_cpu_group, &cores);
	return cores ? cores : 1;
}

/* The largest cache of the first CPU. */
static uint64_t see_cache(const char *root)
{
	double largest = 0;
	for (int index = 0; index < 8; index++) {
		char path[PATH_SIZE];
		double kilobytes;
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
		if (find_number(root, path, NULL, &kilobytes) && kilobytes * 1024 > largest)
			largest = kilobytes * 1024;
	}
	return (uint64_t)largest;
}

uint64_t clpac__machine_free_bytes(const char *root)
{
	return (uint64_t)see_memory(root).available;
}

void clpac__machine_look(const char *root, clpac__machine *out)
{
	*out = (clpac__machine){0};
	double mhz = 0;
	memory_seen memory = see_memory(root);
	/* x86 reports the model; ARM's cpuinfo has a number, and only some boards have a name. */
	if (!find_line(root, "/proc/cpuinfo", "model name", out->name, sizeof out->name) &&
	    !find_line(root, "/proc/cpuinfo", "Model", out->name, sizeof out->name))
		find_line(root, "/proc/cpuinfo", "Hardware", out->name, sizeof out->name);
	if (!find_line(root, "/proc/cpuinfo", "vendor_id", out->vendor, sizeof out->vendor))
		find_line(root, "/proc/cpuinfo", "CPU implementer", out->vendor, sizeof out->vendor);
	if (find_number(root, "/proc/cpuinfo", "cpu MHz", &mhz))
		out->clock_mhz = (unsigned)mhz;
	out->cores = count_cores(root);
	out->memory_bytes = (uint64_t)memory.total;
	out->free_bytes = (uint64_t)memory.available;
	out->cache_bytes = see_cache(root);
}

#endif
