/* Budgets for several pools. */
#include "memory/pool/blocks/ledger.h"

#include <pthread.h>
#include <stdatomic.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "memory/pool/pool.h"

struct clpac_limit {
	unsigned process; /* that made it (base/process.h) */
	_Atomic uint64_t bytes;
	clpac_limit *parent; /* held; NULL: this is the root */
	clpac_limit *root;
	_Atomic uint64_t taken;
	atomic_size_t n_holders; /* the caller, until it is destroyed, each pool, and each limit below */

	/* Used in the root alone. */
	atomic_bool has_news;
	pthread_mutex_t lock; /* guards the list of members */
	clpac__member *first;
};

clpac_status clpac_limit_create_under(clpac_limit *parent, uint64_t bytes, clpac_limit **out, clpac_error *err)
{
	NEED(out);
	clpac_limit *limit = NULL;
	if (parent)
		NEED_OF_HERE(parent->process, "parent");
	if (!bytes)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a shared limit of 0 bytes: give at least 1");
	RETURN_IF_ERROR(NEW(limit));
	atomic_init(&limit->bytes, bytes);
	limit->process = clpac__process;
	limit->parent = clpac__limit_hold(parent);
	limit->root = parent ? parent->root : limit;
	atomic_init(&limit->n_holders, 1);
	pthread_mutex_init(&limit->lock, NULL); /* cannot fail with default attributes */
	*out = limit;
	return CLPAC_OK;
}

clpac_status clpac_limit_create(uint64_t bytes, clpac_limit **out, clpac_error *err)
{
	NEED(out);
	return clpac_limit_create_under(NULL, bytes, out, err);
}

void clpac_limit_destroy(clpac_limit *limit)
{
	if (!limit || clpac__is_foreign(limit->process))
		return;
	while (limit && atomic_fetch_sub(&limit->n_holders, 1) == 1) {
		clpac_limit *parent = limit->parent;
		pthread_mutex_destroy(&limit->lock);
		clpac__free(limit);
		limit = parent;
	}
}

clpac_limit *clpac__limit_hold(clpac_limit *limit)
{
	if (limit)
		atomic_fetch_add(&limit->n_holders, 1);
	return limit;
}

bool clpac__limit_is_foreign(const clpac_limit *limit)
{
	return limit && clpac__is_foreign(limit->process);
}

clpac_limit *clpac__limit_of_host(void)
{
	static clpac_limit limit = {
		.bytes = UINT64_MAX, .root = &limit, .n_holders = 1, .lock = PTHREAD_MUTEX_INITIALIZER};
	static clpac__renewal renewal;
	if (clpac__renewal_begin(&renewal)) { /* what the parent's pools took is theirs */
		limit.process = clpac__process;
		atomic_store(&limit.bytes, UINT64_MAX);
		atomic_store(&limit.taken, 0);
		atomic_store(&limit.has_news, false);
		pthread_mutex_init(&limit.lock, NULL);
		limit.first = NULL;
		clpac__renewal_end(&renewal, true);
	}
	return &limit;
}

/* --- Bytes ----------------------------------------------------------------------------------- */

uint64_t clpac_limit_taken(const clpac_limit *limit)
{
	return limit ? atomic_load(&limit->taken) : 0;
}

void clpac__limit_resize(clpac_limit *limit, uint64_t bytes)
{
	atomic_store(&limit->bytes, bytes);
}

uint64_t clpac__limit_bytes(const clpac_limit *limit)
{
	return atomic_load(&limit->bytes);
}

uint64_t clpac__limit_room_here(const clpac_limit *limit)
{
	return limit->bytes - atomic_load(&limit->taken);
}

uint64_t clpac__limit_room(const clpac_limit *limit)
{
	uint64_t least = UINT64_MAX;
	for (; limit; limit = limit->parent)
		least = clpac__limit_room_here(limit) < least ? clpac__limit_room_here(limit) : least;
	return least;
}

const clpac_limit *clpac__limit_parent(const clpac_limit *limit)
{
	return limit->parent;
}

const clpac_limit *clpac__limit_root(const clpac_limit *limit)
{
	return limit->root;
}

const clpac_limit *clpac__limit_tightest(const clpac_limit *limit, uint64_t bytes)
{
	while (limit && clpac__limit_room_here(limit) >= bytes)
		limit = limit->parent;
	return limit;
}

/* The zone between two shares at which levels of pressure are entered or left: inside it nothing changes for any pool.
 */
