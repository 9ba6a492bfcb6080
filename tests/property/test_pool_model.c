/* Random work on a pool beside a shadow model that knows the rules: which request hits, which misses, which is
 * refused, what each buffer holds and every number of the statistics.  A failure replays from the seed in its
 * message. */
#include "runner.h"

#include <stdlib.h>
#include <string.h>
#include "memory/pool.h"
#include "pool_truth.h"

enum { MAX_LIVE = 64, MAX_CACHED = 4096, MAX_BYTES = 1 << 12, N_OPERATIONS = 50000, KEPT = 3 };

const char *skip_reason(void)
{
	return NULL;
}

/* SplitMix64: Steele, Lea, Flood 2014, Fast splittable pseudorandom number generators. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static size_t random_size(uint64_t *state)
{
	/* Log-uniform, so that small and large meet. */
	size_t most = (size_t)1 << next_random(state) % 13;
	return 1 + (size_t)(next_random(state) % most);
}

struct shadow {
	clpac_buffer *buffer;
	size_t bytes, class_bytes;
	unsigned char *content;
};

struct model {
	uint64_t seed, state;
	unsigned n_operations;
	clpac_pool *pool;
	simulated_device device;
	uint64_t budget;
	struct shadow live[MAX_LIVE];
	size_t n_live;
	size_t cached[MAX_CACHED]; /* classes, the oldest first */
	size_t n_cached;
	uint64_t in_use, requested, pooled, peak_in_use, peak_requested, peak_pooled;
	uint64_t hits, misses, refusals, last_id;
};

/* Not ck_assert, which writes a mark for every assertion that holds: there are millions here. */
#define CHECK(condition)                                                                                              \
	do {                                                                                                          \
		if (!(condition))                                                                                     \
			ck_abort_msg("%s; seed %llu, operation %u", #condition, (unsigned long long)m->seed,          \
				     m->n_operations);                                                                \
	} while (0)

static void raise_to(uint64_t *peak, uint64_t value)
{
	*peak = value > *peak ? value : *peak;
}

static void uncache(struct model *m, size_t i)
{
	m->pooled -= m->cached[i];
	m->n_cached--;
	memmove(m->cached + i, m->cached + i + 1, (m->n_cached - i) * sizeof *m->cached);
}

static bool uncache_newest_of(struct model *m, size_t class_bytes)
{
	for (size_t i = m->n_cached; i-- > 0;)
		if (m->cached[i] == class_bytes) {
			uncache(m, i);
			return true;
		}
	return false;
}

static void expect_release(struct model *m, size_t class_bytes)
{
	unsigned n = 0;
	for (size_t i = 0; i < m->n_cached; i++)
		n += m->cached[i] == class_bytes;
	if (n < KEPT) {
		CHECK(m->n_cached < MAX_CACHED);
		m->cached[m->n_cached++] = class_bytes;
		m->pooled += class_bytes;
		raise_to(&m->peak_pooled, m->pooled);
	}
}

/* What allocating must do: true when it succeeds. */
static bool expect_allocation(struct model *m, size_t bytes, size_t class_bytes)
{
	bool is_hit = uncache_newest_of(m, class_bytes);
	if (!is_hit && m->in_use + class_bytes > m->budget) {
		m->misses++;
		m->refusals++;
		return false;
	}
	while (!is_hit && m->in_use + m->pooled + class_bytes > m->budget)
		uncache(m, 0);
	*(is_hit ? &m->hits : &m->misses) += 1;
	m->in_use += class_bytes;
	m->requested += bytes;
	raise_to(&m->peak_in_use, m->in_use);
	raise_to(&m->peak_requested, m->requested);
	return true;
}

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
	uint64_t pattern = m->last_id;
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t word = next_random(&pattern);
		memcpy(shadow->content + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
	}
	CHECK(clpac_buffer_write(buffer, 0, bytes, shadow->content, NULL) == CLPAC_OK);
}

static void check_content(struct model *m, const struct shadow *shadow)
{
	static unsigned char found[MAX_BYTES];
	size_t offset = (size_t)(next_random(&m->state) % shadow->bytes), bytes = shadow->bytes - offset;
	CHECK(clpac_buffer_read(shadow->buffer, offset, bytes, found, NULL) == CLPAC_OK);
	CHECK(memcmp(found, shadow->content + offset, bytes) == 0);
}

