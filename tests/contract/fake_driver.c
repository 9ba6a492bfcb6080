/* The functions of OpenCL that clpac calls, by a driver without a device.  fake_driver.h says what for. */
#include "fake_driver.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assertions.h"

typedef enum kind { CONTEXT, QUEUE, MEMORY, PROGRAM, KERNEL, EVENT } kind;
static const char *const kinds[] = {"context", "queue", "memory", "program", "kernel", "event"};

typedef struct object {
	kind kind;
	unsigned n_references;
	struct object *of;	/* the context, of kernels the program, of sub-buffers the whole buffer */
	unsigned char *bytes;	/* of memory */
	size_t n_bytes, offset; /* offset: of a sub-buffer */
	bool owns_bytes;
	cl_mem_flags flags;
	cl_command_queue_properties properties;
	void(CL_CALLBACK *at_end)(cl_mem memory, void *user);
	void *user;
} object;

enum { MOST_OBJECTS = 4096 };
static object *objects[MOST_OBJECTS];
static char platform_tag, device_tag;
#define THE_PLATFORM ((cl_platform_id)(void *)&platform_tag)
#define THE_DEVICE ((cl_device_id)(void *)&device_tag)
#define GARBAGE ((void *)(uintptr_t)0x5A5A5A50) /* the address of nothing */

struct fake_driver fake;

void fake_begin(fake_lie lie, unsigned first_lie)
{
	fake.lie = lie;
	fake.first_lie = first_lie;
	fake.n_calls = 0;
	fake.liar = NULL;
	fake.misuse[0] = 0;
}

static void misused(const char *name, const char *what, const char *of)
{
	if (!*fake.misuse)
		snprintf(fake.misuse, sizeof fake.misuse, "%s: %s %s", name, what, of);
}

/* --- Lies ------------------------------------------------------------------------------------- */

/* Counts a call and says how it answers. */
static fake_lie tell(const char *name)
{
	if (fake.n_calls < FAKE_CALLS)
		fake.calls[fake.n_calls] = name;
	fake.n_calls++;
	if (!fake.lie || !fake.first_lie || fake.n_calls < fake.first_lie ||
	    (fake.most_calls && fake.n_calls > fake.most_calls))
		return FAKE_HONEST;
	const bool is_first = fake.n_calls == fake.first_lie;
	if (is_first)
		fake.liar = name;
	if (!is_first && (!fake.goes_on || (fake.is_one_function && strcmp(fake.liar, name) != 0)))
		return FAKE_HONEST;
	return fake.lie;
}

static cl_int code_of(fake_lie lie)
{
	return lie == FAKE_ODD_CODE ? INT_MAX : lie == FAKE_REFUSAL ? fake.code : CL_SUCCESS;
}

/* Answers with an object in *out and the code; false where the truth is to be told. */
static bool lies_of_object(fake_lie lie, cl_int *code, void **out)
{
	*out = code_of(lie) ? GARBAGE : NULL;
	if (code && lie != FAKE_HONEST && lie != FAKE_UNWRITTEN)
		*code = code_of(lie);
	return lie != FAKE_HONEST;
}

static bool lies_of_value(fake_lie lie, size_t room, void *value, size_t *size)
{
	if (lie == FAKE_HONEST || lie == FAKE_UNWRITTEN)
		return lie != FAKE_HONEST;
	if (value)
		memset(value, lie == FAKE_NOTHING ? 0 : lie == FAKE_HUGE ? 0xFF : 0xA5, room);
	if (size)
		*size = lie == FAKE_NOTHING ? 0 : SIZE_MAX;
	return true;
}

static bool lies_of_list(fake_lie lie, cl_uint room, void *ids, cl_uint *n)
{
	size_t size = 0;
	if (!lies_of_value(lie, room * sizeof(void *), ids, &size))
		return false;
	if (lie == FAKE_HUGE) /* handles of all ones could not be told from good ones */
		memset(ids, 0, room * sizeof(void *));
	if (n && lie != FAKE_UNWRITTEN)
		*n = size ? UINT_MAX : 0;
	return true;
}

/* A command: its event, where one is asked for, and its code. */
static bool lies_of_event(fake_lie lie, cl_event *event)
{
	const cl_int code = code_of(lie);
	if (lie == FAKE_HONEST || (!event && !code))
		return false;
	if (event && lie != FAKE_UNWRITTEN)
		*event = code ? GARBAGE : NULL;
	return true;
}

