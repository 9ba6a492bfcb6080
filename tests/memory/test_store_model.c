/* Random work on a store against a plain shadow of it: which keys exist, where, with which content, and in which order
 * they were evicted.  Everything the shadow says holds after every step. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "store_truth.h"

enum { N_KEYS = 40, N_OPERATIONS = 20000, MAX_BYTES = 300 };

struct shadow {
	bool is_there;
	size_t bytes;
	int which;		 /* pattern */
	unsigned long long used; /* time of the last use */
	unsigned n_pins, n_held;
	clpac_store_place place;
	clpac_entry *held[4];
};

struct model {
	unsigned long long seed, state;
	unsigned n_operations;
	clpac_store *store;
	clpac_pool *pool;
	simulated_device device;
	clpac_store_options options;
	struct shadow keys[N_KEYS];
	unsigned long long clock, n_evictions, n_to_host, n_to_file, n_restores, n_hits, n_misses;
	int last_pattern;
};

#define CHECK(condition) assert_in_model(condition, m->seed, m->n_operations)

static const char *name_of(size_t i)
{
	static char name[32];
	snprintf(name, sizeof name, "%s/%zu", i % 2 ? "odd" : "even", i);
	return name;
}

static uint64_t limit_of(const struct model *m, clpac_store_place place)
{
	uint64_t limits[] = {m->options.device_bytes, m->options.host_bytes, m->options.file_bytes};
	return limits[place];
}

static uint64_t taken(const struct model *m, clpac_store_place place)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < N_KEYS; i++)
		bytes += m->keys[i].is_there && m->keys[i].place == place ? m->keys[i].bytes : 0;
	return bytes;
}

static size_t count(const struct model *m)
{
	size_t n = 0;
	for (size_t i = 0; i < N_KEYS; i++)
		n += m->keys[i].is_there;
	return n;
}

static struct shadow *oldest(struct model *m, bool is_anywhere, clpac_store_place place)
{
	struct shadow *found = NULL;
	for (size_t i = 0; i < N_KEYS; i++) {
		struct shadow *key = &m->keys[i];
		if (key->is_there && !key->n_held && !key->n_pins && (is_anywhere || key->place == place) &&
		    (!found || key->used < found->used))
			found = key;
	}
	return found;
}

/* Predicts making room.  False: there is none. */
static bool make_room(struct model *m, clpac_store_place place, size_t bytes)
{
	if (bytes > limit_of(m, place))
		return false;
	while (taken(m, place) + bytes > limit_of(m, place)) {
		struct shadow *victim = oldest(m, false, place);
		if (!victim)
			return false;
		clpac_store_place below = place;
		bool has_target = false;
		while (!has_target && ++below < CLPAC_STORE_PLACES)
			has_target = make_room(m, below, victim->bytes);
		if (has_target) {
			victim->place = below;
			*(below == CLPAC_ON_HOST ? &m->n_to_host : &m->n_to_file) += 1;
		} else {
			victim->is_there = false;
			m->n_evictions++;
		}
	}
	return true;
}

static bool make_place(struct model *m)
{
	while (count(m) >= m->options.max_entries) {
		struct shadow *victim = oldest(m, true, CLPAC_ON_DEVICE);
		if (!victim)
			return false;
		victim->is_there = false;
		m->n_evictions++;
	}
	return true;
}

