/* Probing OpenCL in a child process before this process starts it, and leaving out what fails.
 *
 * Inside clGetPlatformIDs the loader loads all vendors' drivers and runs their first code.  If that fails, each
 * vendor's file is tried alone, and what is left of them together: the loader is given a folder with their files.  A
 * loader that does not read that folder fails with the rest too, and then all of OpenCL is left out.
 *
 * The child is the program clpac-probe, which is installed beside the library, in LIBRARY'S-FOLDER/PROBE_FOLDER, whose
 * name has the number of the library's SONAME.  Where it is not, drivers are entered untried, and a platform says so:
 * no process is copied for a trial.  What was found out is kept (verdict.h), so that a process pays for a probe only
 * after the drivers changed.  Under a limit of address space (RLIMIT_AS) the child has less than what this process has
 * left, and its verdict is not kept: drivers end a process that has no room for their threads.
 */
#include "config.h"
#include "memory/opencl/opencl.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "memory/device/list.h"
#include "memory/opencl/calls.h"
#include "memory/opencl/verdict.h"

extern char **environ;

enum { MAX_PATH = 1024 };

typedef struct look {
	const clpac__opencl_functions *functions;
	const char *folder; /* of the files to try; NULL: as the loader does by itself */
	uint64_t room;	    /* bytes of address space that drivers may take; 0: any number */
} look;

/* --- Address space ------------------------------------------------------------------------------ */

/* Bytes of address space that this process has; 0: unknown. */
static uint64_t own_address_space(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* What is left of a limit of this process's address space; UINT64_MAX: there is none. */
static uint64_t left_of_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	const uint64_t own = own_address_space();
	return limit.rlim_cur > own ? limit.rlim_cur - own : 0;
}

/* Below this no driver is entered: one that finds no room for its libraries is passed over by the loader, one that
 * finds none for its threads ends the process, as PoCL does, and one that finds none for its compiler crashes in it. In
 * between there is no order by which a trial could tell what a run would meet. */
static const uint64_t least_room = (uint64_t)2 << 30;

/* What drivers may take in a trial under a limit, less a part of it for what the process takes beside them; 0: there is
 * no limit. */
static uint64_t room_for_drivers(void)
{
	const uint64_t left = left_of_limit();
	return left == UINT64_MAX ? 0 : left / 4 * 3;
}

static void take_room(uint64_t room)
{
	struct rlimit limit;
	const uint64_t own = own_address_space();
	if (!room || !own || getrlimit(RLIMIT_AS, &limit) != 0)
		return;
	if (limit.rlim_cur == RLIM_INFINITY || own + room < limit.rlim_cur)
		limit.rlim_cur = own + room;
	setrlimit(RLIMIT_AS, &limit);
}

/* --- The child ---------------------------------------------------------------------------------- */

/* Kinds of device in four bits: the three that come before the native device, and any other. */
enum { OTHER_KINDS = 8 };

static int answer_of(const clpac__discovery *found)
{
	int answer = 0;
	for (size_t i = 0; i < found->list.n_devices; i++)
		if (found->list.devices[i].is_available)
			answer |= found->list.devices[i].kind < CLPAC_DEVICE_NATIVE ? 1 << found->list.devices[i].kind
										    : OTHER_KINDS;
	return answer;
}

_Static_assert(CLPAC_DEVICE_NATIVE == 3, "three kinds come before the native device");

/* Whether the drivers have a device of the wanted kinds, the native one apart. */
static bool has_wanted(int answer, unsigned kinds)
{
	const unsigned first = OTHER_KINDS - 1, others = kinds & ~(first | 1u << CLPAC_DEVICE_NATIVE);
	return (unsigned)answer & kinds & first || (answer & OTHER_KINDS && others);
}

/* Runs in the child. */
static int look_at(const look *what)
{
	clpac__discovery found = {0};
	take_room(what->room);
	if (what->folder && setenv(clpac__vendors_variable, what->folder, 1) != 0)
		return 0;
	clpac__opencl_discover(what->functions, &found, NULL);
	if (what->functions == &clpac__opencl_loader)
		clpac__opencl_add_missing_libraries(&found, NULL);
	return answer_of(&found);
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
			 result.detail ? strerror(result.detail) : "it gave no answer");
	}
}

const char *clpac__opencl_probe_program;
clpac__probe_result (*clpac__opencl_probe_by)(double limit_s, int (*look)(void *user), void *user);

