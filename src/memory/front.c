/* The way past the pool's lock. */
#include "memory/pool_parts.h"

#include "base/memory.h"
#include "memory/size_class.h"

static void raise_to(_Atomic int64_t *peak, int64_t value)
{
	int64_t old = atomic_load_explicit(peak, memory_order_relaxed);
	while (old < value &&
	       !atomic_compare_exchange_weak_explicit(peak, &old, value, memory_order_relaxed, memory_order_relaxed))
		;
}

static void publish(clpac__fronts *fronts, clpac__front *front)
{
	const int64_t in_use = front->tally.in_use_bytes - front->published.in_use_bytes;
	const int64_t requested = front->tally.requested_bytes - front->published.requested_bytes;
	const int64_t all_in_use =
		in_use + atomic_fetch_add_explicit(&fronts->in_use_bytes, in_use, memory_order_relaxed);
	const int64_t all_requested =
		requested + atomic_fetch_add_explicit(&fronts->requested_bytes, requested, memory_order_relaxed);
	const int64_t allocated = (int64_t)atomic_load_explicit(&fronts->allocated_bytes, memory_order_relaxed);
	front->published = front->tally;
	raise_to(&fronts->peak_in_use_bytes, all_in_use);
	raise_to(&fronts->peak_requested_bytes, all_requested);
	raise_to(&fronts->peak_pooled_bytes, allocated - all_in_use);
}

static clpac__front *make(clpac_pool *pool)
{
	clpac__front *front = clpac__alloc_zero(sizeof *front);
	if (!front)
		return NULL;
	if (clpac__cache_create(&front->cache, clpac__size_class_count(pool->classes_per_octave), NULL) != CLPAC_OK) {
		clpac__free(front);
		return NULL;
	}
	return front;
}

static void destroy(clpac__front *front)
{
	clpac__cache_destroy(&front->cache);
	clpac__free(front);
}

clpac__front *clpac__front_make(clpac_pool *pool, unsigned place)
{
	clpac__front *made = make(pool), *other = NULL;
	if (!made)
		return NULL;
	if (!atomic_compare_exchange_strong_explicit(&pool->fronts.fronts[place], &other, made, memory_order_acq_rel,
						     memory_order_acquire)) {
		destroy(made);
		return other;
	}
	atomic_fetch_add_explicit(&pool->fronts.n, 1, memory_order_relaxed);
	return made;
}

void clpac__fronts_destroy(clpac__fronts *fronts)
{
	for (unsigned i = 0; i < CLPAC__MAX_FRONTS; i++) {
		clpac__front *front = atomic_load_explicit(&fronts->fronts[i], memory_order_relaxed);
		if (front)
			destroy(front);
	}
}

static void raise_plainly(int64_t *peak, int64_t value)
{
	if (*peak < value)
		*peak = value;
}

void clpac__front_count(clpac_pool *pool, clpac__front *front, const clpac_buffer *buffer, int sign)
{
	clpac__fronts *fronts = &pool->fronts;
	clpac__tally *tally = &front->tally;
	tally->active_buffers += sign;
	if (buffer->is_on_host) {
		tally->host_buffers += sign;
		tally->host_bytes += sign * (int64_t)buffer->class_bytes;
		return;
	}
	tally->in_use_bytes += sign * (int64_t)buffer->class_bytes;
	tally->requested_bytes += sign * (int64_t)buffer->bytes;
	if (atomic_load_explicit(&fronts->n, memory_order_relaxed) == 1) {
		const int64_t allocated = (int64_t)atomic_load_explicit(&fronts->allocated_bytes, memory_order_relaxed);
		raise_plainly(&front->peak_in_use_bytes, tally->in_use_bytes);
		raise_plainly(&front->peak_requested_bytes, tally->requested_bytes);
		raise_plainly(&front->peak_pooled_bytes, allocated - tally->in_use_bytes);
		return;
	}
	const int64_t unpublished = tally->in_use_bytes - front->published.in_use_bytes;
	if (unpublished >= fronts->grain_bytes || unpublished <= -fronts->grain_bytes)
		publish(fronts, front);
}

uint64_t clpac__front_id(clpac_pool *pool, clpac__front *front)
{
	if (front->next_id == front->end_id) {
		front->next_id =
			atomic_fetch_add_explicit(&pool->fronts.last_id, CLPAC__IDS_AT_ONCE, memory_order_relaxed);
		front->end_id = front->next_id + CLPAC__IDS_AT_ONCE;
	}
	return ++front->next_id;
}

