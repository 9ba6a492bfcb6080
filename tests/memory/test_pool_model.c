/* Random work on a pool beside a shadow model that knows the rules: which request hits, which misses, which is refused,
 * which blocks are evicted and when, who is told of which pressure, the content of each buffer and every number of the
 * statistics.  Every block is whole; test_pool_parts.c does the same where blocks are parts of segments, as far as that
 * can be predicted.  A failure replays from the seed in its message. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/statistics.h>
#include "memory/pool/pool.h"
#include "pool_truth.h"
#include "random.h"
#include "assertions.h"

enum { MAX_LIVE = 64, MAX_CACHED = 4096, MAX_BYTES = 1 << 12, N_OPERATIONS = 25000 };

static size_t random_size(unsigned long long *state)
{
	/* Log-uniform sizes, so that small and large meet. */
	size_t most = (size_t)1 << random_bits(state) % 13;
	return 1 + (size_t)(random_bits(state) % most);
}

struct shadow {
	clpac_buffer *buffer;
	size_t bytes, class_bytes;
	unsigned char *content;
};

/* A cached block: in the magazine of the one thread, or in the depot. */
struct cached {
	size_t class_bytes;
	bool is_in_magazine;
	uint64_t stored; /* serial number of its move there */
};

struct edge {
	clpac_pressure from, to;
};

enum { MAX_EDGES = 64 }; /* of one operation */

struct levels {
	clpac_pressure now;
	struct edge edges[MAX_EDGES];
	size_t n;
};

struct model {
	unsigned long long seed, state;
	unsigned n_operations, kept;
	clpac_pool *pool;
	simulated_device device;
	uint64_t budget;
	struct shadow live[MAX_LIVE];
	size_t n_live;
	struct cached cached[MAX_CACHED]; /* the oldest first */
	size_t n_cached;
	uint64_t n_stored;
	struct levels held, pressure; /* of all memory on the device, and of what is in use */
	struct edge told[MAX_EDGES];
	size_t n_told;
	uint64_t in_use, requested, pooled, peak_in_use, peak_requested, peak_pooled;
	uint64_t hits, misses, refusals, trims, n_edges, last_id;
};

#define CHECK(condition) assert_in_model(condition, m->seed, m->n_operations)

static void raise_to(uint64_t *peak, uint64_t value)
{
	*peak = value > *peak ? value : *peak;
}

/* ---- The rules ------------------------------------------------------------------------------- */

/* These bytes changed: levels are entered and left one by one, and left 0.05 below. */
static void follow(struct model *m, struct levels *levels, uint64_t bytes)
{
	static const double enter[] = {0, 0.60, 0.80, 0.95, 2}, leave[] = {0, 0.55, 0.75, 0.90};
	const double part = (double)bytes / (double)m->budget;
	int way;
	while ((way = part >= enter[levels->now + 1] ? 1 : part < leave[levels->now] ? -1 : 0)) {
		const clpac_pressure to = (clpac_pressure)((int)levels->now + way);
		CHECK(levels->n < MAX_EDGES);
		levels->edges[levels->n++] = (struct edge){levels->now, to};
		levels->now = to;
	}
}

static void follow_held(struct model *m)
{
	follow(m, &m->held, m->in_use + m->pooled);
}

static unsigned kept_now(const struct model *m)
{
	return m->held.now < CLPAC_PRESSURE_HIGH ? m->kept : m->kept / 2 ? m->kept / 2 : 1;
}

static void uncache(struct model *m, size_t i)
{
	m->pooled -= m->cached[i].class_bytes;
	m->n_cached--;
	memmove(m->cached + i, m->cached + i + 1, (m->n_cached - i) * sizeof *m->cached);
}

