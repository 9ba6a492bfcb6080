/* OpenCL's codes: name, status and remedy of each. */
#include "memory/opencl/opencl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CODE(name)                                                                                                     \
	{                                                                                                              \
		name, #name                                                                                            \
	}

static const struct code_name {
	cl_int code;
	const char *name;
} code_names[] = {
	CODE(CL_DEVICE_NOT_FOUND),
	CODE(CL_DEVICE_NOT_AVAILABLE),
	CODE(CL_COMPILER_NOT_AVAILABLE),
	CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
	CODE(CL_OUT_OF_RESOURCES),
	CODE(CL_OUT_OF_HOST_MEMORY),
	CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
	CODE(CL_MEM_COPY_OVERLAP),
	CODE(CL_IMAGE_FORMAT_MISMATCH),
	CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
	CODE(CL_BUILD_PROGRAM_FAILURE),
	CODE(CL_MAP_FAILURE),
	CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
	CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	CODE(CL_COMPILE_PROGRAM_FAILURE),
	CODE(CL_LINKER_NOT_AVAILABLE),
	CODE(CL_LINK_PROGRAM_FAILURE),
	CODE(CL_DEVICE_PARTITION_FAILED),
	CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
	CODE(CL_INVALID_VALUE),
	CODE(CL_INVALID_DEVICE_TYPE),
	CODE(CL_INVALID_PLATFORM),
	CODE(CL_INVALID_DEVICE),
	CODE(CL_INVALID_CONTEXT),
	CODE(CL_INVALID_QUEUE_PROPERTIES),
	CODE(CL_INVALID_COMMAND_QUEUE),
	CODE(CL_INVALID_HOST_PTR),
	CODE(CL_INVALID_MEM_OBJECT),
	CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
	CODE(CL_INVALID_IMAGE_SIZE),
	CODE(CL_INVALID_SAMPLER),
	CODE(CL_INVALID_BINARY),
	CODE(CL_INVALID_BUILD_OPTIONS),
	CODE(CL_INVALID_PROGRAM),
	CODE(CL_INVALID_PROGRAM_EXECUTABLE),
	CODE(CL_INVALID_KERNEL_NAME),
	CODE(CL_INVALID_KERNEL_DEFINITION),
	CODE(CL_INVALID_KERNEL),
	CODE(CL_INVALID_ARG_INDEX),
	CODE(CL_INVALID_ARG_VALUE),
	CODE(CL_INVALID_ARG_SIZE),
	CODE(CL_INVALID_KERNEL_ARGS),
	CODE(CL_INVALID_WORK_DIMENSION),
	CODE(CL_INVALID_WORK_GROUP_SIZE),
	CODE(CL_INVALID_WORK_ITEM_SIZE),
	CODE(CL_INVALID_GLOBAL_OFFSET),
	CODE(CL_INVALID_EVENT_WAIT_LIST),
	CODE(CL_INVALID_EVENT),
	CODE(CL_INVALID_OPERATION),
	CODE(CL_INVALID_GL_OBJECT),
	CODE(CL_INVALID_BUFFER_SIZE),
	CODE(CL_INVALID_MIP_LEVEL),
	CODE(CL_INVALID_GLOBAL_WORK_SIZE),
	CODE(CL_INVALID_PROPERTY),
	CODE(CL_INVALID_IMAGE_DESCRIPTOR),
	CODE(CL_INVALID_COMPILER_OPTIONS),
	CODE(CL_INVALID_LINKER_OPTIONS),
	CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
	{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
	{CLPAC__OPENCL_NO_ANSWER, "success without an answer"},
};

const char *clpac__opencl_code_name(cl_int code)
{
	for (size_t i = 0; i < sizeof code_names / sizeof *code_names; i++)
		if (code_names[i].code == code)
			return code_names[i].name;
	return "unknown code";
}

enum { ANY_DOING = CLPAC__OPENCL_DOING_COUNT };

/* The meaning of a code; the first row that fits applies. */
static const struct meaning {
	cl_int code;
	int doing;
	clpac_status status;
	const char *advice;
} meanings[] = {
	{CL_MEM_OBJECT_ALLOCATION_FAILURE, ANY_DOING, CLPAC_ERROR_NO_DEVICE_MEMORY,
	 "the device has no memory left for it; lower the memory option or end what else uses the device"},
	{CL_OUT_OF_RESOURCES, CLPAC__OPENCL_ALLOCATING, CLPAC_ERROR_NO_DEVICE_MEMORY,
	 "the device has no room left for it; lower the memory option or end what else uses the device"},
	{CL_OUT_OF_RESOURCES, CLPAC__OPENCL_LAUNCHING, CLPAC_ERROR_DEVICE,
	 "the kernel needs more than the device has, or one before it crashed; try a smaller vector_width or another "
	 "device"},
	{CL_OUT_OF_RESOURCES, ANY_DOING, CLPAC_ERROR_DEVICE,
	 "the device has run out of resources, or a kernel crashed on it; try again or another device"},
	{CL_OUT_OF_HOST_MEMORY, ANY_DOING, CLPAC_ERROR_NO_MEMORY,
	 "the driver found no host memory; make the job smaller, or take the native device (--device native)"},
	{CL_INVALID_BUFFER_SIZE, ANY_DOING, CLPAC_ERROR_ARGUMENT,
	 "too large: one block is larger than the device allows; use smaller pieces, the device need not be full"},
	{CL_MISALIGNED_SUB_BUFFER_OFFSET, ANY_DOING, CLPAC_ERROR_ARGUMENT,
	 "a part of a block begins where the device cannot have it; begin at a multiple of its alignment"},
	{CL_MAP_FAILURE, ANY_DOING, CLPAC_ERROR_NO_MEMORY,
	 "the host could not be given the memory; map less at once, or read and write instead"},
	{CL_INVALID_CONTEXT, CLPAC__OPENCL_ORDERING, CLPAC_ERROR_ARGUMENT,
	 "the event is of another context; take one of this device"},
	{CL_INVALID_EVENT_WAIT_LIST, CLPAC__OPENCL_ORDERING, CLPAC_ERROR_ARGUMENT,
	 "the driver does not know the event; take one that was not released"},
	{CL_DEVICE_NOT_AVAILABLE, ANY_DOING, CLPAC_ERROR_DEVICE,
	 "the device is in use or switched off; choose another one"},
	{CL_INVALID_WORK_GROUP_SIZE, CLPAC__OPENCL_LAUNCHING, CLPAC_ERROR_DEVICE,
	 "the driver refuses the work-group; try a smaller vector_width or another device"},
	{CL_BUILD_PROGRAM_FAILURE, ANY_DOING, CLPAC_ERROR_BUILD, "please report it with the driver's version"},
};

clpac_status clpac__opencl_fail(clpac_error *err, clpac__opencl_doing doing, cl_int code, const char *call,
				const char *format, ...)
{
	clpac_status status = CLPAC_ERROR_DEVICE;
	const char *advice = "another device or a newer driver may do";
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		if (meanings[i].code == code && (meanings[i].doing == ANY_DOING || meanings[i].doing == (int)doing)) {
			status = meanings[i].status;
			advice = meanings[i].advice;
			break;
		}
	}
	char details[512];
	va_list args;
	va_start(args, format);
	vsnprintf(details, sizeof details, format, args);
	va_end(args);
	return clpac__fail_native(err, status, code, "%.*s: %s (%d), %s: %s", (int)strcspn(call, "( "), call,
				  clpac__opencl_code_name(code), code, details, advice);
}
