/* Functions of OpenCL in the place of the loader's, which count and pass on. */
#include "bench/launches.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not clpac's own header of OpenCL, whose names are those of a table. */
#include "memory/opencl/cl.h"

enum { MAX_ROWS = 128, MAX_NAME = 64 };

/* One kernel, or one kind of transfer. */
typedef struct row {
	char name[MAX_NAME];
	size_t n, least_groups, most_groups, group;
	double seconds;
} row;

typedef struct command {
	cl_event event;
	size_t row;
} command;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct seen {
	bool is_counting;
	size_t n_rows, n_commands, room;
	size_t n_kernels, n_markers, n_barriers, n_flushes, n_finishes, n_waits, n_maps, n_arguments;
	unsigned long long bytes_written, bytes_read;
	row rows[MAX_ROWS];
	command *commands;
} seen; /* guarded by lock */

static bool tells_times;

/* dlsym returns an object pointer; POSIX guarantees that it can hold a function's. */
#define REAL(name)                                                                                                     \
	static __typeof__(&name) real;                                                                                 \
	if (!real)                                                                                                     \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

/* The same for a function that clpac need not have. */
#define CALLED(name)                                                                                                   \
	static __typeof__(&name) called_##name;                                                                        \
	if (!called_##name)                                                                                            \
	*(void **)&called_##name = dlsym(RTLD_NEXT, #name)

static void end(const char *why)
{
	fprintf(stderr, "bench/launches: %s\n", why);
	exit(EXIT_FAILURE);
}

/* The lock is held. */
static size_t row_of(const char *name)
{
	size_t i = 0;
	while (i < seen.n_rows && strcmp(seen.rows[i].name, name) != 0)
		i++;
	if (i == MAX_ROWS)
		end("more kernels than there is room for");
	if (i == seen.n_rows) {
		seen.rows[i] = (row){.least_groups = SIZE_MAX};
		snprintf(seen.rows[i].name, MAX_NAME, "%s", name);
		seen.n_rows++;
	}
	return i;
}

/* Keeps a command's event until its times are asked for.  The lock is held. */
static void keep(size_t row, cl_event event)
{
	if (seen.n_commands == seen.room) {
		seen.room = seen.room ? 2 * seen.room : 1024;
		seen.commands = realloc(seen.commands, seen.room * sizeof *seen.commands);
		if (!seen.commands)
			end("no memory for the events");
	}
	seen.commands[seen.n_commands++] = (command){event, row};
	seen.rows[row].n++;
}

/* Enters a command that the driver took, with its event: the caller's too if it asked for one. */
static void enter(const char *name, cl_event event, bool is_callers, size_t groups, size_t group)
{
	CALLED(clRetainEvent);
	if (is_callers)
		called_clRetainEvent(event);
	pthread_mutex_lock(&lock);
	const size_t at = row_of(name);
	row *its = &seen.rows[at];
	its->least_groups = groups < its->least_groups ? groups : its->least_groups;
	its->most_groups = groups > its->most_groups ? groups : its->most_groups;
	its->group = group > its->group ? group : its->group;
	keep(at, event);
	pthread_mutex_unlock(&lock);
}

/* A call that puts a command into a queue and says its event, entered under a name. */
#define ENTERED(name, as, count, parameters, arguments)                                                                \
	cl_int CL_API_CALL name parameters                                                                             \
	{                                                                                                              \
		REAL(name);                                                                                            \
		cl_event own = NULL, *asked = event;                                                                   \
		if (!seen.is_counting)                                                                                 \
			return real arguments;                                                                         \
		event = asked ? asked : &own;                                                                          \
		const cl_int code = real arguments;                                                                    \
		if (code == CL_SUCCESS)                                                                                \
			enter(as, *event, asked, 0, 0);                                                                \
		count;                                                                                                 \
		return code;                                                                                           \
	}

#define COUNTED(name, counter, parameters, arguments)                                                                  \
	cl_int CL_API_CALL name parameters                                                                             \
	{                                                                                                              \
		REAL(name);                                                                                            \
		add(&seen.counter);                                                                                    \
		return real arguments;                                                                                 \
	}

static void add(size_t *counter)
{
	if (!seen.is_counting)
		return;
	pthread_mutex_lock(&lock);
	++*counter;
	pthread_mutex_unlock(&lock);
}

static void add_bytes(unsigned long long *counter, size_t bytes)
{
	pthread_mutex_lock(&lock);
	*counter += bytes;
	pthread_mutex_unlock(&lock);
}

ENTERED(clEnqueueReadBuffer, "(read)", add_bytes(&seen.bytes_read, bytes),
	(cl_command_queue queue, cl_mem memory, cl_bool waits, size_t offset, size_t bytes, void *to, cl_uint n,
	 const cl_event *events, cl_event *event),
	(queue, memory, waits, offset, bytes, to, n, events, event))
ENTERED(clEnqueueWriteBuffer, "(write)", add_bytes(&seen.bytes_written, bytes),
	(cl_command_queue queue, cl_mem memory, cl_bool waits, size_t offset, size_t bytes, const void *from, cl_uint n,
	 const cl_event *events, cl_event *event),
	(queue, memory, waits, offset, bytes, from, n, events, event))
ENTERED(clEnqueueCopyBuffer, "(copy)", (void)0,
	(cl_command_queue queue, cl_mem from, cl_mem to, size_t at, size_t offset, size_t bytes, cl_uint n,
	 const cl_event *events, cl_event *event),
	(queue, from, to, at, offset, bytes, n, events, event))
ENTERED(clEnqueueFillBuffer, "(fill)", (void)0,
	(cl_command_queue queue, cl_mem memory, const void *pattern, size_t size, size_t offset, size_t bytes,
	 cl_uint n, const cl_event *events, cl_event *event),
	(queue, memory, pattern, size, offset, bytes, n, events, event))

COUNTED(clEnqueueMarkerWithWaitList, n_markers,
	(cl_command_queue queue, cl_uint n, const cl_event *events, cl_event *event), (queue, n, events, event))
COUNTED(clEnqueueBarrierWithWaitList, n_barriers,
	(cl_command_queue queue, cl_uint n, const cl_event *events, cl_event *event), (queue, n, events, event))
COUNTED(clFlush, n_flushes, (cl_command_queue queue), (queue))
COUNTED(clFinish, n_finishes, (cl_command_queue queue), (queue))
COUNTED(clWaitForEvents, n_waits, (cl_uint n, const cl_event *events), (n, events))
COUNTED(clSetKernelArg, n_arguments, (cl_kernel kernel, cl_uint i, size_t size, const void *value),
	(kernel, i, size, value))

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool waits, cl_map_flags flags,
				     size_t offset, size_t bytes, cl_uint n, const cl_event *events, cl_event *event,
				     cl_int *code)
{
	REAL(clEnqueueMapBuffer);
	add(&seen.n_maps);
	return real(queue, memory, waits, flags, offset, bytes, n, events, event, code);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n_dimensions,
					  const size_t *offset, const size_t *items, const size_t *local, cl_uint n,
					  const cl_event *events, cl_event *event)
{
	REAL(clEnqueueNDRangeKernel);
	CALLED(clGetKernelInfo);
	char name[MAX_NAME] = "";
	cl_event own = NULL;
	size_t groups = 1, group = local ? 1 : 0;
	if (!seen.is_counting)
		return real(queue, kernel, n_dimensions, offset, items, local, n, events, event);
	const cl_int code = real(queue, kernel, n_dimensions, offset, items, local, n, events, event ? event : &own);
	if (code != CL_SUCCESS)
		return code;
	for (cl_uint i = 0; i < n_dimensions; i++) {
		groups *= local ? items[i] / local[i] : items[i];
		group *= local ? local[i] : 0;
	}
	called_clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	enter(name, event ? *event : own, event, groups, group);
	add(&seen.n_kernels);
	return code;
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
						  cl_command_queue_properties properties, cl_int *code)
{
	REAL(clCreateCommandQueue);
	return real(context, device, properties | (tells_times ? CL_QUEUE_PROFILING_ENABLE : 0), code);
}

