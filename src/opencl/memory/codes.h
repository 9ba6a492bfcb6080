/* Codes of drivers as errors. */
#ifndef CLPAC_OPENCL_MEMORY_CODES_H
#define CLPAC_OPENCL_MEMORY_CODES_H

#include "opencl/memory/cl.h"
#include "base/error.h"

/* Which kind of call failed decides what a code means: out of resources while memory is made is too little memory,
 * while a kernel is started it is the kernel's need. */
typedef enum clpac__opencl_doing {
	CLPAC__OPENCL_OPENING,
	CLPAC__OPENCL_ALLOCATING,
	CLPAC__OPENCL_TRANSFERRING,
	CLPAC__OPENCL_LAUNCHING,
	CLPAC__OPENCL_ORDERING, /* events, and what waits for them */
	CLPAC__OPENCL_DOING_COUNT
} clpac__opencl_doing;

/* "CL_OUT_OF_RESOURCES" for -5; "unknown code" for what the table does not know. */
const char *clpac__opencl_code_name(cl_int code);

/* Says what failed: "clCreateBuffer: CL_OUT_OF_RESOURCES (-5), 400 bytes: what to do".  call is the text of the call,
 * of which the part up to the parenthesis is used. */
clpac_status clpac__opencl_fail(clpac_error *err, clpac__opencl_doing doing, cl_int code, const char *call,
				const char *format, ...) CLPAC__PRINTF(5, 6);

/* A code of a driver inside the one shape of a fallible function; CL makes the call too. */
#define CL_CODE(doing, code, call_text, ...)                                                                           \
	do {                                                                                                           \
		cl_int code_ = (code);                                                                                 \
		if (code_ != CL_SUCCESS) {                                                                             \
			st = clpac__opencl_fail(err, (doing), code_, (call_text), __VA_ARGS__);                        \
			goto done;                                                                                     \
		}                                                                                                      \
	} while (0)
#define CL(doing, call, ...) CL_CODE(doing, call, #call, __VA_ARGS__)

#endif