/* The magazine's newest block; else the one that came last into the depot. */
static bool uncache_one_of(struct model *m, size_t class_bytes)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < m->n_cached; i++) {
		const struct cached *here = &m->cached[i], *there = best < SIZE_MAX ? &m->cached[best] : NULL;
		if (here->class_bytes != class_bytes)
			continue;
		if (!there || here->is_in_magazine > there->is_in_magazine ||
		    (here->is_in_magazine == there->is_in_magazine &&
		     (here->is_in_magazine || here->stored > there->stored)))
			best = i;
	}
	if (best < SIZE_MAX)
		uncache(m, best);
	return best < SIZE_MAX;
}

static void empty_magazine(struct model *m)
{
	for (size_t i = 0; i < m->n_cached; i++)
		if (m->cached[i].is_in_magazine) {
			m->cached[i].is_in_magazine = false;
			m->cached[i].stored = ++m->n_stored;
		}
}

/* Evicts the oldest blocks, all at once, until so many bytes are gone. */
static uint64_t evict(struct model *m, uint64_t bytes)
{
	const uint64_t before = m->pooled;
	empty_magazine(m);
	while (m->n_cached && before - m->pooled < bytes)
		uncache(m, 0);
	if (before != m->pooled)
		follow_held(m);
	return before - m->pooled;
}

/* After an operation: a pool that comes to hold much evicts cached memory, once per rising edge. */
static void relieve(struct model *m)
{
	for (size_t i = 0; i < m->held.n; i++) {
		const struct edge edge = m->held.edges[i];
		if (edge.to < edge.from || edge.to < CLPAC_PRESSURE_HIGH)
			continue;
		const double below = edge.to == CLPAC_PRESSURE_HIGH ? 0.75 : 0.90;
		const uint64_t target = (uint64_t)(below * (double)m->budget), allocated = m->in_use + m->pooled;
		if (allocated >= target)
			evict(m, allocated - target + 1);
	}
}

static void check_edges(struct model *m)
{
	CHECK(m->n_told == m->pressure.n);
	for (size_t i = 0; i < m->n_told; i++)
		CHECK(m->told[i].from == m->pressure.edges[i].from && m->told[i].to == m->pressure.edges[i].to);
	CHECK(clpac_pool_pressure(m->pool) == m->pressure.now);
	m->n_edges += m->n_told;
	m->n_told = m->pressure.n = m->held.n = 0;
}

static void expect_release(struct model *m, size_t bytes, size_t class_bytes)
{
	unsigned in_magazine = 0, in_depot = 0;
	m->in_use -= class_bytes;
	follow(m, &m->pressure, m->in_use);
	m->requested -= bytes;
	m->pooled += class_bytes;
	raise_to(&m->peak_pooled, m->pooled);
	for (size_t i = 0; i < m->n_cached; i++)
		if (m->cached[i].class_bytes == class_bytes)
			*(m->cached[i].is_in_magazine ? &in_magazine : &in_depot) += 1;
	const bool to_magazine = in_magazine < (kept_now(m) + 1) / 2;
	if (to_magazine || in_depot < kept_now(m) / 2) {
		CHECK(m->n_cached < MAX_CACHED);
		m->cached[m->n_cached++] = (struct cached){class_bytes, to_magazine, ++m->n_stored};
		return;
	}
	m->pooled -= class_bytes;
	follow_held(m);
}

/* Predicts an allocation: true when it succeeds. */
static bool expect_allocation(struct model *m, size_t bytes, size_t class_bytes)
{
	const bool is_hit = uncache_one_of(m, class_bytes);
	*(is_hit ? &m->hits : &m->misses) += 1;
	if (!is_hit && m->in_use + m->pooled + class_bytes > m->budget) {
		empty_magazine(m);
		if (m->in_use + class_bytes > m->budget) {
			m->refusals++;
			return false;
		}
		evict(m, m->in_use + m->pooled + class_bytes - m->budget);
		m->trims++;
	}
	m->in_use += class_bytes;
	follow(m, &m->pressure, m->in_use);
	m->requested += bytes;
	if (!is_hit)
		follow_held(m);
	raise_to(&m->peak_in_use, m->in_use);
	raise_to(&m->peak_requested, m->requested);
	relieve(m);
	return true;
}

