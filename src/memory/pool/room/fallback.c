/* Fallback buffers: buffers on the host, and their promotion to the device when there is room again. */
#include "memory/pool/room/room.h"

#include <inttypes.h>
#include <clpac/memory/buffer.h>
#include "base/memory.h"

/* Half of what the host has available; UINT64_MAX where the system does not tell. */
static uint64_t half_of_host(clpac_pool *pool)
{
	clpac__queue *queue = pool->queues[0].queue;
	pthread_mutex_lock(&pool->queues[0].driver);
	const uint64_t available = queue->operations->host_free_bytes(queue);
	pthread_mutex_unlock(&pool->queues[0].driver);
	return available > 1 ? available / 2 : available ? 1 : UINT64_MAX;
}

/* Takes bytes of the process's limit, which is found anew whenever nothing is taken from it. */
static bool take_of_process(clpac_pool *pool, uint64_t bytes)
{
	static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;
	static clpac__renewal renewal;
	clpac_limit *limit = clpac__limit_of_host();
	if (clpac__renewal_begin(&renewal)) {
		pthread_mutex_init(&finding, NULL);
		clpac__renewal_end(&renewal, true);
	}
	pthread_mutex_lock(&finding);
	if (!clpac_limit_taken(limit))
		clpac__limit_resize(limit, half_of_host(pool));
	const bool is_taken = clpac__limit_take(limit, bytes);
	pthread_mutex_unlock(&finding);
	return is_taken;
}

/* Takes bytes of a limit that pools share.  Where the caches of pools, this one's too, are in its tree they give way.
 */
static bool take_of_shared(clpac_limit *limit, uint64_t bytes)
{
	return clpac__limit_take(limit, bytes) ||
	       (clpac__pool_trim_siblings(NULL, limit, bytes, 0) && clpac__limit_take(limit, bytes));
}

static void give_host_bytes(clpac_pool *pool, clpac_limit *limit, uint64_t bytes)
{
	atomic_fetch_sub(&pool->host_bytes, bytes);
	clpac__limit_give(limit, bytes);
}

/* Promises bytes on the host, and says which limit beside the pool's own they count in. */
static clpac_status take_host_bytes(clpac_pool *pool, const clpac__room_need *need, clpac_limit **out, clpac_error *err)
{
	const uint64_t wanted = need->class_bytes, own = atomic_load(&pool->fallback_bytes),
		       most = own ? own : UINT64_MAX;
	uint64_t taken = atomic_load(&pool->host_bytes);
	do {
		if (wanted > most || taken > most - wanted)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
				     "buffer \"%s\" of %zu bytes (class %zu) on the host: %" PRIu64 " of %" PRIu64
				     " bytes that the pool may take there are taken; release buffers or raise "
				     "fallback_bytes",
				     need->tag, need->bytes, need->class_bytes, taken, most);
	} while (!atomic_compare_exchange_weak(&pool->host_bytes, &taken, taken + wanted));
	clpac_limit *limit = pool->host_limit ? pool->host_limit : own ? NULL : clpac__limit_of_host();
	if (!limit || (pool->host_limit ? take_of_shared(limit, wanted) : take_of_process(pool, wanted))) {
		*out = limit;
		return CLPAC_OK;
	}
	atomic_fetch_sub(&pool->host_bytes, wanted);
	const clpac_limit *tight = clpac__limit_tightest(limit, wanted);
	if (!tight) /* another thread gave back meanwhile */
		tight = limit;
	RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
		     "buffer \"%s\" of %zu bytes (class %zu) on the host: %" PRIu64 " of %" PRIu64
		     " bytes that %s are taken; release buffers, or %s",
		     need->tag, need->bytes, need->class_bytes, clpac_limit_taken(tight), clpac__limit_bytes(tight),
		     pool->host_limit ? "the limit that pools share allows there"
				      : "the pools of the process may take there",
		     pool->host_limit ? "give the pools a larger one" : "set fallback_bytes or fallback_limit");
}

clpac_status clpac__pool_make_on_host(clpac_pool *pool, const clpac__room_need *need, clpac_buffer **out,
				      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__pool_queue *own = &pool->queues[0];
	clpac_buffer *buffer = NULL;
	clpac_limit *limit = NULL;
	clpac__block *block;
	bool is_taken = false;
	TRY(take_host_bytes(pool, need, &limit, err));
	is_taken = true;
	TRY(NEW(buffer));
	buffer->pool = pool;
	buffer->class_bytes = need->class_bytes;
	buffer->class_index = (uint16_t)need->class_index;
	buffer->is_on_host = true;
	buffer->host_limit = limit;
	pthread_mutex_lock(&own->driver);
	st = own->queue->operations->create_on_host(own->queue, need->class_bytes, &block, err);
	pthread_mutex_unlock(&own->driver);
	if (st != CLPAC_OK) {
		st = clpac__fail_context(err, st, "buffer \"%s\" of %zu bytes on the host", need->tag, need->bytes);
		goto done;
	}
	buffer->block = block;
	pthread_mutex_lock(&pool->lock);
	clpac__handle_add(pool, buffer);
	pthread_mutex_unlock(&pool->lock);
	*out = buffer, buffer = NULL;
	is_taken = false;
done:
	if (is_taken)
		give_host_bytes(pool, limit, need->class_bytes);
	clpac__free(buffer);
	return st;
}