void launches_watch(void)
{
	tells_times = true;
}

void launches_begin(void)
{
	pthread_mutex_lock(&lock);
	seen = (struct seen){.commands = seen.commands, .room = seen.room, .is_counting = true};
	pthread_mutex_unlock(&lock);
}

static int by_seconds(const void *a, const void *b)
{
	const double x = ((const row *)a)->seconds, y = ((const row *)b)->seconds;
	return (x < y) - (x > y);
}

/* Adds the commands' times to their rows and gives the events back.  Returns the span from the first to the last. */
static double take_times(void)
{
	CALLED(clWaitForEvents);
	CALLED(clGetEventProfilingInfo);
	CALLED(clReleaseEvent);
	cl_ulong first = 0, last = 0;
	for (size_t i = 0; i < seen.n_commands; i++) {
		const command *it = &seen.commands[i];
		cl_ulong begun = 0, ended = 0;
		called_clWaitForEvents(1, &it->event);
		called_clGetEventProfilingInfo(it->event, CL_PROFILING_COMMAND_START, sizeof begun, &begun, NULL);
		called_clGetEventProfilingInfo(it->event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL);
		called_clReleaseEvent(it->event);
		seen.rows[it->row].seconds += 1e-9 * (double)(ended - begun);
		first = !first || begun < first ? begun : first;
		last = ended > last ? ended : last;
	}
	return 1e-9 * (double)(last - first);
}

void launches_end(void)
{
	double all = 0;
	pthread_mutex_lock(&lock);
	seen.is_counting = false;
	const double span = seen.n_commands ? take_times() : 0;
	qsort(seen.rows, seen.n_rows, sizeof *seen.rows, by_seconds);
	for (size_t i = 0; i < seen.n_rows; i++)
		all += seen.rows[i].seconds;
	printf(", \"launches\": {\"kernels\": %zu, \"markers\": %zu, \"barriers\": %zu, \"flushes\": %zu, "
	       "\"finishes\": %zu, \"waits\": %zu, \"maps\": %zu, \"arguments\": %zu, \"bytes_written\": %llu, "
	       "\"bytes_read\": %llu, \"device_s\": %.6g, \"device_span_s\": %.6g}, \"commands\": [",
	       seen.n_kernels, seen.n_markers, seen.n_barriers, seen.n_flushes, seen.n_finishes, seen.n_waits,
	       seen.n_maps, seen.n_arguments, seen.bytes_written, seen.bytes_read, all, span);
	for (size_t i = 0; i < seen.n_rows; i++)
		printf("%s{\"command\": \"%s\", \"n\": %zu, \"s\": %.6g, \"least_groups\": %zu, \"most_groups\": %zu, "
		       "\"items\": %zu}",
		       i ? ", " : "", seen.rows[i].name, seen.rows[i].n, seen.rows[i].seconds,
		       seen.rows[i].least_groups, seen.rows[i].most_groups, seen.rows[i].group);
	printf("]");
	pthread_mutex_unlock(&lock);
}