static void put(struct model *m, size_t i, clpac_put mode)
{
	struct shadow *key = &m->keys[i];
	if (key->is_there && key->n_held)
		return; /* the shadow does not follow removed entries that are still held */
	size_t bytes = 1 + random_below(&m->state, MAX_BYTES);
	int which = ++m->last_pattern;
	clpac_buffer *buffer = take_pattern(m->pool, bytes, which);
	clpac_status st = clpac_store_put(m->store, name_of(i), buffer, NULL, mode, NULL);
	if (key->is_there && mode == CLPAC_PUT_FAIL) {
		CHECK(st == CLPAC_ERROR_ARGUMENT);
		clpac_buffer_release(buffer);
		return;
	}
	if (key->is_there && mode == CLPAC_PUT_KEEP) {
		CHECK(st == CLPAC_OK);
		return;
	}
	/* Room for the bytes first, beside the old entry, which may itself be evicted for them. */
	bool fits = make_room(m, CLPAC_ON_DEVICE, bytes) && (key->is_there || make_place(m));
	CHECK(st == (fits ? CLPAC_OK : CLPAC_ERROR_NO_DEVICE_MEMORY));
	if (!fits) {
		clpac_buffer_release(buffer);
		return;
	}
	*key = (struct shadow){
		.is_there = true, .bytes = bytes, .which = which, .used = ++m->clock, .place = CLPAC_ON_DEVICE};
}

static void acquire(struct model *m, size_t i)
{
	struct shadow *key = &m->keys[i];
	clpac_entry *entry = NULL;
	if (key->n_held == COUNT(key->held))
		return;
	clpac_status st = clpac_store_acquire(m->store, name_of(i), &entry, NULL);
	if (!key->is_there) {
		CHECK(st == CLPAC_ERROR_ARGUMENT);
		m->n_misses++;
		return;
	}
	bool was_away = key->place != CLPAC_ON_DEVICE;
	key->used = ++m->clock;
	key->n_held++; /* held: not evicted to make room for itself */
	bool fits = !was_away || make_room(m, CLPAC_ON_DEVICE, key->bytes);
	key->n_held--;
	CHECK(st == (fits ? CLPAC_OK : CLPAC_ERROR_NO_DEVICE_MEMORY));
	if (!fits)
		return;
	m->n_hits++;
	m->n_restores += was_away;
	key->place = CLPAC_ON_DEVICE;
	key->held[key->n_held++] = entry;
	check_buffer(clpac_entry_buffer(entry), key->bytes, key->which);
}

static void release(struct shadow *key)
{
	if (key->n_held)
		clpac_entry_release(key->held[--key->n_held]);
}

static void read_some(struct model *m, size_t i)
{
	struct shadow *key = &m->keys[i];
	unsigned char found[MAX_BYTES], expected[MAX_BYTES];
	size_t offset = key->is_there ? random_below(&m->state, key->bytes) : 0;
	size_t bytes = key->is_there ? key->bytes - offset : 1;
	clpac_status st = clpac_store_get(m->store, name_of(i), offset, bytes, found, NULL);
	CHECK(st == (key->is_there ? CLPAC_OK : CLPAC_ERROR_ARGUMENT));
	*(key->is_there ? &m->n_hits : &m->n_misses) += 1;
	if (!key->is_there)
		return;
	key->used = ++m->clock;
	make_pattern(expected, key->bytes, key->which);
	CHECK(memcmp(found, expected + offset, bytes) == 0);
}

static void delete (struct model *m, size_t i)
{
	struct shadow *key = &m->keys[i];
	if (key->n_held)
		return;
	CHECK(clpac_store_delete(m->store, name_of(i), NULL) == (key->is_there ? CLPAC_OK : CLPAC_ERROR_ARGUMENT));
	key->is_there = false;
}

static void pin(struct model *m, size_t i, bool is_more)
{
	struct shadow *key = &m->keys[i];
	clpac_status st = (is_more ? clpac_store_pin : clpac_store_unpin)(m->store, name_of(i), NULL);
	bool works = key->is_there && (is_more || key->n_pins);
	CHECK(st == (works ? CLPAC_OK : CLPAC_ERROR_ARGUMENT));
	if (works)
		key->n_pins += is_more ? 1 : -1u;
}

