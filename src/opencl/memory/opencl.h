/* Internals of the OpenCL backend.  Only src/opencl includes CL/cl.h.
 *
 * The base is OpenCL 1.2; newer functions are looked up by number and used only when a device supports them.
 */
#ifndef CLPAC_OPENCL_MEMORY_OPENCL_H
#define CLPAC_OPENCL_MEMORY_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "backend/backend.h"

/* --- Errors (codes.c) ------------------------------------------------------------------------- */

/* The kind of call that failed, which decides the meaning of a code: out of resources means too little memory when
 * memory is made, and the kernel's needs when a kernel is started. */
typedef enum clpac__opencl_doing {
	CLPAC__OPENCL_OPENING,
	CLPAC__OPENCL_ALLOCATING,
	CLPAC__OPENCL_TRANSFERRING,
	CLPAC__OPENCL_LAUNCHING,
	CLPAC__OPENCL_ORDERING, /* events, and what waits for them */
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

/* --- Discovery (discover.c, facts.c) ---------------------------------------------------------- */

/* The driver calls made by discovery, replaceable in tests of drivers that are not there. */
typedef struct clpac__opencl_functions {
	cl_int(CL_API_CALL *platform_ids)(cl_uint room, cl_platform_id *ids, cl_uint *n);
	cl_int(CL_API_CALL *platform_info)(cl_platform_id platform, cl_platform_info what, size_t room, void *value,
					   size_t *size);
	cl_int(CL_API_CALL *device_ids)(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
					cl_uint *n);
	cl_int(CL_API_CALL *device_info)(cl_device_id device, cl_device_info what, size_t room, void *value,
					 size_t *size);
} clpac__opencl_functions;

extern const clpac__opencl_functions clpac__opencl_loader; /* the ICD loader's */

clpac_status clpac__opencl_discover(const clpac__opencl_functions *functions, clpac__discovery *found,
				    clpac_error *err);

/* Discovery in a child process first, for at most found->probe_s seconds.  If the child fails, adds a platform with the
 * reason and sets is_left_out. */
clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err);

/* Reads the facts of one device; the caller sets the numbers of platform and device.  Never fails: unreported facts
 * stay 0 or empty. */
void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* The reason why clpac cannot use a device, in words that follow "it ", or NULL when it can. */
const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id);

/* Free bytes of the device, if its driver reports them (AMD's do); otherwise false. */
bool clpac__opencl_free_bytes(const clpac__opencl_functions *functions, cl_device_id id, const clpac_device *device,
			      uint64_t *bytes);

/* Cleans a driver's text: at most size - 1 bytes, always terminated, without control characters and outer blanks. */
void clpac__opencl_clean_text(const char *raw, size_t length, char *text, size_t size);

/* The i-th device of the p-th platform, as numbered by discovery.  False when there is none. */
bool clpac__opencl_find_device(const clpac__opencl_functions *functions, int platform, int index, cl_device_id *out);

/* The numbers that discovery gives to a device, or to the device that it is a part of, and its platform's name; false
 * when it is not listed. */
