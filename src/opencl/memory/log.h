/* Lines for the application's log, noted where they arise, under locks too, and delivered outside them. */
#ifndef CLPAC_OPENCL_MEMORY_LOG_H
#define CLPAC_OPENCL_MEMORY_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <clpac/status.h>
#include "base/error.h"

/* Lines of the log on their way. */
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

typedef struct clpac__opencl_queue clpac__opencl_queue;

/* One line for the application's log.  It is said by the next clpac__opencl_tell. */
void clpac__opencl_log(clpac__opencl_queue *queue, clpac_log_level level, const char *format, ...) CLPAC__PRINTF(3, 4);
/* Says what was noted.  No lock is held. */
void clpac__opencl_tell(clpac__opencl_queue *queue);

#endif
