/* A pool's numbers: those of the ledger, the magazines and the segments, read together; as text and as JSON. */
#include "memory/pool/surface/surface.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include <clpac/memory/pressure.h>
#include <clpac/memory/statistics.h>

/* --- Read ------------------------------------------------------------------------------------ */

static uint64_t larger(int64_t peak, uint64_t now)
{
	return peak > 0 && (uint64_t)peak > now ? (uint64_t)peak : now;
}

void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *filled, size_t size)
{
	if (!filled)
		return;
	if (!clpac__pool_is_here(pool)) {
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
	out->peak_in_use_bytes = clpac__smaller64(out->peak_in_use_bytes, out->peak_allocated_bytes);
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
	if (!clpac__pool_is_here(pool))
		return;
	pthread_mutex_lock(&pool->lock);
	clpac__ledger_reset_peak(&pool->ledger);
	clpac__magazines_reset_peaks(pool);
	pthread_mutex_unlock(&pool->lock);
}

/* --- In words -------------------------------------------------------------------------------- */

enum kind { BYTES, COUNT, PART, LADDER, PRESSURE };

static const struct member {
	const char *name;  /* in JSON */
	const char *words; /* in the text */
	enum kind kind;
	size_t offset;
} members[] = {
#define MEMBER(name, words, kind)                                                                                      \
	{                                                                                                              \
#name, words, kind, offsetof(clpac_pool_statistics, name)                                              \
	}
	MEMBER(budget_bytes, "budget", BYTES),
	MEMBER(allocated_bytes, "on the device", BYTES),
	MEMBER(in_use_bytes, "in use", BYTES),
	MEMBER(pooled_bytes, "cached", BYTES),
	MEMBER(requested_bytes, "requested", BYTES),
	MEMBER(waste_bytes, "lost to size classes", BYTES),
	MEMBER(peak_allocated_bytes, "peak on the device", BYTES),
	MEMBER(peak_in_use_bytes, "peak in use", BYTES),
	MEMBER(peak_pooled_bytes, "peak cached", BYTES),
	MEMBER(peak_requested_bytes, "peak requested", BYTES),
	MEMBER(active_buffers, "active buffers", COUNT),
	MEMBER(pooled_buffers, "cached buffers", COUNT),
	MEMBER(pending_buffers, "still used by a queue", COUNT),
	MEMBER(hits, "hits", COUNT),
	MEMBER(misses, "misses", COUNT),
	MEMBER(hit_rate, "hit rate", PART),
	MEMBER(driver_creates, "created by the driver", COUNT),
	MEMBER(driver_releases, "released to the driver", COUNT),
	MEMBER(driver_calls, "driver calls", COUNT),
	MEMBER(parts_created, "cut from segments", COUNT),
	MEMBER(segments, "segments", COUNT),
	MEMBER(segment_bytes, "in segments", BYTES),
	MEMBER(free_segment_bytes, "free in segments", BYTES),
	MEMBER(largest_free_bytes, "largest free piece", BYTES),
	MEMBER(fragmentation, "fragmentation", PART),
	MEMBER(out_of_memory_events, "out of memory at first", COUNT),
	MEMBER(retries, "looked again", COUNT),
	MEMBER(refusals, "refused", COUNT),
	MEMBER(queue_waits, "waits between queues", COUNT),
	MEMBER(fallbacks, "fallbacks to the host", COUNT),
	MEMBER(promotions, "promoted to the device", COUNT),
	MEMBER(host_buffers, "buffers on the host", COUNT),
	MEMBER(host_bytes, "on the host", BYTES),
	MEMBER(host_copies, "mapped by a copy", COUNT),
	MEMBER(bad_releases, "bad releases", COUNT),
	MEMBER(canary_failures, "damaged margins", COUNT),
	MEMBER(ladder, "helped out of memory", LADDER),
	MEMBER(pressure, "pressure", PRESSURE),
	MEMBER(bytes_to_device, "sent to the device", BYTES),
	MEMBER(bytes_from_device, "fetched from the device", BYTES),
#undef MEMBER
};
enum { N_MEMBERS = sizeof members / sizeof *members };
_Static_assert(sizeof(clpac_pool_statistics) == offsetof(clpac_pool_statistics, budget_bytes) +
							(N_MEMBERS - 1 + CLPAC_LADDER_ROOM) * sizeof(uint64_t),
	       "one line per member: all but size and ladder take eight bytes");
_Static_assert((int)CLPAC_LADDER_COUNT <= (int)CLPAC_LADDER_ROOM, "the statistics have room for every step");

static uint64_t number_of(const clpac_pool_statistics *statistics, const struct member *member)
{
	uint64_t value;
	memcpy(&value, (const char *)statistics + member->offset, sizeof value);
	return value;
}

static double part_of(const clpac_pool_statistics *statistics, const struct member *member)
{
	double value;
	memcpy(&value, (const char *)statistics + member->offset, sizeof value);
	return value;
}

static void add_json_ladder(clpac__text *text, const clpac_pool_statistics *statistics)
{
	for (unsigned step = 0; step < CLPAC_LADDER_COUNT; step++)
		clpac__text_add(text, "%s\"%s\": %" PRIu64, step ? ", " : "{",
				clpac_ladder_text((clpac_ladder_step)step), statistics->ladder[step]);
	clpac__text_add(text, "}");
}

static void add_json_value(clpac__text *text, const clpac_pool_statistics *statistics, const struct member *member)
{
	if (member->kind == PART)
		clpac__text_add_number(text, part_of(statistics, member));
	else if (member->kind == LADDER)
		add_json_ladder(text, statistics);
	else if (member->kind == PRESSURE)
		clpac__text_add(text, "\"%s\"", clpac_pressure_text(statistics->pressure));
	else if (member->kind == BYTES && number_of(statistics, member) == UINT64_MAX)
		clpac__text_add(text, "null");
	else
		clpac__text_add(text, "%" PRIu64, number_of(statistics, member));
}

/* Tenths by integers: no decimal comma, whatever the locale. */
static void add_bytes_in_words(clpac__text *text, uint64_t bytes)
{
	unsigned unit = 0;
	while (unit + 1 < CLPAC__N_BYTE_UNITS && bytes >> 10 * (unit + 1))
		unit++;
	if (bytes == UINT64_MAX)
		clpac__text_add(text, "no limit known");
	else if (!unit)
		clpac__text_add(text, "%" PRIu64 " B", bytes);
	else
		clpac__text_add(text, "%" PRIu64 ".%" PRIu64 " %s (%" PRIu64 " B)", bytes >> 10 * unit,
				((bytes >> 10 * (unit - 1) & 1023) * 10) >> 10, clpac__byte_units[unit], bytes);
}

/* The steps that have made a request succeed. */
static void add_ladder_in_words(clpac__text *text, const clpac_pool_statistics *statistics)
{
	const char *between = "";
	for (unsigned step = 0; step < CLPAC_LADDER_COUNT; step++) {
		if (!statistics->ladder[step])
			continue;
		clpac__text_add(text, "%s%s %" PRIu64, between, clpac_ladder_text((clpac_ladder_step)step),
				statistics->ladder[step]);
		between = ", ";
	}
	if (!*between)
		clpac__text_add(text, "nothing");
}

static void add_words(clpac__text *text, const clpac_pool_statistics *statistics, const struct member *member)
{
	if (member->kind == PART)
		clpac__text_add(text, "%d %%", (int)(100 * part_of(statistics, member) + 0.5));
	else if (member->kind == LADDER)
		add_ladder_in_words(text, statistics);
	else if (member->kind == PRESSURE)
		clpac__text_add(text, "%s", clpac_pressure_text(statistics->pressure));
	else if (member->kind == BYTES)
		add_bytes_in_words(text, number_of(statistics, member));
	else
		clpac__text_add(text, "%" PRIu64, number_of(statistics, member));
}

clpac_status clpac_pool_statistics_text(const clpac_pool_statistics *statistics, char **out, clpac_error *err)
{
	NEED(statistics);
	NEED_AS(out, "text");
	clpac_pool_statistics own;
	RETURN_IF_ERROR(clpac__take_sized(&own, statistics, clpac_pool_statistics, err));
	clpac__text text = {0};
	for (size_t i = 0; i < N_MEMBERS; i++) {
		clpac__text_add(&text, "%-24s", members[i].words);
		add_words(&text, &own, &members[i]);
		clpac__text_add(&text, "\n");
	}
	return clpac__text_give(&text, "the statistics of a pool as text", out, err);
}

clpac_status clpac_pool_statistics_json(const clpac_pool_statistics *statistics, char **out, clpac_error *err)
{
	NEED(statistics);
	NEED_AS(out, "text");
	clpac_pool_statistics own;
	RETURN_IF_ERROR(clpac__take_sized(&own, statistics, clpac_pool_statistics, err));
	clpac__text text = {0};
	for (size_t i = 0; i < N_MEMBERS; i++) {
		clpac__text_add(&text, "%s\"%s\": ", i ? ", " : "{", members[i].name);
		add_json_value(&text, &own, &members[i]);
	}
	clpac__text_add(&text, "}");
	return clpac__text_give(&text, "the statistics of a pool as text", out, err);
}

clpac_status clpac_pool_summary(clpac_pool *pool, char **out, clpac_error *err)
{
	NEED(pool);
	NEED_AS(out, "text");
	NEED_HERE(pool);
	clpac_pool_statistics now;
	clpac__text text = {0};
	clpac_pool_measure(pool, &now, sizeof now);
	add_bytes_in_words(&text, now.allocated_bytes);
	clpac__text_add(&text, " of ");
	add_bytes_in_words(&text, now.budget_bytes);
	clpac__text_add(&text, " on the device, pressure %s\n", clpac_pressure_text(now.pressure));
	add_bytes_in_words(&text, now.in_use_bytes);
	clpac__text_add(&text, " in %" PRIu64 " buffers, at most ", now.active_buffers - now.host_buffers);
	add_bytes_in_words(&text, now.peak_in_use_bytes);
	clpac__text_add(&text, "\n");
	add_bytes_in_words(&text, now.pooled_bytes);
	clpac__text_add(&text, " cached, largest free piece ");
	add_bytes_in_words(&text, now.largest_free_bytes);
	clpac__text_add(&text, "\n%" PRIu64 " requests, %d %% from the cache, %" PRIu64 " driver calls\n",
			now.hits + now.misses, (int)(100 * now.hit_rate + 0.5), now.driver_calls);
	clpac__text_add(&text,
			"%" PRIu64 " found no room at first, %" PRIu64 " refused, %" PRIu64
			" placed on the host; helped by ",
			now.out_of_memory_events, now.refusals, now.fallbacks);
	add_ladder_in_words(&text, &now);
	clpac__text_add(&text, "\n");
	return clpac__text_give(&text, "the statistics of a pool as text", out, err);
}
