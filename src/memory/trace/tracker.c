/* Shards of records.  A shard's records lie in chunks, each twice as large as the previous one, so that no record ever
 * moves.
 */
#include "memory/trace/trace_hooks.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/memory.h"

enum {
	N_SHARDS = 64,
	FIRST_CHUNK = 64,
	N_CHUNKS = 24, /* 64 * (2^24 - 1) records in a shard */
	/* records examined from the hint on; then as many at other places, before a chunk is added */
	N_NEIGHBOURS = 16,
	N_ANYWHERE = 16
};

#define BEING_WRITTEN UINT64_MAX

/* A claimed record is written by release stores and read by acquire loads: a reader that sees a value of a later buffer
 * then also sees that the id has changed since it began.  On common machines these are plain moves. */
struct clpac__record {
	_Atomic uint64_t id; /* 0: free */
	uint32_t shard, index;
	_Atomic uint64_t bytes, class_bytes, n_elements;
	_Atomic(const char *) tag, file;
	_Atomic uint64_t born_ns;
	atomic_int line;
	atomic_uint thread_and_place; /* twice the thread's number, plus 1 when on the device */
};

typedef struct shard {
	_Alignas(64) _Atomic(clpac__record *) hint; /* the record freed or claimed last; NULL: none yet */
	atomic_uint capacity;
	_Atomic(clpac__record *) chunks[N_CHUNKS];
	pthread_mutex_t growth;
} shard;

/* Tags belong to the caller and live only as long as his buffer; copying them at each allocation would cost more than
 * everything else.  So a removal that finds a list being made waits for its end before the buffer's release continues.
 * Either the removal sees is_listing, or the list sees that the record is free: both store before they load,
 * sequentially consistent. */
struct clpac__tracker {
	shard shards[N_SHARDS];
	_Alignas(64) atomic_bool is_listing;
	pthread_mutex_t listing;
	_Atomic uint64_t n_missed;
};