/* The folder of this library, or of the module or program that it is part of; false when it is unknown. */
static bool find_folder(char *folder, size_t size)
{
	Dl_info here;
	ssize_t length = -1;
	/* A variable's address: it lies in the library whatever calls it. */
	if (!dladdr((const void *)&clpac__opencl_probe_program, &here) || !here.dli_fname)
		return false;
	const char *end = strrchr(here.dli_fname, '/');
	if (end)
		return (size_t)snprintf(folder, size, "%.*s", (int)(end - here.dli_fname), here.dli_fname) < size;
	/* A program that was found in PATH has only its name here. */
	length = readlink("/proc/self/exe", folder, size);
	if (length <= 0 || (size_t)length >= size)
		return false;
	folder[length] = 0;
	*strrchr(folder, '/') = 0;
	return true;
}

/* The path of clpac-probe; false when it is nowhere. */
static bool find_program(char *path, size_t size)
{
	static const char *const places[] = {PROBE_FOLDER "/clpac-probe", "clpac-probe",
					     "../lib/" PROBE_FOLDER "/clpac-probe"};
	char folder[MAX_PATH];
	if (clpac__opencl_probe_program)
		return (size_t)snprintf(path, size, "%s", clpac__opencl_probe_program) < size &&
		       access(path, X_OK) == 0;
	if (!find_folder(folder, sizeof folder))
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if ((size_t)snprintf(path, size, "%s/%s", folder, places[i]) < size && access(path, X_OK) == 0)
			return true;
	return false;
}

static clpac__probe_result ask_program(const look *what, double limit_s)
{
	clpac__probe_result result;
	char path[MAX_PATH], limit[64], room[24], folder[MAX_PATH], library[CLPAC__OPENCL_LIBRARY_SIZE];
	if (!find_program(path, sizeof path))
		return (clpac__probe_result){CLPAC__PROBE_NO_PROGRAM, 0};
	clpac__write_number(limit_s, limit);
	snprintf(room, sizeof room, "%" PRIu64, what->room);
	snprintf(folder, sizeof folder, "%s", what->folder ? what->folder : "");
	char *const arguments[] = {path, limit, room, folder, *clpac__opencl_named(library) ? library : NULL, NULL};
	if (!clpac__probe_by_program(path, arguments, environ, limit_s, &result))
		result = (clpac__probe_result){CLPAC__PROBE_NOT_STARTED, 0};
	return result;
}

static int look_at_user(void *user)
{
	return look_at(user);
}

static clpac__probe_result try_out(const look *what, double limit_s)
{
	return clpac__opencl_probe_by ? clpac__opencl_probe_by(limit_s, look_at_user, (void *)what)
				      : ask_program(what, limit_s);
}

int clpac__opencl_look(const char *folder, uint64_t room)
{
	const look what = {&clpac__opencl_loader, folder, room};
	return look_at(&what);
}

/* Tries some of the drivers together. */
static clpac__probe_result try_some(const look *how, const clpac__vendors *some, double limit_s)
{
	char folder[CLPAC__VENDOR_PATH];
	look what = *how;
	if (!clpac__vendors_make_folder(some, folder))
		return (clpac__probe_result){CLPAC__PROBE_NOT_STARTED, 0};
	what.folder = folder;
	const clpac__probe_result result = try_out(&what, limit_s);
	clpac__vendors_remove_folder(some, folder);
	return result;
}

/* --- The verdict -------------------------------------------------------------------------------- */

static bool is_bad(const clpac__verdict *verdict, const char *file)
{
	for (int64_t i = 0; i < verdict->n_bad; i++)
		if (strcmp(verdict->bad[i].file, file) == 0)
			return true;
	return false;
}

/* The vendors' files but the bad ones. */
static void list_good(const clpac__verdict *verdict, clpac__vendors *out)
{
	size_t n = 0;
	clpac__vendors_list(out);
	for (size_t i = 0; i < out->n; i++)
		if (!is_bad(verdict, out->files[i]))
			memmove(out->files[n++], out->files[i], sizeof *out->files);
	out->n = n;
}

/* Whether nothing was found out. */
static bool is_untold(clpac__probe_end end)
{
	return end == CLPAC__PROBE_NOT_STARTED || end == CLPAC__PROBE_NO_PROGRAM;
}

