/* Releasing a block: to the magazine of the releasing thread, otherwise to the depot, its segment or the driver. */
#include "memory/pool/surface/surface.h"

#include <clpac/memory/buffer.h>

/* Counts the release in the caller's magazine; if it has none, in any other, so that the sums stay right. */
static clpac__magazine *count_release(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__magazine *magazine = clpac__magazine_get(pool, buffer->home ? buffer->home : &pool->queues[0]);
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES && !magazine; i++)
		magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
	const bool is_without = clpac__magazine_enter(magazine);
	buffer->released_ns = clpac__magazine_now(magazine);
	buffer->released_order = ++magazine->n_releases;
	if (clpac__magazine_count(&pool->magazines, magazine, buffer, -1))
		atomic_store(&pool->has_news, true);
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
		pool->end(pool);
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

/* Whether a magazine has room for one more block of a class of which it has so many.  A part is asked for last: its
 * segment is in a line of memory that most releases leave alone. */
CLPAC__FREQUENT bool has_room(const clpac_pool *pool, const clpac_buffer *buffer, size_t count)
{
	return count < (atomic_load_explicit(&pool->kept, memory_order_relaxed) + 1) / 2 ||
	       (buffer->segment && count < (atomic_load_explicit(&pool->kept_parts, memory_order_relaxed) + 1) / 2);
}

/* After a release to a magazine, whose latch is held, that may have changed the pressure. */
CLPAC__RARE void tell_of_release(clpac_pool *pool, clpac__magazine *magazine, bool is_without)
{
	atomic_store(&pool->has_news, true);
	magazine->n_busy++;
	clpac__magazine_exit(magazine, is_without);
	clpac__pool_tell(pool);
	end_release(pool, magazine);
}

/* True when the block now lies in the caller's magazine. */
CLPAC__FREQUENT bool release_to_magazine(clpac_pool *pool, clpac_buffer *buffer, clpac__magazine *magazine)
{
	bool is_without;
	if (CLPAC__RARELY(!clpac__magazine_enter_here(pool, magazine, &is_without)))
		return false;
	/* Looked at under the latch: whoever gave the pool up takes it too when he counts what is in use. */
	if (CLPAC__RARELY(atomic_load_explicit(&pool->n_waiting, memory_order_relaxed) ||
			  !has_room(pool, buffer, magazine->blocks.classes[buffer->class_index].count))) {
		clpac__magazine_exit(magazine, is_without);
		return false;
	}
	buffer->released_ns = clpac__magazine_now(magazine);
	buffer->released_order = ++magazine->n_releases;
	const bool is_news = clpac__magazine_count(&pool->magazines, magazine, buffer, -1);
	clpac__stacks_put(&magazine->blocks, buffer);
	if (CLPAC__RARELY(is_news))
		tell_of_release(pool, magazine, is_without);
	else
		clpac__magazine_exit(magazine, is_without);
	return true;
}

/* Nobody but its in-order home queue may still use the block. */
CLPAC__FREQUENT bool is_plain(const clpac_buffer *buffer, const clpac__pool_queue *home)
{
	return !atomic_load_explicit(&buffer->recorded, memory_order_relaxed) &&
	       !atomic_load_explicit(&buffer->pending, memory_order_relaxed) &&
	       !atomic_load_explicit(&buffer->is_on_host, memory_order_relaxed) &&
	       !atomic_load_explicit(&buffer->mapping, memory_order_relaxed) && home && home->is_in_order;
}

/* Whoever leaves the frequent path asks whether the pool is of this process: nothing before takes a lock. */

/* The general case of a release that nobody watches. */
CLPAC__RARE void find_magazine_or_depot(clpac_pool *pool, clpac_buffer *buffer)
{
	if (clpac__is_foreign(pool->process))
		return;
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
	if (clpac__is_foreign(pool->process))
		return;
	if (clpac__watch_is_on(&pool->watch))
		clpac__pool_note_release(pool, buffer);
	clpac__buffer_bring_back(buffer);
}

/* A release while uses are open, or were a moment ago.  It is told now, since its owner may free the tag afterwards;
 * the memory comes back at the end of the last use. */
CLPAC__RARE void release_in_use(clpac_pool *pool, clpac_buffer *buffer)
{
	if (clpac__is_foreign(pool->process))
		return;
	if (clpac__watch_is_on(&pool->watch)) {
		/* A thread that moves the buffer writes to its record under this lock. */
		pthread_mutex_lock(&pool->lock);
		clpac__pool_note_release(pool, buffer);
		pthread_mutex_unlock(&pool->lock);
	}
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