/* --- Objects ---------------------------------------------------------------------------------- */

/* The object of a handle; NULL, and a note of it, when it is none of the kind. */
static object *need(const char *name, kind kind, const void *handle)
{
	for (size_t i = 0; i < MOST_OBJECTS && objects[i]; i++)
		if (objects[i] == handle && objects[i]->n_references && objects[i]->kind == kind)
			return objects[i];
	misused(name, handle ? "is given what is no" : "is given NULL as its", kinds[kind]);
	return NULL;
}

static bool need_device(const char *name, cl_device_id device)
{
	if (device != THE_DEVICE)
		misused(name, device ? "is given what is no" : "is given NULL as its", "device");
	return device == THE_DEVICE;
}

static void *make(kind kind, object *of)
{
	size_t at = 0;
	while (at < MOST_OBJECTS - 1 && objects[at] && objects[at]->n_references)
		at++;
	object *made = calloc(1, sizeof *made);
	if (!made)
		abort();
	free(objects[at]);
	objects[at] = made;
	made->kind = kind;
	made->of = of;
	made->n_references = 1;
	fake.n_objects++;
	if (of)
		of->n_references++;
	return made;
}

static void release(object *of)
{
	for (object *next; of; of = next) {
		if (--of->n_references)
			return;
		next = of->of;
		fake.n_objects--;
		if (of->at_end)
			of->at_end((cl_mem)(void *)of, of->user);
		if (of->owns_bytes)
			free(of->bytes);
	}
}

void fake_end(void)
{
	for (size_t i = 0; i < MOST_OBJECTS && objects[i]; i++) {
		if (objects[i]->n_references && objects[i]->owns_bytes)
			free(objects[i]->bytes);
		free(objects[i]);
		objects[i] = NULL;
	}
	fake.n_objects = 0;
}

/* --- Answers ---------------------------------------------------------------------------------- */

static cl_int answer(const void *from, size_t bytes, size_t room, void *value, size_t *size)
{
	if (size)
		*size = bytes;
	if (value && room < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, bytes);
	return CL_SUCCESS;
}

typedef struct fact {
	cl_uint what;
	const void *value;
	size_t bytes;
} fact;

static cl_int answer_from(const fact *facts, size_t n, cl_uint what, size_t room, void *value, size_t *size)
{
	for (size_t i = 0; i < n; i++)
		if (facts[i].what == what)
			return answer(facts[i].value, facts[i].bytes, room, value, size);
	return CL_INVALID_VALUE;
}

#define TEXT(what, text)                                                                                               \
	{                                                                                                              \
		(what), (text), sizeof(text)                                                                           \
	}
#define VALUE(what, of)                                                                                                \
	{                                                                                                              \
		(what), &(of), sizeof(of)                                                                              \
	}

static const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
static const cl_bool yes = CL_TRUE, no = CL_FALSE;
static const cl_ulong gib = 1 << 30, quarter = 1 << 28, mib = 1 << 20, local = 64 << 10;
static const cl_uint one = 1, three = 3, units = 4, clock_mhz = 1000, align_bits = 1024, line_bytes = 64;
static const size_t group_items = 1024, free_kib[2] = {1 << 20, 1 << 18}, sub_groups[2] = {16, 32};
static const cl_command_queue_properties queues = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
static const cl_device_id no_parent = NULL;

