/* The layer that plays a card, and counts (card.h). */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* of the headers of layers, not of what is called */
#include "card.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEVICE_FREE_MEMORY_AMD = 0x4039, /* KiB free, and KiB of the largest free block */
	LOCAL_BYTES = 48 << 10,
	GROUP_OF_DRIVER = 64,
	IDLE_BYTES = 64 << 10, /* the memory of a buffer of an idle card */
	MAX_TEXT = 16384,
};

static const char amd_extension[] = " cl_amd_device_attribute_query";

/* What the environment says; 0: nothing. */
static struct settings {
	unsigned long long units, memory, allocation, room, free, unified, cache, group, vendor, idle, plain;
} card;

static const struct setting {
	const char *name;
	unsigned long long *value;
} settings[] = {
	{"CLPAC_TEST_CARD_UNITS", &card.units},
	{"CLPAC_TEST_CARD_MEMORY", &card.memory},
	{"CLPAC_TEST_CARD_ALLOCATION", &card.allocation},
	{"CLPAC_TEST_CARD_ROOM", &card.room},
	{"CLPAC_TEST_CARD_FREE", &card.free},
	{"CLPAC_TEST_CARD_UNIFIED", &card.unified},
	{"CLPAC_TEST_CARD_CACHE", &card.cache},
	{"CLPAC_TEST_CARD_GROUP", &card.group},
	{"CLPAC_TEST_CARD_VENDOR", &card.vendor},
	{"CLPAC_TEST_CARD_IDLE", &card.idle},
	{"CLPAC_TEST_CARD_PLAIN", &card.plain},
};

static const cl_icd_dispatch *real; /* the driver's functions, or the next layer's */
static cl_icd_dispatch mine;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static card_counts counts;
static unsigned long long bytes_held; /* of buffers that exist */
static FILE *log_file;

/* --- Counting -------------------------------------------------------------------------------- */

/* Adds one to a count, `bytes` to another where there is one, and a line to the log. */
static void note(unsigned long long *count, unsigned long long *bytes, unsigned long long n, const char *what)
{
	pthread_mutex_lock(&lock);
	++*count;
	if (bytes)
		*bytes += n;
	if (log_file && bytes)
		fprintf(log_file, "%s %llu\n", what, n);
	else if (log_file && what)
		fprintf(log_file, "%s\n", what);
	pthread_mutex_unlock(&lock);
}

static cl_int refuse(cl_int code, const char *why)
{
	note(&counts.refused, NULL, 0, why);
	return code;
}

/* The lock is held. */
static void count_kernel(const char *name, unsigned long long n_groups)
{
	size_t i = 0;
	while (i < counts.n_kernels && strcmp(counts.kernels[i].name, name) != 0)
		i++;
	if (i == CARD_MOST_KERNELS)
		return;
	card_kernel *kernel = &counts.kernels[i];
	if (i == counts.n_kernels) {
		counts.n_kernels++;
		snprintf(kernel->name, sizeof kernel->name, "%s", name);
		kernel->least_groups = n_groups;
	}
	kernel->n_launches++;
	kernel->n_groups += n_groups;
	if (n_groups < kernel->least_groups)
		kernel->least_groups = n_groups;
}

static void note_launch(cl_kernel kernel, const size_t *items, const size_t *groups, size_t group)
{
	char name[CARD_NAME_SIZE] = "(a long name)";
	real->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	const unsigned long long n_groups = (unsigned long long)groups[0] * groups[1] * groups[2];
	pthread_mutex_lock(&lock);
	counts.launches++;
	counts.groups += n_groups;
	count_kernel(name, n_groups);
	if (log_file)
		fprintf(log_file, "launch %s %zu x %zu x %zu items, groups of %zu: %llu\n", name, items[0], items[1],
			items[2], group, n_groups);
	pthread_mutex_unlock(&lock);
}

__attribute__((visibility("default"))) void card_count(card_counts *out);
void card_count(card_counts *out)
{
	pthread_mutex_lock(&lock);
	*out = counts;
	counts = (card_counts){0};
	pthread_mutex_unlock(&lock);
}

