/* The machine, the process and its user. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <windows.h>
#include <psapi.h>

int uname(struct utsname *names)
{
	OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
	if (!GetVersionExW(&version))
		return -1;
	strcpy(names->sysname, "Windows");
	snprintf(names->release, sizeof names->release, "%lu.%lu.%lu", version.dwMajorVersion, version.dwMinorVersion,
		 version.dwBuildNumber);
#ifdef __aarch64__
	strcpy(names->machine, "aarch64");
#else
	strcpy(names->machine, "x86_64");
#endif
	return 0;
}

long sysconf(int what)
{
	SYSTEM_INFO system;
	MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
	GetSystemInfo(&system);
	if (what == _SC_PAGESIZE)
		return (long)system.dwPageSize;
	if (what == _SC_NPROCESSORS_ONLN)
		return (long)system.dwNumberOfProcessors;
	return GlobalMemoryStatusEx(&memory) ? (long)(memory.ullTotalPhys / system.dwPageSize) : -1;
}

int getrlimit(int resource, struct rlimit *limit)
{
	(void)resource;
	*limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	return 0;
}

int getrusage(int who, struct rusage *usage)
{
	PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
	(void)who;
	if (!GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters))
		return -1;
	usage->ru_maxrss = (long)(counters.PeakWorkingSetSize / 1024);
	return 0;
}

int gethostname(char *name, size_t size)
{
	DWORD n = (DWORD)size;
	return GetComputerNameExA(ComputerNameDnsHostname, name, &n) ? 0 : -1;
}

uid_t geteuid(void)
{
	return 0;
}

int getpwuid_r(uid_t user, struct passwd *entry, char *room, size_t size, struct passwd **found)
{
	const char *home = getenv("USERPROFILE");
	(void)user;
	*found = NULL;
	if (!home || !*home)
		return 0;
	if ((size_t)snprintf(room, size, "%s", home) >= size)
		return ERANGE;
	for (char *at = room; *at; at++)
		if (*at == '\\')
			*at = '/';
	entry->pw_dir = room;
	*found = entry;
	return 0;
}

int setenv(const char *name, const char *value, int replaces)
{
	return !replaces && getenv(name) ? 0 : _putenv_s(name, value);
}

int unsetenv(const char *name)
{
	return _putenv_s(name, "");
}
