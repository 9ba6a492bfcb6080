/* A pool's numbers: those of the ledger, the magazines and the segments, read together. */
#include "base/sized.h"

#include <string.h>
#include "memory/pool/pool_parts.h"

static uint64_t larger(int64_t peak, uint64_t now)
{
	return peak > 0 && (uint64_t)peak > now ? (uint64_t)peak : now;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *filled, size_t size)
{
	if (!filled)
		return;
	if (!pool) {
		memset(filled, 0, size);
		return;
	}
	clpac_pool_statistics own, *out = &own;
	clpac__tally sum;
	uint64_t magazine_hits, front_bytes;
	size_t n_in_magazines;
	pthread_mutex_lock(&pool->lock);
	clpac__magazines_sum(pool, &sum, &magazine_hits, &n_in_magazines, &front_bytes);
	clpac__pool_follow(pool);
	*out = pool->ledger.now;
	out->bytes_to_device = atomic_load(&pool->bytes_to_device);
	out->bytes_from_device = atomic_load(&pool->bytes_from_device);
	out->in_use_bytes = (uint64_t)sum.in_use_bytes;
	out->requested_bytes = (uint64_t)sum.requested_bytes;
	out->active_buffers = (uint64_t)sum.active_buffers;
	out->host_bytes = (uint64_t)sum.host_bytes;
	out->host_buffers = (uint64_t)sum.host_buffers;
	out->pooled_buffers = pool->depot.count + n_in_magazines + out->pending_buffers;
	out->pooled_bytes = pool->depot.bytes + front_bytes + pool->segments.free_bytes;
	for (const clpac_buffer *buffer = pool->pending; buffer; buffer = buffer->below)
		out->pooled_bytes += buffer->class_bytes;
	out->hits += magazine_hits;
	out->segments = pool->segments.n;
	out->segment_bytes = pool->segments.bytes;
	out->free_segment_bytes = pool->segments.free_bytes;
	out->largest_free_bytes = clpac__segments_largest_free(&pool->segments);
	const clpac__peaks peaks = clpac__magazines_peaks(pool);
	out->peak_in_use_bytes = larger(peaks.in_use_bytes, out->in_use_bytes);
	out->peak_requested_bytes = larger(peaks.requested_bytes, out->requested_bytes);
	out->peak_pooled_bytes = larger(peaks.pooled_bytes, out->pooled_bytes);
	/* Bytes in use are on the device, so their peak cannot be higher. */
	out->peak_in_use_bytes = smaller(out->peak_in_use_bytes, out->peak_allocated_bytes);
	pthread_mutex_unlock(&pool->lock);

	const uint64_t n_requests = out->hits + out->misses;
	out->waste_bytes = out->in_use_bytes - out->requested_bytes;
	out->hit_rate = n_requests ? (double)out->hits / (double)n_requests : 0;
	out->driver_calls = out->driver_creates + out->driver_releases;
	out->fragmentation =
		out->free_segment_bytes ? 1 - (double)out->largest_free_bytes / (double)out->free_segment_bytes : 0;
	clpac__sized_give(filled, size, out, sizeof *out);
}

void clpac_pool_reset_peaks(clpac_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	clpac__ledger_reset_peak(&pool->ledger);
	clpac__magazines_reset_peaks(pool);
	pthread_mutex_unlock(&pool->lock);
}
