/* The OpenCL backend, seen from inside: src/opencl is the only place that includes CL/cl.h.
 *
 * The base is OpenCL 1.2; what is newer is asked for by number and used only where a device says it has it. */
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

/* --- Discovery (discover.c, facts.c) ---------------------------------------------------------- */

/* The driver calls that discovery makes, so that tests can stand in for drivers that nobody has here. */
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

/* The same in a child process, for found->probe_s seconds at most.  Where it does not come back well, the platform that
 * says so is added and is_left_out set. */
clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err);

/* The facts of one device.  Numbers of platform and device are the caller's to set.  Fails never: what a driver does
 * not tell stays 0 or empty. */
void clpac__opencl_device_facts(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* Why clpac cannot use a device, in words that follow "it ", or NULL when it can. */
const char *clpac__opencl_device_trouble(const clpac__opencl_functions *functions, cl_device_id id);

/* Bytes of the device that are free, where its driver tells (AMD's do); false where it does not. */
bool clpac__opencl_free_bytes(const clpac__opencl_functions *functions, cl_device_id id, const clpac_device *device,
			      uint64_t *bytes);

/* A driver's text made safe: at most size - 1 bytes, always terminated, control characters and outer blanks removed. */
void clpac__opencl_clean_text(const char *raw, size_t length, char *text, size_t size);

/* The i-th device of the p-th platform, as discovery numbers them.  False when there is none. */
bool clpac__opencl_find_device(const clpac__opencl_functions *functions, int platform, int index, cl_device_id *out);

/* The numbers that discovery gives a device or the one that it is a part of, and its platform's name; false where it is
 * not listed. */
bool clpac__opencl_number_device(const clpac__opencl_functions *functions, cl_device_id id, clpac_device *device);

/* --- What is known of drivers (quirks.c) ------------------------------------------------------ */

typedef struct clpac__opencl_quirks {
	bool has_no_parts;	      /* sub-buffers do not work */
	bool finishes_before_release; /* releasing a buffer that work under way uses is not safe */
	bool is_serialised;	      /* two threads must not be in the driver at once */
	bool finish_forgets_flushed;  /* clFinish waits for what was not flushed before, and for nothing else */
} clpac__opencl_quirks;

clpac__opencl_quirks clpac__opencl_quirks_of(const clpac_device *device);

/* --- Queue and blocks (queue.c, block.c, event.c, free_memory.c, log.c) ----------------------- */

struct clpac__block {
	cl_mem memory;
	size_t bytes;
	cl_mem whole;  /* what the block is a part of, or memory itself */
	size_t offset; /* in it */
};

/* Lines of the log on their way (log.c). */
enum { CLPAC__OPENCL_NOTE = 1024 /* bytes */, CLPAC__OPENCL_NOTES = 8 };
typedef struct clpac__opencl_note {
	clpac_log_level level;
	char text[CLPAC__OPENCL_NOTE];
} clpac__opencl_note;
typedef struct clpac__opencl_notes {
	atomic_bool is_waiting;
	pthread_mutex_t lock; /* of the rest */
	unsigned first, n, n_lost;
	clpac__opencl_note notes[CLPAC__OPENCL_NOTES];
} clpac__opencl_notes;

typedef struct clpac__opencl_queue {
	clpac__queue base;
	struct clpac__opencl_queue *root; /* the one that the device was opened with; may be itself */
	cl_device_id device;
	cl_context context;
	cl_command_queue commands;
	clpac__opencl_quirks quirks;
	clpac_log_function *log;
	void *log_user;
	clpac__opencl_notes notes; /* root */
} clpac__opencl_queue;

static inline clpac__opencl_queue *clpac__opencl_of(clpac__queue *queue)
{
	return (clpac__opencl_queue *)queue;
}

/* One line for the application's log.  It is said by the next clpac__opencl_tell. */
void clpac__opencl_log(clpac__opencl_queue *queue, clpac_log_level level, const char *format, ...) CLPAC__PRINTF(3, 4);
/* Says what was noted.  No lock is held. */
void clpac__opencl_tell(clpac__opencl_queue *queue);

/* A queue on handles of the application's or of our own; takes a reference to context and commands, and on success
 * only.  root NULL: the queue is its own. */
clpac_status clpac__opencl_queue_make(clpac__opencl_queue *root, const clpac_device *device, cl_device_id id,
				      cl_context context, cl_command_queue commands, const clpac_options *options,
				      clpac__opencl_queue **out, clpac_error *err);
/* Whether a queue is one of this backend. */
bool clpac__opencl_is(const clpac__queue *queue);

extern const clpac__queue_operations clpac__opencl_operations;
/* The same, of which one at a time is in the driver (serial.c). */
extern const clpac__queue_operations clpac__opencl_serial_operations;
/* For those who come into the driver by another way, a library for transforms: takes that turn where there are turns to
 * be taken; and gives it back, and tells. */
void clpac__opencl_enter(const clpac__opencl_queue *queue);
void clpac__opencl_leave(clpac__opencl_queue *queue);

/* clFinish, on drivers too where it does not do all that it should. */
clpac_status clpac__opencl_finish(const clpac__opencl_queue *queue, clpac_error *err);

/* On an out-of-order queue: what is put from now on comes after what was put before. */
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

/* An event of the seam is the driver's own handle under another name. */
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
/* The same of any driver. */
clpac_free_memory clpac__opencl_ask_free_memory(const clpac__opencl_functions *functions, cl_device_id id,
						const clpac_device *device);
/* Whether the host can spare so many bytes; true where it does not tell. */
bool clpac__opencl_host_has(size_t bytes);

#endif
