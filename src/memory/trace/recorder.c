/* The recorder: chunks of events, filled by the threads that allocate and written by a writer thread.  A chunk belongs
 * to whoever took it out of a list, so the writer reads it without a lock.
 */

#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/memory.h"
#include "base/thread.h"
#include "memory/trace/trace_hooks.h"

enum {
	EVENTS_PER_CHUNK = 1024,
	MAX_CHUNKS = (64 << 20) / (96 * EVENTS_PER_CHUNK),
	CHUNKS_AT_ONCE = 4,
	MAX_WAIT_MS = 100,
	/* Seven numbers of at most 20 digits, eight commas and the end of the line, two words, and a quoted tag with
	 * every quotation mark doubled. */
	MAX_LINE = 7 * 20 + 9 + 2 * 10 + 2 * CLPAC__NOTED_TAG_SIZE + 2
};

struct clpac__trace_chunk {
	clpac__trace_chunk *next;
	size_t n;
	clpac__noted events[EVENTS_PER_CHUNK];
};

void clpac__recorder_init(clpac__recorder *recorder)
{
	memset(recorder, 0, sizeof *recorder);
	/* These cannot fail with default attributes. */
	pthread_mutex_init(&recorder->control, NULL);
	pthread_mutex_init(&recorder->lock, NULL);
	pthread_cond_init(&recorder->filled, NULL);
	pthread_cond_init(&recorder->emptied, NULL);
}

void clpac__recorder_destroy(clpac__recorder *recorder)
{
	bool was_on;
	clpac__recorder_end(recorder, &was_on, NULL);
	pthread_cond_destroy(&recorder->emptied);
	pthread_cond_destroy(&recorder->filled);
	pthread_mutex_destroy(&recorder->lock);
	pthread_mutex_destroy(&recorder->control);
}

/* --- The writer ------------------------------------------------------------------------------- */

static char *put_number(char *at, uint64_t number, char end)
{
	char digits[20];
	size_t n = 0;
	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*at++ = digits[--n];
	*at++ = end;
	return at;
}

static char *put_word(char *at, const char *word, char end)
{
	while (*word)
		*at++ = *word++;
	*at++ = end;
	return at;
}

static char *put_tag(char *at, const char *tag, char end)
{
	if (!tag[strcspn(tag, ",\"\r\n")])
		return put_word(at, tag, end);
	*at++ = '"';
	for (; *tag; tag++) {
		if (*tag == '"')
			*at++ = '"';
		*at++ = *tag;
	}
	*at++ = '"';
	*at++ = end;
	return at;
}

static char *put_event(char *at, const clpac__noted *event)
{
	at = put_number(at, event->time_ns, ',');
	at = put_number(at, event->thread, ',');
	at = put_word(at, clpac__trace_operations[event->operation], ',');
	at = put_number(at, event->id, ',');
	at = put_number(at, event->bytes, ',');
	at = put_number(at, event->class_bytes, ',');
	at = put_number(at, event->queue, ',');
	at = put_tag(at, event->tag, ',');
	return put_word(at, clpac__trace_outcomes[event->outcome], '\n');
}

static void write_out(clpac__recorder *recorder, const char *text, size_t n)
{
	errno = 0;
	if (!recorder->trouble && n && fwrite(text, 1, n, recorder->file) != n)
		recorder->trouble = errno ? errno : EIO;
}

static void write_chunk(clpac__recorder *recorder, const clpac__trace_chunk *chunk)
{
	char text[64 * MAX_LINE], *at = text;
	for (size_t i = 0; i < chunk->n; i++) {
		if (at > text + sizeof text - MAX_LINE) {
			write_out(recorder, text, (size_t)(at - text));
			at = text;
		}
		at = put_event(at, &chunk->events[i]);
	}
	write_out(recorder, text, (size_t)(at - text));
}

