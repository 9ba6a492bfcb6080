/* Batches: many buffers at once, all or none, and blocks made in advance (warm-up). */
#include "memory/pool/surface/surface.h"

#include <inttypes.h>
#include <clpac/memory/buffer.h>
#include "base/number.h"
#include "base/keys.h"
#include "base/memory.h"

clpac_status clpac_pool_allocate_batch(clpac_pool *pool, size_t n, const size_t *bytes, const char *const *tags,
				       clpac_buffer **out, clpac_error *err)
{
	NEED(pool);
	NEED_AS(bytes || !n, "bytes");
	NEED_AS(out || !n, "out");
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac_buffer **made = clpac__alloc_array(n, sizeof *made);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu buffers", n);
	for (size_t i = 0; i < n; i++)
		TRY(clpac_pool_allocate(pool, bytes[i], tags ? tags[i] : NULL, &made[i], err));
	for (size_t i = 0; i < n; i++) {
		out[i] = made[i];
		made[i] = NULL;
	}
done:
	if (made)
		clpac_buffer_release_batch(made, n);
	clpac__free(made);
	return st;
}

void clpac_buffer_release_batch(clpac_buffer **buffers, size_t n)
{
	if (!buffers)
		return;
	for (size_t i = 0; i < n; i++) {
		clpac_buffer_release(buffers[i]);
		buffers[i] = NULL;
	}
}

/* Adds up the blocks wanted of each class.  Refuses a batch that could never fit before it changes anything. */
static clpac_status count_blocks(clpac_pool *pool, size_t n, const size_t *bytes, const size_t *counts,
				 size_t *n_of_class, clpac_error *err)
{
	const uint64_t budget = clpac_pool_budget(pool);
	uint64_t room = budget;
	for (size_t i = 0; i < n; i++) {
		const clpac_request request = {.bytes = bytes[i], .tag = "warm-up"};
		clpac__room_need need;
		RETURN_IF_ERROR(clpac__need_make(pool, &request, &need, err));
		if (counts[i] > room / need.class_bytes) {
			clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
				    "warm-up with %zu buffers of %zu bytes (class %zu): only %" PRIu64
				    " of the pool's budget of %" PRIu64 " are left; ask for fewer or raise the budget",
				    counts[i], bytes[i], need.class_bytes, room, budget);
			return clpac__of_bytes(err, CLPAC_ERROR_NO_DEVICE_MEMORY, need.class_bytes, room);
		}
		room -= counts[i] * (uint64_t)need.class_bytes;
		n_of_class[need.class_index] += counts[i];
	}
	return CLPAC_OK;
}

clpac_status clpac_pool_warm_up(clpac_pool *pool, size_t n, const size_t *bytes, const size_t *counts, clpac_error *err)
{
	NEED(pool);
	NEED_AS(bytes || !n, "bytes");
	NEED_AS(counts || !n, "counts");
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	unsigned n_classes = clpac__size_class_count(pool->classes_per_octave);
	/* a chain through `below`, kept out of the cache so that a later block does not evict an earlier one */
	clpac_buffer *held = NULL;
	size_t *n_of_class;
	TRY(NEW_ARRAY(n_of_class, n_classes));
	TRY(count_blocks(pool, n, bytes, counts, n_of_class, err));

	pthread_mutex_lock(&pool->lock);
	for (size_t i = 0; i < n && st == CLPAC_OK; i++) {
		const clpac_request request = {.bytes = bytes[i], .tag = "warm-up"};
		clpac__room_need need;
		st = clpac__need_make(pool, &request, &need, err);
		for (size_t k = 0; k < counts[i] && st == CLPAC_OK; k++) {
			bool is_hit;
			clpac_buffer *buffer = NULL;
			st = clpac__pool_obtain(pool, &need, &is_hit, &buffer, err);
			if (st == CLPAC_OK) {
				buffer->home = need.queue;
				buffer->below = held;
				held = buffer;
			}
		}
	}
	for (unsigned i = 0; i < n_classes && st == CLPAC_OK; i++)
		if (pool->n_warm[i] < n_of_class[i])
			pool->n_warm[i] = n_of_class[i];
	while (held) {
		clpac_buffer *buffer = held;
		held = buffer->below;
		clpac__pool_deposit(pool, buffer);
	}
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
done:
	clpac__free(n_of_class);
	return st;
}

/* --- By a text, "1M*8,64K*32": what a pool's options and the environment say ----------------- */

/* Reads "SIZE*COUNT" and moves *text behind it. */
static bool read_one(const char **text, size_t *bytes, size_t *count)
{
	uint64_t whole, n;
	const char *end;
	if (!clpac__keys_parse_whole(*text, SIZE_MAX, &whole, &end))
		return false;
	const char unit[2] = {*end == '*' ? '\0' : *end};
	const int power = clpac__byte_power(unit);
	if (power < 0 || !whole || whole > SIZE_MAX >> 10 * power)
		return false;
	end += *unit != '\0';
	if (*end++ != '*' || !clpac__keys_parse_whole(end, SIZE_MAX, &n, &end))
		return false;
	*bytes = (size_t)whole << 10 * power;
	*count = (size_t)n;
	*text = end;
	return true;
}

clpac_status clpac__pool_warm_up_by_text(clpac_pool *pool, const char *text, clpac_error *err)
{
	enum { MOST = sizeof pool->made.warm_up / 4 + 1 /* "1*1," */ };
	clpac_status st = CLPAC_OK;
	size_t bytes[MOST], counts[MOST], n = 0;
	for (const char *at = text; *at; n++) {
		const char *begin = at;
		if (!read_one(&at, &bytes[n], &counts[n]) || (*at && (*at != ',' || !at[1])))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"warm_up is \"%s\": \"%s\" is not understood; give sizes and counts, as 1M*8,64K*32",
				text, begin);
		at += *at == ',';
	}
	st = clpac_pool_warm_up(pool, n, bytes, counts, err);
	if (st != CLPAC_OK)
		clpac__fail_context(err, st, "warm_up is \"%s\"", text);
	return st;
}