/* Tries a driver alone and adds it to the bad ones when it fails; true then.  `before`: how often it failed before. */
static bool try_alone(const look *how, clpac__verdict *verdict, const char *file, int64_t before)
{
	clpac__vendors one = {.n = 1};
	snprintf(one.files[0], sizeof one.files[0], "%s", file);
	const clpac__probe_result alone = try_some(how, &one, verdict->limit_s);
	if (alone.end == CLPAC__PROBE_WELL || is_untold(alone.end) || verdict->n_bad == CLPAC__MOST_BAD)
		return false;
	clpac__bad_driver *bad = &verdict->bad[verdict->n_bad++];
	*bad = (clpac__bad_driver){.state = clpac__driver_state(file),
				   .result = alone,
				   .limit_s = verdict->limit_s,
				   .when_s = time(NULL),
				   .n_times = before + 1};
	snprintf(bad->file, sizeof bad->file, "%s", file);
	return true;
}

/* Takes over drivers that were bad and are unchanged: those whose time has not passed as they are, the others where
 * they fail again. */
static void take_over_bad(const look *how, const clpac__verdict *old, clpac__verdict *verdict)
{
	clpac__vendors vendors;
	clpac__vendors_list(&vendors);
	for (int64_t i = 0; i < old->n_bad; i++) {
		const clpac__bad_driver *bad = &old->bad[i];
		bool is_listed = false;
		for (size_t v = 0; v < vendors.n; v++)
			is_listed |= strcmp(vendors.files[v], bad->file) == 0;
		if (!is_listed || bad->state != clpac__driver_state(bad->file))
			continue;
		if (clpac__bad_driver_is_held(bad, verdict->limit_s))
			verdict->bad[verdict->n_bad++] = *bad;
		else
			try_alone(how, verdict, bad->file, bad->n_times);
	}
}

/* Tries the drivers that are not known to be bad; where that fails, each alone, and the others together. */
static void try_drivers(const look *how, clpac__verdict *verdict)
{
	clpac__vendors good;
	bool is_new = false;
	list_good(verdict, &good);
	verdict->result = verdict->n_bad ? try_some(how, &good, verdict->limit_s) : try_out(how, verdict->limit_s);
	if (verdict->result.end == CLPAC__PROBE_WELL || is_untold(verdict->result.end))
		return;
	for (size_t i = 0; i < good.n; i++)
		is_new |= try_alone(how, verdict, good.files[i], 0);
	if (!is_new)
		return;
	list_good(verdict, &good);
	if (good.n)
		verdict->result = try_some(how, &good, verdict->limit_s);
}

/* Whether a kept verdict still holds for all drivers. */
static bool is_fresh(const clpac__verdict *verdict, double limit_s)
{
	const double age_s = (double)((int64_t)time(NULL) - verdict->when_s);
	if (verdict->state != clpac__verdict_state())
		return false;
	for (int64_t i = 0; i < verdict->n_bad; i++)
		if (!clpac__bad_driver_is_held(&verdict->bad[i], limit_s))
			return false;
	return verdict->result.end == CLPAC__PROBE_WELL || verdict->n_bad ||
	       (age_s >= 0 && age_s <= clpac__bad_driver_holds_s(1) &&
		(verdict->result.end != CLPAC__PROBE_HUNG || verdict->limit_s >= limit_s));
}

/* The verdict of an earlier probe, or of one made now. */
static clpac__verdict judge(const clpac__opencl_functions *functions, const clpac__discovery *found)
{
	const look how = {functions, NULL, room_for_drivers()};
	clpac__verdict old = {0}, verdict = {.limit_s = found->probe_s, .when_s = time(NULL)};
	const bool is_known = !found->is_anew && clpac__verdict_read(found->cache, &old);
	if (is_known && is_fresh(&old, found->probe_s)) {
		const bool is_entered = old.result.end == CLPAC__PROBE_WELL &&
					(!found->wanted_kinds || has_wanted(old.result.detail, found->wanted_kinds));
		/* What started without a limit of address space may not with one. */
		if (!how.room || !is_entered)
			return old;
	}
	verdict.state = clpac__verdict_state();
	if (is_known)
		take_over_bad(&how, &old, &verdict);
	try_drivers(&how, &verdict);
	if (!is_untold(verdict.result.end) && !how.room)
		clpac__verdict_write(found->cache, &verdict);
	return verdict;
}

/* --- What is left out --------------------------------------------------------------------------- */

/* Drivers that this process goes without, from the time on at which it started the others.  Discovery, one at a time in
 * a process, is all that looks at it. */
static clpac__verdict started;

bool clpac__opencl_leaves_out(const char *vendor)
{
	return is_bad(&started, vendor);
}

