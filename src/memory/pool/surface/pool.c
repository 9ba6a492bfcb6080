/* Creating and destroying a pool, and its simple queries. */
#include "memory/pool/surface/surface.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sized.h"

enum {
	DEFAULT_KEPT_PER_CLASS = 8,
	LARGEST_SEGMENT = 64 << 20,
	SMALLEST_SEGMENT = 64 << 10, /* smaller segments are not worth their bookkeeping */
	PARTS_PUBLISHED = 4096,	     /* as a part of the budget: accuracy of peaks with several threads */
};

static const double LONGEST_WAIT_S = 1e9; /* as a time on any clock */
static const double MERGE_FRACTION = 0.2;

static const struct {
	unsigned kept_numerator, kept_denominator;
	uint64_t largest_segment;
} presets[] = {
	[CLPAC_PRESET_BALANCED] = {1, 1, LARGEST_SEGMENT},
	[CLPAC_PRESET_THROUGHPUT] = {4, 1, 4 * (uint64_t)LARGEST_SEGMENT},
	[CLPAC_PRESET_CONSTRAINED] = {1, 4, 4 << 20},
};
_Static_assert(sizeof presets / sizeof *presets == CLPAC_PRESET_COUNT, "one line per preset");

static clpac_status check_options(const clpac_pool_options *options, unsigned n, clpac_error *err)
{
	if (!clpac__classes_per_octave_is_good(n))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "classes_per_octave is %u: it must be a power of two from 1 to %d",
			     n, CLPAC_MAX_CLASSES_PER_OCTAVE);
	if ((unsigned)options->preset >= CLPAC_PRESET_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "preset is %d: no such preset", (int)options->preset);
	if ((unsigned)options->cache.blocks >= CLPAC_BLOCKS_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "blocks is %d: no such strategy", (int)options->cache.blocks);
	if ((unsigned)options->placement >= CLPAC_PLACE_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "placement is %d: no such placement", (int)options->placement);
	if (!memchr(options->snapshot.path, 0, sizeof options->snapshot.path))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "snapshot.path does not end within its %zu bytes",
			     sizeof options->snapshot.path);
	if (options->snapshot.events > CLPAC_MAX_SNAPSHOT_EVENTS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "snapshot.events is %u: it must be at most %d",
			     options->snapshot.events, CLPAC_MAX_SNAPSHOT_EVENTS);
	if (!memchr(options->warm_up, 0, sizeof options->warm_up))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "warm_up does not end within its %zu bytes",
			     sizeof options->warm_up);
	if (!(options->merge_fraction >= 0 && options->merge_fraction <= 1))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "merge_fraction is %g: it must be 0 to 1", options->merge_fraction);
	if (!(options->compaction.seconds >= 0 && options->compaction.seconds <= LONGEST_WAIT_S))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "compaction.seconds is %g: it must be 0 or more, at most %g",
			     options->compaction.seconds, LONGEST_WAIT_S);
	if (clpac__compaction_is_wanted(options) && !options->may_move)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "compaction.releases and compaction.seconds let the pool move buffers: set "
			     "may_move too, or leave them 0");
	if (!(options->budget.wait_s >= 0 && options->budget.wait_s <= LONGEST_WAIT_S))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "wait_s is %g: it must be 0 or more seconds, at most %g",
			     options->budget.wait_s, LONGEST_WAIT_S);
	return CLPAC_OK;
}

static uint64_t largest_segment(const clpac_pool *pool, const clpac_pool_options *options, uint64_t budget)
{
	uint64_t largest = options->cache.max_segment_bytes;
	if (!largest)
		largest = budget / 8 < presets[options->preset].largest_segment
				  ? budget / 8
				  : presets[options->preset].largest_segment;
	if (largest > pool->largest_bytes)
		largest = pool->largest_bytes;
	return largest > budget ? budget : largest;
}