static void release(struct model *m, size_t i)
{
	struct shadow *shadow = &m->live[i];
	check_content(m, shadow);
	m->in_use -= shadow->class_bytes;
	m->requested -= shadow->bytes;
	expect_release(m, shadow->class_bytes);
	clpac_buffer_release(shadow->buffer);
	free(shadow->content);
	*shadow = m->live[--m->n_live];
}

static void fill(struct model *m, struct shadow *shadow)
{
	size_t offset = (size_t)(next_random(&m->state) % shadow->bytes);
	size_t bytes = (size_t)(next_random(&m->state) % (shadow->bytes - offset + 1));
	uint8_t value = (uint8_t)next_random(&m->state);
	CHECK(clpac_buffer_fill(shadow->buffer, offset, bytes, value, NULL) == CLPAC_OK);
	memset(shadow->content + offset, value, bytes);
}

static void copy(struct model *m, struct shadow *source, struct shadow *target)
{
	size_t most = source->bytes < target->bytes ? source->bytes : target->bytes;
	size_t bytes = (size_t)(next_random(&m->state) % (most + 1));
	size_t from = (size_t)(next_random(&m->state) % (source->bytes - bytes + 1));
	size_t to = (size_t)(next_random(&m->state) % (target->bytes - bytes + 1));
	bool overlaps = source == target && bytes && (from < to ? to - from : from - to) < bytes;
	CHECK(clpac_buffer_copy(source->buffer, from, target->buffer, to, bytes, NULL) ==
	      (overlaps ? CLPAC_ERROR_ARGUMENT : CLPAC_OK));
	if (!overlaps)
		memmove(target->content + to, source->content + from, bytes);
}

static void trim(struct model *m)
{
	uint64_t target = next_random(&m->state) % (m->pooled + 1), before = m->pooled;
	while (m->pooled > target)
		uncache(m, 0);
	CHECK(clpac_pool_trim(m->pool, target) == before - m->pooled);
}

static void check_statistics(struct model *m)
{
	clpac_pool_statistics now;
	clpac_pool_measure(m->pool, &now);
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
	CHECK(now.budget_bytes == m->budget);
	check_truth(m->pool, &m->device);
}

static void one_operation(struct model *m)
{
	unsigned choice = (unsigned)(next_random(&m->state) % 100);
	size_t i = m->n_live ? (size_t)(next_random(&m->state) % m->n_live) : 0;
	if (choice < 45)
		allocate(m);
	else if (!m->n_live || choice == 99)
		trim(m);
	else if (choice < 85)
		release(m, i);
	else if (choice < 90)
		fill(m, &m->live[i]);
	else if (choice < 95)
		copy(m, &m->live[i], &m->live[next_random(&m->state) % m->n_live]);
	else
		check_content(m, &m->live[i]);
	check_statistics(m);
}

static void run_model(uint64_t seed, uint64_t budget, unsigned classes_per_octave)
{
	struct model *m = calloc(1, sizeof *m);
	m->seed = m->state = seed;
	m->budget = budget;
	m->pool = open_pool(
		&m->device, budget,
		&(clpac_pool_options){.classes_per_octave = classes_per_octave, .max_kept_per_class = KEPT});
	for (; m->n_operations < N_OPERATIONS; m->n_operations++)
		one_operation(m);
	CHECK(m->hits > N_OPERATIONS / 100);
	while (m->n_live)
		release(m, m->n_live - 1);
	check_statistics(m);
	CHECK(clpac_pool_clear(m->pool) == m->pooled);
	clpac_pool_destroy(m->pool);
	check_nothing_left(&m->device);
	free(m);
}

START_TEST(a_roomy_pool_does_what_the_model_says)
{
	for (uint64_t seed = 1; seed <= 3; seed++)
		run_model(seed, 1 << 20, 8);
}
END_TEST

START_TEST(a_tight_pool_does_what_the_model_says)
{
	for (uint64_t seed = 11; seed <= 13; seed++)
		run_model(seed, 20001, 8);
}
END_TEST

START_TEST(every_granularity_does_what_the_model_says)
{
	for (unsigned n = 1; n <= CLPAC_MAX_CLASSES_PER_OCTAVE; n *= 4)
		run_model(100 + n, 29999, n);
}
END_TEST

Suite *suite(void)
{
	Suite *made = suite_create("pool against its model");
	TCase *model = tcase_create("model");
	tcase_add_test(model, a_roomy_pool_does_what_the_model_says);
	tcase_add_test(model, a_tight_pool_does_what_the_model_says);
	tcase_add_test(model, every_granularity_does_what_the_model_says);
	suite_add_tcase(made, model);
	return made;
}