/* ---- The operations -------------------------------------------------------------------------- */

static void allocate(struct model *m)
{
	size_t bytes = random_size(&m->state), class_bytes = clpac_pool_class(m->pool, bytes);
	if (m->n_live == MAX_LIVE)
		return;
	bool succeeds = expect_allocation(m, bytes, class_bytes);
	clpac_buffer *buffer = NULL;
	clpac_status st = clpac_pool_allocate(m->pool, bytes, "model", &buffer, NULL);
	CHECK(st == (succeeds ? CLPAC_OK : CLPAC_ERROR_NO_DEVICE_MEMORY));
	if (!succeeds)
		return;
	CHECK(clpac_buffer_id(buffer) > m->last_id);
	m->last_id = clpac_buffer_id(buffer);
	struct shadow *shadow = &m->live[m->n_live++];
	*shadow = (struct shadow){buffer, bytes, class_bytes, malloc(bytes)};
	unsigned long long pattern = m->last_id;
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t word = random_bits(&pattern);
		memcpy(shadow->content + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
	}
	CHECK(clpac_buffer_write(buffer, 0, bytes, shadow->content, NULL) == CLPAC_OK);
}

static void check_content(struct model *m, const struct shadow *shadow)
{
	static unsigned char found[MAX_BYTES];
	size_t offset = (size_t)(random_bits(&m->state) % shadow->bytes), bytes = shadow->bytes - offset;
	CHECK(clpac_buffer_read(shadow->buffer, offset, bytes, found, NULL) == CLPAC_OK);
	CHECK(memcmp(found, shadow->content + offset, bytes) == 0);
}

static void release(struct model *m, size_t i)
{
	struct shadow *shadow = &m->live[i];
	check_content(m, shadow);
	expect_release(m, shadow->bytes, shadow->class_bytes);
	clpac_buffer_release(shadow->buffer);
	free(shadow->content);
	*shadow = m->live[--m->n_live];
}

static void fill(struct model *m, struct shadow *shadow)
{
	size_t offset = (size_t)(random_bits(&m->state) % shadow->bytes);
	size_t bytes = (size_t)(random_bits(&m->state) % (shadow->bytes - offset + 1));
	uint8_t value = (uint8_t)random_bits(&m->state);
	CHECK(clpac_buffer_fill(shadow->buffer, offset, bytes, value, NULL) == CLPAC_OK);
	memset(shadow->content + offset, value, bytes);
}

static void copy(struct model *m, struct shadow *source, struct shadow *target)
{
	size_t most = source->bytes < target->bytes ? source->bytes : target->bytes;
	size_t bytes = (size_t)(random_bits(&m->state) % (most + 1));
	size_t from = (size_t)(random_bits(&m->state) % (source->bytes - bytes + 1));
	size_t to = (size_t)(random_bits(&m->state) % (target->bytes - bytes + 1));
	bool overlaps = source == target && bytes && (from < to ? to - from : from - to) < bytes;
	CHECK(clpac_buffer_copy(source->buffer, from, target->buffer, to, bytes, NULL) ==
	      (overlaps ? CLPAC_ERROR_ARGUMENT : CLPAC_OK));
	if (!overlaps)
		memmove(target->content + to, source->content + from, bytes);
}

static void trim(struct model *m)
{
	uint64_t target = random_bits(&m->state) % (m->pooled + 1), evicted = 0;
	empty_magazine(m);
	if (m->pooled > target)
		evicted = evict(m, m->pooled - target);
	CHECK(clpac_pool_trim(m->pool, target) == evicted);
}

