/* The ladder: steps that make room, the gentlest first.  The pool is searched again after each. */
#include "memory/pool/room/room.h"

#include <inttypes.h>
#include <time.h>
#include "base/clock.h"

/* State of one reclaim: the need, and the last obstacle. */
struct reclaim {
	clpac_pool *pool;
	const clpac__room_need *need;
	clpac__attempt *attempt;
	clpac_status why;
	/* bytes to free when the driver refused; it does not report the shortfall, so this doubles from the request's
	 * size */
	uint64_t wanted_of_driver;
	uint64_t releases_seen; /* driver_releases at the last search */
	double deadline_s;	/* of CLPAC_LADDER_WAIT; 0: not started */
	clpac_buffer *found;	/* a block that a step obtained itself */
	bool is_new;		/* the found block was not cached */
	bool has_compacted;
	unsigned n_awaited;   /* evictions of other threads */
	clpac_error host_why; /* why there was no room on the host either; no text: it was not tried */
};

/* True when the budget refused rather than the driver. */
static bool is_over_budget(const struct reclaim *reclaim)
{
	return reclaim->attempt->lacking > 0;
}

/* A step is called with the lock locked and returns so, unlocking in between.  True: something changed, look again, and
 * come back to this step if that was not enough. */

static bool step_finished(struct reclaim *reclaim)
{
	return reclaim->pool->pending && clpac__pool_collect(reclaim->pool);
}

/* A cached or pending block of the class that belongs to another queue. */
static clpac_buffer *take_from_others(clpac_pool *pool, unsigned class_index)
{
	clpac_buffer *buffer = clpac__free_list_take_any(&pool->depot, class_index);
	if (buffer)
		return buffer;
	for (clpac_buffer **link = &pool->pending; *link; link = &(*link)->below)
		if ((*link)->class_index == class_index) {
			buffer = *link;
			*link = buffer->below, buffer->below = NULL;
			pool->ledger.now.pending_buffers--;
			return buffer;
		}
	return NULL;
}

/* Takes an empty segment over from another queue, as a block would be. */
static bool take_segment_from_others(clpac_pool *pool, const clpac__room_need *need)
{
	clpac__segment *segment = pool->segments.first;
	while (segment && (segment->n_pieces || !segment->home || segment->home == need->queue ||
			   segment->is_small != clpac__is_small(&pool->segments, need->class_bytes) ||
			   segment->bytes < need->class_bytes))
		segment = segment->next;
	if (!segment)
		return false;
	clpac__segments_remove(&pool->segments, segment); /* so that no other thread cuts it meanwhile */
	clpac_buffer stand_in = {.home = segment->home, .tag = "segment"};
	pthread_mutex_unlock(&pool->lock);
	clpac__hazards_move(pool, &stand_in, need->queue);
	pthread_mutex_lock(&pool->lock);
	segment->home = need->queue;
	clpac__segments_add(&pool->segments, segment);
	pool->ledger.now.queue_waits++;
	return true;
}

/* Cuts a free piece of one kind from a segment of any queue but the need's own. */
static bool cut_from_others(struct reclaim *reclaim, bool is_small)
{
	clpac_pool *pool = reclaim->pool;
	const clpac__room_need *need = reclaim->need;
	const unsigned n = atomic_load_explicit(&pool->n_queues, memory_order_relaxed);
	clpac__segment *segment = NULL;
	clpac_piece piece;
	for (unsigned i = 0; i < n && !segment; i++)
		if (&pool->queues[i] != need->queue)
			clpac__segments_cut(&pool->segments, need->class_bytes, is_small, &pool->queues[i], &segment,
					    &piece);
	if (!segment || clpac__pool_make_part(pool, need, segment, piece, &reclaim->found, NULL) != CLPAC_OK)
		return false;
	reclaim->is_new = true;
	return true;
}

/* Cuts a free piece from a segment of the need's queue and of the other kind. */
static bool cut_from_other_kind(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	const clpac__room_need *need = reclaim->need;
	clpac__segment *segment;
	clpac_piece piece;
	if (!clpac__segments_cut(&pool->segments, need->class_bytes,
				 !clpac__is_small(&pool->segments, need->class_bytes), need->queue, &segment, &piece) ||
	    clpac__pool_make_part(pool, need, segment, piece, &reclaim->found, NULL) != CLPAC_OK)
		return false;
	reclaim->is_new = true;
	return true;
}