/* Decides whether blocks are cut from segments, and the largest segment. */
static void choose_segments(clpac_pool *pool, const clpac_pool_options *options, const clpac__queue *queue)
{
	const uint64_t largest = largest_segment(pool, options, pool->ledger.now.budget_bytes);
	pool->has_segments = options->cache.blocks == CLPAC_BLOCKS_SEGMENTS ||
			     (options->cache.blocks == CLPAC_BLOCKS_AUTO && !queue->has_no_parts);
	/* A size chosen by the caller is obeyed; otherwise a small budget gets no segments. */
	if (largest < SMALLEST_SEGMENT && !options->cache.max_segment_bytes)
		pool->has_segments = false;
	pool->unit = pool->has_segments && queue->part_alignment ? queue->part_alignment : 1;
	pool->max_segment_bytes = (size_t)largest;
	pool->segments.unit = pool->unit;
	pool->segments.small_bytes = clpac__small_bytes(pool->max_segment_bytes);
	if (pool->is_checked) {
		pool->front_bytes = pool->has_segments ? clpac__checked_front(pool->unit) : 0;
		pool->extra_bytes = clpac__checked_extra(pool->front_bytes);
	}
}

/* A class is less than twice the bytes, and one unit. */
static void choose_easy_bytes(clpac_pool *pool)
{
	const size_t most = pool->largest_class_bytes < SIZE_MAX / 4 ? pool->largest_class_bytes : SIZE_MAX / 4;
	if (!pool->is_checked && most / 2 > 2 * pool->unit)
		pool->easy_bytes = most / 2 - 2 * pool->unit;
}