static void check_statistics(struct model *m)
{
	clpac_pool_statistics now;
	clpac_pool_measure(m->pool, &now, sizeof now);
	CHECK(now.in_use_bytes == m->in_use);
	CHECK(now.requested_bytes == m->requested);
	CHECK(now.pooled_bytes == m->pooled);
	CHECK(now.active_buffers == m->n_live);
	CHECK(now.pooled_buffers == m->n_cached);
	CHECK(now.peak_in_use_bytes == m->peak_in_use);
	CHECK(now.peak_requested_bytes == m->peak_requested);
	CHECK(now.peak_pooled_bytes == m->peak_pooled);
	CHECK(now.hits == m->hits);
	CHECK(now.misses == m->misses);
	CHECK(now.refusals == m->refusals);
	CHECK(now.out_of_memory_events == m->refusals + m->trims);
	CHECK(now.retries == m->trims);
	CHECK(now.ladder[CLPAC_LADDER_TRIM] == m->trims);
	CHECK(now.pressure == m->pressure.now);
	CHECK(now.budget_bytes == m->budget);
	check_truth(m->pool, &m->device);
}

static void one_operation(struct model *m)
{
	unsigned choice = (unsigned)(random_bits(&m->state) % 100);
	size_t i = m->n_live ? (size_t)(random_bits(&m->state) % m->n_live) : 0;
	if (choice < 45)
		allocate(m);
	else if (!m->n_live || choice == 99)
		trim(m);
	else if (choice < 85)
		release(m, i);
	else if (choice < 90)
		fill(m, &m->live[i]);
	else if (choice < 95)
		copy(m, &m->live[i], &m->live[random_bits(&m->state) % m->n_live]);
	else
		check_content(m, &m->live[i]);
	check_edges(m);
	check_statistics(m);
}

static void note_edge(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	struct model *m = user;
	CHECK(pool == m->pool && m->n_told < MAX_EDGES);
	m->told[m->n_told++] = (struct edge){from, to};
}

/* Returns the number of changes of pressure. */
static uint64_t run_model(uint64_t seed, uint64_t budget, unsigned classes_per_octave, unsigned kept)
{
	struct model *m = calloc(1, sizeof *m);
	m->seed = m->state = seed;
	m->budget = budget;
	m->kept = kept;
	m->pool = open_pool(
		&m->device, budget,
		&(clpac_pool_options){.cache = {.classes_per_octave = classes_per_octave, .max_kept_per_class = kept}});
	CHECK(clpac_pool_watch(m->pool, note_edge, m, NULL) == CLPAC_OK);
	for (; m->n_operations < N_OPERATIONS; m->n_operations++)
		one_operation(m);
	CHECK(m->hits > N_OPERATIONS / 100);
	while (m->n_live) {
		release(m, m->n_live - 1);
		check_edges(m);
	}
	check_statistics(m);
	CHECK(clpac_pool_clear(m->pool) == m->pooled);
	CHECK(m->device.live_blocks == 0);
	clpac_pool_destroy(m->pool);
	check_nothing_left(&m->device);
	const uint64_t n_edges = m->n_edges;
	free(m);
	return n_edges;
}

TEST(a_roomy_pool_does_what_the_model_says)
{
	for (uint64_t seed = 1; seed <= 3; seed++)
		ck_assert_uint_eq(run_model(seed, 1 << 20, 8, 3), 0);
}

TEST(a_tight_pool_does_what_the_model_says)
{
	for (uint64_t seed = 11; seed <= 13; seed++)
		ck_assert_uint_gt(run_model(seed, 20001, 8, 3), 900);
}

TEST(every_limit_of_cached_blocks_does_what_the_model_says)
{
	for (unsigned kept = 1; kept <= 8; kept++)
		ck_assert_uint_gt(run_model(20 + kept, 31000, 8, kept), 100);
}

TEST(every_granularity_does_what_the_model_says)
{
	for (unsigned n = 1; n <= CLPAC_MAX_CLASSES_PER_OCTAVE; n *= 4)
		ck_assert_uint_gt(run_model(100 + n, 29999, n, 4), 100);
}
