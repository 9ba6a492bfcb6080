/* The requests and their order: made once and played on every variant. */
#include "bench/pool_bench.h"

#include <stdlib.h>

#include "base/clock.h"
#include "tests/support/random.h"

uint64_t next_random(uint64_t *state)
{
	return random_mix(*state += RANDOM_STEP);
}

double next_uniform(uint64_t *state)
{
	return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* --- Building --------------------------------------------------------------------------------- */

void trace_add(struct trace *t, step step, size_t slot, size_t bytes)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->operations = realloc(t->operations, t->room * sizeof *t->operations);
		if (!t->operations)
			end("no memory for a trace");
	}
	t->operations[t->n++] = (operation){(uint32_t)step, (uint32_t)slot, bytes};
	if (step == MARK && !t->n_marks++)
		t->n_timed = 0;
	else if ((step == TAKE || step == GIVE) && t->n_marks < 2)
		t->n_timed++;
	if (step == TAKE && slot >= t->n_slots)
		t->n_slots = slot + 1;
}

void trace_end(struct trace *t)
{
	size_t *held = get_memory(t->n_slots, sizeof *held);
	for (size_t i = 0; i < t->n; i++)
		if (t->operations[i].step == TAKE)
			held[t->operations[i].slot] = t->operations[i].bytes;
		else if (t->operations[i].step == GIVE)
			held[t->operations[i].slot] = 0;
	for (size_t slot = t->n_slots; slot-- > 0;)
		if (held[slot])
			trace_add(t, GIVE, slot, held[slot]);
	free(held);
	t->slots = get_memory(t->n_slots, sizeof *t->slots);
}

uint64_t trace_peak(const struct trace *t)
{
	uint64_t now = 0, most = 0;
	for (size_t i = 0; i < t->n; i++) {
		now += t->operations[i].step == TAKE ? t->operations[i].bytes : 0;
		now -= t->operations[i].step == GIVE ? t->operations[i].bytes : 0;
		most = now > most ? now : most;
	}
	return most;
}

void trace_free(struct trace *t)
{
	free(t->operations);
	free(t->slots);
	*t = (struct trace){0};
}

/* --- Playing ---------------------------------------------------------------------------------- */

/* Defined once per use: one loop for all uses would time its own branches. */
double trace_play(const struct trace *t, allocator *a, level level)
{
	void **slots = t->slots;
	double begin = clpac__clock_seconds(), seconds = -1;
	for (const operation *o = t->operations, *last = o + t->n; o < last; o++) {
		void **slot = &slots[o->slot];
		if (o->step == TAKE) {
			*slot = a->take(a, o->bytes);
			if (level == L2 && *slot)
				a->fill(a, *slot, o->bytes);
		} else if (o->step == GIVE) {
			if (*slot)
				a->give(a, *slot, o->bytes);
			*slot = NULL;
		} else if (o->step == FINISH) {
			if (level == L2)
				a->finish(a);
		} else if (seconds < 0) {
			begin = clpac__clock_seconds();
			seconds = 0;
		} else {
			seconds = clpac__clock_seconds() - begin;
		}
	}
	return seconds > 0 ? seconds : clpac__clock_seconds() - begin;
}

size_t trace_play_timed(const struct trace *t, allocator *a, level level, double *latencies)
{
	size_t n = 0, n_marks = 0;
	for (const operation *o = t->operations, *last = o + t->n; o < last; o++) {
		void **slot = &t->slots[o->slot];
		if (o->step == TAKE) {
			const double begin = clpac__clock_seconds();
			*slot = a->take(a, o->bytes);
			const double seconds = clpac__clock_seconds() - begin;
			if (!t->n_marks || n_marks == 1)
				latencies[n++] = seconds;
			if (level == L2 && *slot)
				a->fill(a, *slot, o->bytes);
		} else if (o->step == GIVE) {
			if (*slot)
				a->give(a, *slot, o->bytes);
			*slot = NULL;
		} else if (o->step == FINISH) {
			if (level == L2)
				a->finish(a);
		} else {
			n_marks++;
		}
	}
	return n;
}