static void end_log(void)
{
	const struct {
		const char *name;
		unsigned long long count;
	} all[] = {{"launches", counts.launches},
		   {"groups", counts.groups},
		   {"markers", counts.markers},
		   {"barriers", counts.barriers},
		   {"flushes", counts.flushes},
		   {"finishes", counts.finishes},
		   {"waits", counts.waits},
		   {"reads", counts.reads},
		   {"blocking_reads", counts.blocking_reads},
		   {"bytes_read", counts.bytes_read},
		   {"writes", counts.writes},
		   {"blocking_writes", counts.blocking_writes},
		   {"bytes_written", counts.bytes_written},
		   {"fills", counts.fills},
		   {"copies", counts.copies},
		   {"maps", counts.maps},
		   {"buffers", counts.buffers},
		   {"parts", counts.parts},
		   {"arguments", counts.arguments},
		   {"builds", counts.builds},
		   {"refused", counts.refused}};
	fputs("counts", log_file);
	for (size_t i = 0; i < sizeof all / sizeof(*all); i++)
		fprintf(log_file, " %s=%llu", all[i].name, all[i].count);
	fputc('\n', log_file);
	for (size_t i = 0; i < counts.n_kernels; i++)
		fprintf(log_file, "kernel %s launches=%llu groups=%llu least=%llu\n", counts.kernels[i].name,
			counts.kernels[i].n_launches, counts.kernels[i].n_groups, counts.kernels[i].least_groups);
	fclose(log_file);
}

/* --- What the card says of itself ------------------------------------------------------------- */

/* Puts a number in the place of the driver's answer, which has the size of its type. */
static void say(void *value, size_t room, unsigned long long number)
{
	const cl_uint narrow = (cl_uint)number;
	const cl_ulong wide = number;
	if (value && room >= sizeof wide)
		memcpy(value, &wide, sizeof wide);
	else if (value && room >= sizeof narrow)
		memcpy(value, &narrow, sizeof narrow);
}

/* Whether the answer to a question is the card's, and which. */
static bool says(cl_device_info what, unsigned long long *number)
{
	const struct {
		cl_device_info what;
		unsigned long long number;
		bool is_said;
	} answers[] = {
		{CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU, true},
		{CL_DEVICE_HOST_UNIFIED_MEMORY, card.unified, true},
		{CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1, true},
		{CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1, true},
		{CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1, true},
		{CL_DEVICE_MEM_BASE_ADDR_ALIGN, CARD_ALIGNMENT * 8, true},
		{CL_DEVICE_LOCAL_MEM_SIZE, LOCAL_BYTES, true},
		{CL_DEVICE_MAX_COMPUTE_UNITS, card.units, card.units},
		{CL_DEVICE_GLOBAL_MEM_SIZE, card.memory, card.memory},
		{CL_DEVICE_MAX_MEM_ALLOC_SIZE, card.allocation, card.allocation},
		{CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, card.cache, card.cache},
		{CL_DEVICE_MAX_WORK_GROUP_SIZE, card.group, card.group},
		{CL_DEVICE_VENDOR_ID, card.vendor, card.vendor},
	};
	for (size_t i = 0; i < sizeof answers / sizeof(*answers); i++)
		if (answers[i].what == what && answers[i].is_said) {
			*number = answers[i].number;
			return true;
		}
	return false;
}

/* The driver's extensions, and AMD's, of which the free memory is one question. */
static cl_int say_extensions(cl_device_id device, size_t room, void *value, size_t *size)
{
	char text[MAX_TEXT] = "";
	const cl_int code =
		real->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text - sizeof amd_extension, text, NULL);
	if (code != CL_SUCCESS)
		return code;
	strcat(text, amd_extension);
	const size_t length = strlen(text) + 1;
	if (size)
		*size = length;
	if (value && room < length)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, text, length);
	return CL_SUCCESS;
}

