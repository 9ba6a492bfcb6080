/* Magazines: cached blocks per thread, taken without the pool's lock. */
#include "memory/pool/blocks/blocks.h"

#include <time.h>
#include "base/memory.h"
#include "base/thread.h"

/* --- Stacks ---------------------------------------------------------------------------------- */

static bool is_older(const clpac_buffer *a, const clpac_buffer *b)
{
	return a->released_ns < b->released_ns ||
	       (a->released_ns == b->released_ns && a->released_order < b->released_order);
}

/* One chain of two, each with the oldest first. */
static clpac_buffer *merge(clpac_buffer *a, clpac_buffer *b)
{
	clpac_buffer *first = NULL, **end = &first;
	while (a && b) {
		clpac_buffer **older = is_older(a, b) ? &a : &b;
		*end = *older;
		end = &(*older)->below;
		*older = *end;
	}
	*end = a ? a : b;
	return first;
}

/* A stack turned round: what was released first comes first. */
static clpac_buffer *turn(clpac_buffer *stack)
{
	clpac_buffer *chain = NULL;
	while (stack) {
		clpac_buffer *buffer = stack;
		stack = buffer->below;
		buffer->below = chain;
		chain = buffer;
	}
	return chain;
}

/* Takes all blocks, and returns them chained through `below`, the oldest first. */
static clpac_buffer *stacks_empty(clpac__stacks *stacks)
{
	/* Chains of 2^k classes each, as a binary counter counts. */
	clpac_buffer *chains[32] = {0}, *all = NULL;
	while (stacks->first != CLPAC__STACKS_END) {
		clpac__stack *stack = &stacks->classes[stacks->first - 1];
		clpac_buffer *chain = turn(stack->top);
		unsigned k = 0;
		for (; chains[k]; chains[k++] = NULL)
			chain = merge(chain, chains[k]);
		chains[k] = chain;
		stacks->first = stack->next;
		*stack = (clpac__stack){0};
	}
	for (unsigned k = 0; k < 32; k++)
		all = merge(all, chains[k]);
	stacks->count = 0;
	stacks->bytes = 0;
	return all;
}

/* --- Magazines ------------------------------------------------------------------------------- */

static uint32_t own_number(void)
{
	return clpac__thread_number() + 1;
}

static void raise_to(_Atomic int64_t *peak, int64_t value)
{
	int64_t old = atomic_load_explicit(peak, memory_order_relaxed);
	while (old < value &&
	       !atomic_compare_exchange_weak_explicit(peak, &old, value, memory_order_relaxed, memory_order_relaxed))
		;
}

int64_t clpac__magazine_publish(clpac__magazines *magazines, clpac__magazine *magazine)
{
	const int64_t in_use = magazine->tally.in_use_bytes - magazine->published.in_use_bytes;
	const int64_t requested = magazine->tally.requested_bytes - magazine->published.requested_bytes;
	const int64_t all_in_use = in_use + atomic_fetch_add(&magazines->in_use_bytes, in_use);
	const int64_t all_requested =
		requested + atomic_fetch_add_explicit(&magazines->requested_bytes, requested, memory_order_relaxed);
	const int64_t allocated = (int64_t)atomic_load_explicit(&magazines->allocated_bytes, memory_order_relaxed);
	magazine->published = magazine->tally;
	raise_to(&magazines->peak_in_use_bytes, all_in_use);
	raise_to(&magazines->peak_requested_bytes, all_requested);
	raise_to(&magazines->peak_pooled_bytes, allocated - all_in_use);
	return all_in_use;
}

/* Coarse, since it is read often. */
static int64_t coarse_clock(void)
{
	struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
	clock_gettime(CLOCK_MONOTONIC, &now);
#endif
	return (int64_t)now.tv_sec * INT64_C(1000000000) + (int64_t)now.tv_nsec;
}

void clpac__magazine_read_clock(clpac__magazine *magazine)
{
	const int64_t now = coarse_clock();
	magazine->n_same_time = now == magazine->now_ns ? magazine->n_same_time + 1 : 0;
	magazine->now_ns = now;
	if (magazine->n_same_time >= CLPAC__RELEASES_PER_CLOCK)
		magazine->n_without_clock = CLPAC__RELEASES_PER_CLOCK - 1;
}

static clpac__magazine *make(clpac_pool *pool)
{
	clpac__magazine *magazine = clpac__alloc_zero(sizeof *magazine);
	if (!magazine)
		return NULL;
	magazine->blocks = (clpac__stacks){
		.classes = clpac__alloc_array(clpac__size_class_count(pool->classes_per_octave), sizeof(clpac__stack)),
		.first = CLPAC__STACKS_END,
	};
	if (!magazine->blocks.classes) {
		clpac__free(magazine);
		return NULL;
	}
	if (clpac__process_barrier_is_there())
		magazine->lock.owner = own_number();
	return magazine;
}

static void destroy(clpac__magazine *magazine)
{
	FREE_ALL(magazine->blocks.classes, magazine);
}

clpac__magazine *clpac__magazine_make(clpac_pool *pool, unsigned place)
{
	clpac__magazine *made = make(pool), *other = NULL;
	if (!made)
		return NULL;
	clpac__latch_take(&pool->magazines.making);
	const bool is_first = atomic_compare_exchange_strong_explicit(&pool->magazines.magazines[place], &other, made,
								      memory_order_acq_rel, memory_order_acquire);
	clpac__latch_leave(&pool->magazines.making);
	if (!is_first) {
		destroy(made);
		return other;
	}
	if (atomic_fetch_add_explicit(&pool->magazines.n, 1, memory_order_relaxed) == 1) {
		/* The only magazine so far has published nothing. */
		clpac__tally sum;
		uint64_t hits, cached_bytes;
		size_t n_cached;
		clpac__magazines_sum(pool, &sum, &hits, &n_cached, &cached_bytes);
	}
	return made;
}

