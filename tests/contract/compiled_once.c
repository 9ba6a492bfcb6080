/* The driver's functions that make contexts and programs, replaced in a test program so that it compiles each program
 * once.  Linking this file is enough.
 *
 * Every plan makes its transforms anew, of programs that VkFFT writes: of the 3387 programs that the laws of plans
 * build on PoCL, 120 differ.  Even from its cache PoCL takes 20 ms for each, and other drivers more, which was the most
 * of what these tests took.  So all contexts of a device are one here, and a program whose text and options were built
 * before has the kernels of that build.  What a driver does with contexts side by side, and with a program that is
 * built again, is for the tests that do not link this file: test_opencl, test_opencl_cache, test_opencl_failures and
 * the contracts. */
#include "config.h"

#ifdef HAVE_OPENCL
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "memory/opencl/opencl.h"

enum { MOST_CONTEXTS = 16, MOST_PROGRAMS = 4096 };

/* A text or binary by two hashes, FNV-1a and a polynomial with an odd base, like the keys of clpac's cache. */
typedef struct content {
	uint64_t fnv, sum, bytes;
} content;

/* A program that was made; `kernels` is the one that has its kernels, NULL before it was built. */
typedef struct made {
	cl_program program, kernels;
	cl_context context;
	content text;
} made;

/* A program that was built, held until the process ends. */
typedef struct built {
	cl_program program;
	cl_context context;
	content text, options;
} built;

static struct {
	cl_device_id device;
	cl_context context;
} contexts[MOST_CONTEXTS];
static made programs[MOST_PROGRAMS];
static built builds[MOST_PROGRAMS];
static size_t n_contexts, n_programs, n_builds;

/* The lists are read and written under a lock that the thread sanitizer does not see: one that it sees would put the
 * threads under test in an order, and hide their races. */
#define UNSEEN __attribute__((no_sanitize_thread))
static int is_locked;

static UNSEEN void lock(void)
{
	while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static UNSEEN void unlock(void)
{
	__atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
}

static UNSEEN void add_bytes(content *of, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		of->fnv = (of->fnv ^ bytes[i]) * 1099511628211u;
		of->sum = of->sum * 6364136223846793005u + bytes[i] + 1;
	}
	of->bytes += n;
}

static const content nothing = {.fnv = 14695981039346656037u};

static UNSEEN bool is_same(const content *a, const content *b)
{
	return a->fnv == b->fnv && a->sum == b->sum && a->bytes == b->bytes;
}

/* --- The lists, locked ------------------------------------------------------------------------ */

static UNSEEN bool is_shared(cl_context context)
{
	for (size_t i = 0; i < n_contexts; i++)
		if (contexts[i].context == context)
			return true;
	return false;
}

static UNSEEN made *find_made(cl_program program)
{
	for (size_t i = 0; i < n_programs; i++)
		if (programs[i].program == program)
			return &programs[i];
	return NULL;
}

/* Addresses of released programs are used again, and their entries with them. */
static UNSEEN void add_made(cl_context context, cl_program program, const content *text)
{
	lock();
	made *entry = find_made(program);
	if (!entry && n_programs < MOST_PROGRAMS)
		entry = &programs[n_programs++];
	if (entry) {
		entry->program = program;
		entry->kernels = NULL;
		entry->context = is_shared(context) ? context : NULL;
		entry->text.fnv = text->fnv;
		entry->text.sum = text->sum;
		entry->text.bytes = text->bytes;
	}
	unlock();
}

/* Gives the program the kernels of an earlier build of the same text with the same options, where there is one. */
static UNSEEN bool take_build(cl_program program, const content *options)
{
	lock();
	made *entry = find_made(program);
	for (size_t i = 0; entry && !entry->kernels && entry->context && i < n_builds; i++)
		if (builds[i].context == entry->context && is_same(&builds[i].text, &entry->text) &&
		    is_same(&builds[i].options, options))
			entry->kernels = builds[i].program;
	const bool is_built = entry && entry->kernels && entry->kernels != program;
	unlock();
	return is_built;
}

