/* A plan's memory on every OpenCL device of this machine, with a count of all blocks that its driver makes, for this
 * library or the FFT's. */
#include "config.h"

#include "runner.h"

#include "contract/places.h"
#include "memory_laws.h"

enum { N_PROBLEMS = 8 };

const int runner_no_fork = 1;

#ifdef HAVE_OPENCL
#include <dlfcn.h>

#include "memory/opencl/opencl.h"

static unsigned long n_buffers;

/* Replaces the driver's function in this program and in the libraries that it is linked with. */
cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
	static __typeof__(&clCreateBuffer) real;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clCreateBuffer");
	n_buffers++;
	return real(context, flags, size, host, code);
}

static unsigned long buffers_made(void)
{
	return n_buffers;
}
#else
#define buffers_made NULL
#endif

const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("memory of plans on OpenCL devices");
	suite_add_tcase(s, memory_laws(places_find("opencl"), N_PROBLEMS, true, buffers_made));
	suite_add_tcase(s, memory_arrangement_laws(places_find("opencl")));
	return s;
}