void clpac__fronts_sum(clpac_pool *pool, clpac__tally *sum, uint64_t *hits, size_t *n_cached, uint64_t *cached_bytes)
{
	*sum = (clpac__tally){0};
	*hits = 0;
	*n_cached = 0;
	*cached_bytes = 0;
	for (unsigned i = 0; i < CLPAC__MAX_FRONTS; i++) {
		clpac__front *front = atomic_load_explicit(&pool->fronts.fronts[i], memory_order_acquire);
		if (!front)
			continue;
		clpac__latch_take(&front->lock);
		sum->in_use_bytes += front->tally.in_use_bytes;
		sum->requested_bytes += front->tally.requested_bytes;
		sum->active_buffers += front->tally.active_buffers;
		sum->host_bytes += front->tally.host_bytes;
		sum->host_buffers += front->tally.host_buffers;
		*hits += front->hits;
		*n_cached += front->cache.count;
		*cached_bytes += front->cache.bytes;
		clpac__latch_leave(&front->lock);
	}
}

clpac__peaks clpac__fronts_peaks(clpac_pool *pool)
{
	clpac__fronts *fronts = &pool->fronts;
	clpac__peaks peaks = {atomic_load(&fronts->peak_in_use_bytes), atomic_load(&fronts->peak_requested_bytes),
			      atomic_load(&fronts->peak_pooled_bytes)};
	for (unsigned i = 0; i < CLPAC__MAX_FRONTS; i++) {
		clpac__front *front = atomic_load_explicit(&fronts->fronts[i], memory_order_acquire);
		if (!front)
			continue;
		clpac__latch_take(&front->lock);
		raise_plainly(&peaks.in_use_bytes, front->peak_in_use_bytes);
		raise_plainly(&peaks.requested_bytes, front->peak_requested_bytes);
		raise_plainly(&peaks.pooled_bytes, front->peak_pooled_bytes);
		clpac__latch_leave(&front->lock);
	}
	return peaks;
}

void clpac__fronts_reset_peaks(clpac_pool *pool)
{
	clpac__fronts *fronts = &pool->fronts;
	clpac__tally sum;
	uint64_t hits, cached_bytes;
	size_t n_cached;
	clpac__fronts_sum(pool, &sum, &hits, &n_cached, &cached_bytes);
	for (unsigned i = 0; i < CLPAC__MAX_FRONTS; i++) {
		clpac__front *front = atomic_load_explicit(&fronts->fronts[i], memory_order_acquire);
		if (!front)
			continue;
		clpac__latch_take(&front->lock);
		front->peak_in_use_bytes = front->peak_requested_bytes = front->peak_pooled_bytes = 0;
		clpac__latch_leave(&front->lock);
	}
	atomic_store(&fronts->peak_in_use_bytes, sum.in_use_bytes);
	atomic_store(&fronts->peak_requested_bytes, sum.requested_bytes);
	atomic_store(&fronts->peak_pooled_bytes, (int64_t)atomic_load(&fronts->allocated_bytes) - sum.in_use_bytes);
}

clpac_buffer *clpac__fronts_take(clpac_pool *pool, unsigned class_index, const clpac__pool_queue *home)
{
	clpac_buffer *buffer = NULL;
	for (unsigned i = 0; i < CLPAC__MAX_FRONTS && !buffer; i++) {
		clpac__front *front = atomic_load_explicit(&pool->fronts.fronts[i], memory_order_acquire);
		if (!front)
			continue;
		clpac__latch_take(&front->lock);
		buffer = clpac__cache_take(&front->cache, class_index, home);
		clpac__latch_leave(&front->lock);
	}
	return buffer;
}

void clpac__fronts_empty(clpac_pool *pool, clpac__cache *into)
{
	for (unsigned i = 0; i < CLPAC__MAX_FRONTS; i++) {
		clpac__front *front = atomic_load_explicit(&pool->fronts.fronts[i], memory_order_acquire);
		clpac_buffer *buffer;
		if (!front)
			continue;
		clpac__latch_take(&front->lock);
		while ((buffer = clpac__cache_take_oldest(&front->cache)))
			clpac__cache_put(into, buffer);
		clpac__latch_leave(&front->lock);
	}
}
