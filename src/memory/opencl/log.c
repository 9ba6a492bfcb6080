/* Deferred log: queued under locks, delivered outside them. */
#include "memory/opencl/opencl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void clpac__opencl_log(clpac__opencl_queue *queue, clpac_log_level level, const char *format, ...)
{
	clpac__opencl_notes *notes = &queue->root->notes;
	char text[CLPAC__OPENCL_NOTE];
	va_list args;
	if (!queue->root->log)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);

	pthread_mutex_lock(&notes->lock);
	if (notes->n == CLPAC__OPENCL_NOTES) {
		notes->n_lost++;
	} else {
		clpac__opencl_note *note = &notes->notes[(notes->first + notes->n) % CLPAC__OPENCL_NOTES];
		note->level = level;
		memcpy(note->text, text, sizeof text);
		notes->n++;
	}
	atomic_store(&notes->is_waiting, true);
	pthread_mutex_unlock(&notes->lock);
}

/* Removes the oldest line; false when there is none. */
static bool take(clpac__opencl_notes *notes, clpac__opencl_note *out)
{
	bool is_found = true;
	pthread_mutex_lock(&notes->lock);
	if (notes->n) {
		*out = notes->notes[notes->first];
		notes->first = (notes->first + 1) % CLPAC__OPENCL_NOTES;
		notes->n--;
	} else if (notes->n_lost) {
		out->level = CLPAC_LOG_WARNING;
		snprintf(out->text, sizeof out->text, "%u more lines came at once and are lost", notes->n_lost);
		notes->n_lost = 0;
	} else {
		is_found = false;
		atomic_store(&notes->is_waiting, false);
	}
	pthread_mutex_unlock(&notes->lock);
	return is_found;
}

void clpac__opencl_tell(clpac__opencl_queue *queue)
{
	clpac__opencl_queue *root = queue->root;
	clpac__opencl_note note;
	while (atomic_load(&root->notes.is_waiting) && take(&root->notes, &note))
		root->log(root->log_user, note.level, note.text);
}