static void release_host_block(clpac_pool *pool, clpac__block *block, clpac_limit *limit, size_t class_bytes)
{
	clpac__pool_queue *own = &pool->queues[0];
	pthread_mutex_lock(&own->driver);
	own->queue->operations->release(own->queue, block);
	pthread_mutex_unlock(&own->driver);
	give_host_bytes(pool, limit, class_bytes);
}

void clpac__pool_drop_from_host(clpac_pool *pool, clpac_buffer *buffer)
{
	clpac__hazards_wait(pool, buffer);
	/* The host's memory has no driver that knows its users, so the queue that may still use it is waited for. */
	if (buffer->home) {
		clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
		home->queue->operations->finish(home->queue, NULL);
		pthread_mutex_unlock(&home->driver);
	}
	release_host_block(pool, buffer->block, buffer->host_limit, buffer->class_bytes);
	pthread_mutex_lock(&pool->lock);
	clpac__handle_remove(pool, buffer);
	pthread_mutex_unlock(&pool->lock);
	clpac__free(buffer);
}

/* Whether so many bytes are neither in use nor beyond the budget.  At low pressure they may well be, and nobody counts.
 */
static bool may_have_room(clpac_pool *pool, size_t class_bytes)
{
	clpac__tally sum;
	uint64_t hits, in_magazines;
	size_t n_cached;
	if (pool->ledger.now.pressure < CLPAC_PRESSURE_HIGH)
		return true;
	clpac__magazines_sum(pool, &sum, &hits, &n_cached, &in_magazines);
	const uint64_t allocated = pool->ledger.now.allocated_bytes, in_use = (uint64_t)sum.in_use_bytes;
	return clpac__ledger_room(&pool->ledger) + (allocated > in_use ? allocated - in_use : 0) >= class_bytes;
}

/* A block on the device without the ladder: from the caches, a segment or the rest of the budget, for which cached
 * memory goes back. */
static clpac_status obtain_easily(clpac_pool *pool, const clpac_buffer *buffer, clpac_buffer **out)
{
	const clpac_request request = {.bytes = buffer->bytes, .tag = buffer->tag};
	clpac__room_need need;
	clpac__attempt attempt = {.divisor = 1};
	clpac_status st = clpac__need_make(pool, &request, &need, NULL);
	RETURN_IF_ERROR(st);
	need.queue = buffer->home;
	pthread_mutex_lock(&pool->lock);
	*out = NULL;
	if (may_have_room(pool, need.class_bytes)) {
		*out = clpac__pool_look(pool, &need);
		st = *out ? CLPAC_OK : clpac__pool_make(pool, &need, &attempt, out, NULL);
		if (st == CLPAC_ERROR_NO_DEVICE_MEMORY && attempt.lacking &&
		    attempt.lacking <= clpac__pool_reclaimable(pool) && clpac__pool_evict(pool, attempt.lacking))
			st = clpac__pool_make(pool, &need, &attempt, out, NULL);
	}
	pthread_mutex_unlock(&pool->lock);
	return st;
}

/* Moves a buffer's counts while it is in use: sign -1 takes it out under its old place, 1 adds it under its new one.
 * In between the thread counts as busy, so that the pool does not seem idle. */
static void count(clpac_pool *pool, const clpac_buffer *buffer, int sign)
{
	clpac__magazine *magazine = clpac__magazine_get(pool, buffer->home);
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES && !magazine; i++)
		magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
	const bool is_without = clpac__magazine_enter(magazine);
	if (clpac__magazine_count(&pool->magazines, magazine, buffer, sign))
		atomic_store(&pool->has_news, true);
	magazine->n_busy += sign < 0 ? 1 : (size_t)-1;
	clpac__magazine_exit(magazine, is_without);
}

static bool may_promote(const clpac_buffer *buffer)
{
	return buffer->is_on_host && atomic_load_explicit(&buffer->may_promote, memory_order_acquire) &&
	       !buffer->is_pinned && !buffer->mapping && !buffer->recorded;
}