static const fact facts_of_device[] = {
	VALUE(CL_DEVICE_TYPE, gpu),
	VALUE(CL_DEVICE_AVAILABLE, yes),
	VALUE(CL_DEVICE_COMPILER_AVAILABLE, yes),
	TEXT(CL_DEVICE_VERSION, "OpenCL 1.2 made up"),
	TEXT(CL_DEVICE_NAME, "Made-up card"),
	TEXT(CL_DEVICE_VENDOR, "Nobody"),
	TEXT(CL_DRIVER_VERSION, "1"),
	TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2"),
	TEXT(CL_DEVICE_EXTENSIONS, "cl_intel_required_subgroup_size cl_khr_device_uuid cl_khr_pci_bus_info"),
	VALUE(CL_DEVICE_GLOBAL_MEM_SIZE, gib),
	VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, quarter),
	VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, mib),
	VALUE(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, line_bytes),
	VALUE(CL_DEVICE_LOCAL_MEM_SIZE, local),
	VALUE(CL_DEVICE_MEM_BASE_ADDR_ALIGN, align_bits),
	VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE, group_items),
	VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, units),
	VALUE(CL_DEVICE_MAX_CLOCK_FREQUENCY, clock_mhz),
	VALUE(CL_DEVICE_VENDOR_ID, one),
	VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, one),
	VALUE(CL_DEVICE_HOST_UNIFIED_MEMORY, no),
	VALUE(CL_DEVICE_QUEUE_PROPERTIES, queues),
	VALUE(CL_DEVICE_PARENT_DEVICE, no_parent),
	VALUE(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, three),
	{CL_DEVICE_MAX_WORK_ITEM_SIZES, (const size_t[3]){1024, 1024, 64}, 3 * sizeof(size_t)},
	VALUE(0x4108, sub_groups), /* of Intel's */
	VALUE(0x4039, free_kib),   /* of AMD's */
};
static const fact facts_of_platform[] = {
	TEXT(CL_PLATFORM_NAME, "Made up"),
	TEXT(CL_PLATFORM_VENDOR, "Nobody"),
	TEXT(CL_PLATFORM_VERSION, "OpenCL 1.2"),
};

cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
	const fake_lie lie = tell(__func__);
	if (lies_of_list(lie, ids ? room : 0, ids, n))
		return code_of(lie);
	if (ids && room)
		*ids = THE_PLATFORM;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
				  cl_uint *n)
{
	(void)type;
	const fake_lie lie = tell(__func__);
	if (platform != THE_PLATFORM)
		misused(__func__, "is given what is no", "platform");
	if (lies_of_list(lie, ids ? room : 0, ids, n))
		return code_of(lie);
	if (ids && room)
		*ids = THE_DEVICE;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *value,
				     size_t *size)
{
	const fake_lie lie = tell(__func__);
	if (platform != THE_PLATFORM)
		misused(__func__, "is given what is no", "platform");
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	return answer_from(facts_of_platform, COUNT(facts_of_platform), what, room, value, size);
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	if (!need_device(__func__, device))
		return CL_INVALID_DEVICE;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	return answer_from(facts_of_device, COUNT(facts_of_device), what, room, value, size);
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info what, size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	const cl_device_id device = THE_DEVICE;
	if (!need(__func__, CONTEXT, context))
		return CL_INVALID_CONTEXT;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	const fact facts[] = {VALUE(CL_CONTEXT_DEVICES, device), VALUE(CL_CONTEXT_NUM_DEVICES, one)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t room, void *value,
					 size_t *size)
{
	const fake_lie lie = tell(__func__);
	const cl_device_id device = THE_DEVICE;
	const object *of = need(__func__, QUEUE, queue);
	if (!of)
		return CL_INVALID_COMMAND_QUEUE;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	const fact facts[] = {VALUE(CL_QUEUE_CONTEXT, of->of), VALUE(CL_QUEUE_DEVICE, device),
			      VALUE(CL_QUEUE_PROPERTIES, of->properties)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
	const object *of = need(__func__, MEMORY, memory);
	if (!of)
		return CL_INVALID_MEM_OBJECT;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	const object *whole = of->of->kind == MEMORY ? of->of : NULL, *context = whole ? whole->of : of->of;
	const fact facts[] = {VALUE(CL_MEM_TYPE, type),		VALUE(CL_MEM_SIZE, of->n_bytes),
			      VALUE(CL_MEM_FLAGS, of->flags),	VALUE(CL_MEM_CONTEXT, context),
			      VALUE(CL_MEM_OFFSET, of->offset), VALUE(CL_MEM_ASSOCIATED_MEMOBJECT, whole)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	const cl_int status = CL_COMPLETE;
	const object *of = need(__func__, EVENT, event);
	if (!of)
		return CL_INVALID_EVENT;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	const fact facts[] = {VALUE(CL_EVENT_COMMAND_EXECUTION_STATUS, status), VALUE(CL_EVENT_CONTEXT, of->of)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void *value,
					   size_t *size)
{
	static cl_ulong now = 1000;
	const fake_lie lie = tell(__func__);
	(void)what;
	if (!need(__func__, EVENT, event))
		return CL_INVALID_EVENT;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	now += 1000;
	return answer(&now, sizeof now, room, value, size);
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
					    size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	if (!need(__func__, KERNEL, kernel) || !need_device(__func__, device))
		return CL_INVALID_KERNEL;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	const fact facts[] = {VALUE(CL_KERNEL_WORK_GROUP_SIZE, group_items)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

static const char binary[] = "binary of nothing", build_log[] = "error: this program was not liked";

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	const size_t bytes = sizeof binary;
	if (!need(__func__, PROGRAM, program))
		return CL_INVALID_PROGRAM;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	if (what == CL_PROGRAM_BINARIES) {
		memcpy(*(unsigned char **)value, binary, sizeof binary);
		return CL_SUCCESS;
	}
	const fact facts[] = {VALUE(CL_PROGRAM_BINARY_SIZES, bytes)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
					 size_t room, void *value, size_t *size)
{
	const fake_lie lie = tell(__func__);
	if (!need(__func__, PROGRAM, program) || !need_device(__func__, device))
		return CL_INVALID_PROGRAM;
	if (lies_of_value(lie, room, value, size))
		return code_of(lie);
	const fact facts[] = {TEXT(CL_PROGRAM_BUILD_LOG, build_log)};
	return answer_from(facts, COUNT(facts), what, room, value, size);
}

/* --- Makers ----------------------------------------------------------------------------------- */

static void *made(void *object, cl_int *code)
{
	if (code)
		*code = CL_SUCCESS;
	return object;
}

static void *refused(cl_int *code, cl_int why)
{
	if (code)
		*code = why;
	return NULL;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
				       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
				       void *user, cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	(void)properties, (void)notify, (void)user;
	if (n != 1 || !need_device(__func__, *devices))
		return refused(code, CL_INVALID_DEVICE);
	return lies_of_object(lie, code, &lied) ? lied : made(make(CONTEXT, NULL), code);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
						  cl_command_queue_properties properties, cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	object *of = need(__func__, CONTEXT, context);
	if (!of || !need_device(__func__, device))
		return refused(code, CL_INVALID_CONTEXT);
	if (lies_of_object(lie, code, &lied))
		return lied;
	object *queue = make(QUEUE, of);
	queue->properties = properties;
	return made(queue, code);
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	object *of = need(__func__, CONTEXT, context);
	if (!of)
		return refused(code, CL_INVALID_CONTEXT);
	if (lies_of_object(lie, code, &lied))
		return lied;
	if (!bytes || bytes > quarter)
		return refused(code, CL_INVALID_BUFFER_SIZE);
	unsigned char *own = flags & CL_MEM_USE_HOST_PTR ? NULL : calloc(1, bytes);
	if (!own && !(flags & CL_MEM_USE_HOST_PTR))
		return refused(code, CL_OUT_OF_HOST_MEMORY);
	if (own && host && flags & CL_MEM_COPY_HOST_PTR)
		memcpy(own, host, bytes);
	object *memory = make(MEMORY, of);
	memory->bytes = own ? own : host;
	memory->owns_bytes = own != NULL;
	memory->n_bytes = bytes;
	memory->flags = flags;
	return made(memory, code);
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
				     cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	const cl_buffer_region *part = region;
	object *of = need(__func__, MEMORY, whole);
	(void)type;
	if (!of)
		return refused(code, CL_INVALID_MEM_OBJECT);
	if (part->origin > of->n_bytes || part->size > of->n_bytes - part->origin || part->origin % (align_bits / 8)) {
		misused(__func__, "is given a part that does not fit its", "memory");
		return refused(code, CL_INVALID_VALUE);
	}
	if (lies_of_object(lie, code, &lied))
		return lied;
	object *memory = make(MEMORY, of);
	memory->bytes = of->bytes + part->origin;
	memory->n_bytes = part->size;
	memory->offset = part->origin;
	memory->flags = flags;
	return made(memory, code);
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint n, const char **lines,
						 const size_t *lengths, cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	object *of = need(__func__, CONTEXT, context);
	(void)n, (void)lines, (void)lengths;
	if (!of)
		return refused(code, CL_INVALID_CONTEXT);
	return lies_of_object(lie, code, &lied) ? lied : made(make(PROGRAM, of), code);
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
						 const size_t *lengths, const unsigned char **binaries, cl_int *status,
						 cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	object *of = need(__func__, CONTEXT, context);
	(void)lengths, (void)binaries;
	if (!of || n != 1 || !need_device(__func__, *devices))
		return refused(code, CL_INVALID_CONTEXT);
	if (lies_of_object(lie, code, &lied))
		return lied;
	if (status)
		*status = CL_SUCCESS;
	return made(make(PROGRAM, of), code);
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	object *of = need(__func__, PROGRAM, program);
	(void)name;
	if (!of)
		return refused(code, CL_INVALID_PROGRAM);
	return lies_of_object(lie, code, &lied) ? lied : made(make(KERNEL, of), code);
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
				  void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	const fake_lie lie = tell(__func__);
	(void)n, (void)devices, (void)options, (void)notify, (void)user;
	if (!need(__func__, PROGRAM, program))
		return CL_INVALID_PROGRAM;
	return code_of(lie) ? code_of(lie) : fake.refuses_builds ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

/* --- References ------------------------------------------------------------------------------- */

/* Whatever is said of it, what is released is gone: a library can do no more. */
#define RELEASES(name, type, kind)                                                                                     \
	cl_int CL_API_CALL name(type handle)                                                                           \
	{                                                                                                              \
		const fake_lie lie = tell(__func__);                                                                   \
		object *of = need(__func__, kind, handle);                                                             \
		if (of)                                                                                                \
			release(of);                                                                                   \
		return code_of(lie);                                                                                   \
	}
#define RETAINS(name, type, kind)                                                                                      \
	cl_int CL_API_CALL name(type handle)                                                                           \
	{                                                                                                              \
		const fake_lie lie = tell(__func__);                                                                   \
		object *of = need(__func__, kind, handle);                                                             \
		if (of && !code_of(lie))                                                                               \
			of->n_references++;                                                                            \
		return of ? code_of(lie) : CL_INVALID_VALUE;                                                           \
	}
RELEASES(clReleaseContext, cl_context, CONTEXT)
RELEASES(clReleaseCommandQueue, cl_command_queue, QUEUE)
RELEASES(clReleaseMemObject, cl_mem, MEMORY)
RELEASES(clReleaseProgram, cl_program, PROGRAM)
RELEASES(clReleaseKernel, cl_kernel, KERNEL)
RELEASES(clReleaseEvent, cl_event, EVENT)
RETAINS(clRetainContext, cl_context, CONTEXT)
RETAINS(clRetainCommandQueue, cl_command_queue, QUEUE)
RETAINS(clRetainProgram, cl_program, PROGRAM)
RETAINS(clRetainEvent, cl_event, EVENT)

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem memory, void(CL_CALLBACK *at_end)(cl_mem, void *),
						    void *user)
{
	const fake_lie lie = tell(__func__);
	object *of = need(__func__, MEMORY, memory);
	if (!of || code_of(lie))
		return of ? code_of(lie) : CL_INVALID_MEM_OBJECT;
	of->at_end = at_end;
	of->user = user;
	return CL_SUCCESS;
}

/* --- Commands --------------------------------------------------------------------------------- */

/* The bytes of a buffer that a command uses; NULL, and a note of it, when they do not lie in it. */
static unsigned char *range(const char *name, cl_mem memory, size_t offset, size_t bytes)
{
	const object *of = need(name, MEMORY, memory);
	if (!of)
		return NULL;
	if (offset > of->n_bytes || bytes > of->n_bytes - offset) {
		misused(name, "is given bytes outside its", "memory");
		return NULL;
	}
	return of->bytes + offset;
}

/* Whether a command's queue and events are good. */
static object *ready(const char *name, cl_command_queue queue, cl_uint n, const cl_event *events)
{
	object *of = need(name, QUEUE, queue);
	for (cl_uint i = 0; i < n; i++)
		if (!need(name, EVENT, events[i]))
			return NULL;
	return of;
}

static cl_int done(const object *queue, cl_event *event)
{
	if (event)
		*event = make(EVENT, queue->of);
	return CL_SUCCESS;
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
					  const size_t *items, const size_t *group, cl_uint n_events,
					  const cl_event *events, cl_event *event)
{
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	(void)offset;
	if (!of || !need(__func__, KERNEL, kernel))
		return CL_INVALID_KERNEL;
	for (cl_uint i = 0; i < n; i++)
		if (!items[i] || (group && (!group[i] || items[i] % group[i]))) {
			misused(__func__, "is given groups that do not fill its", "items");
			return CL_INVALID_WORK_GROUP_SIZE;
		}
	return lies_of_event(lie, event) ? code_of(lie) : done(of, event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset,
					size_t bytes, const void *source, cl_uint n_events, const cl_event *events,
					cl_event *event)
{
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	unsigned char *to = range(__func__, memory, offset, bytes);
	(void)wait;
	if (!of || !to)
		return CL_INVALID_VALUE;
	if (lies_of_event(lie, event))
		return code_of(lie);
	memcpy(to, source, bytes);
	return done(of, event);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t bytes,
				       void *target, cl_uint n_events, const cl_event *events, cl_event *event)
{
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	const unsigned char *from = range(__func__, memory, offset, bytes);
	(void)wait;
	if (!of || !from)
		return CL_INVALID_VALUE;
	/* What is read is an answer too. */
	if (lies_of_value(lie, bytes, target, NULL)) {
		lies_of_event(lie, event);
		return code_of(lie);
	}
	memcpy(target, from, bytes);
	return done(of, event);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target, size_t from, size_t to,
				       size_t bytes, cl_uint n_events, const cl_event *events, cl_event *event)
{
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	const unsigned char *source_bytes = range(__func__, source, from, bytes);
	unsigned char *target_bytes = range(__func__, target, to, bytes);
	if (!of || !source_bytes || !target_bytes)
		return CL_INVALID_VALUE;
	if (lies_of_event(lie, event))
		return code_of(lie);
	memmove(target_bytes, source_bytes, bytes);
	return done(of, event);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t size,
				       size_t offset, size_t bytes, cl_uint n_events, const cl_event *events,
				       cl_event *event)
{
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	unsigned char *to = range(__func__, memory, offset, bytes);
	if (!of || !to)
		return CL_INVALID_VALUE;
	if (lies_of_event(lie, event))
		return code_of(lie);
	for (size_t i = 0; i < bytes; i++)
		to[i] = ((const unsigned char *)pattern)[i % size];
	return done(of, event);
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, cl_map_flags flags,
				     size_t offset, size_t bytes, cl_uint n_events, const cl_event *events,
				     cl_event *event, cl_int *code)
{
	void *lied;
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	unsigned char *at = range(__func__, memory, offset, bytes);
	(void)wait, (void)flags;
	if (!of || !at)
		return refused(code, CL_INVALID_VALUE);
	if (lies_of_object(lie, code, &lied))
		return lied;
	done(of, event);
	return made(at, code);
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *pointer, cl_uint n_events,
					   const cl_event *events, cl_event *event)
{
	const fake_lie lie = tell(__func__);
	const object *of = ready(__func__, queue, n_events, events);
	const object *mapped = need(__func__, MEMORY, memory);
	if (!of || !mapped)
		return CL_INVALID_MEM_OBJECT;
	const unsigned char *at = pointer;
	if (at < mapped->bytes || at >= mapped->bytes + mapped->n_bytes)
		misused(__func__, "is given a pointer outside its", "memory");
	return lies_of_event(lie, event) ? code_of(lie) : done(of, event);
}

#define ORDERS(name)                                                                                                   \
	cl_int CL_API_CALL name(cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event)     \
	{                                                                                                              \
		const fake_lie lie = tell(__func__);                                                                   \
		const object *of = ready(__func__, queue, n_events, events);                                           \
		if (!of)                                                                                               \
			return CL_INVALID_COMMAND_QUEUE;                                                               \
		return lies_of_event(lie, event) ? code_of(lie) : done(of, event);                                     \
	}
ORDERS(clEnqueueMarkerWithWaitList)
ORDERS(clEnqueueBarrierWithWaitList)

/* --- Functions whose code is their answer ----------------------------------------------------- */

cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
	const fake_lie lie = tell(__func__);
	return need(__func__, QUEUE, queue) ? code_of(lie) : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
	const fake_lie lie = tell(__func__);
	return need(__func__, QUEUE, queue) ? code_of(lie) : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *events)
{
	const fake_lie lie = tell(__func__);
	for (cl_uint i = 0; i < n; i++)
		if (!need(__func__, EVENT, events[i]))
			return CL_INVALID_EVENT;
	return code_of(lie);
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
	const fake_lie lie = tell(__func__);
	(void)i, (void)size, (void)value;
	return need(__func__, KERNEL, kernel) ? code_of(lie) : CL_INVALID_KERNEL;
}
