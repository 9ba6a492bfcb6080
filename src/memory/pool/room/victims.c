/* The choice of victims. */
#include "memory/pool/room/room.h"

#include <stdlib.h>
#include "base/memory.h"
#include "memory/pool/blocks/offsets_parts.h"

/* A way to make room: victims, given as ranges of the sorted offers, and what they cost. */
struct way {
	size_t first, end;   /* offers of a run; unused by the way through the driver */
	uint64_t cost_bytes; /* of the victims' classes */
	uint64_t age;	     /* of the youngest victim */
	bool is_possible;
};

/* Memory that goes back to the driver as a whole: a block of its own, or a segment of which everything is offered. */
typedef struct clpac__going {
	size_t first, end; /* offers */
	uint64_t gain_bytes, cost_bytes, age;
	bool is_chosen;
} going;

/* --- Order of the offers --------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const clpac__offer *x = a, *y = b;
	if (x->segment != y->segment)
		return (uintptr_t)x->segment < (uintptr_t)y->segment ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_age(const void *a, const void *b)
{
	const going *x = a, *y = b;
	return (x->age < y->age) - (x->age > y->age);
}

/* True when the first way is to be preferred. */
static bool is_better(const struct way *a, const struct way *b, uint64_t cheap_bytes)
{
	if (!a->is_possible || !b->is_possible)
		return a->is_possible;
	const bool a_is_cheap = a->cost_bytes <= cheap_bytes, b_is_cheap = b->cost_bytes <= cheap_bytes;
	if (a_is_cheap != b_is_cheap)
		return a_is_cheap;
	if (a_is_cheap && a->age != b->age)
		return a->age > b->age;
	return a->cost_bytes < b->cost_bytes;
}

/* --- Runs of neighbours ---------------------------------------------------------------------- */

/* The run that a walk through a segment has open: pieces from node `head` on, free or offered. */
struct run {
	uint32_t head;
	size_t first, end; /* offers in it */
	uint64_t units, cost_bytes;
};

static void begin_run(struct run *run, uint32_t head, size_t offer)
{
	*run = (struct run){.head = head, .first = offer, .end = offer};
}

/* Leaves out pieces at the run's beginning that it can do without. */
static void shorten(struct run *run, const clpac_offsets *offsets, const clpac__offer *offers, uint64_t units)
{
	for (;;) {
		const clpac__node *head = &offsets->nodes[run->head];
		if (run->units - head->units < units)
			return;
		run->units -= head->units;
		if (!clpac__node_is_free(head))
			run->cost_bytes -= offers[run->first++].class_bytes;
		run->head = head->after;
	}
}

static uint64_t youngest(const clpac__offer *offers, size_t first, size_t end)
{
	uint64_t age = UINT64_MAX;
	for (size_t i = first; i < end; i++)
		age = offers[i].age < age ? offers[i].age : age;
	return age;
}

/* Examines one segment, whose offers are those from `first` to below `end`: its runs, and whether all of it could go.
 */
static bool walk(const clpac__segment *segment, const clpac__offers *offers, size_t first, size_t end, uint64_t units,
		 uint64_t cheap_bytes, struct way *best)
{
	const clpac_offsets *offsets = segment->offsets;
	bool is_all_offered = true;
	size_t offer = first;
	struct run run;
	begin_run(&run, 0, first);
	for (uint32_t index = 0; index != NO_NODE; index = offsets->nodes[index].after) {
		const clpac__node *node = &offsets->nodes[index];
		if (!clpac__node_is_free(node)) {
			while (offer < end && offers->all[offer].offset < node->offset)
				offer++; /* offered, and gone since */
			const bool is_offered = offer < end && offers->all[offer].offset == node->offset &&
						offers->all[offer].units == node->units;
			if (!is_offered || run.end != offer) {
				/* The offers of a run are neighbours in the list of offers too. */
				begin_run(&run, is_offered ? index : node->after, offer);
				is_all_offered &= is_offered;
				if (!is_offered)
					continue;
			}
			run.cost_bytes += offers->all[offer++].class_bytes;
			run.end = offer;
		}
		run.units += node->units;
		if (run.units < units)
			continue;
		shorten(&run, offsets, offers->all, units);
		struct way here = {run.first, run.end, run.cost_bytes, 0, run.first < run.end};
		/* Before the ages are looked at: a way that costs more than twice the request is judged by its cost. */
		if (!here.is_possible ||
		    (here.cost_bytes > cheap_bytes && best->is_possible && here.cost_bytes >= best->cost_bytes))
			continue;
		here.age = youngest(offers->all, here.first, here.end);
		if (is_better(&here, best, cheap_bytes))
			*best = here;
	}
	return is_all_offered;
}

/* --- The way through the driver -------------------------------------------------------------- */

/* Chooses the longest unused until they give what is lacking, passing over what would make it cost more than
 * most_bytes; then does without those that turned out not to be needed. */