static bool step_other_queues(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	if (atomic_load_explicit(&pool->n_queues, memory_order_relaxed) == 1 && !pool->pending)
		return false;
	clpac__magazines_empty(pool, &pool->depot);
	clpac_buffer *buffer = take_from_others(pool, reclaim->need->class_index);
	if (!buffer)
		return pool->has_segments && (take_segment_from_others(pool, reclaim->need) ||
					      cut_from_others(reclaim, clpac__is_small(&reclaim->pool->segments,
										       reclaim->need->class_bytes)));
	pthread_mutex_unlock(&pool->lock);
	clpac__hazards_move(pool, buffer, reclaim->need->queue);
	pthread_mutex_lock(&pool->lock);
	pool->ledger.now.queue_waits++;
	reclaim->found = buffer;
	return true;
}

static bool step_merge(struct reclaim *reclaim)
{
	return reclaim->pool->has_segments && clpac__pool_merge(reclaim->pool);
}

/* Cuts a free piece from whatever segment has one; those of the need's own queue and kind were searched before.  Where
 * the queue's segments have none, though coalesced, pieces are cut where they fit best from now on. */
static bool step_share(struct reclaim *reclaim)
{
	enum { REQUESTS = 20000 /* some lifetimes of the blocks that lie in the way; 0.2 us more for each */ };
	clpac_pool *pool = reclaim->pool;
	const bool is_small = clpac__is_small(&pool->segments, reclaim->need->class_bytes);
	if (!pool->has_segments)
		return false;
	if (cut_from_other_kind(reclaim))
		return true;
	if (is_over_budget(reclaim) && pool->segments.free_bytes >= reclaim->need->class_bytes)
		clpac__pool_note_scattered(pool, REQUESTS);
	return cut_from_others(reclaim, is_small) || cut_from_others(reclaim, !is_small);
}

/* Bytes still lacking.  Recomputed: steps drop the pool's lock. */
static uint64_t bytes_to_free(const struct reclaim *reclaim)
{
	const uint64_t room = clpac__ledger_room(&reclaim->pool->ledger), wanted = reclaim->need->class_bytes;
	if (!is_over_budget(reclaim))
		return reclaim->wanted_of_driver;
	return room < wanted ? wanted - room : 0;
}

/* Other pools' caches give way where a shared limit lacks bytes that this pool's own caches could not give. */
static bool step_siblings(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	const size_t wanted = reclaim->need->class_bytes;
	if (!is_over_budget(reclaim) || clpac__limit_room(pool->ledger.limit) >= wanted)
		return false;
	const uint64_t cached = clpac__pool_reclaimable(pool);
	pthread_mutex_unlock(&pool->lock);
	const uint64_t released = clpac__pool_trim_siblings(pool, pool->ledger.limit, wanted, cached);
	pthread_mutex_lock(&pool->lock);
	return released > 0;
}

/* Asks the application's functions. */
static bool ask(struct reclaim *reclaim, clpac_ladder_step step)
{
	clpac_pool *pool = reclaim->pool;
	const uint64_t bytes = bytes_to_free(reclaim);
	if (!bytes)
		return false;
	pthread_mutex_unlock(&pool->lock);
	const uint64_t released = clpac__pool_ask_relief(pool, step, bytes, false);
	pthread_mutex_lock(&pool->lock);
	return released > 0;
}

/* Evicts no more than is needed beyond what the caches can give back, and nothing where that is enough. */
static bool step_evict(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	const uint64_t bytes = bytes_to_free(reclaim), cached = clpac__pool_reclaimable(pool);
	if (bytes > cached) {
		pthread_mutex_unlock(&pool->lock);
		const uint64_t evicted = clpac__pool_ask_reclaimers(pool, reclaim->need, bytes - cached);
		pthread_mutex_lock(&pool->lock);
		if (evicted)
			return true;
	}
	return ask(reclaim, CLPAC_LADDER_EVICT);
}