void clpac__magazines_destroy(clpac__magazines *magazines)
{
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&magazines->magazines[i], memory_order_relaxed);
		if (magazine)
			destroy(magazine);
	}
}

static void raise_plainly(int64_t *peak, int64_t value)
{
	if (*peak < value)
		*peak = value;
}

int64_t clpac__magazines_in_use(clpac_pool *pool)
{
	int64_t in_use = atomic_load(&pool->magazines.in_use_bytes);
	if (atomic_load_explicit(&pool->magazines.n, memory_order_relaxed) != 1)
		return in_use;
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		const bool is_without = clpac__magazine_enter(magazine);
		in_use = magazine->tally.in_use_bytes;
		clpac__magazine_exit(magazine, is_without);
		break;
	}
	return in_use;
}

void clpac__magazines_sum(clpac_pool *pool, clpac__tally *sum, uint64_t *hits, size_t *n_cached, uint64_t *cached_bytes)
{
	*sum = (clpac__tally){0};
	*hits = 0;
	*n_cached = 0;
	*cached_bytes = 0;
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		clpac__magazine_publish(&pool->magazines, magazine);
		sum->in_use_bytes += magazine->tally.in_use_bytes;
		sum->requested_bytes += magazine->tally.requested_bytes;
		sum->active_buffers += magazine->tally.active_buffers;
		sum->host_bytes += magazine->tally.host_bytes;
		sum->host_buffers += magazine->tally.host_buffers;
		*hits += magazine->hits;
		*n_cached += magazine->blocks.count;
		*cached_bytes += magazine->blocks.bytes;
		clpac__biased_latch_leave(&magazine->lock);
	}
}

uint64_t clpac__magazines_releases(clpac_pool *pool)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		n += magazine->n_releases;
		clpac__biased_latch_leave(&magazine->lock);
	}
	return n;
}

void clpac__magazines_stop(clpac_pool *pool)
{
	clpac__latch_take(&pool->magazines.making);
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (magazine)
			clpac__biased_latch_take(&magazine->lock, own_number());
	}
}

void clpac__magazines_go_on(clpac_pool *pool)
{
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (magazine)
			clpac__biased_latch_leave(&magazine->lock);
	}
	clpac__latch_leave(&pool->magazines.making);
}

bool clpac__magazines_are_idle(clpac_pool *pool)
{
	int64_t active_buffers = 0;
	size_t n_busy = 0;
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		active_buffers += magazine->tally.active_buffers;
		n_busy += magazine->n_busy;
		clpac__biased_latch_leave(&magazine->lock);
	}
	return !active_buffers && !n_busy;
}

clpac__peaks clpac__magazines_peaks(clpac_pool *pool)
{
	clpac__magazines *magazines = &pool->magazines;
	clpac__peaks peaks = {atomic_load(&magazines->peak_in_use_bytes), atomic_load(&magazines->peak_requested_bytes),
			      atomic_load(&magazines->peak_pooled_bytes)};
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&magazines->magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		raise_plainly(&peaks.in_use_bytes, magazine->peak_in_use_bytes);
		raise_plainly(&peaks.requested_bytes, magazine->peak_requested_bytes);
		raise_plainly(&peaks.pooled_bytes, magazine->peak_pooled_bytes);
		clpac__biased_latch_leave(&magazine->lock);
	}
	return peaks;
}

void clpac__magazines_reset_peaks(clpac_pool *pool)
{
	clpac__magazines *magazines = &pool->magazines;
	clpac__tally sum;
	uint64_t hits, cached_bytes;
	size_t n_cached;
	clpac__magazines_sum(pool, &sum, &hits, &n_cached, &cached_bytes);
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&magazines->magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		magazine->peak_in_use_bytes = magazine->peak_requested_bytes = magazine->peak_pooled_bytes = 0;
		clpac__biased_latch_leave(&magazine->lock);
	}
	atomic_store(&magazines->peak_in_use_bytes, sum.in_use_bytes);
	atomic_store(&magazines->peak_requested_bytes, sum.requested_bytes);
	atomic_store(&magazines->peak_pooled_bytes,
		     (int64_t)atomic_load(&magazines->allocated_bytes) - sum.in_use_bytes);
}

clpac_buffer *clpac__magazines_take(clpac_pool *pool, unsigned class_index, const clpac__pool_queue *home)
{
	clpac_buffer *buffer = NULL;
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES && !buffer; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		buffer = clpac__stacks_take(&magazine->blocks, class_index, home);
		clpac__biased_latch_leave(&magazine->lock);
	}
	return buffer;
}

void clpac__magazines_empty(clpac_pool *pool, clpac__free_list *into)
{
	for (unsigned i = 0; i < CLPAC__MAX_MAGAZINES; i++) {
		clpac__magazine *magazine = atomic_load_explicit(&pool->magazines.magazines[i], memory_order_acquire);
		if (!magazine)
			continue;
		clpac__biased_latch_take(&magazine->lock, own_number());
		clpac_buffer *chain = stacks_empty(&magazine->blocks);
		while (chain) {
			clpac_buffer *buffer = chain;
			chain = buffer->below;
			clpac__free_list_put(into, buffer);
		}
		clpac__biased_latch_leave(&magazine->lock);
	}
}