bool clpac__opencl_number_device(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* --- What is known of drivers (quirks.c) ------------------------------------------------------ */

typedef struct clpac__opencl_quirks {
	bool has_no_parts;	      /* sub-buffers do not work */
	bool finishes_before_release; /* releasing a buffer that work under way uses is not safe */
	bool is_serialised;	      /* two threads must not be in the driver at once */
	bool finish_forgets_flushed;  /* clFinish waits only for commands that were not flushed before */
} clpac__opencl_quirks;

clpac__opencl_quirks clpac__opencl_quirks_of(const clpac_device *device);

/* --- Queue and blocks (opencl_queue.c, opencl_block.c, opencl_event.c, opencl_free_memory.c, log.c)  */

struct clpac__block {
	cl_mem memory;
	size_t bytes;
	cl_mem whole;  /* the parent of a part, or memory itself */
	size_t offset; /* in it */
};

/* Log lines awaiting delivery (log.c). */
enum { CLPAC__OPENCL_NOTE = 1024 /* bytes */, CLPAC__OPENCL_NOTES = 8 };
typedef struct clpac__opencl_note {
	clpac_log_level level;
	char text[CLPAC__OPENCL_NOTE];
} clpac__opencl_note;
typedef struct clpac__opencl_notes {
	atomic_bool is_waiting;
	pthread_mutex_t lock; /* guards the members below */
	unsigned first, n, n_lost;
	clpac__opencl_note notes[CLPAC__OPENCL_NOTES];
} clpac__opencl_notes;

typedef struct clpac__opencl_queue {
	clpac__queue base;
	struct clpac__opencl_queue *root; /* the queue that the device was opened with; may be itself */
	cl_device_id device;
	cl_context context;
	cl_command_queue commands;
	clpac__opencl_quirks quirks;
	clpac_log_function *log;
	void *log_user;
	clpac__opencl_notes notes; /* used in root only */
} clpac__opencl_queue;

static inline clpac__opencl_queue *clpac__opencl_of(clpac__queue *queue)
{
	return (clpac__opencl_queue *)queue;
}

/* Queues one line for the application's log; the next clpac__opencl_tell delivers it. */
void clpac__opencl_log(clpac__opencl_queue *queue, clpac_log_level level, const char *format, ...) CLPAC__PRINTF(3, 4);
/* Delivers the queued lines.  Called without any lock. */
void clpac__opencl_tell(clpac__opencl_queue *queue);

/* Makes a queue on handles of the application's or of clpac's own; retains context and commands, on success only. root
 * NULL: the queue is its own root. */
clpac_status clpac__opencl_queue_make(clpac__opencl_queue *root, const clpac_device *device, cl_device_id id,
				      cl_context context, cl_command_queue commands, const clpac_options *options,
				      clpac__opencl_queue **out, clpac_error *err);
/* True when a queue belongs to this backend. */
bool clpac__opencl_is(const clpac__queue *queue);

extern const clpac__queue_operations clpac__opencl_operations;
/* The operations for drivers that only one thread may enter at a time (serial.c). */
extern const clpac__queue_operations clpac__opencl_serial_operations;
/* For other code that calls the driver, such as FFT libraries: enter takes the turn if the driver needs turns; leave
 * ends it and delivers the log. */
void clpac__opencl_enter(const clpac__opencl_queue *queue);
void clpac__opencl_leave(clpac__opencl_queue *queue);

/* clFinish with a remedy for drivers where it does not wait for everything. */
clpac_status clpac__opencl_finish(const clpac__opencl_queue *queue, clpac_error *err);

/* On an out-of-order queue: orders all later work after all earlier work. */
clpac_status clpac__opencl_fence(clpac__queue *queue, clpac_error *err);

clpac_status clpac__opencl_create(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
void clpac__opencl_release(clpac__queue *queue, clpac__block *block);
clpac_status clpac__opencl_write(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				 const void *source, clpac_error *err);
clpac_status clpac__opencl_write_later(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes,
				       const void *source, clpac_error *err);
clpac_status clpac__opencl_read(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, void *target,
				clpac_error *err);
clpac_status clpac__opencl_fill(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, uint8_t value,
				clpac_error *err);
clpac_status clpac__opencl_copy(clpac__queue *queue, clpac__block *source, size_t source_offset, clpac__block *target,
				size_t target_offset, size_t bytes, clpac_error *err);

clpac_status clpac__opencl_create_part(clpac__queue *queue, clpac__block *whole, size_t offset, size_t bytes,
				       clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_create_on_host(clpac__queue *queue, size_t bytes, clpac__block **out, clpac_error *err);
clpac_status clpac__opencl_map(clpac__queue *queue, clpac__block *block, size_t offset, size_t bytes, bool will_read,
			       bool will_write, void **out, bool *is_in_place, clpac_error *err);
clpac_status clpac__opencl_unmap(clpac__queue *queue, clpac__block *block, void *pointer, clpac_error *err);

/* An event of the seam is the driver's own handle, cast. */
static inline cl_event clpac__opencl_event(clpac_event *event)
{
	return (cl_event)(void *)event;
}

clpac_status clpac__opencl_mark(clpac__queue *queue, clpac_event **out, clpac_error *err);
clpac_status clpac__opencl_wait_for(clpac__queue *queue, clpac_event *event, clpac_error *err);
bool clpac__opencl_has_passed(clpac__queue *queue, clpac_event *event);
clpac_status clpac__opencl_wait(clpac__queue *queue, clpac_event *event, clpac_error *err);
void clpac__opencl_retain(clpac__queue *queue, clpac_event *event);
void clpac__opencl_forget(clpac__queue *queue, clpac_event *event);

clpac_free_memory clpac__opencl_free_memory(clpac__queue *queue);
/* Free memory of a device, through any driver functions. */
clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device);
/* True when the host can spare that many bytes, or does not report it. */
bool clpac__opencl_host_has(size_t bytes);

#endif