static cl_int say_free_memory(size_t room, void *value, size_t *size)
{
	const size_t kib[2] = {(size_t)(card.free >> 10), (size_t)(card.free >> 10)};
	if (size)
		*size = sizeof kib;
	if (value && room < sizeof kib)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, kib, sizeof kib);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *size)
{
	unsigned long long number;
	size_t answered = 0;
	if (card.free && what == CL_DEVICE_EXTENSIONS)
		return say_extensions(device, room, value, size);
	if (card.free && what == DEVICE_FREE_MEMORY_AMD)
		return say_free_memory(room, value, size);
	const cl_int code = real->clGetDeviceInfo(device, what, room, value, &answered);
	if (size)
		*size = answered;
	if (code == CL_SUCCESS && says(what, &number))
		say(value, answered, number);
	return code;
}

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
				     cl_uint *n)
{
	const bool is_asked = type == CL_DEVICE_TYPE_ALL || (type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU));
	if (is_asked)
		return real->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room, ids, n);
	if (n)
		*n = 0;
	return CL_DEVICE_NOT_FOUND;
}

static cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room,
				     void *value, size_t *size)
{
	const cl_int code = real->clGetKernelWorkGroupInfo(kernel, device, what, room, value, size);
	size_t most;
	if (code != CL_SUCCESS || !value || what != CL_KERNEL_WORK_GROUP_SIZE || !card.group)
		return code;
	memcpy(&most, value, sizeof most);
	if (most > card.group)
		say(value, sizeof most, card.group);
	return code;
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void CL_CALLBACK give_room_back(cl_mem buffer, void *bytes)
{
	(void)buffer;
	pthread_mutex_lock(&lock);
	bytes_held -= (unsigned long long)(uintptr_t)bytes;
	pthread_mutex_unlock(&lock);
}

static bool take_room(size_t bytes)
{
	pthread_mutex_lock(&lock);
	const bool has_room = !card.room || (bytes <= card.room && bytes_held <= card.room - bytes);
	if (has_room)
		bytes_held += bytes;
	pthread_mutex_unlock(&lock);
	return has_room;
}

static cl_mem no_memory(cl_int why, const char *text, cl_int *code)
{
	refuse(why, text);
	if (code)
		*code = why;
	return NULL;
}

/* Buffers of the host's memory are the host's: they are mapped, and take no room. */
static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
	const bool is_of_host = host || (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR));
	const size_t held = is_of_host ? 0 : bytes;
	note(&counts.buffers, NULL, 0, NULL);
	if (card.allocation && bytes > card.allocation)
		return no_memory(CL_INVALID_BUFFER_SIZE, "refused: a buffer beyond the largest", code);
	if (!take_room(held))
		return no_memory(CL_MEM_OBJECT_ALLOCATION_FAILURE, "refused: a buffer beyond the room", code);
	const size_t made_of = card.idle && !is_of_host && bytes > IDLE_BYTES ? IDLE_BYTES : bytes;
	cl_mem made = real->clCreateBuffer(context, flags, made_of, host, code);
	void *const given_back = (void *)(uintptr_t)held;
	if (!made || real->clSetMemObjectDestructorCallback(made, give_room_back, given_back) != CL_SUCCESS)
		give_room_back(NULL, given_back);
	return made;
}

/* The part of an idle card's buffer, whose memory may be smaller than it says. */
static cl_mem create_idle_part(cl_mem whole, cl_mem_flags flags, const cl_buffer_region *region, cl_int *code)
{
	cl_buffer_region made_of = *region;
	size_t bytes = 0;
	real->clGetMemObjectInfo(whole, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	if (region->size > bytes || region->origin > bytes - region->size)
		made_of = (cl_buffer_region){0, region->size < bytes ? region->size : bytes};
	return real->clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &made_of, code);
}

static cl_mem CL_API_CALL create_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
				      cl_int *code)
{
	const cl_buffer_region *wanted = region;
	note(&counts.parts, NULL, 0, NULL);
	if (type == CL_BUFFER_CREATE_TYPE_REGION && wanted && wanted->origin % CARD_ALIGNMENT)
		return no_memory(CL_MISALIGNED_SUB_BUFFER_OFFSET, "refused: a part that begins between two addresses",
				 code);
	if (card.idle && type == CL_BUFFER_CREATE_TYPE_REGION && wanted)
		return create_idle_part(whole, flags, wanted, code);
	return real->clCreateSubBuffer(whole, flags, type, region, code);
}

