/* Drivers' codes as errors. */
#ifndef CLPAC_MEMORY_OPENCL_CODES_H
#define CLPAC_MEMORY_OPENCL_CODES_H

#include "memory/opencl/cl.h"
#include "base/error.h"

/* The kind of call that failed, which decides the meaning of a code: out of resources means too little memory when
 * memory is made, and the kernel's needs when a kernel is started. */
typedef enum clpac__opencl_doing {
	CLPAC__OPENCL_OPENING,
	CLPAC__OPENCL_ALLOCATING,
	CLPAC__OPENCL_TRANSFERRING,
	CLPAC__OPENCL_LAUNCHING,
	CLPAC__OPENCL_ORDERING, /* events and waits for them */
	CLPAC__OPENCL_DOING_COUNT
} clpac__opencl_doing;

/* "CL_OUT_OF_RESOURCES" for -5; "unknown code" for a code that is not in the table. */
const char *clpac__opencl_code_name(cl_int code);

/* Writes an error: "clCreateBuffer: CL_OUT_OF_RESOURCES (-5), 400 bytes: what to do". call is the text of the call; the
 * part before the parenthesis is used. */
clpac_status clpac__opencl_fail(clpac_error *err, clpac__opencl_doing doing, cl_int code, const char *call,
				const char *format, ...) CLPAC__PRINTF(5, 6);

/* A driver's code in the one shape of fallible functions; CL makes the call too. */
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
