/* S12: buffers by name, from the library's store and from a hash table with a mutex. */
#include "bench/pool_bench.h"

#include <clpac/memory/store.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { N_KEYS = 10000, N_ROUNDS = 1000000, KEY_SIZE = 48 };

struct keys {
	char (*texts)[KEY_SIZE];
	uint32_t *order; /* N_ROUNDS of them */
	size_t n_rounds;
};

/* The plainest table: chains, FNV-1a, a reference count under the one mutex. */
enum { N_CHAINS = 16384 };

typedef struct named {
	struct named *next;
	const char *key;
	void *held;
	size_t n_references;
} named;

typedef struct table {
	const struct keys *keys;
	pthread_mutex_t lock;
	named *chains[N_CHAINS], *all;
} table;

static size_t chain_of(const char *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return hash % N_CHAINS;
}

static named *table_acquire(table *t, const char *key)
{
	const size_t chain = chain_of(key);
	pthread_mutex_lock(&t->lock);
	named *one = t->chains[chain];
	while (one && strcmp(one->key, key) != 0)
		one = one->next;
	if (one)
		one->n_references++;
	pthread_mutex_unlock(&t->lock);
	return one;
}

static void table_release(table *t, named *one)
{
	pthread_mutex_lock(&t->lock);
	one->n_references--;
	pthread_mutex_unlock(&t->lock);
}

static double play_table(void *user)
{
	table *t = user;
	const double begin = clpac__clock_seconds();
	for (size_t i = 0; i < t->keys->n_rounds; i++) {
		named *one = table_acquire(t, t->keys->texts[t->keys->order[i]]);
		if (!one)
			end("the table lost a key");
		table_release(t, one);
	}
	return (clpac__clock_seconds() - begin) / (double)t->keys->n_rounds;
}

typedef struct stored {
	const struct keys *keys;
	clpac_store *store;
} stored;

static double play_store(void *user)
{
	const stored *s = user;
	clpac_error err;
	const double begin = clpac__clock_seconds();
	for (size_t i = 0; i < s->keys->n_rounds; i++) {
		clpac_entry *entry;
		end_if(clpac_store_acquire(s->store, s->keys->texts[s->keys->order[i]], &entry, &err), &err);
		clpac_entry_release(entry);
	}
	return (clpac__clock_seconds() - begin) / (double)s->keys->n_rounds;
}

/* Several threads run the same pass at once. */
typedef struct crowd {
	variant *play;
	void *user;
	size_t n_threads;
	pthread_barrier_t begin;
} crowd;

static void *join_crowd(void *user)
{
	crowd *c = user;
	pthread_barrier_wait(&c->begin);
	c->play(c->user);
	return NULL;
}

static double play_crowd(void *user)
{
	crowd *c = user;
	pthread_t threads[4];
	if (c->n_threads == 1)
		return c->play(c->user);
	pthread_barrier_init(&c->begin, NULL, (unsigned)c->n_threads + 1);
	for (size_t i = 0; i < c->n_threads; i++)
		if (pthread_create(&threads[i], NULL, join_crowd, c) != 0)
			end("no thread");
	pthread_barrier_wait(&c->begin);
	const double begin = clpac__clock_seconds();
	for (size_t i = 0; i < c->n_threads; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&c->begin);
	return clpac__clock_seconds() - begin;
}

void scenario_store(const bench *b)
{
	static const struct {
		const char *what;
		size_t n_threads;
	} kinds[] = {{"store, 10000 keys", 1}, {"store, 10000 keys, 2 threads", 2}};
	clpac_error err;
	const char *baseline = "mutex and hash table";
	if (!is_wanted(b, "S12", kinds[0].what, L0, baseline) && !is_wanted(b, "S12", kinds[1].what, L0, baseline))
		return;
	uint64_t seed = 12;
	struct keys made = {get_memory(N_KEYS, KEY_SIZE), get_memory(N_ROUNDS, sizeof *made.order),
			    b->is_quick ? N_ROUNDS / 10 : N_ROUNDS};
	table *theirs = get_memory(1, sizeof *theirs);
	stored ours = {&made, NULL};
	clpac_pool *pool = clpac_context_pool(b->context);

	theirs->keys = &made;
	theirs->all = get_memory(N_KEYS, sizeof *theirs->all);
	pthread_mutex_init(&theirs->lock, NULL);
	end_if(clpac_store_create(pool, NULL, &ours.store, &err), &err);
	for (size_t i = 0; i < N_ROUNDS; i++)
		made.order[i] = (uint32_t)(next_random(&seed) % N_KEYS);
	for (size_t i = 0; i < N_KEYS; i++) {
		clpac_buffer *buffer;
		snprintf(made.texts[i], KEY_SIZE, "recording/subject-%02zu/channel-%zu", i / 100, i);
		named *one = &theirs->all[i];
		named **chain = &theirs->chains[chain_of(made.texts[i])];
		*one = (named){*chain, made.texts[i], one, 0};
		*chain = one;
		end_if(clpac_pool_allocate(pool, 256, "bench", &buffer, &err), &err);
		end_if(clpac_store_put(ours.store, made.texts[i], buffer, NULL, CLPAC_PUT_FAIL, &err), &err);
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		line l = line_make("S12", kinds[k].what, L0, baseline);
		crowd table_crowd = {.play = play_table, .user = theirs, .n_threads = kinds[k].n_threads};
		crowd store_crowd = {.play = play_store, .user = &ours, .n_threads = kinds[k].n_threads};
		if (!is_wanted(b, l.id, l.what, l.level, l.baseline))
			continue;
		play_crowd(&table_crowd);
		play_crowd(&store_crowd);
		take_turns(b, play_crowd, &table_crowd, play_crowd, &store_crowd, &l);
		if (kinds[k].n_threads > 1) {
			/* Only whole passes were timed. */
			const double n = (double)(made.n_rounds * kinds[k].n_threads);
			l.baseline_ns /= n;
			l.ours_ns /= n;
		}
		l.found = l.ratio;
		l.wanted = 1.5;
		line_print(b, &l);
	}
	clpac_store_destroy(ours.store);
	pthread_mutex_destroy(&theirs->lock);
	free(theirs->all);
	free(theirs);
	free(made.order);
	free(made.texts);
}