/* --- Commands --------------------------------------------------------------------------------- */

/* In place of a command of an idle card, which is done at once: what clpac puts into a queue may depend on what has
 * passed, as on which of its places for samples are free. */
static cl_int idle(cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event)
{
	const cl_int code = real->clEnqueueMarkerWithWaitList(queue, n_events, events, event);
	return code == CL_SUCCESS ? real->clFinish(queue) : code;
}

/* Why a card would not run a kernel in such groups; CL_SUCCESS: it would. */
static cl_int judge_launch(cl_command_queue queue, cl_kernel kernel, const size_t *groups, size_t group)
{
	cl_device_id device = NULL;
	cl_ulong local = 0;
	if (card.group && group > card.group)
		return refuse(CL_INVALID_WORK_GROUP_SIZE, "refused: a work-group with too many items");
	if (groups[1] > CARD_GRID_LIMIT || groups[2] > CARD_GRID_LIMIT)
		return refuse(CL_INVALID_GLOBAL_WORK_SIZE, "refused: too many work-groups in a dimension");
	real->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, NULL);
	real->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
	if (local > LOCAL_BYTES)
		return refuse(CL_OUT_OF_RESOURCES, "refused: a kernel with too much local memory");
	return CL_SUCCESS;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
				 const size_t *items, const size_t *local, cl_uint n_events, const cl_event *events,
				 cl_event *event)
{
	size_t all[3] = {1, 1, 1}, groups[3] = {1, 1, 1}, group = 1;
	for (cl_uint i = 0; i < n && i < 3; i++) {
		const size_t each = local ? local[i] : i ? 1 : GROUP_OF_DRIVER;
		all[i] = items[i];
		groups[i] = each ? items[i] / each + (items[i] % each != 0) : 0;
		group *= each;
	}
	const cl_int code = judge_launch(queue, kernel, groups, group);
	if (code != CL_SUCCESS)
		return code;
	note_launch(kernel, all, groups, group);
	if (card.idle)
		return idle(queue, n_events, events, event);
	return real->clEnqueueNDRangeKernel(queue, kernel, n, offset, items, local, n_events, events, event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_waited_for, size_t offset,
				       size_t bytes, const void *source, cl_uint n_events, const cl_event *events,
				       cl_event *event)
{
	note(&counts.writes, &counts.bytes_written, bytes, "write");
	if (is_waited_for)
		note(&counts.blocking_writes, NULL, 0, "which is waited for");
	if (card.idle)
		return idle(queue, n_events, events, event);
	return real->clEnqueueWriteBuffer(queue, buffer, is_waited_for, offset, bytes, source, n_events, events, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_waited_for, size_t offset,
				      size_t bytes, void *target, cl_uint n_events, const cl_event *events,
				      cl_event *event)
{
	note(&counts.reads, &counts.bytes_read, bytes, "read");
	if (is_waited_for)
		note(&counts.blocking_reads, NULL, 0, "which is waited for");
	if (!card.idle)
		return real->clEnqueueReadBuffer(queue, buffer, is_waited_for, offset, bytes, target, n_events, events,
						 event);
	memset(target, 0, bytes);
	return idle(queue, n_events, events, event);
}

static cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t size, size_t offset,
			       size_t bytes, cl_uint n_events, const cl_event *events, cl_event *event)
{
	note(&counts.fills, NULL, 0, "fill");
	if (card.idle)
		return idle(queue, n_events, events, event);
	return real->clEnqueueFillBuffer(queue, buffer, pattern, size, offset, bytes, n_events, events, event);
}

static cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
			       size_t bytes, cl_uint n_events, const cl_event *events, cl_event *event)
{
	note(&counts.copies, NULL, 0, "copy");
	if (card.idle)
		return idle(queue, n_events, events, event);
	return real->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, n_events, events, event);
}