/* Moves a buffer that is claimed, if there is room and no other queue uses it. */
static clpac_status promote_claimed(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *target = NULL;
	if (!clpac__hazards_poll(pool, buffer))
		goto done;
	obtain_easily(pool, buffer, &target);
	if (!target)
		goto done;
	TRY(clpac__buffer_need_block(target, err));
	clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
	if (!home->is_in_order) /* otherwise the copy would not wait for earlier work */
		st = home->queue->operations->finish(home->queue, err);
	if (st == CLPAC_OK)
		st = home->queue->operations->copy(home->queue, buffer->block, 0, target->block, 0, buffer->bytes, err);
	if (st == CLPAC_OK)
		st = home->queue->operations->finish(home->queue, err);
	pthread_mutex_unlock(&home->driver);
	if (st != CLPAC_OK) {
		st = clpac__fail_context(err, st, "moving buffer \"%s\" of %zu bytes to the device", buffer->tag,
					 buffer->bytes);
		goto done;
	}
	/* The buffer takes the other handle's block; its class, which other threads may read, is the same. */
	clpac__block *on_host = buffer->block;
	clpac_limit *limit = buffer->host_limit;
	pthread_mutex_lock(&pool->lock);
	count(pool, buffer, -1);
	buffer->block = target->block;
	clpac__buffer_set_piece(buffer, target->segment, clpac__buffer_piece(target));
	buffer->is_on_host = buffer->may_promote = false;
	count(pool, buffer, 1);
	clpac__handle_remove(pool, target);
	pool->ledger.now.promotions++;
	if (clpac__buffer_is_live(buffer)) /* a release that comes now waits for the lock to take the record away */
		clpac__watch_moved(&pool->watch, &buffer->notes, true);
	pthread_mutex_unlock(&pool->lock);
	clpac__free(target);
	target = NULL;
	if (pool->is_checked && clpac__checked_arm(pool, buffer, false, NULL) != CLPAC_OK)
		buffer->is_armed = false; /* the buffer stays intact in either case */
	release_host_block(pool, on_host, limit, buffer->class_bytes);
	atomic_fetch_add_explicit(&pool->bytes_to_device, buffer->bytes, memory_order_relaxed);
done:
	if (target) {
		pthread_mutex_lock(&pool->lock);
		clpac__pool_deposit(pool, target);
		pthread_mutex_unlock(&pool->lock);
	}
	return st;
}

static void end_claim(clpac_pool *pool, clpac_buffer *buffer)
{
	pthread_mutex_lock(&pool->lock);
	clpac__use_unclaim(pool, buffer);
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
}

clpac_status clpac__buffer_promote(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (!may_promote(buffer))
		return st;
	pthread_mutex_lock(&pool->lock);
	const bool is_claimed = clpac__use_claim(buffer);
	pthread_mutex_unlock(&pool->lock);
	if (!is_claimed)
		return st;
	if (may_promote(buffer))
		st = promote_claimed(pool, buffer, err);
	end_claim(pool, buffer);
	return st;
}

clpac_status clpac_buffer_promote(clpac_buffer *buffer, bool *is_on_device, clpac_error *err)
{
	NEED(buffer);
	NEED_BUFFER_HERE(buffer);
	RETURN_IF_ERROR(clpac__buffer_check(buffer, "promote", 0, 0, err));
	if (buffer->mapping)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "promote: buffer \"%s\" is mapped; unmap it first", buffer->tag);
	RETURN_IF_ERROR(clpac__buffer_promote(buffer->pool, buffer, err));
	if (is_on_device)
		*is_on_device = !buffer->is_on_host;
	return CLPAC_OK;
}

/* Claims the fallback buffer that was handed out first, among those that nobody uses; NULL: there is none.  A linear
 * search: there are few. */
static clpac_buffer *claim_oldest(clpac_pool *pool)
{
	clpac_buffer *oldest = NULL;
	for (clpac_buffer *buffer = pool->handles; buffer; buffer = buffer->next) {
		if (!may_promote(buffer) || buffer->pending || (oldest && buffer->id > oldest->id) ||
		    !clpac__use_claim(buffer))
			continue;
		/* Looked at again: it may have been mapped just before it was claimed. */
		if (!may_promote(buffer) || buffer->pending) {
			clpac__use_unclaim(pool, buffer);
			continue;
		}
		if (oldest)
			clpac__use_unclaim(pool, oldest);
		oldest = buffer;
	}
	return oldest;
}

clpac_status clpac_pool_promote(clpac_pool *pool, size_t *n, clpac_error *err)
{
	NEED(pool);
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	size_t n_moved = 0;
	for (;;) {
		pthread_mutex_lock(&pool->lock);
		clpac__uses_settle(pool);
		clpac_buffer *buffer = claim_oldest(pool);
		pthread_mutex_unlock(&pool->lock);
		if (!buffer)
			break;
		st = promote_claimed(pool, buffer, err);
		const bool is_moved = !buffer->is_on_host;
		end_claim(pool, buffer);
		if (st != CLPAC_OK || !is_moved)
			break;
		n_moved++;
	}
	if (n)
		*n = n_moved;
	return st;
}

bool clpac_buffer_is_on_device(const clpac_buffer *buffer)
{
	if (!clpac__buffer_is_live(buffer))
		return false;
	return !buffer->is_on_host;
}
