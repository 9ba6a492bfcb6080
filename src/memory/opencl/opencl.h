/* Shared by the files of this folder and src/coupling/opencl: codes, queues, blocks, events, facts. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_H
#define CLPAC_MEMORY_OPENCL_OPENCL_H

#include "memory/opencl/discover.h"
#include "memory/opencl/log.h"
#include "memory/opencl/opencl_probe.h"
#include "memory/opencl/quirks.h"
#include "memory/opencl/cl.h"
#include "base/error.h"
#include "memory/native/native.h"
#include "memory/backend/backend.h"

/* Drivers' codes as errors. */

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

/* The code of a call that succeeded by its own word and gave nothing, or what cannot be (checked_calls.h). */
enum { CLPAC__OPENCL_NO_ANSWER = -99999 };

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

/* A device opened: context and command queue. */

struct clpac__opencl_queue {
	clpac__queue base;
	struct clpac__opencl_queue *root; /* the queue that the device was opened with; may be itself */
	cl_device_id device;
	cl_context context;
	cl_command_queue commands;
	cl_event barrier; /* the last one of an out-of-order queue that waits for an event, or NULL */
	clpac__opencl_quirks quirks;
	clpac_log_function *log;
	void *log_user;
	clpac__opencl_notes notes; /* used in root only */
	unsigned wanted_threads;   /* of the host, by the options; 0: as many as are of use */
	pthread_mutex_t hiring;	   /* in root: guards the next two */
	clpac__threads *threads;   /* NULL: not wanted yet, or refused by the system */
	bool has_hired;
};

static inline clpac__opencl_queue *clpac__opencl_of(clpac__queue *queue)
{
	return (clpac__opencl_queue *)queue;
}

/* Makes a queue on handles of the application's or of clpac's own; retains context and commands, on success only. root
 * NULL: the queue is its own root. */
clpac_status clpac__opencl_queue_make(clpac__opencl_queue *root, const clpac_device *device, cl_device_id id,
				      cl_context context, cl_command_queue commands, const clpac_options *options,
				      clpac__opencl_queue **out, clpac_error *err);
/* The threads of the host that a device's queues share for work beside the device's, made when they are first asked
 * for; NULL where one is wanted or the system starts no more.  Errors: CLPAC_ERROR_NO_MEMORY; then the next call tries
 * again. */
clpac_status clpac__opencl_threads(clpac__opencl_queue *queue, clpac__threads **out, clpac_error *err);

/* True when a queue belongs to this backend. */
bool clpac__opencl_is(const clpac__queue *queue);

extern const clpac__queue_operations clpac__opencl_operations;

/* Blocks of an OpenCL device: memory, transfers, parts, mappings; as in memory/backend/backend.h. */

struct clpac__block {
	cl_mem memory;
	size_t bytes;
	cl_mem whole;  /* the parent of a part, or memory itself */
	size_t offset; /* in whole */
};

clpac_status clpac__opencl_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
void clpac__opencl_release(clpac__queue *queue, clpac__block *block);
clpac_status clpac__opencl_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err);
clpac_status clpac__opencl_write_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				       const void *source, clpac_error *err);
clpac_status clpac__opencl_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err);
clpac_status clpac__opencl_read_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				      void *target, clpac_error *err);
clpac_status clpac__opencl_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err);
clpac_status clpac__opencl_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err);

clpac_status clpac__opencl_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_create_pinned(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err);
clpac_status clpac__opencl_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);

/* Order between queues: events, as in memory/backend/backend.h. */

/* An event of the interface is the driver's own handle, cast. */
static inline cl_event clpac__opencl_event(clpac_event *event)
{
	return (cl_event)(void *)event;
}

clpac_status clpac__opencl_mark(clpac__queue *queue, clpac_event **out, clpac_error *err);
clpac_status clpac__opencl_stamp(clpac__queue *queue, clpac_event **out, clpac_error *err);
clpac_status clpac__opencl_send(clpac__queue *queue, clpac_error *err);
clpac_status clpac__opencl_wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err);
/* Replaces the queue's last barrier, whose event it takes over; NULL: none. */
void clpac__opencl_keep_barrier(clpac__opencl_queue *queue, cl_event barrier);
bool clpac__opencl_has_passed(clpac__queue *queue, clpac_event *event);
bool clpac__opencl_passed_at(clpac__queue *queue, clpac_event *event, uint64_t *nanoseconds);
clpac_status clpac__opencl_wait(clpac__queue *queue, clpac_event *event, clpac_error *err);
clpac_status clpac__opencl_retain(clpac__queue *queue, clpac_event *event, clpac_error *err);
void clpac__opencl_forget(clpac__queue *queue, clpac_event *event);

/* clFinish with a remedy for drivers where it does not wait for everything. */
clpac_status clpac__opencl_finish(const clpac__opencl_queue *queue, clpac_error *err);

/* The facts of an OpenCL device, as reported by its driver. */

/* Reads the facts of one device; the caller sets the numbers of platform and device.  Never fails: unreported facts
 * stay 0 or empty. */
void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* Cleans a driver's text: at most size - 1 bytes, always terminated, without control characters and outer blanks. */
void clpac__opencl_clean_text(const char *raw, size_t length, char *text, size_t size);

/* The reason why clpac cannot use a device, in words that follow "it ", or NULL when it can. */
const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id);

/* Free memory, on the device and on the host. */

clpac_free_memory clpac__opencl_free_memory(clpac__queue *queue);
/* Free memory of a device, through any driver functions. */
clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device);
/* True when the host can spare that many bytes, or does not report it. */
bool clpac__opencl_host_has(size_t bytes);

/* The host's available memory; 0: unknown. */
uint64_t clpac__opencl_host_free_bytes(clpac__queue *queue);

/* Taking turns in drivers that only one thread may enter at a time. */

/* The operations of a queue, each of which takes a turn. */
extern const clpac__queue_operations clpac__opencl_serial_operations;
/* For other code that calls the driver, such as FFT libraries: enter takes the turn if the driver needs turns; leave
 * ends it and delivers the log. */
void clpac__opencl_enter(const clpac__opencl_queue *queue);
void clpac__opencl_leave(clpac__opencl_queue *queue);

#endif