static clpac_status preallocate(clpac_pool *pool, uint64_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const uint64_t budget = pool->ledger.now.budget_bytes;
	pthread_mutex_lock(&pool->lock);
	const size_t each = pool->max_segment_bytes / pool->unit * pool->unit;
	if (!pool->has_segments || !each)
		FAIL(CLPAC_ERROR_ARGUMENT, "preallocate_bytes is %llu, but the pool has no segments",
		     (unsigned long long)bytes);
	if (bytes > budget || bytes == UINT64_MAX) {
		st = clpac__fail(
			err, CLPAC_ERROR_NO_DEVICE_MEMORY,
			"preallocate_bytes is %llu, more than the pool's budget of %llu: lower it, or raise the "
			"budget",
			(unsigned long long)bytes, (unsigned long long)budget);
		TRY(clpac__of_bytes(err, st, bytes, budget));
	}
	/* Small pieces only, when the segments are too small for others. */
	const bool is_small = clpac__is_small(&pool->segments, each / 2);
	for (uint64_t rest = bytes; rest && st == CLPAC_OK; rest -= rest < each ? rest : each) {
		const size_t part = rest < each ? clpac__round_up((size_t)rest, pool->unit) : each;
		st = clpac__pool_make_segment(pool, part, is_small, &pool->queues[0], err);
	}
	if (st != CLPAC_OK)
		clpac__fail_context(err, st, "preallocate_bytes is %llu", (unsigned long long)bytes);
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

/* The settings that may change while the pool is in use, but for the sizes of budget and segments. */
static void set_free_options(clpac_pool *pool, const clpac_pool_options *options)
{
	atomic_store(&pool->placement, options->placement ? options->placement : CLPAC_PLACE_DEVICE);
	pool->wait_s = options->budget.wait_s;
	pool->may_move = options->may_move;
	pool->merge_fraction = options->merge_fraction > 0 ? options->merge_fraction : MERGE_FRACTION;
	pool->compaction.every_releases = options->compaction.releases;
	pool->compaction.every_s = options->compaction.seconds;
	pool->compaction.max_bytes =
		options->compaction.max_bytes ? options->compaction.max_bytes : pool->ledger.now.budget_bytes / 8;
	pool->compaction.last_s = clpac__clock_seconds();
	pool->compaction.last_releases = clpac__magazines_releases(pool);
	atomic_store(&pool->compaction.is_wanted, clpac__compaction_is_wanted(options));
	atomic_store(&pool->fallback_bytes, options->fallback_bytes);
	pool->max_kept = options->cache.max_kept_per_class;
	pool->may_grow = !pool->max_kept;
	if (!pool->max_kept)
		pool->max_kept = DEFAULT_KEPT_PER_CLASS * presets[options->preset].kept_numerator /
				 presets[options->preset].kept_denominator;
}

/* Nobody holds the pool any more. */
static void end(clpac_pool *pool)
{
	/* First: from here on nobody finds the pool through its limit. */
	clpac__limit_leave(&pool->member);
	while (pool->pending) {
		clpac_buffer *buffer = pool->pending;
		pool->pending = buffer->below;
		clpac__hazards_wait(pool, buffer);
		buffer->below = NULL;
		pthread_mutex_lock(&pool->lock);
		clpac__pool_drop(pool, buffer);
		pthread_mutex_unlock(&pool->lock);
	}
	if (pool->depot.classes)
		clpac_pool_clear(pool);
	pthread_mutex_lock(&pool->lock);
	clpac__pool_release_segments(pool, UINT64_MAX);
	pthread_mutex_unlock(&pool->lock);
	clpac__watch_close(&pool->watch);
	clpac__quarantine_destroy(&pool->quarantine);
	clpac__magazines_destroy(&pool->magazines);
	clpac__free_list_destroy(&pool->depot);
	clpac__free(pool->n_warm);
	pthread_cond_destroy(&pool->settled);
	clpac__staging_close(&pool->staging, &pool->queues[0]);
	for (unsigned i = 0; i < CLPAC__USE_LOCKS; i++)
		pthread_mutex_destroy(&pool->use_locks[i]);
	pthread_mutex_destroy(&pool->lock);
	clpac__pool_queues_destroy(pool);
	clpac_limit_destroy(pool->ledger.limit);
	clpac_limit_destroy(pool->host_limit);
	if (pool->holds_queue)
		clpac__queue_let_go(pool->queues[0].queue);
	clpac__free(pool);
}

static clpac_status check_limits(const clpac_pool_options *options, clpac_error *err)
{
	if (clpac__limit_is_foreign(options->budget.limit))
		return clpac__forked_fail(err, "clpac_pool_create", "budget.limit");
	if (clpac__limit_is_foreign(options->fallback_limit))
		return clpac__forked_fail(err, "clpac_pool_create", "fallback_limit");
	return CLPAC_OK;
}

clpac_status clpac__pool_create(clpac__queue *queue, const clpac_pool_options *given, uint64_t cap_bytes,
				clpac_pool **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK, checked;
	clpac_pool_options own, *options = &own;
	clpac_pool *pool = NULL;
	TRY(clpac__take_sized(&own, given, clpac_pool_options, err));
	unsigned n = options->cache.classes_per_octave ? options->cache.classes_per_octave
						       : CLPAC_DEFAULT_CLASSES_PER_OCTAVE;
	const uint64_t largest = queue->device.max_allocation_bytes;
	TRY(check_limits(options, err));
	TRY(NEW(pool));
	pool->process = clpac__process;
	pool->end = end;
	/* These cannot fail with default attributes. */
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->settled, NULL);
	pthread_mutex_init(&pool->queues[0].driver, NULL);
	clpac__staging_open(&pool->staging, options->staging_bytes ? options->staging_bytes : CLPAC__STAGING_BYTES);
	for (unsigned i = 0; i < CLPAC__USE_LOCKS; i++)
		pthread_mutex_init(&pool->use_locks[i], NULL);
	pool->queues[0].queue = queue;
	pool->queues[0].is_in_order = true;
	pool->n_holders = 1;
	pool->holds_queue = clpac__queue_hold(queue);
	atomic_store(&pool->n_queues, 1);

	checked = check_options(options, n, err);
	TRY(clpac__watch_open(&pool->watch, options->checks.is_tracked,
			      checked == CLPAC_OK ? clpac__snapshot_events(options) : 0, err));
	TRY(checked);
	TRY(clpac__budget_find(options, &queue->device, cap_bytes, &pool->ledger.now.budget_bytes, err));
	pool->ledger.limit = clpac__limit_hold(options->budget.limit);
	pool->host_limit = clpac__limit_hold(options->fallback_limit);
	pool->magazines.grain_bytes = (int64_t)(pool->ledger.now.budget_bytes / PARTS_PUBLISHED);
	if (pool->magazines.grain_bytes < SMALLEST_SEGMENT)
		pool->magazines.grain_bytes = SMALLEST_SEGMENT;
	pool->classes_per_octave = n;
	while (1u << pool->classes_log2 < n)
		pool->classes_log2++;
	pool->largest_bytes = largest && largest < SIZE_MAX ? (size_t)largest : SIZE_MAX;
	pool->made = *options;
	pool->cap_bytes = cap_bytes;
	pool->made_budget_bytes = pool->ledger.now.budget_bytes;
	pool->largest_class_bytes =
		pool->largest_bytes < pool->made_budget_bytes ? pool->largest_bytes : (size_t)pool->made_budget_bytes;
	atomic_store(&pool->budget_bytes, pool->made_budget_bytes);
	pool->is_checked = options->checks.is_checked;
	choose_segments(pool, options, queue);
	choose_easy_bytes(pool);
	TRY(clpac__free_list_create(&pool->depot, clpac__size_class_count(n), err));
	TRY(NEW_ARRAY(pool->n_warm, clpac__size_class_count(n)));
	set_free_options(pool, options);
	clpac__pool_follow(pool);
	if (options->cache.preallocate_bytes)
		TRY(preallocate(pool, options->cache.preallocate_bytes, err));
	pool->member.pool = pool;
	clpac__limit_join(pool->ledger.limit, &pool->member);
	if (*options->warm_up)
		TRY(clpac__pool_warm_up_by_text(pool, options->warm_up, err));
	*out = pool, pool = NULL;
done:
	if (pool)
		end(pool);
	return st;
}

