/* The allocators that the pool is compared with, each in its plainest form: no locks, no statistics. */
#include "bench/pool_bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- raw: every request goes to the driver ---------------------------------------------------- */

typedef struct raw {
	allocator base;
	struct source *source;
	bool is_resident;
} raw;

static void *raw_take(allocator *a, size_t bytes)
{
	const raw *own = (raw *)a;
	return source_create(own->source, bytes, own->is_resident);
}

static void raw_give(allocator *a, void *held, size_t bytes)
{
	source_release(((raw *)a)->source, held, bytes);
}

static void raw_fill(allocator *a, void *held, size_t bytes)
{
	source_fill(((raw *)a)->source, held, bytes);
}

static void raw_finish(allocator *a)
{
	source_finish(((raw *)a)->source);
}

static size_t as_asked(allocator *a, size_t bytes)
{
	(void)a;
	return bytes;
}

static void measure_nothing(allocator *a, usage *out)
{
	(void)a;
	*out = (usage){0};
}

static void raw_close(allocator *a)
{
	source_close(((raw *)a)->source);
	free(a);
}

static allocator *raw_open(const bench *b, place place, level level)
{
	raw *own = get_memory(1, sizeof *own);
	own->base = (allocator){raw_take, raw_give, raw_fill, raw_finish, as_asked, measure_nothing, raw_close};
	own->source = source_open(b, place);
	own->is_resident = level == L1;
	return &own->base;
}

/* --- bins: a stack of blocks for each size class ---------------------------------------------- */

enum { N_BINS = 64 * 16 };

typedef struct node {
	struct node *below;
	void *memory;
	size_t bytes, bin;
} node;

typedef struct bins {
	allocator base;
	struct source *source;
	bool is_resident;
	unsigned n_mantissa_bits;
	uint64_t budget, taken; /* budget 0: no limit */
	node *top[N_BINS];
	node *spare;	      /* nodes without memory */
	pthread_mutex_t lock; /* of "mutex" alone */
} bins;

static size_t bin_of(const bins *own, size_t bytes, size_t *class_bytes)
{
	const unsigned octave = 63 - (unsigned)__builtin_clzll((unsigned long long)bytes);
	const unsigned shift = octave > own->n_mantissa_bits ? octave - own->n_mantissa_bits : 0;
	const size_t rounded = (bytes + ((size_t)1 << shift) - 1) >> shift;
	*class_bytes = rounded << shift;
	/* Rounded up, the number may be the first of the next octave, where it is the same. */
	return ((size_t)shift << own->n_mantissa_bits) + rounded;
}

static node *take_spare(bins *own)
{
	node *one = own->spare;
	if (!one)
		return get_memory(1, sizeof *one);
	own->spare = one->below;
	return one;
}

static void let_go(bins *own, node *one)
{
	source_release(own->source, one->memory, one->bytes);
	own->taken -= one->bytes;
	one->below = own->spare;
	own->spare = one;
}

/* Releases one block of the largest bin that holds any. */
static bool let_one_go(bins *own)
{
	for (size_t i = N_BINS; i-- > 0;)
		if (own->top[i]) {
			node *one = own->top[i];
			own->top[i] = one->below;
			let_go(own, one);
			return true;
		}
	return false;
}

static void *bins_take(allocator *a, size_t bytes)
{
	bins *own = (bins *)a;
	size_t class_bytes;
	const size_t bin = bin_of(own, bytes, &class_bytes);
	node *one = own->top[bin];
	if (one) {
		own->top[bin] = one->below;
		return one;
	}
	void *memory = NULL;
	do {
		if (!own->budget || own->taken + class_bytes <= own->budget)
			memory = source_create(own->source, class_bytes, own->is_resident);
	} while (!memory && let_one_go(own));
	if (!memory)
		return NULL;
	own->taken += class_bytes;
	one = take_spare(own);
	*one = (node){NULL, memory, class_bytes, bin};
	return one;
}

static void bins_give(allocator *a, void *held, size_t bytes)
{
	bins *own = (bins *)a;
	node *one = held;
	(void)bytes;
	one->below = own->top[one->bin];
	own->top[one->bin] = one;
}

static void bins_fill(allocator *a, void *held, size_t bytes)
{
	source_fill(((bins *)a)->source, ((node *)held)->memory, bytes);
}

static void bins_finish(allocator *a)
{
	source_finish(((bins *)a)->source);
}

static size_t bins_charge(allocator *a, size_t bytes)
{
	size_t class_bytes;
	bin_of((bins *)a, bytes, &class_bytes);
	return class_bytes;
}

static void bins_close(allocator *a)
{
	bins *own = (bins *)a;
	while (let_one_go(own))
		continue;
	while (own->spare) {
		node *one = own->spare;
		own->spare = one->below;
		free(one);
	}
	source_close(own->source);
	free(own);
}

static allocator *bins_open(const bench *b, unsigned n_mantissa_bits, level level, uint64_t budget)
{
	bins *own = get_memory(1, sizeof *own);
	own->base = (allocator){bins_take, bins_give, bins_fill, bins_finish, bins_charge, measure_nothing, bins_close};
	own->source = source_open(b, PLACE_DRIVER);
	own->is_resident = level == L1;
	own->n_mantissa_bits = n_mantissa_bits;
	own->budget = budget;
	return &own->base;
}

/* --- mutex: the same, for any thread ---------------------------------------------------------- */