void trace_audit(const struct trace *t, allocator *a, level level, uint64_t budget, audit *out)
{
	uint64_t held = 0;
	*out = (audit){0};
	for (const operation *o = t->operations, *last = o + t->n; o < last; o++) {
		void **slot = &t->slots[o->slot];
		if (o->step == TAKE) {
			const size_t charge = a->charge(a, o->bytes);
			*slot = a->take(a, o->bytes);
			if (*slot) {
				out->n_taken++;
				held += charge;
				if (level == L2)
					a->fill(a, *slot, o->bytes);
			} else {
				out->n_refused++;
				out->n_wrong += held + charge <= budget;
			}
		} else if (o->step == GIVE) {
			if (*slot) {
				a->give(a, *slot, o->bytes);
				held -= a->charge(a, o->bytes);
			}
			*slot = NULL;
		} else if (o->step == FINISH && level == L2) {
			a->finish(a);
		}
	}
}

/* --- The scenarios' --------------------------------------------------------------------------- */

struct trace trace_same_size(size_t bytes, size_t n_rounds, size_t n_held)
{
	struct trace t = {0};
	for (size_t round = 0; round < n_rounds; round++) {
		for (size_t i = 0; i < n_held; i++)
			trace_add(&t, TAKE, i, bytes);
		trace_add(&t, FINISH, 0, 0);
		for (size_t i = n_held; i-- > 0;)
			trace_add(&t, GIVE, i, bytes);
	}
	trace_end(&t);
	return t;
}

struct trace trace_one_by_one(size_t bytes, size_t total_bytes)
{
	return trace_same_size(bytes, total_bytes / bytes, 1);
}

/* One step of a decoder in float32: the tensors that each of 6 layers keeps, then logits and their gradient. */
struct trace trace_transformer(size_t n_tokens)
{
	enum { N_LAYERS = 6, D = 896, KV = 128, FF = 4864, N_HEADS = 14, VOCABULARY = 151936, N_TENSORS = 10 };
	const size_t rows[N_TENSORS] = {D, D, KV, KV, N_HEADS * n_tokens, D, D, FF, FF, D};
	struct trace t = {0};
	size_t n = 0, bytes[N_LAYERS * N_TENSORS + 2];
	for (size_t layer = 0; layer < N_LAYERS; layer++)
		for (size_t i = 0; i < N_TENSORS; i++)
			bytes[n++] = n_tokens * rows[i] * sizeof(float);
	bytes[n++] = n_tokens * VOCABULARY * sizeof(float);
	bytes[n++] = n_tokens * VOCABULARY * sizeof(float);
	for (size_t i = 0; i < n; i++)
		trace_add(&t, TAKE, i, bytes[i]);
	trace_add(&t, FINISH, 0, 0);
	for (size_t i = n; i-- > 0;)
		trace_add(&t, GIVE, i, bytes[i]);
	trace_end(&t);
	return t;
}

/* The live buffers of a trace being made; the free slots lie behind them. */
typedef struct alive {
	size_t n, *slots, *bytes; /* bytes by slot */
	uint64_t total;
} alive;

static alive alive_make(size_t room)
{
	alive made = {0, get_memory(room, sizeof *made.slots), get_memory(room, sizeof *made.bytes), 0};
	for (size_t i = 0; i < room; i++)
		made.slots[i] = i;
	return made;
}

static void alive_take(alive *a, struct trace *t, size_t bytes)
{
	const size_t slot = a->slots[a->n++];
	a->bytes[slot] = bytes;
	a->total += bytes;
	trace_add(t, TAKE, slot, bytes);
}

static void alive_give(alive *a, struct trace *t, size_t which)
{
	const size_t slot = a->slots[which];
	a->slots[which] = a->slots[--a->n];
	a->slots[a->n] = slot;
	a->total -= a->bytes[slot];
	trace_add(t, GIVE, slot, a->bytes[slot]);
}

/* The clock stops before the rest is released. */
static struct trace alive_end(alive *a, struct trace *t)
{
	trace_add(t, MARK, 0, 0);
	trace_end(t);
	free(a->slots);
	free(a->bytes);
	return *t;
}

static size_t log_uniform(uint64_t *state, double least, double most)
{
	return (size_t)(least * exp(log(most / least) * next_uniform(state)));
}