/* --- Other settings -------------------------------------------------------------------------- */

/* Refuses other settings than the pool was made with where they cannot change; 0 leaves them as they are. */
static clpac_status check_fixed(const clpac_pool *pool, const clpac_pool_options *given, clpac_error *err)
{
	const clpac_pool_options *made = &pool->made;
	const struct {
		const char *name;
		bool is_changed;
	} fixed[] = {
		{"budget.limit", given->budget.limit && given->budget.limit != made->budget.limit},
		{"cache.classes_per_octave",
		 given->cache.classes_per_octave && given->cache.classes_per_octave != pool->classes_per_octave},
		{"cache.blocks", given->cache.blocks && given->cache.blocks != made->cache.blocks},
		{"cache.preallocate_bytes",
		 given->cache.preallocate_bytes && given->cache.preallocate_bytes != made->cache.preallocate_bytes},
		{"fallback_limit", given->fallback_limit && given->fallback_limit != made->fallback_limit},
		{"staging_bytes", given->staging_bytes && given->staging_bytes != made->staging_bytes},
		{"checks.is_tracked", given->checks.is_tracked && !made->checks.is_tracked},
		{"checks.is_checked", given->checks.is_checked && !made->checks.is_checked},
		{"warm_up", *given->warm_up && strcmp(given->warm_up, made->warm_up) != 0},
		{"snapshot.path", *given->snapshot.path && strcmp(given->snapshot.path, made->snapshot.path) != 0},
		{"snapshot.events", given->snapshot.events && given->snapshot.events != made->snapshot.events},
	};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (fixed[i].is_changed)
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
					   "configure: %s cannot change while a pool is in use; make another pool",
					   fixed[i].name);
	return CLPAC_OK;
}