static void *write_chunks(void *argument)
{
	clpac__recorder *recorder = argument;
	pthread_mutex_lock(&recorder->lock);
	for (;;) {
		while (!recorder->first && !recorder->is_ending)
			pthread_cond_wait(&recorder->filled, &recorder->lock);
		clpac__trace_chunk *chunk = recorder->first;
		if (!chunk)
			break;
		recorder->first = chunk->next;
		if (!recorder->first)
			recorder->last = NULL;
		pthread_mutex_unlock(&recorder->lock);
		write_chunk(recorder, chunk);
		pthread_mutex_lock(&recorder->lock);
		chunk->next = recorder->spare;
		recorder->spare = chunk;
		recorder->is_stalled = false;
		pthread_cond_broadcast(&recorder->emptied);
	}
	pthread_mutex_unlock(&recorder->lock);
	return NULL;
}

/* --- Recording -------------------------------------------------------------------------------- */

static clpac__trace_chunk *fresh_chunk(clpac__recorder *recorder)
{
	clpac__trace_chunk *chunk = recorder->spare;
	if (chunk) {
		recorder->spare = chunk->next;
	} else if (recorder->n_chunks < MAX_CHUNKS && (chunk = clpac__alloc(sizeof *chunk))) {
		recorder->n_chunks++;
	} else {
		return NULL;
	}
	chunk->next = NULL;
	chunk->n = 0;
	return chunk;
}

static void hand_over(clpac__recorder *recorder)
{
	clpac__trace_chunk *chunk = recorder->current;
	recorder->current = NULL;
	if (!chunk)
		return;
	*(recorder->last ? &recorder->last->next : &recorder->first) = chunk;
	recorder->last = chunk;
	pthread_cond_signal(&recorder->filled);
}

static void wait_for_disk(clpac__recorder *recorder)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until); /* the clock of pthread_cond_timedwait */
	until.tv_nsec += MAX_WAIT_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!recorder->spare && !recorder->current && !recorder->is_ending)
		if (pthread_cond_timedwait(&recorder->emptied, &recorder->lock, &until) != 0) {
			recorder->is_stalled = true;
			break;
		}
}

/* The place for the next event; NULL: none.  May drop the lock in between, and the trace may end meanwhile. */
static clpac__noted *next_event(clpac__recorder *recorder)
{
	while (clpac__recorder_is_on(recorder)) {
		if (recorder->current && recorder->current->n == EVENTS_PER_CHUNK)
			hand_over(recorder);
		if (!recorder->current)
			recorder->current = fresh_chunk(recorder);
		if (recorder->current)
			return &recorder->current->events[recorder->current->n++];
		if (recorder->is_stalled)
			break;
		wait_for_disk(recorder);
	}
	return NULL;
}

void clpac__recorder_note(clpac__recorder *recorder, clpac_trace_operation operation, clpac_trace_outcome outcome,
			  const clpac__watched *what)
{
	pthread_mutex_lock(&recorder->lock);
	if (clpac__recorder_is_on(recorder)) {
		clpac__noted *event = next_event(recorder);
		if (event)
			*event = clpac__noted_make(recorder->begun_ns, operation, outcome, what);
		else
			recorder->n_lost++;
	}
	pthread_mutex_unlock(&recorder->lock);
}

/* --- Begin and end ---------------------------------------------------------------------------- */

static void free_chunks(clpac__recorder *recorder)
{
	while (recorder->spare) {
		clpac__trace_chunk *chunk = recorder->spare;
		recorder->spare = chunk->next;
		clpac__free(chunk);
	}
	clpac__free(recorder->current);
	recorder->current = NULL;
	recorder->n_chunks = 0;
}

static clpac_status make_chunks(clpac__recorder *recorder, clpac_error *err)
{
	for (int i = 0; i < CHUNKS_AT_ONCE; i++) {
		clpac__trace_chunk *chunk;
		RETURN_IF_ERROR(NEW_BYTES(chunk, sizeof *chunk));
		chunk->next = recorder->spare;
		recorder->spare = chunk;
		recorder->n_chunks++;
	}
	return CLPAC_OK;
}

