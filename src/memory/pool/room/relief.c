/* Relief: functions of the application, and reclaimers, that release memory on request. */
#include "memory/pool/room/room.h"

#include "base/memory.h"

static clpac_status add_relief(clpac_pool *pool, const clpac__relief *added, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__relief *place = NULL;
	unsigned n = 0;
	pthread_mutex_lock(&pool->lock);
	if (added->step != CLPAC_LADDER_EVICT && added->step != CLPAC_LADDER_CALLBACK)
		FAIL(CLPAC_ERROR_ARGUMENT, "relief: step \"%s\" asks nobody; give evict or callback",
		     clpac_ladder_text(added->step));
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++) {
		clpac__relief *relief = &pool->reliefs[i];
		n += relief->function && relief->step == added->step;
		if (!relief->function && !place)
			place = relief;
	}
	if (n == CLPAC__MAX_LISTENERS)
		FAIL(CLPAC_ERROR_ARGUMENT, "relief: the pool has %u functions for step \"%s\" already", n,
		     clpac_ladder_text(added->step));
	*place = *added;
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

clpac_status clpac_pool_add_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function,
				   void *user, clpac_error *err)
{
	NEED(pool, function);
	NEED_HERE(pool);
	return add_relief(pool, &(clpac__relief){step, function, user, NULL}, err);
}

clpac_status clpac__pool_add_reclaimer(clpac_pool *pool, const clpac__reclaimer *reclaimer,
				       clpac_relief_function *relief, void *user, clpac_error *err)
{
	return add_relief(pool, &(clpac__relief){CLPAC_LADDER_EVICT, relief, user, reclaimer}, err);
}

void clpac_pool_remove_relief(clpac_pool *pool, clpac_ladder_step step, clpac_relief_function *function, void *user)
{
	if (!clpac__pool_is_here(pool))
		return;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++)
		if (pool->reliefs[i].step == step && pool->reliefs[i].function == function &&
		    pool->reliefs[i].user == user)
			pool->reliefs[i] = (clpac__relief){0};
	pthread_mutex_unlock(&pool->lock);
}

/* The pool that this thread is asking for relief: a function that allocates meanwhile must not be asked again. */
static _Thread_local const clpac_pool *asking;

/* Copies what is registered for a step, holding the reclaimers among them. */
static unsigned copy_reliefs(clpac_pool *pool, clpac_ladder_step step, clpac__relief *out)
{
	unsigned n = 0;
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < 2 * CLPAC__MAX_LISTENERS; i++)
		if (pool->reliefs[i].function && pool->reliefs[i].step == step) {
			out[n] = pool->reliefs[i];
			if (out[n].reclaimer)
				out[n].reclaimer->hold(out[n].user);
			n++;
		}
	pthread_mutex_unlock(&pool->lock);
	return n;
}

static void let_go(const clpac__relief *reliefs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (reliefs[i].reclaimer)
			reliefs[i].reclaimer->let_go(reliefs[i].user);
}

uint64_t clpac__pool_ask_relief(clpac_pool *pool, clpac_ladder_step step, uint64_t bytes, bool with_reclaimers)
{
	clpac__relief reliefs[2 * CLPAC__MAX_LISTENERS];
	uint64_t released = 0;
	if (asking == pool)
		return 0;
	const unsigned n = copy_reliefs(pool, step, reliefs);
	const clpac_pool *outer = asking;
	asking = pool;
	for (unsigned i = 0; i < n && released < bytes; i++)
		if (with_reclaimers || !reliefs[i].reclaimer)
			released += reliefs[i].function(reliefs[i].user, pool, bytes - released);
	asking = outer;
	let_go(reliefs, n);
	return released;
}

void clpac__offers_add(clpac__offers *offers, const clpac_buffer *buffer, void *entry, uint64_t hash, uint64_t age)
{
	if (buffer->is_on_host)
		return;
	pthread_mutex_lock(&buffer->pool->lock); /* another thread may be moving it */
	const clpac__segment *segment = buffer->segment;
	const clpac_piece piece = clpac__buffer_piece(buffer);
	pthread_mutex_unlock(&buffer->pool->lock);
	if (offers->n == offers->room) {
		const size_t room = offers->room ? 2 * offers->room : 64;
		clpac__offer *all = clpac__realloc_array(offers->all, room, sizeof *all);
		if (!all) {
			offers->is_short = true;
			return;
		}
		offers->all = all;
		offers->room = room;
	}
	offers->all[offers->n++] = (clpac__offer){.entry = entry,
						  .hash = hash,
						  .buffer = buffer,
						  .segment = segment,
						  .offset = segment ? piece.offset : 0,
						  .units = segment ? piece.units : 0,
						  .class_bytes = buffer->class_bytes,
						  .age = age};
}

