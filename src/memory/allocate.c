/* The way to a block: the cache; else the driver, within the budget; else room is made and the search begins again.
 *
 * Two walls may stand in the way, and the steps behind them are the same:
 *   - the budget: exactly what is lacking is evicted, and nothing when all that is cached would not do;
 *   - the driver: nobody says how much it lacks, so as much as the request is evicted, then twice that, and so on.
 * When nothing is left to evict but other threads are just giving blocks back (or, for the budget, may fail to get what
 * they reserved), their end is awaited.  Each round follows something that was given back, hence there is an end. */
#include "memory/pool_parts.h"

#include <inttypes.h>
#include "base/memory.h"
#include "memory/size_class.h"

/* A class may be larger than the device's largest block, or than the whole budget, when the request itself is not. */
static size_t class_within_limits(const clpac_pool *pool, size_t bytes, size_t class_bytes)
{
	uint64_t budget = pool->ledger.now.budget_bytes;
	size_t most = pool->largest_bytes < budget ? pool->largest_bytes : (size_t)budget;
	return bytes <= most && class_bytes > most ? most : class_bytes;
}

size_t clpac_pool_class(const clpac_pool *pool, size_t bytes)
{
	return bytes ? class_within_limits(pool, bytes, clpac_size_class(bytes, pool->classes_per_octave)) : 0;
}

clpac_status clpac__request_make(const clpac_pool *pool, size_t bytes, const char *tag, clpac__request *out,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	tag = tag ? tag : "";
	if (!bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of 0 bytes: ask for at least 1", tag);
	size_t class_bytes = clpac_size_class(bytes, pool->classes_per_octave);
	if (!class_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT, "buffer \"%s\" of %zu bytes: no size class is that large", tag, bytes);
	if (bytes > pool->largest_bytes)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "buffer \"%s\" of %zu bytes: the largest block of device %s has %zu; ask for smaller pieces", tag,
		     bytes, pool->queue->device.name, pool->largest_bytes);
	*out = (clpac__request){
		.bytes = bytes,
		.class_bytes = class_within_limits(pool, bytes, class_bytes),
		/* The index of the class before it was cut, which no other size shares. */
		.class_index = clpac__size_class_index(class_bytes, pool->classes_per_octave),
		.tag = tag,
	};
done:
	return st;
}

/* A new block from the driver; the budget has room.  Unlocks in between. */
static clpac_status create(clpac_pool *pool, const clpac__request *request, clpac_buffer **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	bool was_asked = false;
	clpac__ledger_reserve(&pool->ledger, request->class_bytes);
	pthread_mutex_unlock(&pool->book);

	clpac_buffer *buffer = clpac__alloc_zero(sizeof *buffer);
	if (!buffer)
		FAIL_NO_MEMORY(sizeof *buffer);
	was_asked = true;
	pthread_mutex_lock(&pool->driver);
	st = pool->queue->operations->create(pool->queue, request->class_bytes, &buffer->block, err);
	pthread_mutex_unlock(&pool->driver);
	buffer->pool = pool;
	buffer->class_bytes = request->class_bytes;
	buffer->class_index = request->class_index;
done:
	pthread_mutex_lock(&pool->book);
	clpac__ledger_created(&pool->ledger, request->class_bytes, st == CLPAC_OK);
	pool->ledger.now.driver_creates += was_asked;
	pthread_cond_broadcast(&pool->settled);
	if (st == CLPAC_OK) {
		*out = buffer;
		buffer = NULL;
	}
	clpac__free(buffer);
	return st;
}

/* Gives a chain of blocks, linked by below, to the driver.  Unlocks in between. */
static void return_blocks(clpac_pool *pool, clpac_buffer *chain, size_t n)
{
	uint64_t bytes = 0;
	pool->n_returning += n;
	pthread_mutex_unlock(&pool->book);
	while (chain) {
		clpac_buffer *buffer = chain;
		chain = buffer->below;
		bytes += buffer->class_bytes;
		pthread_mutex_lock(&pool->driver);
		pool->queue->operations->release(pool->queue, buffer->block);
		pthread_mutex_unlock(&pool->driver);
		clpac__free(buffer);
	}
	pthread_mutex_lock(&pool->book);
	clpac__ledger_returned(&pool->ledger, bytes);
	pool->ledger.now.driver_releases += n;
	pool->n_returning -= n;
	pthread_cond_broadcast(&pool->settled);
}

uint64_t clpac__pool_evict(clpac_pool *pool, uint64_t bytes)
{
	uint64_t evicted = 0;
	size_t n = 0;
	clpac_buffer *chain = NULL;
	while (evicted < bytes) {
		clpac_buffer *buffer = clpac__cache_take_oldest(&pool->cache);
		if (!buffer)
			break;
		clpac__ledger_unpooled(&pool->ledger, buffer->class_bytes);
		evicted += buffer->class_bytes;
		n++;
		buffer->below = chain;
		chain = buffer;
	}
	if (chain)
		return_blocks(pool, chain, n);
	return evicted;
}

/* Before a wall of the budget.  True: look again.  Unlocks in between. */
static bool make_room_in_budget(clpac_pool *pool, uint64_t lacking)
{
	if (lacking <= pool->ledger.now.pooled_bytes) {
		clpac__pool_evict(pool, lacking);
		return true;
	}
	if (!pool->n_returning && !pool->ledger.reserved_bytes)
		return false;
	pthread_cond_wait(&pool->settled, &pool->book);
	return true;
}

/* Before a wall of the driver, which refused when releases_then blocks had come back.  True: look again.  Unlocks in
 * between. */