/* Gives cached memory back until the pool holds no more than that.  The pool's lock is held, and dropped in between. */
static clpac_status shrink_to(clpac_pool *pool, uint64_t budget, clpac_error *err)
{
	const clpac__ledger *ledger = &pool->ledger;
	clpac__pool_collect(pool);
	clpac__pool_merge(pool);
	uint64_t held;
	while ((held = ledger->now.allocated_bytes + ledger->reserved_bytes) > budget &&
	       clpac__pool_evict(pool, held - budget))
		;
	if (held <= budget)
		return CLPAC_OK;
	clpac__fail(err, CLPAC_ERROR_NO_DEVICE_MEMORY,
		    "configure: a budget of %llu bytes: the pool holds %llu, and the rest of its buffers are in "
		    "use; release some, or give a larger budget",
		    (unsigned long long)budget, (unsigned long long)held);
	return clpac__of_bytes(err, CLPAC_ERROR_NO_DEVICE_MEMORY, held, budget);
}

clpac_status clpac_pool_configure(clpac_pool *pool, const clpac_pool_options *given, clpac_error *err)
{
	NEED(pool);
	NEED_AS(given, "options");
	NEED_HERE(pool);
	clpac_status st = CLPAC_OK;
	clpac_pool_options options;
	uint64_t budget;
	RETURN_IF_ERROR(clpac__take_sized(&options, given, clpac_pool_options, err));
	RETURN_IF_ERROR(check_options(&options, CLPAC_DEFAULT_CLASSES_PER_OCTAVE, err));
	RETURN_IF_ERROR(check_fixed(pool, &options, err));
	RETURN_IF_ERROR(clpac__budget_find(&options, &pool->queues[0].queue->device, pool->cap_bytes, &budget, err));
	if (options.budget.bytes > pool->made_budget_bytes && budget < options.budget.bytes)
		RETURN_ERROR(CLPAC_ERROR_NO_DEVICE_MEMORY,
			     "configure: a budget of %llu bytes: the device, the other limits of the budget and the "
			     "pool's context leave %llu; lower it",
			     (unsigned long long)options.budget.bytes, (unsigned long long)budget);
	if (budget > pool->made_budget_bytes && options.budget.bytes <= pool->made_budget_bytes)
		budget = pool->made_budget_bytes;
	pthread_mutex_lock(&pool->lock);
	st = shrink_to(pool, budget, err);
	if (st == CLPAC_OK) {
		pool->ledger.now.budget_bytes = budget;
		atomic_store(&pool->budget_bytes, budget);
		pool->max_segment_bytes = (size_t)largest_segment(pool, &options, budget);
		pool->segments.small_bytes = clpac__small_bytes(pool->max_segment_bytes);
		set_free_options(pool, &options);
		clpac__pool_follow(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_tell(pool);
	return st;
}

/* --- The owner's end ------------------------------------------------------------------------- */

void clpac__pool_set_own(clpac_pool *pool)
{
	pool->is_of_context = true;
}

/* The application's functions are not called any more. */
static void forget_listeners(clpac_pool *pool)
{
	for (unsigned i = 0; i < CLPAC__MAX_LISTENERS; i++)
		pool->watchers[i] = (clpac__watcher){0};
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++)
		if (pool->reliefs[i].step == CLPAC_LADDER_CALLBACK)
			pool->reliefs[i] = (clpac__relief){0};
}

void clpac__pool_give_up(clpac_pool *pool)
{
	if (!pool)
		return;
	clpac__watch_end_trace(&pool->watch, NULL);
	/* From here on no release takes the short way, which ends without a look at who is left. */
	atomic_store(&pool->is_given_up, true);
	atomic_fetch_add(&pool->n_waiting, 1);
	/* A magazine that was added before is seen from here on, and whoever adds one afterwards sees the above. */
	clpac__latch_take(&pool->magazines.making);
	clpac__latch_leave(&pool->magazines.making);
	pthread_mutex_lock(&pool->lock);
	forget_listeners(pool);
	pthread_mutex_unlock(&pool->lock);
	clpac__pool_let_go(pool);
}

void clpac_pool_destroy(clpac_pool *pool)
{
	if (clpac__pool_is_here(pool) && !pool->is_of_context)
		clpac__pool_give_up(pool);
}

/* --- The device's free memory ----------------------------------------------------------------- */

/* The device's free memory, and how it is known. */

enum { CALLS_BETWEEN = 30 };
static const double SECONDS_BETWEEN = 0.1;

static clpac_free_memory ask(clpac_pool *pool)
{
	clpac__pool_queue *own = &pool->queues[0];
	const uint64_t size = own->queue->device.memory_bytes;
	pthread_mutex_lock(&own->driver);
	clpac_free_memory answer = own->queue->operations->free_memory(own->queue);
	pthread_mutex_unlock(&own->driver);
	if (answer.knowledge == CLPAC_UNKNOWN && size) {
		const uint64_t held = atomic_load_explicit(&pool->magazines.allocated_bytes, memory_order_relaxed);
		answer = (clpac_free_memory){size > held ? size - held : 0, CLPAC_ESTIMATED};
	}
	return answer;
}

clpac_free_memory clpac_pool_free_memory(clpac_pool *pool)
{
	if (!clpac__pool_is_here(pool))
		return (clpac_free_memory){0};
	const double now_s = clpac__clock_seconds();
	pthread_mutex_lock(&pool->lock);
	const bool is_fresh = pool->free_memory_asked && pool->free_memory_asked % CALLS_BETWEEN &&
			      now_s - pool->free_memory_s < SECONDS_BETWEEN;
	clpac_free_memory answer = pool->free_memory;
	pool->free_memory_asked = is_fresh ? pool->free_memory_asked + 1 : 1;
	pthread_mutex_unlock(&pool->lock);
	if (is_fresh)
		return answer;
	answer = ask(pool);
	pthread_mutex_lock(&pool->lock);
	pool->free_memory = answer;
	pool->free_memory_s = now_s;
	pthread_mutex_unlock(&pool->lock);
	return answer;
}

/* Allocates blocks of falling size until not even the smallest can be had, then gives all of them back. */
clpac_status clpac_pool_probe_free_memory(clpac_pool *pool, uint64_t max_bytes, uint64_t *bytes, clpac_error *err)
{
	NEED(pool, bytes);
	NEED_HERE(pool);
	enum { MOST_BLOCKS = 1024, SMALLEST = 1 << 20 };
	clpac_status st = CLPAC_OK;
	clpac__block *held[MOST_BLOCKS];
	size_t n = 0;
	uint64_t found = 0;
	clpac__pool_queue *own = &pool->queues[0];
	const clpac_device *device = &own->queue->device;
	pthread_mutex_lock(&own->driver);
	if (device->kind == CLPAC_DEVICE_NATIVE || device->kind == CLPAC_DEVICE_OPENCL_CPU)
		FAIL(CLPAC_ERROR_UNSUPPORTED,
		     "probing %s would take memory from every program of this computer; ask clpac_pool_free_memory",
		     device->name);
	for (uint64_t size = pool->largest_bytes < max_bytes ? pool->largest_bytes : max_bytes;
	     size >= SMALLEST && n < MOST_BLOCKS;) {
		clpac_error unused;
		const uint64_t rest = max_bytes - found;
		if (size > rest) {
			size = rest;
			continue;
		}
		if (own->queue->operations->create(own->queue, (size_t)size, &held[n], &unused) != CLPAC_OK) {
			size /= 2;
			continue;
		}
		const clpac_status touched =
			own->queue->operations->fill(own->queue, held[n], 0, (size_t)size, 0, &unused) == CLPAC_OK
				? own->queue->operations->finish(own->queue, &unused)
				: CLPAC_ERROR_DEVICE;
		n++;
		if (touched != CLPAC_OK)
			break;
		found += size;
	}
	*bytes = found;
done:
	while (n)
		own->queue->operations->release(own->queue, held[--n]);
	pthread_mutex_unlock(&own->driver);
	return st;
}