/* Frees exactly the bytes that the budget lacks, and nothing if all cached memory would not be enough. */
static bool step_trim(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	const uint64_t bytes = bytes_to_free(reclaim), cached = clpac__pool_reclaimable(pool);
	if (!bytes || (is_over_budget(reclaim) && bytes > cached))
		return false;
	if (!clpac__pool_evict(pool, bytes))
		return false;
	if (!is_over_budget(reclaim))
		reclaim->wanted_of_driver = bytes > UINT64_MAX / 2 ? UINT64_MAX : 2 * bytes;
	return true;
}

/* True at most once for a request: a gap that was made serves it, unless a move failed. */
static bool step_compact(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	if (!pool->may_move || !pool->has_segments || reclaim->has_compacted)
		return false;
	reclaim->has_compacted = true;
	if (clpac__pool_compact(pool, reclaim->need->class_bytes))
		return true;
	const uint64_t lacking = bytes_to_free(reclaim);
	return is_over_budget(reclaim) && lacking && clpac__pool_vacate(pool, reclaim->need->class_bytes, lacking);
}

static bool step_callback(struct reclaim *reclaim)
{
	return ask(reclaim, CLPAC_LADDER_CALLBACK);
}

/* Waits for one block at a time, the earliest release first. */
static bool step_pending(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	clpac_buffer **last = &pool->pending;
	if (!*last)
		return false;
	while ((*last)->below)
		last = &(*last)->below;
	clpac_buffer *buffer = *last;
	*last = NULL;
	pool->ledger.now.pending_buffers--;
	pthread_mutex_unlock(&pool->lock);
	clpac__hazards_wait(pool, buffer);
	pthread_mutex_lock(&pool->lock);
	clpac__pool_deposit(pool, buffer);
	return true;
}

static bool step_segments(struct reclaim *reclaim)
{
	const uint64_t bytes = bytes_to_free(reclaim);
	return bytes && clpac__pool_release_segments(reclaim->pool, bytes) > 0;
}

static bool step_smaller(struct reclaim *reclaim)
{
	if (!reclaim->pool->has_segments || reclaim->attempt->divisor >= 8 || reclaim->attempt->is_dedicated)
		return false;
	reclaim->attempt->divisor *= 2;
	return true;
}

static bool step_dedicated(struct reclaim *reclaim)
{
	if (!reclaim->pool->has_segments || reclaim->attempt->is_dedicated)
		return false;
	reclaim->attempt->is_dedicated = true;
	return true;
}

/* Waits briefly for the pool's condition, no longer than the deadline.  Brief, because a release may have gone into a
 * magazine just before its thread could know that this one waits. */
static void wait_a_moment(clpac_pool *pool, double left_s)
{
	enum { MOMENT_NS = 5000000, SECOND_NS = 1000000000 };
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += left_s < 1e-9 * MOMENT_NS ? (long)(1e9 * left_s) : MOMENT_NS;
	if (until.tv_nsec >= SECOND_NS) {
		until.tv_nsec -= SECOND_NS;
		until.tv_sec++;
	}
	atomic_fetch_add_explicit(&pool->n_waiting, 1, memory_order_relaxed);
	pthread_cond_timedwait(&pool->settled, &pool->lock, &until);
	atomic_fetch_sub_explicit(&pool->n_waiting, 1, memory_order_relaxed);
}

/* True when another thread's request is having something evicted, which may leave room for this one too.  A thread that
 * evicts waits for no other, which might wait for it. */
static bool is_worth_awaiting(const struct reclaim *reclaim)
{
	enum { MOST = 1000 /* so many others were faster: a store whose entries cannot be moved */ };
	return reclaim->pool->n_evicting && !clpac__pool_is_asking() && reclaim->n_awaited < MOST;
}

/* Always waits for memory that other threads are giving back or evicting at the moment and for creations that may fail;
 * waits for other threads' releases as long as wait_s allows.  If other threads took the blocks that this reclaim
 * evicted, they left as much in the caches. */
