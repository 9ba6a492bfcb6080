/* Taking clFFT's functions from its library, which stays loaded until the process ends. */
#include "config.h"

#include "coupling/opencl/clfft_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

clpac__clfft_call_table clpac__clfft_calls;

static const char library[] = "libclFFT.so.2";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded; /* guarded by lock */

#define ENTRY(name) #name,
static const char *const names[] = {CLPAC__CLFFT_CALLS(ENTRY)};
#undef ENTRY
enum { N_CALLS = sizeof names / sizeof *names };
_Static_assert(sizeof(clpac__clfft_call_table) == N_CALLS * sizeof(void *), "the table has one pointer per name");

/* The lock is held. */
static clpac_status load(clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	void *found[N_CALLS], *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!opened) {
		const char *reason = dlerror();
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "clfft cannot be used (%.150s): install it (Debian: libclfft2), or choose another fft",
		     reason ? reason : library);
	}
	for (size_t i = 0; i < N_CALLS; i++)
		if (!(found[i] = dlsym(opened, names[i])))
			FAIL(CLPAC_ERROR_UNSUPPORTED, "clfft cannot be used (%s lacks %s): choose another fft", library,
			     names[i]);
	memcpy(&clpac__clfft_calls, found, sizeof found);
	is_loaded = true;
	opened = NULL;
done:
	if (opened)
		dlclose(opened);
	return st;
}

clpac_status clpac__clfft_load(clpac_error *err)
{
	pthread_mutex_lock(&lock);
	const clpac_status st = is_loaded ? CLPAC_OK : load(err);
	pthread_mutex_unlock(&lock);
	return st;
}
