/* Probing OpenCL in a child process before this process starts it, and describing the result.
 *
 * Inside clGetPlatformIDs the loader loads all vendors' drivers and runs their first code.  If that fails, each
 * vendor's file is tried alone, by the loader's environment variable for a single file.  A loader that does not know
 * the variable, or accepts folders only, finds nothing then and nobody is blamed.
 *
 * The child is the program clpac-probe, which is installed beside the library, in LIBRARY'S-FOLDER/clpac-memory; where
 * it is not, a copy of this process.  What was found out is kept (verdict.h), so that a process pays for a probe only
 * after the drivers changed.
 */
#include "config.h"

#include "memory/opencl/opencl.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "memory/device/list.h"
#include "memory/device/probe.h"
#include "memory/opencl/verdict.h"

extern char **environ;

enum { MAX_PATH = 1024 };

typedef struct look {
	const clpac__opencl_functions *functions;
	const char *vendor; /* the one file to try; NULL: as the loader does by itself */
} look;

/* Runs in the child. */
static void look_at(void *user)
{
	const look *what = user;
	clpac__discovery found = {0};
	if (what->vendor && setenv(clpac__vendors_variable, what->vendor, 1) != 0)
		return;
	clpac__opencl_discover(what->functions, &found, NULL);
	if (what->functions == &clpac__opencl_loader)
		clpac__opencl_add_missing_libraries(&found, NULL);
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

const char *clpac__opencl_probe_program;

/* The path of clpac-probe; false when the folder of this library, or of the program that it is part of, is unknown. */
static bool find_program(char *path, size_t size)
{
	Dl_info here;
	if (clpac__opencl_probe_program)
		return (size_t)snprintf(path, size, "%s", clpac__opencl_probe_program) < size;
	/* A variable's address: it lies in the library whatever calls it. */
	if (!dladdr((const void *)&clpac__opencl_probe_program, &here) || !here.dli_fname ||
	    !strrchr(here.dli_fname, '/'))
		return false;
	const int length = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
	return (size_t)snprintf(path, size, "%.*s/clpac-memory/clpac-probe", length, here.dli_fname) < size;
}

/* Asks the program, with the environment's variable for one vendor alone; false when it does not answer. */
static bool ask_program(const look *what, double limit_s, clpac__probe_result *out)
{
	char path[MAX_PATH], limit[64], vendor[MAX_PATH];
	if (what->functions != &clpac__opencl_loader || !find_program(path, sizeof path))
		return false;
	clpac__write_number(limit_s, limit);
	snprintf(vendor, sizeof vendor, "%s", what->vendor ? what->vendor : "");
	char *const arguments[] = {path, limit, what->vendor ? vendor : NULL, NULL};
	return clpac__probe_by_program(path, arguments, environ, limit_s, out);
}

static clpac__probe_result try_out(const look *what, double limit_s)
{
	clpac__probe_result result;
	if (!ask_program(what, limit_s, &result))
		result = clpac__probe(limit_s, look_at, (void *)what);
	return result;
}

void clpac__opencl_probe_here(const char *vendor, double limit_s, clpac__probe_result *out)
{
	look what = {&clpac__opencl_loader, vendor};
	*out = clpac__probe(limit_s, look_at, &what);
}

/* The first vendor whose file alone fails: its file name, and how it fails; nothing changes when there is none. */
static void find_guilty(const clpac__opencl_functions *functions, clpac__verdict *verdict)
{
	clpac__vendors vendors;
	clpac__vendors_list(&vendors);
	for (size_t i = 0; i < vendors.n; i++) {
		const look what = {functions, vendors.files[i]};
		const clpac__probe_result alone = try_out(&what, verdict->limit_s);
		if (alone.end == CLPAC__PROBE_WELL || alone.end == CLPAC__PROBE_NOT_STARTED)
			continue;
		verdict->result = alone;
		memcpy(verdict->file, vendors.files[i], sizeof verdict->file);
		return;
	}
}

/* The verdict of an earlier probe, or of one made now. */
static clpac__verdict judge(const clpac__opencl_functions *functions, const clpac__discovery *found)
{
	const look all = {functions, NULL};
	clpac__verdict verdict = {.limit_s = found->probe_s};
	const uint64_t state = clpac__verdict_state();
	/* A driver that hung for a short limit may start within a longer one. */
	if (!found->is_anew && clpac__verdict_read(found->cache, state, &verdict) &&
	    (verdict.result.end != CLPAC__PROBE_HUNG || verdict.limit_s >= found->probe_s))
		return verdict;
	verdict = (clpac__verdict){.limit_s = found->probe_s, .when_s = time(NULL)};
	verdict.result = try_out(&all, found->probe_s);
	if (verdict.result.end == CLPAC__PROBE_NOT_STARTED)
		return verdict;
	if (verdict.result.end != CLPAC__PROBE_WELL)
		find_guilty(functions, &verdict);
	clpac__verdict_write(found->cache, state, &verdict);
	return verdict;
}

clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err)
{
	clpac_platform platform = {
		.index = -1, .backend = "opencl", .name = "OpenCL", .status = CLPAC_PLATFORM_LEFT_OUT};
	char what[96];
	const clpac__verdict verdict = judge(functions, found);

	*is_good = verdict.result.end == CLPAC__PROBE_WELL;
	if (*is_good)
		return CLPAC_OK;
	found->is_left_out = true;
	describe(verdict.result, verdict.limit_s, what, sizeof what);
	if (verdict.file[0])
		snprintf(platform.trouble, sizeof platform.trouble,
			 "%s: remove %.80s or repair its driver, or name another vendor's file in %s", what,
			 verdict.file, clpac__vendors_variable);
	else if (verdict.result.end != CLPAC__PROBE_NOT_STARTED)
		snprintf(platform.trouble, sizeof platform.trouble,
			 "%s: take the files out of %s one by one, or name one that works in %s", what,
			 clpac__vendors_usual_folder, clpac__vendors_variable);
	else
		snprintf(platform.trouble, sizeof platform.trouble,
			 "%s: end other programs and try again, or do without the probe", what);
	return clpac__discovery_add_platform(found, &platform, err);
}