static struct way give_back(going *all, size_t n, uint64_t lacking_bytes, uint64_t most_bytes)
{
	struct way way = {.age = UINT64_MAX};
	uint64_t gain = 0;
	for (size_t i = 0; i < n; i++) {
		all[i].is_chosen = gain < lacking_bytes && all[i].cost_bytes <= most_bytes - way.cost_bytes;
		if (!all[i].is_chosen)
			continue;
		gain += all[i].gain_bytes;
		way.cost_bytes += all[i].cost_bytes;
	}
	if (gain < lacking_bytes)
		return way;
	for (size_t i = n; i-- > 0;) {
		if (!all[i].is_chosen)
			continue;
		if (gain - all[i].gain_bytes >= lacking_bytes) {
			all[i].is_chosen = false;
			gain -= all[i].gain_bytes;
			way.cost_bytes -= all[i].cost_bytes;
		} else {
			way.age = all[i].age < way.age ? all[i].age : way.age;
		}
	}
	way.is_possible = true;
	return way;
}

/* The cheapest that is enough by itself. */
static struct way give_back_one(going *all, size_t n, uint64_t lacking_bytes)
{
	going *best = NULL;
	for (size_t i = 0; i < n; i++) {
		all[i].is_chosen = false;
		if (all[i].gain_bytes >= lacking_bytes && (!best || all[i].cost_bytes < best->cost_bytes))
			best = &all[i];
	}
	if (!best)
		return (struct way){0};
	best->is_chosen = true;
	return (struct way){.cost_bytes = best->cost_bytes, .age = best->age, .is_possible = true};
}

static void mark(clpac__offers *offers, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		offers->all[i].is_chosen = true;
}

/* --- Both ------------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
	const clpac__offer *offer = b;
	const uintptr_t wanted = (uintptr_t)a, here = (uintptr_t)offer->segment;
	return (wanted > here) - (wanted < here);
}

/* The offers that lie in a segment. */
static bool find_range(const clpac__offers *offers, const clpac__segment *segment, size_t *first, size_t *end)
{
	const clpac__offer *found = bsearch(segment, offers->all, offers->n, sizeof *offers->all, by_address);
	if (!found)
		return false;
	*first = *end = (size_t)(found - offers->all);
	while (*first && offers->all[*first - 1].segment == segment)
		--*first;
	while (*end < offers->n && offers->all[*end].segment == segment)
		++*end;
	return true;
}

static uint64_t cost_of(const clpac__offers *offers, size_t first, size_t end)
{
	uint64_t bytes = 0;
	for (size_t i = first; i < end; i++)
		bytes += offers->all[i].class_bytes;
	return bytes;
}

bool clpac__victims_choose(const clpac__segments *segments, clpac__offers *offers, clpac__wanted wanted)
{
	const uint64_t units = wanted.class_bytes / segments->unit, cheap_bytes = 2 * (uint64_t)wanted.class_bytes;
	going *all = offers->going;
	size_t n = 0;
	struct way run = {0};
	for (size_t i = 0; i < offers->n; i++)
		offers->all[i].is_chosen = false;
	for (; n < offers->n && !offers->all[n].segment; n++)
		all[n] = (going){
			n, n + 1, offers->all[n].class_bytes, offers->all[n].class_bytes, offers->all[n].age, false};
	for (const clpac__segment *segment = segments->first; segment; segment = segment->next) {
		size_t first, end;
		if (find_range(offers, segment, &first, &end) &&
		    walk(segment, offers, first, end, units, cheap_bytes, &run))
			all[n++] = (going){first,
					   end,
					   segment->bytes,
					   cost_of(offers, first, end),
					   youngest(offers->all, first, end),
					   false};
	}
	if (n)
		qsort(all, n, sizeof *all, by_age);
	const uint64_t limits[] = {cheap_bytes, UINT64_MAX};
	struct way back = {0};
	for (int i = 0; i < 2 && !back.is_possible; i++)
		back = give_back(all, n, wanted.lacking_bytes, limits[i]);
	if (back.is_possible && back.cost_bytes > cheap_bytes) {
		const struct way one = give_back_one(all, n, wanted.lacking_bytes);
		if (is_better(&one, &back, cheap_bytes))
			back = one;
		else
			back = give_back(all, n, wanted.lacking_bytes, UINT64_MAX);
	}
	if (!run.is_possible && !back.is_possible)
		return false;
	if (!is_better(&back, &run, cheap_bytes)) {
		mark(offers, run.first, run.end);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].is_chosen)
			mark(offers, all[i].first, all[i].end);
	return true;
}

bool clpac__offers_prepare(clpac__offers *offers)
{
	clpac__free(offers->going); /* of what was chosen before, and gone when it was to be evicted */
	offers->going = clpac__alloc_array(offers->n, sizeof *offers->going);
	if (offers->n)
		qsort(offers->all, offers->n, sizeof *offers->all, by_place);
	return offers->going;
}

void clpac__offers_free(clpac__offers *offers)
{
	FREE_ALL(offers->all, offers->going);
	*offers = (clpac__offers){0};
}