static unsigned zone_of(const clpac_limit *limit, uint64_t taken)
{
	static const double bounds[] = {0.55, 0.60, 0.75, 0.80, 0.90, 0.95};
	unsigned zone = 0;
	while (zone < sizeof bounds / sizeof *bounds && (double)taken >= bounds[zone] * (double)limit->bytes)
		zone++;
	return zone;
}

static void note_change(clpac_limit *limit, uint64_t from, uint64_t to)
{
	if (zone_of(limit, from) != zone_of(limit, to))
		atomic_store(&limit->root->has_news, true);
}

static bool take_here(clpac_limit *limit, uint64_t bytes)
{
	uint64_t taken = atomic_load(&limit->taken);
	do {
		if (bytes > limit->bytes - taken)
			return false;
	} while (!atomic_compare_exchange_weak(&limit->taken, &taken, taken + bytes));
	note_change(limit, taken, taken + bytes);
	return true;
}

static void give_here(clpac_limit *limit, uint64_t bytes)
{
	const uint64_t taken = atomic_fetch_sub(&limit->taken, bytes);
	note_change(limit, taken, taken - bytes);
}

bool clpac__limit_take(clpac_limit *limit, uint64_t bytes)
{
	for (clpac_limit *here = limit; here; here = here->parent) {
		if (take_here(here, bytes))
			continue;
		for (clpac_limit *below = limit; below != here; below = below->parent)
			give_here(below, bytes);
		return false;
	}
	return true;
}

void clpac__limit_give(clpac_limit *limit, uint64_t bytes)
{
	for (; limit; limit = limit->parent)
		give_here(limit, bytes);
}

double clpac__limit_part(const clpac_limit *limit)
{
	double fullest = 0;
	for (; limit; limit = limit->parent) {
		const double part = (double)atomic_load(&limit->taken) / (double)limit->bytes;
		fullest = part > fullest ? part : fullest;
	}
	return fullest;
}

uint64_t clpac__limit_excess(const clpac_limit *limit, double part)
{
	uint64_t most = 0;
	for (; limit; limit = limit->parent) {
		const uint64_t taken = atomic_load(&limit->taken), target = (uint64_t)(part * (double)limit->bytes);
		if (taken >= target && taken - target + 1 > most)
			most = taken - target + 1;
	}
	return most;
}

int64_t clpac__limit_reach(const clpac_limit *limit, uint64_t own, double part)
{
	int64_t least = INT64_MAX;
	for (; limit; limit = limit->parent) {
		const int64_t reached =
			(int64_t)(part * (double)limit->bytes) - (int64_t)(atomic_load(&limit->taken) - own);
		least = reached < least ? reached : least;
	}
	return least;
}

/* --- Members --------------------------------------------------------------------------------- */

void clpac__limit_join(clpac_limit *limit, clpac__member *member)
{
	if (!limit)
		return;
	pthread_mutex_lock(&limit->root->lock);
	member->limit = limit;
	member->previous = NULL;
	member->next = limit->root->first;
	if (member->next)
		member->next->previous = member;
	limit->root->first = member;
	pthread_mutex_unlock(&limit->root->lock);
}

void clpac__limit_leave(clpac__member *member)
{
	if (!member->limit)
		return;
	clpac_limit *root = member->limit->root;
	pthread_mutex_lock(&root->lock);
	*(member->previous ? &member->previous->next : &root->first) = member->next;
	if (member->next)
		member->next->previous = member->previous;
	member->limit = NULL;
	pthread_mutex_unlock(&root->lock);
}

static bool is_at_or_below(const clpac_limit *limit, const clpac_limit *above)
{
	while (limit && limit != above)
		limit = limit->parent;
	return limit;
}

unsigned clpac__limit_siblings(const clpac_limit *limit, const clpac_pool *pool, clpac_pool **out)
{
	unsigned n = 0;
	pthread_mutex_lock(&limit->root->lock);
	for (const clpac__member *member = limit->root->first; member && n < CLPAC__MOST_SIBLINGS;
	     member = member->next)
		if (member->pool != pool && is_at_or_below(member->limit, limit) && clpac__pool_try_hold(member->pool))
			out[n++] = member->pool;
	pthread_mutex_unlock(&limit->root->lock);
	return n;
}

void clpac__siblings_let_go(clpac_pool *const *pools, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		clpac__pool_let_go(pools[i]);
}

bool clpac__limit_has_news(const clpac_limit *limit)
{
	return limit && atomic_load_explicit(&limit->root->has_news, memory_order_relaxed);
}

bool clpac__limit_take_news(clpac_limit *limit)
{
	return clpac__limit_has_news(limit) && atomic_exchange(&limit->root->has_news, false);
}