struct trace trace_pressure(uint64_t budget, size_t n_operations, uint64_t seed)
{
	const double least = 64 << 10, most = 64 << 20;
	struct trace t = {0};
	alive a = alive_make(n_operations);
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 1; i <= n_operations; i++) {
		const size_t bytes = log_uniform(&seed, least, most);
		const bool fits = (double)(a.total + bytes) <= 0.98 * (double)budget;
		const bool is_low = (double)a.total < 0.90 * (double)budget;
		if (i % 500 == 0) {
			for (size_t left = a.n / 2; a.n > left;)
				alive_give(&a, &t, next_random(&seed) % a.n);
		} else if (fits && (is_low || next_random(&seed) % 2)) {
			alive_take(&a, &t, bytes);
		} else if (is_low) {
			const double room = 0.98 * (double)budget - (double)a.total;
			alive_take(&a, &t, log_uniform(&seed, least, room < most ? room : most));
		} else {
			alive_give(&a, &t, next_random(&seed) % a.n);
		}
	}
	return alive_end(&a, &t);
}

struct trace trace_uniform(size_t n_operations, size_t n_live, uint64_t seed)
{
	const size_t least = 1 << 10, most = 4 << 20;
	struct trace t = {0};
	alive a = alive_make(n_live);
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 0; i < n_operations; i++)
		if (a.n == 0 || (a.n < n_live && next_uniform(&seed) < 0.55))
			alive_take(&a, &t, least + next_random(&seed) % (most - least + 1));
		else
			alive_give(&a, &t, next_random(&seed) % a.n);
	return alive_end(&a, &t);
}

/* Eight tensors per step.  Each one's size is proportional to the batch, which drifts every 100 operations; the oldest
 * tensor is released first. */
struct trace trace_batches(size_t n_operations, size_t n_live, uint64_t seed)
{
	static const size_t per_item[] = {4 << 10, 12 << 10, 12 << 10, 3 << 10, 16 << 10, 16 << 10, 4 << 10, 1 << 10};
	enum { N_TENSORS = sizeof per_item / sizeof *per_item };
	struct trace t = {0};
	double batch = 32;
	size_t n_taken = 0, n_given = 0, *bytes = get_memory(n_live, sizeof *bytes);
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 0; i < n_operations; i++) {
		if (i % 100 == 99)
			batch = fmin(fmax(batch * (0.8 + 0.4 * next_uniform(&seed)), 8), 128);
		if (n_taken - n_given == n_live || (n_taken > n_given && next_uniform(&seed) < 0.45)) {
			const size_t slot = n_given++ % n_live;
			trace_add(&t, GIVE, slot, bytes[slot]);
		} else {
			const size_t slot = n_taken % n_live;
			bytes[slot] = (size_t)batch * per_item[n_taken % N_TENSORS];
			n_taken++;
			trace_add(&t, TAKE, slot, bytes[slot]);
		}
	}
	trace_add(&t, MARK, 0, 0);
	trace_end(&t);
	free(bytes);
	return t;
}

struct trace trace_random(size_t n_live, size_t n_operations, uint64_t seed)
{
	const double least = 256, most = 16 << 10;
	struct trace t = {0};
	alive a = alive_make(n_live + 1);
	for (size_t i = 0; i < n_live; i++)
		alive_take(&a, &t, log_uniform(&seed, least, most));
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 0; i < n_operations; i += 2) {
		alive_give(&a, &t, next_random(&seed) % a.n);
		alive_take(&a, &t, log_uniform(&seed, least, most));
	}
	return alive_end(&a, &t);
}

struct trace trace_small(size_t n_operations, size_t n_live, uint64_t seed)
{
	struct trace t = {0};
	alive a = alive_make(n_live);
	trace_add(&t, MARK, 0, 0);
	for (size_t i = 0; i < n_operations; i++)
		if (a.n == 0 || (a.n < n_live && next_random(&seed) % 2))
			alive_take(&a, &t, log_uniform(&seed, 1 << 10, 1 << 20));
		else
			alive_give(&a, &t, next_random(&seed) % a.n);
	return alive_end(&a, &t);
}
