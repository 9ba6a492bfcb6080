/** @file status.h
 *  Statuses and errors.  A status tells the program what it can do next; the error's text tells people.
 *
 *  Every fallible function of the library returns a ::clpac_status and takes a nullable, caller-owned ::clpac_error as
 *  its last argument.  The library keeps no error in a global, prints nothing, and never ends the process.
 *
 *  One rule for NULL holds in every public function:
 *  - A pointer that the function requires: CLPAC_ERROR_ARGUMENT with a text that names function and parameter, as
 *    "clpac_pool_allocate: pool is NULL".  Nothing else happens.  A function without an error does nothing and gives
 *    the empty value: 0, NULL, false, "" where its text is never NULL; its output is zeroed.
 *  - Where NULL has a meaning of its own, the function says so ("NULL for defaults").  An array of n elements may be
 *    NULL where n is 0.
 *  - Closing, destroying, freeing and releasing NULL is fine, and does nothing.
 *
 *  One rule for fork() holds too.  What was opened or made on a device belongs to its process: contexts, pools,
 * buffers, queues, events, limits, stores and their entries, workers and tickets, scopes, plans, sets of output files.
 * In a child of that process:
 *  - Functions with a status give CLPAC_ERROR_FORKED before they touch a driver, a thread or a lock; functions without
 *    give the empty value, or a fact that never changes, as the size of a buffer.
 *  - Closing, destroying and releasing forgets the handle: the memory stays the child's until it ends, and the parent
 *    is not disturbed.
 *  - A context of the native device works: with its first use in the child it gets threads and a pool of the child's
 * own (clpac_context_pool).  What was made on it before stays the parent's: make plans and buffers anew.
 *  - Where the parent has looked for OpenCL devices, the child cannot use OpenCL: opening one of them is
 *    CLPAC_ERROR_FORKED.  Start such children by exec (spawn), or fork before the first look.
 *  Results, recordings, problems, lists of devices and all other plain data are the child's like any memory.  A child
 *  that is forked in a function called by the library must not return from it.
 */
#ifndef CLPAC_STATUS_H
#define CLPAC_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Outcome of a call.  The numbers are part of the ABI and never change their meaning. */
typedef enum clpac_status {
	CLPAC_OK = 0,		      /**< Success. */
	CLPAC_ERROR_ARGUMENT,	      /**< An argument is wrong; the text names it.  Correct the call. */
	CLPAC_ERROR_NO_MEMORY,	      /**< The host has no memory left for this.  Make the job smaller. */
	CLPAC_ERROR_NO_DEVICE_MEMORY, /**< The device or its budget is too small.  Use less or raise it. */
	CLPAC_ERROR_NO_DEVICE,	      /**< No device fits the selection; the text lists the devices found. */
	CLPAC_ERROR_DEVICE,	      /**< A driver call failed with native_code.  Another device may work. */
	CLPAC_ERROR_BUILD,	      /**< A kernel did not compile here; the text has the driver's log.  Report it. */
	CLPAC_ERROR_FORMAT,	      /**< A file's content does not fit its format. */
	CLPAC_ERROR_IO,		      /**< The operating system refused to read or write; native_code is errno. */
	CLPAC_ERROR_UNSUPPORTED,      /**< This build, or this device, lacks the feature; the text says which. */
	CLPAC_ERROR_CANCELLED, /**< The caller asked to stop: its progress function, or memory/cancel.h.  Nothing is
				  left behind. */
	CLPAC_ERROR_INTERNAL,  /**< A bug of the library.  Please report it with the text. */
	CLPAC_ERROR_FORKED,    /**< The handle, or the driver, is the parent process's.  Open it anew in the child. */
	CLPAC_STATUS_COUNT     /**< Number of statuses; not a status. */
} clpac_status;

enum {
	CLPAC_ERROR_TEXT_SIZE = 1024, /**< Bytes in an error's text, the ending NUL included. */
	CLPAC_ERROR_MEMBER_SIZE = 48  /**< Bytes in the name of what an error is about. */
};

/** Why a call failed.  A plain value of the caller's, which is written only on failure and need not be set before: so
 * it cannot tell its size, and `reserved` is the room in which it may grow.
 *
 *  What stands behind the text is for programs: a binding raises its exceptions by it.  Each is 0 or "" where the text
 *  alone tells. */
typedef struct clpac_error {
	clpac_status status;		  /**< The status that the call returned. */
	int native_code;		  /**< The driver's or the system's own code, 0 where there is none. */
	char text[CLPAC_ERROR_TEXT_SIZE]; /**< One line: what, where, with which numbers, and what to do.  UTF-8. */
	/** What to correct: the option of an analysis ("phase-channels"), the member of a struct or of clpac_options
	 *  ("rate_hz", "opencl_library"), or the parameter that is NULL. */
	char member[CLPAC_ERROR_MEMBER_SIZE];
	uint64_t line;		  /**< Of the file of text that the error is in, from 1. */
	uint64_t wanted_bytes;	  /**< That were asked for, where memory was too small. */
	uint64_t available_bytes; /**< The limit that they did not fit in: free memory, a budget, the device. */
	uint64_t reserved[4];	  /**< 0. */
} clpac_error;

/** The name of a status in words, as "out of device memory".
 *  Never NULL; an unknown number gives "unknown status".  Any thread. */
const char *clpac_status_text(clpac_status status);

/** Frees a text that any function of the libraries returned.  NULL is fine.  Any thread. */
void clpac_text_free(char *text);

/** Severity of a log message. */
typedef enum clpac_log_level { CLPAC_LOG_WARNING = 0, CLPAC_LOG_INFO, CLPAC_LOG_DEBUG } clpac_log_level;

/** Receives the library's messages: one line without a newline, valid during the call only.
 *  The thread that works calls it, and several threads at once if several use the library.  No lock is held, so that
 *  it may call the library. */
typedef void clpac_log_function(void *user, clpac_log_level level, const char *text);

#ifdef __cplusplus
}
#endif
#endif
