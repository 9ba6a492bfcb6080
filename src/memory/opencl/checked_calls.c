/* A driver may say that it succeeded and give NULL, leave its answer unwritten, or tell a size beyond the room that it
 * had.  Whoever calls it would have to look at each answer in three ways, and VkFFT looks at codes alone.  So the table
 * of calls is checked where it is made.
 *
 * What comes with a code of failure is nobody's: it is neither used nor released.
 */
#define CLPAC__OPENCL_BARE_NAMES
#include "memory/opencl/checked_calls.h"

#include <stdint.h>
#include <string.h>

#include "memory/opencl/opencl.h"

enum {
	UNTOLD_CODE = INT32_MIN, /* no code of OpenCL */
	UNTOUCHED = 0xA5,
	MOST_BYTES = 1 << 30, /* of an answer: longer ones are not believed */
};
static const size_t untold_size = SIZE_MAX - 4711; /* the size of nothing */

static clpac__opencl_call_table loader; /* the functions that are checked */

/* --- Objects and pointers ----------------------------------------------------------------------- */

static void *object_of(void *made, cl_int told, cl_int *code)
{
	if (told == UNTOLD_CODE)
		told = CL_SUCCESS;
	if (told == CL_SUCCESS && !made)
		told = CLPAC__OPENCL_NO_ANSWER;
	if (code)
		*code = told;
	return told == CL_SUCCESS ? made : NULL;
}

/* The last argument is &told. */
#define MAKES(type, name, parameters, arguments)                                                                       \
	static type CL_API_CALL checked_##name parameters                                                              \
	{                                                                                                              \
		cl_int told = UNTOLD_CODE;                                                                             \
		void *const made = loader.name arguments;                                                              \
		return object_of(made, told, code);                                                                    \
	}

MAKES(cl_context, clCreateContext,
      (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code),
      (properties, n, devices, notify, user, &told))
MAKES(cl_command_queue, clCreateCommandQueue,
      (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code),
      (context, device, properties, &told))
MAKES(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code),
      (context, flags, bytes, host, &told))
MAKES(cl_mem, clCreateSubBuffer,
      (cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *code),
      (whole, flags, type, region, &told))
MAKES(cl_program, clCreateProgramWithSource,
      (cl_context context, cl_uint n, const char **lines, const size_t *lengths, cl_int *code),
      (context, n, lines, lengths, &told))
MAKES(cl_program, clCreateProgramWithBinary,
      (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
       const unsigned char **binaries, cl_int *status, cl_int *code),
      (context, n, devices, lengths, binaries, status, &told))
MAKES(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code), (program, name, &told))
MAKES(void *, clEnqueueMapBuffer,
      (cl_command_queue queue, cl_mem memory, cl_bool wait, cl_map_flags flags, size_t offset, size_t bytes,
       cl_uint n_events, const cl_event *events, cl_event *event, cl_int *code),
      (queue, memory, wait, flags, offset, bytes, n_events, events, event, &told))

/* --- Values ------------------------------------------------------------------------------------- */

static void mark_untouched(void *value, size_t room)
{
	if (value)
		memset(value, UNTOUCHED, room);
}

static bool is_untouched(const void *value, size_t room)
{
	const unsigned char *bytes = value;
	while (room && bytes[room - 1] == UNTOUCHED)
		room--;
	return !room;
}

/* The code of an answer.  A driver that writes a value and not its size is believed. */
static cl_int value_of(cl_int code, size_t room, const void *value, size_t told, size_t *size)
{
	if (code != CL_SUCCESS)
		return code;
	const bool is_told = told != untold_size;
	if (value ? (is_told ? !told || told > room : is_untouched(value, room)) : !is_told || told > MOST_BYTES)
		return CLPAC__OPENCL_NO_ANSWER;
	if (size)
		*size = is_told ? told : room;
	return CL_SUCCESS;
}

#define TELLS(name, parameters, arguments)                                                                             \
	static cl_int CL_API_CALL checked_##name parameters                                                            \
	{                                                                                                              \
		size_t told = untold_size;                                                                             \
		mark_untouched(value, room);                                                                           \
		const cl_int code = loader.name arguments;                                                             \
		return value_of(code, room, value, told, size);                                                        \
	}

