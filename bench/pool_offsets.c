/* S10: the bookkeeping of a range alone, against a list that is searched from the front. */
#include "bench/pool_bench.h"

#include <clpac/memory/offsets.h>

#include <stdlib.h>

#include "base/clock.h"

enum { N_FIRST = 7200, N_RANDOM = 14400, MOST_UNITS = 2056, MOST_ALIGNMENT_LOG2 = 8 };

static const uint64_t range_units = 1 << 24;

typedef struct request {
	uint32_t slot, units, alignment; /* units 0: the slot is released */
} request;

struct requests {
	request *all;
	size_t n, n_slots;
};

static request make_request(uint64_t *seed, size_t slot)
{
	return (request){(uint32_t)slot, 1 + (uint32_t)(next_random(seed) % MOST_UNITS),
			 1u << next_random(seed) % (MOST_ALIGNMENT_LOG2 + 1)};
}

/* Makes the requests: a number of allocations, then at random one more or one less, and finally all released. */
static struct requests make_requests(void)
{
	struct requests made = {get_memory(2 * (N_FIRST + N_RANDOM), sizeof(request)), 0, N_FIRST + N_RANDOM};
	size_t *slots = get_memory(made.n_slots, sizeof *slots), n_live = 0;
	uint64_t seed = 11;
	for (size_t i = 0; i < made.n_slots; i++)
		slots[i] = i;
	for (size_t i = 0; i < N_FIRST + N_RANDOM; i++)
		if (i < N_FIRST || !n_live || next_random(&seed) % 2) {
			made.all[made.n++] = make_request(&seed, slots[n_live++]);
		} else {
			const size_t which = next_random(&seed) % n_live, slot = slots[which];
			slots[which] = slots[--n_live];
			slots[n_live] = slot;
			made.all[made.n++] = (request){(uint32_t)slot, 0, 0};
		}
	while (n_live)
		made.all[made.n++] = (request){(uint32_t)slots[--n_live], 0, 0};
	free(slots);
	return made;
}

/* --- Ours ------------------------------------------------------------------------------------- */

typedef struct ours {
	const struct requests *requests;
	clpac_offsets *offsets;
	clpac_piece *pieces;
	double *latencies; /* NULL: not asked for */
} ours;

static void take_one(const ours *own, const request *r)
{
	if (!clpac_offsets_take(own->offsets, r->units, r->alignment, &own->pieces[r->slot]))
		end("the range is full");
}

static double play_ours(void *user)
{
	const ours *own = user;
	const double begin = clpac__clock_seconds();
	for (size_t i = 0; i < own->requests->n; i++) {
		const request *r = &own->requests->all[i];
		const double began = own->latencies ? clpac__clock_seconds() : 0;
		if (r->units)
			take_one(own, r);
		else
			clpac_offsets_give(own->offsets, own->pieces[r->slot]);
		if (own->latencies)
			own->latencies[i] = clpac__clock_seconds() - began;
	}
	return (clpac__clock_seconds() - begin) / (double)own->requests->n;
}

/* --- The list: free parts in the order of their offsets, the best of all that fit ------------- */

typedef struct part {
	struct part *next;
	uint64_t offset, units;
} part;

typedef struct list {
	const struct requests *requests;
	part *first, *spare;
	part *pieces; /* by slot */
} list;

static part *get_spare(list *own)
{
	part *one = own->spare;
	if (one)
		own->spare = one->next;
	else
		one = get_memory(1, sizeof *one);
	return one;
}

static void put_spare(list *own, part *one)
{
	one->next = own->spare;
	own->spare = one;
}

static void list_take(list *own, const request *r)
{
	part **best = NULL;
	for (part **at = &own->first; *at; at = &(*at)->next) {
		const uint64_t skipped = -(*at)->offset & (r->alignment - 1);
		if ((*at)->units >= skipped + r->units && (!best || (*at)->units < (*best)->units))
			best = at;
	}
	if (!best)
		end("the range is full");
	part *one = *best;
	const uint64_t offset = one->offset + (-one->offset & (r->alignment - 1)), after = offset + r->units,
		       one_end = one->offset + one->units;
	own->pieces[r->slot] = (part){NULL, offset, r->units};
	if (after < one_end) {
		part *rest = get_spare(own);
		*rest = (part){one->next, after, one_end - after};
		one->next = rest;
	}
	one->units = offset - one->offset;
	if (!one->units) {
		*best = one->next;
		put_spare(own, one);
	}
}

static void list_give(list *own, const part *piece)
{
	part *before = NULL, *after = own->first;
	for (; after && after->offset < piece->offset; after = after->next)
		before = after;
	part *one = before;
	if (before && before->offset + before->units == piece->offset) {
		before->units += piece->units;
	} else {
		one = get_spare(own);
		*one = (part){after, piece->offset, piece->units};
		*(before ? &before->next : &own->first) = one;
	}
	if (after && one->offset + one->units == after->offset) {
		one->units += after->units;
		one->next = after->next;
		put_spare(own, after);
	}
}

static double play_list(void *user)
{
	list *own = user;
	const double begin = clpac__clock_seconds();
	for (size_t i = 0; i < own->requests->n; i++) {
		const request *r = &own->requests->all[i];
		if (r->units)
			list_take(own, r);
		else
			list_give(own, &own->pieces[r->slot]);
	}
	return (clpac__clock_seconds() - begin) / (double)own->requests->n;
}

static void free_parts(part *first)
{
	while (first) {
		part *one = first;
		first = one->next;
		free(one);
	}
}

void scenario_offsets(const bench *b)
{
	clpac_error err;
	line l = line_make("S10", "7200 and 14400 random", L0, "linear list");
	if (!is_wanted(b, l.id, l.what, l.level, l.baseline))
		return;
	struct requests made = make_requests();
	ours own = {&made, NULL, get_memory(made.n_slots, sizeof *own.pieces), NULL};
	list theirs = {&made, get_memory(1, sizeof *theirs.first), NULL,
		       get_memory(made.n_slots, sizeof *theirs.pieces)};
	theirs.first->units = range_units;
	end_if(clpac_offsets_create(range_units, &own.offsets, &err), &err);
	play_list(&theirs);
	play_ours(&own);
	take_turns(b, play_list, &theirs, play_ours, &own, &l);
	own.latencies = get_memory(made.n, sizeof *own.latencies);
	play_ours(&own);
	line_latencies(&l, own.latencies, made.n);
	l.found = l.ratio;
	l.wanted = 10;
	line_print(b, &l);
	clpac_offsets_destroy(own.offsets);
	free_parts(theirs.first);
	free_parts(theirs.spare);
	free(theirs.pieces);
	free(own.latencies);
	free(own.pieces);
	free(made.all);
}
