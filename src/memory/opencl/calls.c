/* Taking OpenCL's functions from the loader.
 *
 * Functions that are in the process already come first: those of an application that links a loader, whose objects it
 * hands to clpac, and those of a library preloaded to watch the calls.  The loader's symbols are made global, as if it
 * had been linked: such a preloaded library goes on to them.  The loader stays until the process ends, because drivers
 * leave threads and exit handlers behind.
 *
 * A loader that the application names by its path comes before both, and its symbols stay its own: another one may be
 * in the process, as that of another package of Python.
 */
#include "memory/opencl/calls.h"
#include "memory/opencl/checked_calls.h"
#include "memory/opencl/discover.h"
#include "memory/opencl/libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"

clpac__opencl_call_table clpac__opencl_calls;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded; /* guarded by lock */

/* The path by which the loader was named, empty where it was not; guarded by lock. */
static char named[CLPAC__OPENCL_LIBRARY_SIZE];

/* The number of the process, and 1, in which the loader was looked for, and is, with its drivers; 0: in none.  Changes
 * with the lock held. */
static atomic_uint started_in;

bool clpac__opencl_is_of_parent(void)
{
	const unsigned process = atomic_load(&started_in);
	return process && clpac__is_foreign(process - 1);
}

#define ENTRY(name) #name,
static const char *const names[] = {CLPAC__OPENCL_CALLS(ENTRY)};
#undef ENTRY
static void *first_call; /* of the loader that is in use, names[0]; guarded by lock */
enum { N_CALLS = sizeof names / sizeof *names };
/* POSIX guarantees that an object pointer, which dlsym returns, can hold a function's. */
_Static_assert(sizeof(clpac__opencl_call_table) == N_CALLS * sizeof(void *), "the table has one pointer per name");

/* The first name that `from` does not have; NULL when all are there, and in the table. */
static const char *take(void *from)
{
	void *found[N_CALLS];
	for (size_t i = 0; i < N_CALLS; i++)
		if (!(found[i] = dlsym(from, names[i])))
			return names[i];
	first_call = found[0];
	memcpy(&clpac__opencl_calls, found, sizeof found);
	clpac__opencl_check_calls(&clpac__opencl_calls);
	return NULL;
}

/* The first library that opens, and its name; otherwise NULL, with the reason why the likeliest did not. */
static void *open_loader(const char **library, char *why, size_t size)
{
	for (const char *const *name = clpac__opencl_libraries; *name; name++) {
		void *opened = dlopen(*name, RTLD_NOW | RTLD_GLOBAL);
		const char *reason = opened ? NULL : dlerror();
		*library = *name;
		if (opened)
			return opened;
		if (name == clpac__opencl_libraries)
			snprintf(why, size, "%s", reason ? reason : *name);
	}
	return NULL;
}

/* The lock is held. */
static bool load(char *why, size_t size)
{
	const char *library;
	if (!take(RTLD_DEFAULT))
		return true;
	void *opened = open_loader(&library, why, size);
	if (!opened)
		return false;
	const char *missing = take(RTLD_DEFAULT);
	if (missing) {
		snprintf(why, size, "%s lacks %s", library, missing);
		dlclose(opened);
	}
	return !missing;
}

static void renew_lock(void)
{
	static clpac__renewal renewal;
	if (clpac__renewal_begin(&renewal)) {
		pthread_mutex_init(&lock, NULL);
		clpac__renewal_end(&renewal, true);
	}
}

bool clpac__opencl_load(char *why, size_t size)
{
	if (clpac__opencl_is_of_parent()) {
		snprintf(why, size, "OpenCL was opened in another process, which this one is a fork of");
		return false;
	}
	renew_lock();
	pthread_mutex_lock(&lock);
	atomic_store(&started_in, clpac__process + 1);
	const bool is_here = is_loaded = is_loaded || load(why, size);
	if (!is_here)
		atomic_store(&started_in, 0);
	pthread_mutex_unlock(&lock);
	return is_here;
}

/* --- A loader by its path ----------------------------------------------------------------------- */

const char *clpac__opencl_named(char path[CLPAC__OPENCL_LIBRARY_SIZE])
{
	renew_lock();
	pthread_mutex_lock(&lock);
	memcpy(path, named, sizeof named);
	pthread_mutex_unlock(&lock);
	return path;
}

/* Whether a path is that of the loader in use: such a file is open already.  The lock is held. */
static bool is_in_use(const char *path)
{
	void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	const bool is_same = opened && dlsym(opened, names[0]) == first_call;
	if (opened)
		dlclose(opened);
	return is_same;
}

/* The lock is held. */
static clpac_status load_named(const char *path, clpac_error *err)
{
	void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!opened) {
		const char *reason = dlerror();
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"option opencl_library: %.400s cannot be loaded (%.300s): give the path of OpenCL's loader, "
			"as /usr/lib/libOpenCL.so.1, or leave it out",
			path, reason ? reason : "no reason is told");
	}
	const char *missing = take(opened);
	if (missing) {
		dlclose(opened);
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"option opencl_library: %.400s lacks %s: give the path of OpenCL's loader, or leave it out",
			path, missing);
	}
	snprintf(named, sizeof named, "%s", path);
	return CLPAC_OK;
}

clpac_status clpac__opencl_use(const char *path, bool *is_new, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	*is_new = false;
	if (clpac__opencl_is_of_parent())
		return clpac__forked_fail(err, "option opencl_library", "OpenCL");
	renew_lock();
	pthread_mutex_lock(&lock);
	if (!is_loaded) {
		atomic_store(&started_in, clpac__process + 1);
		TRY(load_named(path, err));
		*is_new = is_loaded = true;
	} else if (!is_in_use(path)) {
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "option opencl_library: %.400s is not the loader that this process uses, %.400s: a process has "
		     "one; "
		     "name it before OpenCL is first looked for, or leave it out",
		     path, *named ? named : "the one of the system or the application");
	}
done:
	if (!is_loaded)
		atomic_store(&started_in, 0);
	pthread_mutex_unlock(&lock);
	return st == CLPAC_OK ? st : clpac__of_member(err, st, "opencl_library");
}

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
	return clGetPlatformIDs(room, ids, n);
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t room, void *value,
					size_t *size)
{
	return clGetPlatformInfo(platform, what, room, value, size);
}

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
				     cl_uint *n)
{
	return clGetDeviceIDs(platform, type, room, ids, n);
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size)
{
	return clGetDeviceInfo(device, what, room, value, size);
}

const clpac__opencl_functions clpac__opencl_loader = {
	.load = clpac__opencl_load,
	.platform_ids = platform_ids,
	.platform_info = platform_info,
	.device_ids = device_ids,
	.device_info = device_info,
};