bool clpac__opencl_without_bad(void (*act)(void *user), void *user)
{
	char folder[CLPAC__VENDOR_PATH];
	clpac__vendors good;
	if (!started.n_bad) {
		act(user);
		return true;
	}
	list_good(&started, &good);
	if (!clpac__vendors_make_folder(&good, folder))
		return false;
	const bool is_done = clpac__vendors_with(folder, act, user);
	clpac__vendors_remove_folder(&good, folder);
	return is_done;
}

static clpac_status add_row(clpac__discovery *found, int status, const char *trouble, clpac_error *err)
{
	clpac_platform platform = {.index = -1, .backend = "opencl", .name = "OpenCL", .status = status};
	snprintf(platform.trouble, sizeof platform.trouble, "%s", trouble);
	return clpac__discovery_add_platform(found, &platform, err);
}

/* Said of drivers that fail under a limit of address space, which may be all that they lack. */
static const char *limit_advice(void)
{
	return room_for_drivers() ? " under ulimit -v (raise it, or take --device native)" : "";
}

static clpac_status add_bad(const clpac__verdict *verdict, clpac__discovery *found, clpac_error *err)
{
	char what[96], trouble[512];
	for (int64_t i = 0; i < verdict->n_bad; i++) {
		const clpac__bad_driver *bad = &verdict->bad[i];
		describe(bad->result, bad->limit_s, what, sizeof what);
		snprintf(trouble, sizeof trouble, "%s%s: remove %.80s or repair its driver", what, limit_advice(),
			 bad->file);
		RETURN_IF_ERROR(add_row(found, CLPAC_PLATFORM_LEFT_OUT, trouble, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__opencl_add_left_out(clpac__discovery *found, clpac_error *err)
{
	return add_bad(&started, found, err);
}

/* The reason why no driver is entered, where that is not the fault of each of them alone. */
static clpac_status add_all(const clpac__verdict *verdict, clpac__discovery *found, clpac_error *err)
{
	char what[96], trouble[512];
	describe(verdict->result, verdict->limit_s, what, sizeof what);
	if (verdict->result.end != CLPAC__PROBE_NOT_STARTED)
		snprintf(trouble, sizeof trouble,
			 "%s%s: take the files out of %s one by one, or name one that works in %s", what,
			 limit_advice(), clpac__vendors_usual_folder, clpac__vendors_variable);
	else
		snprintf(trouble, sizeof trouble, "%s: end other programs and try again, or do without the probe",
			 what);
	return add_row(found, CLPAC_PLATFORM_LEFT_OUT, trouble, err);
}

/* Said of drivers that are entered although nothing tried them. */
static clpac_status add_untried(clpac__discovery *found, clpac_error *err)
{
	return add_row(found, CLPAC_PLATFORM_UNTRIED,
		       "drivers were started untried, since clpac-probe is not beside the library: install it in its "
		       "folder, as " PROBE_FOLDER "/clpac-probe",
		       err);
}

static clpac_status add_limited(clpac__discovery *found, clpac_error *err)
{
	char trouble[256];
	snprintf(trouble, sizeof trouble,
		 "%" PRIu64 " MiB are left of the address space, which is limited (ulimit -v), and drivers are entered "
		 "from %" PRIu64 " on: raise the limit, or take --device native",
		 left_of_limit() >> 20, least_room >> 20);
	return add_row(found, CLPAC_PLATFORM_LEFT_OUT, trouble, err);
}

clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err)
{
	clpac__vendors good;
	if (left_of_limit() < least_room) {
		found->is_left_out = true;
		*is_good = false;
		return add_limited(found, err);
	}
	const clpac__verdict verdict = judge(functions, found);
	const bool is_well = verdict.result.end == CLPAC__PROBE_WELL;

	if (verdict.result.end == CLPAC__PROBE_NO_PROGRAM) {
		started = verdict;
		return add_untried(found, err);
	}
	*is_good = is_well && (!found->wanted_kinds || has_wanted(verdict.result.detail, found->wanted_kinds));
	if (*is_good) {
		started = verdict;
		return CLPAC_OK;
	}
	if (is_well) {
		found->is_passed_over = true;
		return CLPAC_OK;
	}
	found->is_left_out = true;
	RETURN_IF_ERROR(add_bad(&verdict, found, err));
	list_good(&verdict, &good);
	return verdict.n_bad && !good.n ? CLPAC_OK : add_all(&verdict, found, err);
}