static bool step_wait(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	if (is_over_budget(reclaim) && step_trim(reclaim))
		return true;
	if (pool->n_returning || (is_over_budget(reclaim) && pool->ledger.reserved_bytes)) {
		pthread_cond_wait(&pool->settled, &pool->lock);
		return true;
	}
	if (is_worth_awaiting(reclaim)) {
		reclaim->n_awaited++;
		pthread_cond_wait(&pool->settled, &pool->lock);
		return true;
	}
	if (!(pool->wait_s > 0))
		return false;
	const double now_s = clpac__clock_seconds();
	if (reclaim->deadline_s == 0)
		reclaim->deadline_s = now_s + pool->wait_s;
	if (now_s >= reclaim->deadline_s)
		return false;
	wait_a_moment(pool, reclaim->deadline_s - now_s);
	return true;
}

static bool step_host(struct reclaim *reclaim)
{
	clpac_pool *pool = reclaim->pool;
	if (reclaim->need->placement != CLPAC_PLACE_PREFER_DEVICE)
		return false;
	pthread_mutex_unlock(&pool->lock);
	const clpac_status st = clpac__pool_make_on_host(pool, reclaim->need, &reclaim->found, &reclaim->host_why);
	pthread_mutex_lock(&pool->lock);
	pool->ledger.now.fallbacks += st == CLPAC_OK;
	return st == CLPAC_OK;
}

static bool (*const steps[])(struct reclaim *reclaim) = {
	[CLPAC_LADDER_FINISHED] = step_finished,   [CLPAC_LADDER_OTHER_QUEUES] = step_other_queues,
	[CLPAC_LADDER_MERGE] = step_merge,	   [CLPAC_LADDER_SHARE] = step_share,
	[CLPAC_LADDER_SIBLINGS] = step_siblings,   [CLPAC_LADDER_EVICT] = step_evict,
	[CLPAC_LADDER_TRIM] = step_trim,	   [CLPAC_LADDER_COMPACT] = step_compact,
	[CLPAC_LADDER_CALLBACK] = step_callback,   [CLPAC_LADDER_PENDING] = step_pending,
	[CLPAC_LADDER_SEGMENTS] = step_segments,   [CLPAC_LADDER_SMALLER] = step_smaller,
	[CLPAC_LADDER_DEDICATED] = step_dedicated, [CLPAC_LADDER_WAIT] = step_wait,
	[CLPAC_LADDER_HOST] = step_host,
};

/* Steps to repeat after each from a certain one on that was not enough by itself: eviction, for one, leaves cached
 * blocks, which are to be merged or given back before they are of use. */
static const struct {
	clpac_ladder_step step, after;
} again[] = {
	{CLPAC_LADDER_MERGE, CLPAC_LADDER_SHARE},
	{CLPAC_LADDER_SHARE, CLPAC_LADDER_SIBLINGS},
	{CLPAC_LADDER_TRIM, CLPAC_LADDER_SIBLINGS},
	{CLPAC_LADDER_EVICT, CLPAC_LADDER_WAIT},
};

static clpac_status refuse(const struct reclaim *reclaim, clpac_error *err)
{
	clpac_pool *pool = reclaim->pool;
	const clpac__room_need *need = reclaim->need;
	const clpac_pool_statistics *now = &pool->ledger.now;
	clpac__tally sum;
	uint64_t hits, cached_bytes;
	size_t n_cached;
	clpac__magazines_sum(pool, &sum, &hits, &n_cached, &cached_bytes);
	const int64_t in_use = sum.in_use_bytes, n_on_device = sum.active_buffers - sum.host_buffers;
	const uint64_t pooled = now->allocated_bytes - (uint64_t)in_use;
	const uint64_t largest = clpac__segments_largest_free(&pool->segments);
	pool->ledger.now.refusals++;
	if (!is_over_budget(reclaim))
		return clpac__fail_context(
			err, reclaim->why,
			"buffer \"%s\" of %zu bytes (class %zu): the driver has no room though the pool "
			"holds %" PRIu64 " of its budget of %" PRIu64 " (%" PRId64 " in use, %" PRIu64
			" cached, largest free piece %" PRIu64 "); release buffers or lower the budget",
			need->tag, need->bytes, need->class_bytes, now->allocated_bytes, now->budget_bytes, in_use,
			pooled, largest);
	const clpac_limit *tight = clpac__limit_tightest(pool->ledger.limit, need->class_bytes);
	if (tight)
		return clpac__fail(err, reclaim->why,
				   "buffer \"%s\" of %zu bytes (class %zu): no room in the limit that the pool shares "
				   "with others, "
				   "of which %" PRIu64 " are taken: %" PRId64 " in use by %" PRId64
				   " buffers of this pool, %" PRIu64 " cached, largest free piece %" PRIu64
				   "; release buffers or raise the limit",
				   need->tag, need->bytes, need->class_bytes, clpac_limit_taken(tight), in_use,
				   n_on_device, pooled, largest);
	return clpac__fail(err, reclaim->why,
			   "buffer \"%s\" of %zu bytes (class %zu): no room in the pool's budget of %" PRIu64
			   ": %" PRId64 " in use by %" PRId64 " buffers, %" PRIu64
			   " cached, largest free piece %" PRIu64 "; release buffers or raise the budget",
			   need->tag, need->bytes, need->class_bytes, now->budget_bytes, in_use, n_on_device, pooled,
			   largest);
}

