/* Deferred log: lines for the application, queued under locks, delivered outside them. */
#ifndef CLPAC_MEMORY_OPENCL_LOG_H
#define CLPAC_MEMORY_OPENCL_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <clpac/status.h>
#include "base/error.h"

/* Log lines awaiting delivery. */
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

typedef struct clpac__opencl_queue clpac__opencl_queue;

/* Queues one line for the application's log; the next clpac__opencl_tell delivers it. */
void clpac__opencl_log(clpac__opencl_queue *queue, clpac_log_level level, const char *format, ...) CLPAC__PRINTF(3, 4);
/* Delivers the queued lines.  Called without any lock. */
void clpac__opencl_tell(clpac__opencl_queue *queue);

#endif