/* Keeps a build for later programs; false where it is not to be held. */
static UNSEEN bool keep_build(cl_program program, const content *options)
{
	lock();
	made *entry = find_made(program);
	const bool is_kept = entry && !entry->kernels && entry->context && n_builds < MOST_PROGRAMS;
	if (is_kept) {
		built *kept = &builds[n_builds++];
		kept->program = entry->kernels = program;
		kept->context = entry->context;
		kept->text.fnv = entry->text.fnv;
		kept->text.sum = entry->text.sum;
		kept->text.bytes = entry->text.bytes;
		kept->options.fnv = options->fnv;
		kept->options.sum = options->sum;
		kept->options.bytes = options->bytes;
	}
	unlock();
	return is_kept;
}

static UNSEEN cl_program kernels_of(cl_program program)
{
	lock();
	const made *entry = find_made(program);
	const cl_program found = entry && entry->kernels ? entry->kernels : program;
	unlock();
	return found;
}

static UNSEEN cl_context find_context(cl_device_id device)
{
	cl_context found = NULL;
	lock();
	for (size_t i = 0; i < n_contexts; i++)
		if (contexts[i].device == device)
			found = contexts[i].context;
	unlock();
	return found;
}

static UNSEEN bool keep_context(cl_device_id device, cl_context context)
{
	lock();
	const bool is_kept = n_contexts < MOST_CONTEXTS;
	if (is_kept) {
		contexts[n_contexts].device = device;
		contexts[n_contexts++].context = context;
	}
	unlock();
	return is_kept;
}

/* --- The driver's functions ------------------------------------------------------------------- */

/* dlsym returns an object pointer; POSIX guarantees that it can hold a function's. */
#define REAL(name)                                                                                                     \
	__typeof__(&name) real;                                                                                        \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

/* The driver reports to nobody: who asked first may be gone. */
cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
				       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
				       void *user, cl_int *code)
{
	REAL(clCreateContext);
	if (n != 1)
		return real(properties, n, devices, notify, user, code);
	cl_context context = find_context(*devices);
	const bool is_new = !context;
	if (is_new)
		context = real(properties, n, devices, NULL, NULL, code);
	if (context && (!is_new || keep_context(*devices, context)))
		clRetainContext(context);
	if (!is_new && code)
		*code = CL_SUCCESS;
	return context;
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts,
						 const size_t *lengths, cl_int *code)
{
	REAL(clCreateProgramWithSource);
	const cl_program program = real(context, n, texts, lengths, code);
	content text = nothing;
	for (cl_uint i = 0; i < n; i++)
		add_bytes(&text, (const unsigned char *)texts[i],
			  lengths && lengths[i] ? lengths[i] : strlen(texts[i]));
	if (program)
		add_made(context, program, &text);
	return program;
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
						 const size_t *lengths, const unsigned char **binaries, cl_int *status,
						 cl_int *code)
{
	REAL(clCreateProgramWithBinary);
	const cl_program program = real(context, n, devices, lengths, binaries, status, code);
	content text = nothing;
	text.fnv++; /* no text has these hashes */
	for (cl_uint i = 0; i < n; i++)
		add_bytes(&text, binaries[i], lengths[i]);
	if (program)
		add_made(context, program, &text);
	return program;
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *words,
				  void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	REAL(clBuildProgram);
	content options = nothing;
	add_bytes(&options, (const unsigned char *)words, words ? strlen(words) : 0);
	if (!notify && take_build(program, &options))
		return CL_SUCCESS;
	const cl_int code = real(program, n, devices, words, notify, user);
	if (code == CL_SUCCESS && !notify && keep_build(program, &options))
		clRetainProgram(program);
	return code;
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *code)
{
	REAL(clCreateKernel);
	return real(kernels_of(program), name, code);
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *value, size_t *size)
{
	REAL(clGetProgramInfo);
	return real(kernels_of(program), what, room, value, size);
}
#endif