static uint64_t now_ns(void)
{
	struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
	clock_gettime(CLOCK_MONOTONIC_COARSE,
		      &now); /* a fifth of the cost of the exact clock; its step is 1 to 10 ms */
#else
	clock_gettime(CLOCK_MONOTONIC, &now);
#endif
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

clpac_status clpac__tracker_create(clpac__tracker **out, clpac_error *err)
{
	clpac__tracker *tracker = clpac__alloc_pages(sizeof *tracker);
	if (!tracker)
		RETURN_NO_MEMORY(sizeof *tracker);
	memset(tracker, 0, sizeof *tracker);
	for (unsigned i = 0; i < N_SHARDS; i++)
		pthread_mutex_init(&tracker->shards[i].growth, NULL); /* cannot fail with default attributes */
	pthread_mutex_init(&tracker->listing, NULL);
	*out = tracker;
	return CLPAC_OK;
}

void clpac__tracker_destroy(clpac__tracker *tracker)
{
	if (!tracker)
		return;
	for (unsigned i = 0; i < N_SHARDS; i++) {
		for (unsigned k = 0; k < N_CHUNKS; k++)
			clpac__free(atomic_load_explicit(&tracker->shards[i].chunks[k], memory_order_relaxed));
		pthread_mutex_destroy(&tracker->shards[i].growth);
	}
	pthread_mutex_destroy(&tracker->listing);
	clpac__free_pages(tracker);
}

static unsigned log2_floor(uint32_t value)
{
	unsigned log = 0;
#if defined(__GNUC__)
	log = 31 - (unsigned)__builtin_clz(value);
#else
	while (value >>= 1)
		log++;
#endif
	return log;
}

/* Chunk k begins at 64 * (2^k - 1). */
static clpac__record *record_at(shard *of, uint32_t index)
{
	unsigned k = log2_floor(index / FIRST_CHUNK + 1);
	uint32_t first = ((uint32_t)FIRST_CHUNK << k) - FIRST_CHUNK;
	return atomic_load_explicit(&of->chunks[k], memory_order_acquire) + (index - first);
}

static bool claim(clpac__record *record)
{
	uint64_t none = 0;
	return atomic_load_explicit(&record->id, memory_order_relaxed) == 0 &&
	       atomic_compare_exchange_strong_explicit(&record->id, &none, BEING_WRITTEN, memory_order_acquire,
						       memory_order_relaxed);
}

/* Adds a chunk unless another thread has just done so.  False: no memory. */
static bool grow(shard *of, uint32_t shard_index, uint32_t seen_capacity)
{
	bool has_grown = true;
	pthread_mutex_lock(&of->growth);
	uint32_t capacity = atomic_load_explicit(&of->capacity, memory_order_relaxed);
	if (capacity == seen_capacity) {
		unsigned k = log2_floor(capacity / FIRST_CHUNK + 1);
		uint32_t n = (uint32_t)FIRST_CHUNK << k;
		clpac__record *chunk = k < N_CHUNKS ? clpac__alloc_array(n, sizeof *chunk) : NULL;
		has_grown = chunk;
		for (uint32_t i = 0; chunk && i < n; i++) {
			chunk[i].shard = shard_index;
			chunk[i].index = capacity + i;
		}
		if (chunk) {
			atomic_store_explicit(&of->chunks[k], chunk, memory_order_release);
			atomic_store_explicit(&of->capacity, capacity + n, memory_order_release);
			atomic_store_explicit(&of->hint, chunk, memory_order_release);
		}
	}
	pthread_mutex_unlock(&of->growth);
	return has_grown;
}

static clpac__record *claim_one(shard *of, uint32_t shard_index)
{
	for (;;) {
		uint32_t capacity = atomic_load_explicit(&of->capacity, memory_order_acquire);
		clpac__record *hint = atomic_load_explicit(&of->hint, memory_order_acquire);
		if (hint && claim(hint))
			return hint;
		uint32_t index = hint ? hint->index + 1 : 0;
		for (unsigned i = 0; i < N_NEIGHBOURS + N_ANYWHERE && capacity; i++) {
			if (index >= capacity)
				index = 0;
			clpac__record *record = record_at(of, index);
			if (claim(record)) {
				atomic_store_explicit(&of->hint, record, memory_order_release);
				return record;
			}
			/* Knuth's multiplicative hash as a walk; the upper bits of the product are well mixed. */
			uint32_t anywhere = (uint32_t)((index + i) * 2654435769u);
			index = i < N_NEIGHBOURS ? index + 1 : (uint32_t)((uint64_t)anywhere * capacity >> 32);
		}
		if (!grow(of, shard_index, capacity))
			return NULL;
	}
}

clpac__record *clpac__tracker_add(clpac__tracker *tracker, const clpac__watched *what)
{
	uint32_t thread = clpac__thread_number();
	uint32_t shard_index = thread % N_SHARDS;
	clpac__record *record = claim_one(&tracker->shards[shard_index], shard_index);
	if (!record) {
		atomic_fetch_add_explicit(&tracker->n_missed, 1, memory_order_relaxed);
		return NULL;
	}
	atomic_store_explicit(&record->bytes, what->bytes, memory_order_release);
	atomic_store_explicit(&record->class_bytes, what->class_bytes, memory_order_release);
	atomic_store_explicit(&record->n_elements, what->n_elements, memory_order_release);
	atomic_store_explicit(&record->tag, what->tag, memory_order_release);
	atomic_store_explicit(&record->file, what->file, memory_order_release);
	atomic_store_explicit(&record->line, what->line, memory_order_release);
	atomic_store_explicit(&record->born_ns, now_ns(), memory_order_release);
	atomic_store_explicit(&record->thread_and_place, 2 * thread + what->is_on_device, memory_order_release);
	atomic_store_explicit(&record->id, what->id, memory_order_release);
	return record;
}

void clpac__tracker_remove(clpac__tracker *tracker, clpac__record *record)
{
	if (!record)
		return;
	/* The record used last is reused first. */
	atomic_store_explicit(&tracker->shards[record->shard].hint, record, memory_order_release);
	atomic_exchange(&record->id, 0);
	if (atomic_load(&tracker->is_listing)) {
		pthread_mutex_lock(&tracker->listing);
		pthread_mutex_unlock(&tracker->listing);
	}
}

void clpac__tracker_move(clpac__record *record, bool is_on_device)
{
	if (!record)
		return;
	unsigned old = atomic_load_explicit(&record->thread_and_place, memory_order_relaxed);
	atomic_store_explicit(&record->thread_and_place, (old & ~1u) | is_on_device, memory_order_release);
}

/* --- The list --------------------------------------------------------------------------------- */

/* Cuts a tag to fit, but not inside a character, which in UTF-8 continues with bytes 10xxxxxx. */
static void copy_tag(char out[CLPAC_LISTED_TAG_SIZE], const char *tag)
{
	size_t n = strnlen(tag, CLPAC_LISTED_TAG_SIZE);
	if (n == CLPAC_LISTED_TAG_SIZE) {
		n--;
		while (n && ((unsigned char)tag[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(out, tag, n);
	memset(out + n, 0, CLPAC_LISTED_TAG_SIZE - n);
}

/* False: the record is free.  A record that changes meanwhile is read again.  Its tag is still valid: a removal waits
 * for the list. */
static bool read_record(clpac__record *record, uint64_t now, clpac_live_buffer *out)
{
	for (;;) {
		uint64_t id = atomic_load(&record->id);
		if (!id || id == BEING_WRITTEN)
			return false;
		out->id = id;
		out->bytes = atomic_load_explicit(&record->bytes, memory_order_acquire);
		out->class_bytes = atomic_load_explicit(&record->class_bytes, memory_order_acquire);
		out->n_elements = atomic_load_explicit(&record->n_elements, memory_order_acquire);
		const char *tag = atomic_load_explicit(&record->tag, memory_order_acquire);
		out->file = atomic_load_explicit(&record->file, memory_order_acquire);
		out->line = atomic_load_explicit(&record->line, memory_order_acquire);
		uint64_t born = atomic_load_explicit(&record->born_ns, memory_order_acquire);
		unsigned thread_and_place = atomic_load_explicit(&record->thread_and_place, memory_order_acquire);
		if (atomic_load_explicit(&record->id, memory_order_relaxed) != id)
			continue;
		copy_tag(out->tag, tag);
		out->thread = thread_and_place / 2;
		out->is_on_device = thread_and_place & 1;
		out->age_s = now > born ? 1e-9 * (double)(now - born) : 0;
		return true;
	}
}

static bool append(clpac_live_list *list, size_t *capacity, const clpac_live_buffer *buffer)
{
	if (!clpac__room_for_one(&list->buffers, list->n, capacity, 64, sizeof *list->buffers))
		return false;
	list->buffers[list->n++] = *buffer;
	list->bytes += buffer->bytes;
	list->class_bytes += buffer->class_bytes;
	return true;
}

static int by_age(const void *left, const void *right)
{
	const clpac_live_buffer *a = left, *b = right;
	if (a->age_s != b->age_s)
		return a->age_s > b->age_s ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Collects records that are old enough, in their order. is_listing is set. */
static clpac_status collect(clpac__tracker *tracker, double older_than_s, clpac_live_list *list, clpac_error *err)
{
	size_t capacity = 0;
	uint64_t now = now_ns();
	for (unsigned i = 0; i < N_SHARDS; i++) {
		shard *of = &tracker->shards[i];
		uint32_t n = atomic_load_explicit(&of->capacity, memory_order_acquire);
		for (uint32_t index = 0; index < n; index++) {
			clpac_live_buffer buffer;
			if (!read_record(record_at(of, index), now, &buffer) || buffer.age_s < older_than_s)
				continue;
			if (!append(list, &capacity, &buffer))
				RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
					     "the host has no memory left for a list of %zu buffers", list->n + 1);
		}
	}
	return CLPAC_OK;
}

clpac_status clpac__tracker_list(clpac__tracker *tracker, double older_than_s, clpac_live_list *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_live_list list = {0};
	if (!(older_than_s >= 0)) /* a NaN too */
		FAIL(CLPAC_ERROR_ARGUMENT, "list of buffers: older_than_s is %g: give 0 or more seconds", older_than_s);
	pthread_mutex_lock(&tracker->listing);
	atomic_store(&tracker->is_listing, true);
	st = collect(tracker, older_than_s, &list, err);
	atomic_store(&tracker->is_listing, false);
	pthread_mutex_unlock(&tracker->listing);
	TRY(st);
	if (list.n)
		qsort(list.buffers, list.n, sizeof *list.buffers, by_age);
	list.n_missed = atomic_load_explicit(&tracker->n_missed, memory_order_relaxed);
	*out = list;
	list = (clpac_live_list){0};
done:
	clpac_live_list_free(&list);
	return st;
}

void clpac_live_list_free(clpac_live_list *list)
{
	if (!list)
		return;
	clpac__free(list->buffers);
	*list = (clpac_live_list){0};
}
