/* clFFT's functions, taken from its library when a device of OpenCL first asks for a transform: it needs libOpenCL,
 * which a process that computes on the native device alone must not load.  Used like memory/opencl/calls.h.
 */
#ifndef CLPAC_COUPLING_OPENCL_CLFFT_CALLS_H
#define CLPAC_COUPLING_OPENCL_CLFFT_CALLS_H

#include "base/error.h"
#include "memory/opencl/cl.h"

#include <clFFT.h>

/* clang-format off */
#define CLPAC__CLFFT_CALLS(ENTRY) \
	ENTRY(clfftBakePlan) \
	ENTRY(clfftCreateDefaultPlan) \
	ENTRY(clfftDestroyPlan) \
	ENTRY(clfftEnqueueTransform) \
	ENTRY(clfftGetTmpBufSize) \
	ENTRY(clfftGetVersion) \
	ENTRY(clfftSetLayout) \
	ENTRY(clfftSetPlanBatchSize) \
	ENTRY(clfftSetPlanDistance) \
	ENTRY(clfftSetPlanPrecision) \
	ENTRY(clfftSetPlanScale) \
	ENTRY(clfftSetResultLocation) \
	ENTRY(clfftSetup) \
	ENTRY(clfftTeardown)

typedef struct clpac__clfft_call_table {
#define ENTRY(name) __typeof__(&name) name;
	CLPAC__CLFFT_CALLS(ENTRY)
#undef ENTRY
} clpac__clfft_call_table;

#define clfftBakePlan clpac__clfft_calls.clfftBakePlan
#define clfftCreateDefaultPlan clpac__clfft_calls.clfftCreateDefaultPlan
#define clfftDestroyPlan clpac__clfft_calls.clfftDestroyPlan
#define clfftEnqueueTransform clpac__clfft_calls.clfftEnqueueTransform
#define clfftGetTmpBufSize clpac__clfft_calls.clfftGetTmpBufSize
#define clfftGetVersion clpac__clfft_calls.clfftGetVersion
#define clfftSetLayout clpac__clfft_calls.clfftSetLayout
#define clfftSetPlanBatchSize clpac__clfft_calls.clfftSetPlanBatchSize
#define clfftSetPlanDistance clpac__clfft_calls.clfftSetPlanDistance
#define clfftSetPlanPrecision clpac__clfft_calls.clfftSetPlanPrecision
#define clfftSetPlanScale clpac__clfft_calls.clfftSetPlanScale
#define clfftSetResultLocation clpac__clfft_calls.clfftSetResultLocation
#define clfftSetup clpac__clfft_calls.clfftSetup
#define clfftTeardown clpac__clfft_calls.clfftTeardown
/* clang-format on */

/* Empty until clpac__clfft_load succeeds, constant from then on. */
extern clpac__clfft_call_table clpac__clfft_calls;

/* Fills the table; CLPAC_ERROR_UNSUPPORTED when the library is missing, after which the next call tries again.  Any
 * thread. */
clpac_status clpac__clfft_load(clpac_error *err);

#endif