TELLS(clGetPlatformInfo, (cl_platform_id of, cl_platform_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetDeviceInfo, (cl_device_id of, cl_device_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetContextInfo, (cl_context of, cl_context_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetCommandQueueInfo, (cl_command_queue of, cl_command_queue_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetMemObjectInfo, (cl_mem of, cl_mem_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetEventInfo, (cl_event of, cl_event_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetEventProfilingInfo, (cl_event of, cl_profiling_info what, size_t room, void *value, size_t *size),
      (of, what, room, value, &told))
TELLS(clGetKernelWorkGroupInfo,
      (cl_kernel of, cl_device_id on, cl_kernel_work_group_info what, size_t room, void *value, size_t *size),
      (of, on, what, room, value, &told))
TELLS(clGetProgramBuildInfo,
      (cl_program of, cl_device_id on, cl_program_build_info what, size_t room, void *value, size_t *size),
      (of, on, what, room, value, &told))

/* The value of binaries is read by the driver: places to write them to. */
static cl_int CL_API_CALL checked_clGetProgramInfo(cl_program of, cl_program_info what, size_t room, void *value,
						   size_t *size)
{
	size_t told = untold_size;
	if (what == CL_PROGRAM_BINARIES)
		return loader.clGetProgramInfo(of, what, room, value, size);
	mark_untouched(value, room);
	const cl_int code = loader.clGetProgramInfo(of, what, room, value, &told);
	return value_of(code, room, value, told, size);
}

/* --- Events ------------------------------------------------------------------------------------- */

static cl_int event_of(cl_int code, cl_event told, cl_event *event)
{
	if (code == CL_SUCCESS && event && !told)
		code = CLPAC__OPENCL_NO_ANSWER;
	if (event)
		*event = code == CL_SUCCESS ? told : NULL;
	return code;
}

/* The last argument is ASKED. */
#define ASKED (event ? &told : NULL)
#define COMMANDS(name, parameters, arguments)                                                                          \
	static cl_int CL_API_CALL checked_##name parameters                                                            \
	{                                                                                                              \
		cl_event told = NULL;                                                                                  \
		const cl_int code = loader.name arguments;                                                             \
		return event_of(code, told, event);                                                                    \
	}

COMMANDS(clEnqueueFillBuffer,
	 (cl_command_queue queue, cl_mem memory, const void *pattern, size_t size, size_t offset, size_t bytes,
	  cl_uint n, const cl_event *events, cl_event *event),
	 (queue, memory, pattern, size, offset, bytes, n, events, ASKED))
COMMANDS(clEnqueueMarkerWithWaitList, (cl_command_queue queue, cl_uint n, const cl_event *events, cl_event *event),
	 (queue, n, events, ASKED))
COMMANDS(clEnqueueBarrierWithWaitList, (cl_command_queue queue, cl_uint n, const cl_event *events, cl_event *event),
	 (queue, n, events, ASKED))

void clpac__opencl_check_calls(clpac__opencl_call_table *table)
{
	loader = *table;
#define CHECKED(name) (table->name) = checked_##name
	CHECKED(clCreateContext);
	CHECKED(clCreateCommandQueue);
	CHECKED(clCreateBuffer);
	CHECKED(clCreateSubBuffer);
	CHECKED(clCreateProgramWithSource);
	CHECKED(clCreateProgramWithBinary);
	CHECKED(clCreateKernel);
	CHECKED(clEnqueueMapBuffer);
	CHECKED(clGetPlatformInfo);
	CHECKED(clGetDeviceInfo);
	CHECKED(clGetContextInfo);
	CHECKED(clGetCommandQueueInfo);
	CHECKED(clGetMemObjectInfo);
	CHECKED(clGetEventInfo);
	CHECKED(clGetEventProfilingInfo);
	CHECKED(clGetKernelWorkGroupInfo);
	CHECKED(clGetProgramBuildInfo);
	CHECKED(clGetProgramInfo);
	CHECKED(clEnqueueFillBuffer);
	CHECKED(clEnqueueMarkerWithWaitList);
	CHECKED(clEnqueueBarrierWithWaitList);
#undef CHECKED
}