/* True when there is room after all.  Other threads work while a step has dropped the pool's lock; budget that they
 * freed meanwhile is in no cache, so no step would find it. */
static bool is_there_room_by_now(const struct reclaim *reclaim)
{
	const clpac__ledger *ledger = &reclaim->pool->ledger;
	return is_over_budget(reclaim) ? bytes_to_free(reclaim) == 0
				       : ledger->now.driver_releases != reclaim->releases_seen;
}

/* Searches the pool once.  CLPAC_OK with a block; otherwise the reason. */
static clpac_status look_again(struct reclaim *reclaim, clpac_buffer **out, bool *is_hit, clpac_error *err)
{
	clpac_pool *pool = reclaim->pool;
	reclaim->releases_seen = pool->ledger.now.driver_releases;
	*out = reclaim->found ? reclaim->found : clpac__pool_look(pool, reclaim->need);
	*is_hit = *out && !(*out)->is_on_host && !reclaim->is_new;
	if (*out)
		return CLPAC_OK;
	return clpac__pool_make(pool, reclaim->need, reclaim->attempt, out, err);
}

clpac_status clpac__pool_reclaim(clpac_pool *pool, const clpac__room_need *need, clpac__attempt *attempt,
				 clpac_status st, clpac_buffer **out, bool *is_hit, clpac_error *err)
{
	struct reclaim reclaim = {.pool = pool,
				  .need = need,
				  .attempt = attempt,
				  .why = st,
				  .wanted_of_driver = need->class_bytes,
				  .releases_seen = pool->ledger.now.driver_releases};
	pool->ledger.now.out_of_memory_events++;
	for (unsigned step = 0; step < CLPAC_LADDER_COUNT; step++) {
		while (steps[step](&reclaim) || is_there_room_by_now(&reclaim)) {
			pool->ledger.now.retries++;
			st = look_again(&reclaim, out, is_hit, err);
			/* Later steps release memory into the caches first, possibly as blocks of other classes; the
			 * steps before make it usable. */
			for (size_t i = 0; i < sizeof again / sizeof *again && st != CLPAC_OK; i++)
				if (step >= (unsigned)again[i].after && step != (unsigned)again[i].step &&
				    steps[again[i].step](&reclaim))
					st = look_again(&reclaim, out, is_hit, err);
			if (st == CLPAC_OK) {
				pool->ledger.now.ladder[step]++;
				return st;
			}
			if (st != CLPAC_ERROR_NO_DEVICE_MEMORY && st != CLPAC_ERROR_NO_MEMORY)
				return clpac__fail_context(err, st, "buffer \"%s\" of %zu bytes (class %zu)", need->tag,
							   need->bytes, need->class_bytes);
			reclaim.why = st;
		}
	}
	st = refuse(&reclaim, err);
	const uint64_t budget = pool->ledger.now.budget_bytes;
	if (*reclaim.host_why.text)
		clpac__fail_context(err, st, "%s", reclaim.host_why.text);
	return clpac__of_bytes(err, st, need->bytes, budget);
}
