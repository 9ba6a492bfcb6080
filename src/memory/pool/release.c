/* Releasing a block: to the magazine of the releasing thread, otherwise to the depot, its segment or the driver. */
#include "memory/pool/pool_parts.h"

#include "base/memory.h"

/* The depot's share of the cached blocks of a class: half; the other half is in the magazines. */
static size_t kept_in_depot(const clpac_pool *pool, unsigned class_index)
{
	return pool->n_warm[class_index] + atomic_load_explicit(&pool->kept, memory_order_relaxed) / 2;
}

void clpac__pool_deposit(clpac_pool *pool, clpac_buffer *buffer)
{
	const bool is_scattered_part = buffer->segment && pool->n_scattered;
	if (!is_scattered_part &&
	    pool->depot.classes[buffer->class_index].count < kept_in_depot(pool, buffer->class_index)) {
		clpac__free_list_put(&pool->depot, buffer);
		return;
	}
	buffer->below = NULL;
	clpac__pool_drop(pool, buffer);
}

/* Removes and returns the blocks of a chain whose events have passed.  Without the lock, since it asks the driver. */
static clpac_buffer *take_passed(clpac_pool *pool, clpac_buffer **chain)
{
	clpac_buffer **link = chain, *passed = NULL;
	while (*link) {
		clpac_buffer *buffer = *link;
		if (clpac__hazards_poll(pool, buffer)) {
			*link = buffer->below;
			buffer->below = passed;
			passed = buffer;
		} else {
			link = &buffer->below;
		}
	}
	return passed;
}

bool clpac__pool_collect(clpac_pool *pool)
{
	clpac_buffer *chain = pool->pending, **last = &pool->pending;
	if (!chain)
		return false;
	pool->pending = NULL;
	pool->n_returning++;
	pthread_mutex_unlock(&pool->lock);
	clpac_buffer *passed = take_passed(pool, &chain);
	pthread_mutex_lock(&pool->lock);
	pool->n_returning--;
	while (*last) /* blocks released meanwhile are younger */
		last = &(*last)->below;
	*last = chain;
	const bool has_any = passed;
	while (passed) {
		clpac_buffer *buffer = passed;
		passed = buffer->below;
		pool->ledger.now.pending_buffers--;
		clpac__pool_deposit(pool, buffer);
	}
	pthread_cond_broadcast(&pool->settled);
	return has_any;
}

/* Counts the release in the caller's magazine; if it has none, in any other, so that the sums stay right. */
static clpac__magazine *count_release(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__magazine *magazine = clpac__magazine_get(pool, buffer->home ? buffer->home : &pool->queues[0]);
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES && !magazine; i++)
		magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
	const bool is_without = clpac__magazine_enter(magazine);
	buffer->released_ns = clpac__magazine_now(magazine);
	buffer->released_order = ++magazine->n_releases;
	clpac__magazine_count(&pool->magazines, magazine, buffer, -1);
	magazine->n_busy++;
	clpac__magazine_exit(magazine, is_without);
	return magazine;
}

/* Ends what count_release began.  Unless the pool was given up before, it may be gone as soon as the latch is left;
 * else this release may be the last that the pool waits for. */
static void end_release(clpac_pool *pool, clpac__magazine *magazine)
{
	const bool is_without = clpac__magazine_enter(magazine);
	const bool is_given_up = atomic_load_explicit(&pool->is_given_up, memory_order_relaxed);
	magazine->n_busy -= !is_given_up;
	clpac__magazine_exit(magazine, is_without);
	if (!is_given_up)
		return;
	pthread_mutex_lock(&pool->lock);
	clpac__biased_latch_take(&magazine->lock, clpac__thread_number() + 1);
	magazine->n_busy--;
	clpac__biased_latch_leave(&magazine->lock);
	const bool is_over = clpac__pool_is_over(pool);
	pthread_mutex_unlock(&pool->lock);
	if (is_over)
		clpac__pool_end(pool);
}