static bool make_room_in_driver(clpac_pool *pool, uint64_t bytes, uint64_t releases_then)
{
	if (clpac__pool_evict(pool, bytes))
		return true;
	if (pool->n_returning) {
		pthread_cond_wait(&pool->settled, &pool->book);
		return true;
	}
	return pool->ledger.now.driver_releases != releases_then;
}

static clpac_status refuse(clpac_pool *pool, const clpac__request *request, clpac_status why, bool is_driver,
			   clpac_error *err)
{
	clpac_pool_statistics now = pool->ledger.now;
	pool->ledger.now.refusals++;
	if (is_driver)
		return clpac__fail_context(
			err, why,
			"buffer \"%s\" of %zu bytes (class %zu): the driver has no room though the pool "
			"holds %" PRIu64 " of its budget of %" PRIu64 " (%" PRIu64 " in use, %" PRIu64
			" cached); release buffers or lower the budget",
			request->tag, request->bytes, request->class_bytes, now.allocated_bytes, now.budget_bytes,
			now.in_use_bytes, now.pooled_bytes);
	return clpac__fail(err, why,
			   "buffer \"%s\" of %zu bytes (class %zu): no room in the pool's budget of %" PRIu64
			   ": %" PRIu64 " in use by %" PRIu64 " buffers, %" PRIu64
			   " cached; release buffers or raise the budget",
			   request->tag, request->bytes, request->class_bytes, now.budget_bytes, now.in_use_bytes,
			   now.active_buffers, now.pooled_bytes);
}

clpac_status clpac__pool_obtain(clpac_pool *pool, const clpac__request *request, bool *is_hit, clpac_buffer **out,
				clpac_error *err)
{
	uint64_t wanted_of_driver = request->class_bytes;
	if (request->class_bytes > pool->ledger.now.budget_bytes) {
		*is_hit = false;
		pool->ledger.now.out_of_memory_events++;
		return refuse(pool, request, CLPAC_ERROR_NO_DEVICE_MEMORY, false, err);
	}
	for (bool is_first_wall = true;; is_first_wall = false) {
		clpac_buffer *buffer = clpac__cache_take(&pool->cache, request->class_index);
		*is_hit = buffer;
		if (buffer) {
			clpac__ledger_unpooled(&pool->ledger, buffer->class_bytes);
			*out = buffer;
			return CLPAC_OK;
		}

		clpac_status st = CLPAC_ERROR_NO_DEVICE_MEMORY;
		uint64_t lacking = clpac__ledger_shortfall(&pool->ledger, request->class_bytes);
		uint64_t releases_then = pool->ledger.now.driver_releases;
		if (!lacking) {
			st = create(pool, request, out, err);
			if (st == CLPAC_OK)
				return st;
			/* On devices that are the host, both mean the same and are mended alike. */
			if (st != CLPAC_ERROR_NO_DEVICE_MEMORY && st != CLPAC_ERROR_NO_MEMORY)
				return clpac__fail_context(err, st, "buffer \"%s\" of %zu bytes (class %zu)",
							   request->tag, request->bytes, request->class_bytes);
		}

		pool->ledger.now.out_of_memory_events += is_first_wall;
		bool may_look_again = lacking ? make_room_in_budget(pool, lacking)
					      : make_room_in_driver(pool, wanted_of_driver, releases_then);
		if (!may_look_again)
			return refuse(pool, request, st, !lacking, err);
		pool->ledger.now.retries++;
		if (!lacking)
			wanted_of_driver = wanted_of_driver > UINT64_MAX / 2 ? UINT64_MAX : 2 * wanted_of_driver;
	}
}

void clpac__pool_hand_out(clpac_pool *pool, const clpac__request *request, clpac_buffer *buffer)
{
	buffer->bytes = request->bytes;
	buffer->tag = request->tag;
	buffer->id = ++pool->last_id;
	buffer->is_in_use = true;
	clpac__list_add(&pool->active, buffer);
	clpac__ledger_used(&pool->ledger, buffer->class_bytes, buffer->bytes);
}

void clpac__pool_put_back(clpac_pool *pool, clpac_buffer *buffer)
{
	if (clpac__cache_has_room(&pool->cache, buffer->class_index)) {
		clpac__cache_put(&pool->cache, buffer);
		clpac__ledger_pooled(&pool->ledger, buffer->class_bytes);
	} else {
		buffer->below = NULL;
		return_blocks(pool, buffer, 1);
	}
}

clpac_status clpac_pool_allocate(clpac_pool *pool, size_t bytes, const char *tag, clpac_buffer **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__request request;
	clpac_buffer *buffer = NULL;
	bool is_hit;
	TRY(clpac__request_make(pool, bytes, tag, &request, err));
	pthread_mutex_lock(&pool->book);
	st = clpac__pool_obtain(pool, &request, &is_hit, &buffer, err);
	*(is_hit ? &pool->ledger.now.hits : &pool->ledger.now.misses) += 1;
	if (st == CLPAC_OK)
		clpac__pool_hand_out(pool, &request, buffer);
	pthread_mutex_unlock(&pool->book);
	if (st == CLPAC_OK)
		*out = buffer;
done:
	return st;
}

void clpac_buffer_release(clpac_buffer *buffer)
{
	if (!buffer)
		return;
	clpac_pool *pool = buffer->pool;
	if (!pool) {
		clpac__free(buffer);
		return;
	}
	pthread_mutex_lock(&pool->book);
	if (buffer->is_in_use) {
		buffer->is_in_use = false;
		clpac__list_remove(&pool->active, buffer);
		clpac__ledger_unused(&pool->ledger, buffer->class_bytes, buffer->bytes);
		clpac__pool_put_back(pool, buffer);
	} else {
		pool->ledger.now.bad_releases++;
	}
	pthread_mutex_unlock(&pool->book);
}