clpac_status clpac__recorder_begin(clpac__recorder *recorder, const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	FILE *file = NULL;
	char *copy = NULL;
	pthread_mutex_lock(&recorder->control);
	bool was_on = clpac__recorder_is_on(recorder);
	if (was_on)
		FAIL(CLPAC_ERROR_ARGUMENT, "trace: one is being written already, to %s; end it first", recorder->path);
	if (!path || !*path)
		FAIL(CLPAC_ERROR_ARGUMENT, "trace: no file: the path is NULL or empty; name one");
	TRY(make_chunks(recorder, err));
	TRY(NEW_COPY(copy, path));
	if (!(file = fopen(path, "wb"))) {
		st = clpac__fail_system(err, errno, "trace: cannot write %s", path);
		goto done;
	}
	setvbuf(file, NULL, _IONBF, 0); /* this file gathers lines itself */
	recorder->file = file;
	recorder->trouble = 0;
	recorder->is_ending = recorder->is_stalled = false;
	write_out(recorder, CLPAC__TRACE_HEAD "\n", sizeof CLPAC__TRACE_HEAD);
	int code = clpac__thread_create(&recorder->thread, CLPAC__LEAST_STACK, write_chunks, recorder);
	if (code) {
		st = clpac__fail_native(err, CLPAC_ERROR_NO_MEMORY, code, "trace: no thread for its writing: %s",
					strerror(code));
		goto done;
	}
	recorder->path = copy;
	file = NULL;
	copy = NULL;
	pthread_mutex_lock(&recorder->lock);
	recorder->n_lost = 0;
	recorder->begun_ns = clpac__noted_clock_ns();
	atomic_store_explicit(&recorder->is_on, true, memory_order_relaxed);
	pthread_mutex_unlock(&recorder->lock);
done:
	if (st != CLPAC_OK && !was_on)
		free_chunks(recorder);
	if (file)
		fclose(file);
	clpac__free(copy);
	pthread_mutex_unlock(&recorder->control);
	return st;
}

clpac_status clpac__recorder_end(clpac__recorder *recorder, bool *was_on, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	pthread_mutex_lock(&recorder->control);
	*was_on = clpac__recorder_is_on(recorder);
	if (!*was_on)
		FAIL(CLPAC_ERROR_ARGUMENT, "trace: none is being written; call clpac_trace_begin first");
	pthread_mutex_lock(&recorder->lock);
	atomic_store_explicit(&recorder->is_on, false, memory_order_relaxed);
	hand_over(recorder);
	recorder->is_ending = true;
	pthread_cond_signal(&recorder->filled);
	pthread_cond_broadcast(&recorder->emptied);
	pthread_mutex_unlock(&recorder->lock);
	pthread_join(recorder->thread, NULL);
	pthread_mutex_lock(&recorder->lock);
	free_chunks(recorder);
	uint64_t n_lost = recorder->n_lost;
	pthread_mutex_unlock(&recorder->lock);

	errno = 0;
	if (fclose(recorder->file) != 0 && !recorder->trouble)
		recorder->trouble = errno ? errno : EIO;
	char *path = recorder->path;
	recorder->file = NULL;
	recorder->path = NULL;
	if (recorder->trouble)
		st = clpac__fail_native(err, CLPAC_ERROR_IO, recorder->trouble, "trace: %s is not complete: %s", path,
					strerror(recorder->trouble));
	else if (n_lost)
		st = clpac__fail(
			err, CLPAC_ERROR_IO,
			"trace: %s is not complete: %llu events were lost, since they came faster than they could be "
			"written",
			path, (unsigned long long)n_lost);
	clpac__free(path);
done:
	pthread_mutex_unlock(&recorder->control);
	return st;
}