static void bring_back(clpac_pool *pool, clpac_buffer *buffer)
{
	if (buffer->mapping)
		clpac__buffer_unmap(pool, buffer, NULL);
	clpac__hazards_mark(pool, buffer);
	if (buffer->is_on_host) {
		clpac__pool_drop_from_host(pool, buffer);
		if (pool->host_limit) /* it may be of a tree whose pools follow its pressure */
			clpac__pool_tell(pool);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	if (buffer->pending) {
		buffer->below = pool->pending;
		pool->pending = buffer;
		pool->ledger.now.pending_buffers++;
	} else {
		clpac__pool_deposit(pool, buffer);
	}
	pthread_cond_broadcast(&pool->settled);
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
}

/* The general case of a release. */
static void release_slowly(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__magazine *magazine = count_release(pool, buffer);
	bring_back(pool, buffer);
	end_release(pool, magazine);
}

/* True when the block now lies in the caller's magazine. */
CLPAC__FREQUENT bool release_to_magazine(clpac_pool *pool, clpac_buffer *buffer, clpac__magazine *magazine)
{
	bool is_kept = false;
	const size_t limit = (atomic_load_explicit(&pool->kept, memory_order_relaxed) + 1) / 2;
	const bool is_without = clpac__magazine_enter(magazine);
	/* Looked at under the latch: whoever gave the pool up takes it too when he counts what is in use. */
	if (!atomic_load_explicit(&pool->n_waiting, memory_order_relaxed) &&
	    magazine->blocks.classes[buffer->class_index].count < limit) {
		buffer->released_ns = clpac__magazine_now(magazine);
		buffer->released_order = ++magazine->n_releases;
		clpac__magazine_count(&pool->magazines, magazine, buffer, -1);
		clpac__stacks_put(&magazine->blocks, buffer);
		is_kept = true;
	}
	clpac__magazine_exit(magazine, is_without);
	return is_kept;
}

/* Nobody but its in-order home queue may still use the block. */
CLPAC__FREQUENT bool is_plain(const clpac_buffer *buffer, const clpac__pool_queue *home)
{
	return !atomic_load_explicit(&buffer->recorded, memory_order_relaxed) &&
	       !atomic_load_explicit(&buffer->pending, memory_order_relaxed) &&
	       !atomic_load_explicit(&buffer->is_on_host, memory_order_relaxed) &&
	       !atomic_load_explicit(&buffer->mapping, memory_order_relaxed) && home && home->is_in_order;
}

void clpac__pool_bad_release(clpac_pool *pool, const char *text)
{
	pthread_mutex_lock(&pool->lock);
	pool->ledger.now.bad_releases++;
	pthread_mutex_unlock(&pool->lock);
	clpac__faults_add(&pool->watch.faults, text);
}

/* The general case of a release that nobody watches. */
CLPAC__RARE void find_magazine_or_depot(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__pool_queue *home = buffer->home;
	/* A use that ended in another queue may be over by now. */
	if (buffer->pending)
		clpac__hazards_poll(pool, buffer);
	clpac__magazine *magazine = is_plain(buffer, home) ? clpac__magazine_get(pool, home) : NULL;
	if (!magazine || !release_to_magazine(pool, buffer, magazine))
		release_slowly(pool, buffer);
}

void clpac__buffer_bring_back(clpac_buffer *buffer)
{
	clpac_pool *pool = buffer->pool;
	if (pool->is_checked)
		buffer = clpac__checked_quarantine(pool, buffer);
	find_magazine_or_depot(pool, buffer);
}

CLPAC__RARE void note_and_bring_back(clpac_pool *pool, clpac_buffer *buffer)
{
	if (clpac__watch_is_on(&pool->watch))
		clpac__pool_note_release(pool, buffer);
	clpac__buffer_bring_back(buffer);
}

/* A release while uses are open, or were a moment ago.  It is told now, since its owner may free the tag afterwards;
 * the memory comes back at the end of the last use. */
CLPAC__RARE void release_in_use(clpac_pool *pool, clpac_buffer *buffer)
{
	if (clpac__watch_is_on(&pool->watch))
		clpac__pool_note_release(pool, buffer);
	if (!clpac__use_defer_release(buffer))
		clpac__buffer_bring_back(buffer);
}

CLPAC__FREQUENT bool begin_release(clpac_buffer *buffer, clpac_pool **out)
{
	if (!buffer)
		return false;
	clpac_pool *pool = buffer->pool;
	if (!pool) /* a stale handle of a checked pool that ended or has forgotten it */
		return false;
	if (CLPAC__RARELY(atomic_load_explicit(&buffer->key, memory_order_relaxed)) &&
	    clpac__buffer_refuse_release(buffer))
		return false;
	if (!atomic_exchange(&buffer->is_in_use, false)) {
		clpac__pool_bad_release(pool, "a buffer was released that had been released before");
		return false;
	}
	/* Read behind the mark: a use, and whoever moves the block, counts first and then looks at the mark. */
	if (CLPAC__RARELY(atomic_load(&buffer->uses))) {
		release_in_use(pool, buffer);
		return false;
	}
	*out = pool;
	return true;
}

void clpac_buffer_release(clpac_buffer *buffer)
{
	clpac_pool *pool;
	if (!begin_release(buffer, &pool))
		return;
	clpac__pool_queue *home = atomic_load_explicit(&buffer->home, memory_order_relaxed);
	if (CLPAC__RARELY(clpac__watch_is_on(&pool->watch) || pool->is_checked || !is_plain(buffer, home))) {
		note_and_bring_back(pool, buffer);
		return;
	}
	clpac__magazine *magazine = clpac__magazine_peek(pool, home, clpac__thread_ordinal);
	if (CLPAC__RARELY(!magazine || !release_to_magazine(pool, buffer, magazine)))
		find_magazine_or_depot(pool, buffer);
}

clpac_status clpac_buffer_release_after(clpac_buffer *buffer, size_t n, clpac_event *const *events, clpac_error *err)
{
	NEED_AS(events || !n, "events");
	clpac_status st = CLPAC_OK;
	if (!buffer)
		return st;
	if (!atomic_load(&buffer->is_in_use))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "release of buffer %llu: it was released before",
			     (unsigned long long)buffer->id);
	RETURN_IF_ERROR(clpac__buffer_check_release(buffer, err));
	RETURN_IF_ERROR(clpac__pool_events_need(n, events, "release", buffer->tag, err));
	/* As a use that ends with these events. */
	if (!clpac__use_take(buffer, CLPAC__USE_OF_POOL))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "release of a buffer: it is being released");
	st = clpac__use_end_after(buffer, n, events, err);
	clpac__use_give(buffer, CLPAC__USE_OF_POOL);
	if (st == CLPAC_OK)
		clpac_buffer_release(buffer);
	return st;
}

clpac_status clpac_buffer_record(clpac_buffer *buffer, clpac_queue *queue, clpac_error *err)
{
	NEED(buffer);
	if (!atomic_load(&buffer->is_in_use))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "record: the buffer is not in use");
	const clpac__pool_queue *place = clpac__pool_queue_need(buffer->pool, queue, "record", err);
	if (!place)
		return CLPAC_ERROR_ARGUMENT;
	if (place != buffer->home)
		buffer->recorded |= 1u << place->ordinal;
	return CLPAC_OK;
}