static void check_all(struct model *m)
{
	clpac_store_statistics now;
	size_t n_at[CLPAC_STORE_PLACES] = {0};
	clpac_store_measure(m->store, &now, sizeof now);
	for (size_t i = 0; i < N_KEYS; i++) {
		CHECK(clpac_store_exists(m->store, name_of(i)) == m->keys[i].is_there);
		n_at[m->keys[i].place] += m->keys[i].is_there;
	}
	CHECK(now.entries == count(m));
	CHECK(now.device_entries == n_at[CLPAC_ON_DEVICE]);
	CHECK(now.host_entries == n_at[CLPAC_ON_HOST]);
	CHECK(now.file_entries == n_at[CLPAC_IN_FILE]);
	CHECK(now.device_bytes == taken(m, CLPAC_ON_DEVICE));
	CHECK(now.host_bytes == taken(m, CLPAC_ON_HOST));
	CHECK(now.file_bytes == taken(m, CLPAC_IN_FILE));
	CHECK(now.evictions == m->n_evictions);
	CHECK(now.spills_to_host == m->n_to_host);
	CHECK(now.spills_to_file == m->n_to_file);
	CHECK(now.restores == m->n_restores);
	CHECK(now.hits == m->n_hits);
	CHECK(now.misses == m->n_misses);
	CHECK(now.spill_failures == 0);
	CHECK(now.bad_releases == 0);
}

static void one_operation(struct model *m)
{
	unsigned choice = (unsigned)random_below(&m->state, 100);
	size_t i = random_below(&m->state, N_KEYS);
	if (choice < 30)
		put(m, i, (clpac_put)random_below(&m->state, 3));
	else if (choice < 55)
		acquire(m, i);
	else if (choice < 80)
		release(&m->keys[i]);
	else if (choice < 90)
		read_some(m, i);
	else if (choice < 93)
		delete (m, i);
	else if (choice < 95)
		pin(m, i, true);
	else
		pin(m, i, false);
	check_all(m);
}

static void run_model(unsigned long long seed, const clpac_store_options *options)
{
	char folder[] = "/tmp/clpac-test-XXXXXX";
	struct model *m = calloc(1, sizeof *m);
	clpac_error err;
	m->seed = m->state = seed;
	m->options = *options;
	if (options->file_bytes) {
		ck_assert_ptr_nonnull(mkdtemp(folder));
		m->options.folder = folder;
	}
	m->pool = open_pool(&m->device, 1 << 20, NULL);
	assert_works(clpac_store_create(m->pool, &m->options, &m->store, &err), err);
	for (; m->n_operations < N_OPERATIONS; m->n_operations++)
		one_operation(m);
	CHECK(m->n_evictions > N_OPERATIONS / 200);
	CHECK(!options->host_bytes || m->n_to_host > N_OPERATIONS / 200);
	CHECK(!options->file_bytes || m->n_to_file > N_OPERATIONS / 200);
	for (size_t i = 0; i < N_KEYS; i++)
		while (m->keys[i].n_held)
			release(&m->keys[i]);
	end_store(m->store, m->pool, &m->device);
	if (options->file_bytes)
		ck_assert_int_eq(rmdir(folder), 0);
	free(m);
}

SECONDS(60);

TEST(a_store_on_the_device_does_what_the_model_says)
{
	run_model(1, &(clpac_store_options){.device_bytes = 2500, .max_entries = 1000});
	run_model(2, &(clpac_store_options){.device_bytes = 100000, .max_entries = 12});
}

TEST(a_store_with_a_host_does_what_the_model_says)
{
	run_model(11, &(clpac_store_options){.device_bytes = 1500, .host_bytes = 1000, .max_entries = 20});
}

TEST(a_store_with_files_does_what_the_model_says)
{
	run_model(21, &(clpac_store_options){
			      .device_bytes = 1200, .host_bytes = 800, .file_bytes = 900, .max_entries = 30});
	run_model(22, &(clpac_store_options){.device_bytes = 1200, .file_bytes = 900, .max_entries = 30});
}