static void *mutex_take(allocator *a, size_t bytes)
{
	bins *own = (bins *)a;
	pthread_mutex_lock(&own->lock);
	void *taken = bins_take(a, bytes);
	pthread_mutex_unlock(&own->lock);
	return taken;
}

static void mutex_give(allocator *a, void *held, size_t bytes)
{
	bins *own = (bins *)a;
	pthread_mutex_lock(&own->lock);
	bins_give(a, held, bytes);
	pthread_mutex_unlock(&own->lock);
}

static void mutex_close(allocator *a)
{
	pthread_mutex_destroy(&((bins *)a)->lock);
	bins_close(a);
}

static allocator *mutex_open(const bench *b, level level, uint64_t budget)
{
	allocator *made = bins_open(b, 4, level, budget);
	made->take = mutex_take;
	made->give = mutex_give;
	made->close = mutex_close;
	pthread_mutex_init(&((bins *)made)->lock, NULL); /* cannot fail with default attributes */
	return made;
}

/* --- best-fit: free parts of one large buffer, in the order of their addresses ---------------- */

enum { PART_ALIGNMENT = 256 };

typedef struct part {
	struct part *next;
	size_t offset, bytes;
	void *memory; /* of a used part */
} part;

typedef struct best_fit {
	allocator base;
	struct source *source;
	void *whole;
	size_t bytes;
	part *first; /* the first free part */
} best_fit;

static void *best_fit_take(allocator *a, size_t bytes)
{
	best_fit *own = (best_fit *)a;
	part **best = NULL;
	bytes = (bytes + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
	for (part **at = &own->first; *at; at = &(*at)->next)
		if ((*at)->bytes >= bytes && (!best || (*at)->bytes < (*best)->bytes))
			best = at;
	if (!best)
		return NULL;
	part *one = *best;
	if (one->bytes == bytes) {
		*best = one->next;
	} else {
		part *rest = one;
		one = get_memory(1, sizeof *one);
		*one = (part){NULL, rest->offset, bytes, NULL};
		rest->offset += bytes;
		rest->bytes -= bytes;
	}
	one->memory = source_part(own->source, own->whole, one->offset, one->bytes);
	return one;
}

static void best_fit_give(allocator *a, void *held, size_t bytes)
{
	best_fit *own = (best_fit *)a;
	part *one = held, *before = NULL, *after = own->first;
	(void)bytes;
	source_release_part(own->source, one->memory);
	for (; after && after->offset < one->offset; after = after->next)
		before = after;
	one->next = after;
	if (after && one->offset + one->bytes == after->offset) {
		one->bytes += after->bytes;
		one->next = after->next;
		free(after);
	}
	if (before && before->offset + before->bytes == one->offset) {
		before->bytes += one->bytes;
		before->next = one->next;
		free(one);
	} else if (before) {
		before->next = one;
	} else {
		own->first = one;
	}
}

static void best_fit_fill(allocator *a, void *held, size_t bytes)
{
	source_fill(((best_fit *)a)->source, ((part *)held)->memory, bytes);
}

static void best_fit_finish(allocator *a)
{
	source_finish(((best_fit *)a)->source);
}

static void best_fit_close(allocator *a)
{
	best_fit *own = (best_fit *)a;
	while (own->first) {
		part *one = own->first;
		own->first = one->next;
		free(one);
	}
	source_release(own->source, own->whole, own->bytes);
	source_close(own->source);
	free(own);
}

static allocator *best_fit_open(const bench *b, uint64_t bytes)
{
	best_fit *own = get_memory(1, sizeof *own);
	own->base = (allocator){best_fit_take, best_fit_give,	best_fit_fill, best_fit_finish,
				as_asked,      measure_nothing, best_fit_close};
	own->source = source_open(b, PLACE_DRIVER);
	own->bytes = (size_t)bytes;
	own->whole = source_create(own->source, own->bytes, true);
	if (!own->whole)
		end("no memory for the one large buffer of best-fit");
	own->first = get_memory(1, sizeof *own->first);
	own->first->bytes = own->bytes;
	return &own->base;
}

/* --- Nothing: what the loop around the calls takes ------------------------------------------- */

static void *nothing_take(allocator *a, size_t bytes)
{
	(void)bytes;
	return a;
}

static void nothing_give(allocator *a, void *held, size_t bytes)
{
	(void)a, (void)held, (void)bytes;
}

static void nothing_close(allocator *a)
{
	free(a);
}

static allocator *nothing_open(void)
{
	allocator *made = get_memory(1, sizeof *made);
	*made = (allocator){.take = nothing_take, .give = nothing_give, .close = nothing_close};
	return made;
}

allocator *baseline_open(const bench *b, const char *name, level level, uint64_t bytes)
{
	if (strcmp(name, "raw") == 0)
		return raw_open(b, PLACE_DRIVER, level);
	if (strcmp(name, "nothing") == 0)
		return nothing_open();
	if (strcmp(name, "malloc") == 0)
		return raw_open(b, PLACE_MALLOC, level);
	if (strcmp(name, "mmap") == 0)
		return raw_open(b, PLACE_MMAP, level);
	if (strcmp(name, "bins16") == 0)
		return bins_open(b, 4, level, bytes);
	if (strcmp(name, "mutex") == 0)
		return mutex_open(b, level, bytes);
	if (strcmp(name, "pow2") == 0)
		return bins_open(b, 0, level, bytes);
	if (strcmp(name, "best-fit") == 0)
		return best_fit_open(b, bytes);
	end("no baseline has this name");
}