static void collect_offers(clpac_pool *pool, const clpac__relief *reliefs, unsigned n, bool oldest_only,
			   clpac__offers *offers)
{
	offers->n = 0;
	for (unsigned i = 0; i < n; i++) {
		const size_t first = offers->n;
		if (!reliefs[i].reclaimer)
			continue;
		reliefs[i].reclaimer->offer(reliefs[i].user, pool, oldest_only, offers);
		for (size_t k = first; k < offers->n; k++) {
			offers->all[k].reclaimer = reliefs[i].reclaimer;
			offers->all[k].user = reliefs[i].user;
		}
	}
}

bool clpac__pool_is_asking(void)
{
	return asking;
}

/* Others wait for its end (CLPAC_LADDER_WAIT). */
static void count_evicting(clpac_pool *pool, bool begins)
{
	pthread_mutex_lock(&pool->lock);
	pool->n_evicting += begins ? 1 : (size_t)-1;
	pthread_cond_broadcast(&pool->settled);
	pthread_mutex_unlock(&pool->lock);
}

static uint64_t evict_chosen(clpac_pool *pool, const clpac__offers *offers)
{
	uint64_t evicted = 0;
	count_evicting(pool, true);
	for (size_t i = 0; i < offers->n; i++)
		if (offers->all[i].is_chosen)
			evicted += offers->all[i].reclaimer->evict(offers->all[i].user, pool, &offers->all[i]);
	count_evicting(pool, false);
	return evicted;
}

/* Evicts the one that was used longest ago, if its block is of the need's class: where sizes are alike, nothing else
 * has to be looked at. */
static uint64_t evict_alike(clpac_pool *pool, const clpac__relief *reliefs, unsigned n, const clpac__room_need *need,
			    clpac__offers *offers, bool *has_chosen)
{
	clpac__offer *oldest = NULL;
	collect_offers(pool, reliefs, n, true, offers);
	for (size_t i = 0; i < offers->n; i++)
		if (!oldest || offers->all[i].age > oldest->age)
			oldest = &offers->all[i];
	if (!oldest || oldest->class_bytes != need->class_bytes)
		return 0;
	oldest->is_chosen = *has_chosen = true;
	return evict_chosen(pool, offers);
}

/* Evicts, of all that is offered, what serves the need. */
static uint64_t evict_best(clpac_pool *pool, const clpac__relief *reliefs, unsigned n, clpac__wanted wanted,
			   clpac__offers *offers, bool *has_chosen)
{
	collect_offers(pool, reliefs, n, false, offers);
	if (!offers->n || !clpac__offers_prepare(offers))
		return 0;
	pthread_mutex_lock(&pool->lock);
	const bool helps = clpac__victims_choose(&pool->segments, offers, wanted);
	pthread_mutex_unlock(&pool->lock);
	*has_chosen |= helps;
	return helps ? evict_chosen(pool, offers) : 0;
}

uint64_t clpac__pool_ask_reclaimers(clpac_pool *pool, const clpac__room_need *need, uint64_t lacking_bytes)
{
	enum { MOST_TRIES = 8 };
	clpac__relief reliefs[2 * CLPAC__MAX_LISTENERS];
	clpac__offers offers = {0};
	uint64_t evicted = 0;
	bool has_chosen = true;
	if (asking == pool)
		return 0;
	const unsigned n = copy_reliefs(pool, CLPAC_LADDER_EVICT, reliefs);
	const clpac_pool *outer = asking;
	asking = pool;
	/* Another thread may have evicted what was chosen just before. */
	for (int i = 0; i < MOST_TRIES && has_chosen && !evicted; i++) {
		has_chosen = false;
		evicted = evict_alike(pool, reliefs, n, need, &offers, &has_chosen);
		if (!evicted)
			evicted = evict_best(pool, reliefs, n, (clpac__wanted){need->class_bytes, lacking_bytes},
					     &offers, &has_chosen);
	}
	asking = outer;
	clpac__offers_free(&offers);
	let_go(reliefs, n);
	return evicted;
}
