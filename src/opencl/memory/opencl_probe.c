/* Probing OpenCL in a child process before this process starts it, and describing the result.
 *
 * Inside clGetPlatformIDs the loader loads all vendors' drivers and runs their first code.  If that fails, each
 * vendor's file is tried alone, by the loader's environment variable for a single file.  A loader that does not know
 * the variable, or accepts folders only, finds nothing then and nobody is blamed.
 */
#include "config.h"

#include "opencl/memory/opencl.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "device/list.h"
#include "device/probe.h"

static const char variable[] = "OCL_ICD_VENDORS", usual_folder[] = "/etc/OpenCL/vendors";

enum { MAX_VENDORS = 16, MAX_PATH = 512 };

typedef struct look {
	const clpac__opencl_functions *functions;
	const char *vendor; /* the one file to try; NULL: as the loader does by itself */
} look;

/* Runs in the child. */
static void look_at(void *user)
{
	const look *what = user;
	clpac__discovery found = {0};
	if (what->vendor && setenv(variable, what->vendor, 1) != 0)
		return;
	clpac__opencl_discover(what->functions, &found, NULL);
}

/* Describes a failed probe, in words that follow "OpenCL was left out: ". */
static void describe(clpac__probe_result result, double limit_s, char *text, size_t size)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},
		       {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}, {SIGKILL, "SIGKILL"}};
	const char *name = "signal";
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i].number == result.detail)
			name = signals[i].name;
	switch (result.end) {
	case CLPAC__PROBE_CRASHED:
		snprintf(text, size, "a driver crashes when it starts (%s %d)", name, result.detail);
		break;
	case CLPAC__PROBE_HUNG:
		snprintf(text, size, "a driver does not start within %g s", limit_s);
		break;
	case CLPAC__PROBE_LEFT:
		snprintf(text, size, "a driver ends the program when it starts");
		break;
	default:
		snprintf(text, size, "no process could be made to try it in (%s)",
			 result.detail ? strerror(result.detail) : "it was ended from outside");
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The vendors' files that the loader reads; 0 when the loader is set to a single library. */
static size_t list_vendors(char files[][MAX_PATH])
{
	const char *folder = clpac__environment(variable);
	size_t n = 0;
	folder = folder ? folder : usual_folder;
	DIR *open = opendir(folder);
	if (!open) {
		struct stat facts;
		if (stat(folder, &facts) == 0 && S_ISREG(facts.st_mode))
			n = (size_t)snprintf(files[0], MAX_PATH, "%s", folder) < MAX_PATH;
		return n;
	}
	for (struct dirent *entry; n < MAX_VENDORS && (entry = readdir(open));) {
		const size_t length = strlen(entry->d_name);
		if (length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0 &&
		    (size_t)snprintf(files[n], MAX_PATH, "%s/%s", folder, entry->d_name) < MAX_PATH)
			n++;
	}
	closedir(open);
	qsort(files, n, sizeof *files, by_name);
	return n;
}

/* The first vendor whose file alone fails, its file name, and how it fails; false when there is none. */
static bool find_guilty(const clpac__opencl_functions *functions, double limit_s, char *file,
			clpac__probe_result *result)
{
	char files[MAX_VENDORS][MAX_PATH];
	const size_t n = list_vendors(files);
	for (size_t i = 0; i < n; i++) {
		look what = {functions, files[i]};
		const clpac__probe_result alone = clpac__probe(limit_s, look_at, &what);
		if (alone.end == CLPAC__PROBE_WELL || alone.end == CLPAC__PROBE_NOT_STARTED)
			continue;
		*result = alone;
		memcpy(file, files[i], MAX_PATH);
		return true;
	}
	return false;
}

clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err)
{
	look all = {functions, NULL};
	clpac_platform platform = {
		.index = -1, .backend = "opencl", .name = "OpenCL", .status = CLPAC_PLATFORM_LEFT_OUT};
	char what[96], file[MAX_PATH] = "";
	clpac__probe_result result = clpac__probe(found->probe_s, look_at, &all);

	*is_good = result.end == CLPAC__PROBE_WELL;
	if (*is_good)
		return CLPAC_OK;
	found->is_left_out = true;
	const bool is_started = result.end != CLPAC__PROBE_NOT_STARTED;
	const bool is_known = is_started && find_guilty(functions, found->probe_s, file, &result);
	describe(result, found->probe_s, what, sizeof what);
	if (is_known)
		snprintf(platform.trouble, sizeof platform.trouble,
			 "%s: remove %.80s or repair its driver, or name another vendor's file in %s", what, file,
			 variable);
	else if (is_started)
		snprintf(platform.trouble, sizeof platform.trouble,
			 "%s: take the files out of %s one by one, or name one that works in %s", what, usual_folder,
			 variable);
	else
		snprintf(platform.trouble, sizeof platform.trouble,
			 "%s: end other programs and try again, or do without the probe", what);
	return clpac__discovery_add_platform(found, &platform, err);
}