static void *CL_API_CALL map(cl_command_queue queue, cl_mem buffer, cl_bool is_waited_for, cl_map_flags flags,
			     size_t offset, size_t bytes, cl_uint n_events, const cl_event *events, cl_event *event,
			     cl_int *code)
{
	note(&counts.maps, NULL, 0, "map");
	return real->clEnqueueMapBuffer(queue, buffer, is_waited_for, flags, offset, bytes, n_events, events, event,
					code);
}

static cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event)
{
	note(&counts.markers, NULL, 0, "marker");
	if (card.idle)
		return idle(queue, n_events, events, event);
	return real->clEnqueueMarkerWithWaitList(queue, n_events, events, event);
}

static cl_int CL_API_CALL barrier(cl_command_queue queue, cl_uint n_events, const cl_event *events, cl_event *event)
{
	note(&counts.barriers, NULL, 0, "barrier");
	return real->clEnqueueBarrierWithWaitList(queue, n_events, events, event);
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
	note(&counts.flushes, NULL, 0, "flush");
	return real->clFlush(queue);
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
	note(&counts.finishes, NULL, 0, "finish");
	return real->clFinish(queue);
}

static cl_int CL_API_CALL wait_for(cl_uint n, const cl_event *events)
{
	note(&counts.waits, NULL, 0, "wait");
	return real->clWaitForEvents(n, events);
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint i, size_t size, const void *value)
{
	note(&counts.arguments, NULL, 0, NULL);
	return real->clSetKernelArg(kernel, i, size, value);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
				void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	char plain[MAX_TEXT];
	note(&counts.builds, NULL, 0, "build");
	if (card.plain &&
	    (size_t)snprintf(plain, sizeof plain, "%s -cl-opt-disable", options ? options : "") < sizeof plain)
		options = plain;
	return real->clBuildProgram(program, n, devices, options, notify, user);
}

/* --- The layer -------------------------------------------------------------------------------- */

static void read_environment(void)
{
	const char *path = getenv("CLPAC_TEST_CARD_LOG");
	for (size_t i = 0; i < sizeof settings / sizeof(*settings); i++) {
		const char *text = getenv(settings[i].name);
		char *rest = NULL;
		*settings[i].value = text ? strtoull(text, &rest, 0) : 0;
		if (rest && *rest) {
			fprintf(stderr, "%s is %s, which is no number\n", settings[i].name, text);
			abort();
		}
	}
	if (path && *path && (log_file = fopen(path, "a")))
		atexit(end_log);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *size)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	if (what != CL_LAYER_API_VERSION || (value && room < sizeof version))
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, &version, sizeof version);
	if (size)
		*size = sizeof version;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n, const cl_icd_dispatch *next, cl_uint *n_out,
					    const cl_icd_dispatch **out)
{
	const size_t bytes = n * sizeof(void *);
	read_environment();
	real = next;
	memcpy(&mine, next, bytes < sizeof mine ? bytes : sizeof mine);
	mine.clGetDeviceInfo = device_info;
	mine.clGetDeviceIDs = device_ids;
	mine.clGetKernelWorkGroupInfo = group_info;
	mine.clCreateBuffer = create_buffer;
	mine.clCreateSubBuffer = create_part;
	mine.clEnqueueNDRangeKernel = launch;
	mine.clEnqueueWriteBuffer = write_buffer;
	mine.clEnqueueReadBuffer = read_buffer;
	mine.clEnqueueFillBuffer = fill;
	mine.clEnqueueCopyBuffer = copy;
	mine.clEnqueueMapBuffer = map;
	mine.clEnqueueMarkerWithWaitList = marker;
	mine.clEnqueueBarrierWithWaitList = barrier;
	mine.clFlush = flush;
	mine.clFinish = finish;
	mine.clWaitForEvents = wait_for;
	mine.clSetKernelArg = set_argument;
	mine.clBuildProgram = build;
	*out = &mine;
	*n_out = sizeof mine / sizeof(void *);
	return CL_SUCCESS;
}
