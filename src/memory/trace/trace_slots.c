/* A hash table with linear probing (Knuth, TAOCP 3, 6.4: algorithms L and R). */
#include "memory/trace/trace_slots.h"

#include "base/memory.h"

/* The finaliser of splitmix64 (Vigna, public domain): ids may be addresses or multiples of a step. */
static size_t home_of(const clpac__trace_slots *slots, uint64_t id)
{
	id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9u;
	id = (id ^ id >> 27) * 0x94d049bb133111ebu;
	return (size_t)(id ^ id >> 31) & (slots->capacity - 1);
}

/* Position of an id, or where it would be inserted.  At least half of the entries are empty. */
static size_t position(const clpac__trace_slots *slots, uint64_t id)
{
	size_t i = home_of(slots, id);
	while (slots->entries[i].slot != SIZE_MAX && slots->entries[i].id != id)
		i = (i + 1) & (slots->capacity - 1);
	return i;
}

static bool grow(clpac__trace_slots *slots)
{
	clpac__trace_slots larger = *slots;
	larger.capacity = slots->capacity ? 2 * slots->capacity : 256;
	larger.entries = clpac__alloc_array(larger.capacity, sizeof *larger.entries);
	/* Enough for all slots in use until the next growth. */
	size_t *free_slots = clpac__realloc_array(slots->free_slots, larger.capacity / 2, sizeof *free_slots);
	if (free_slots)
		slots->free_slots = larger.free_slots = free_slots;
	if (!larger.entries || !free_slots) {
		clpac__free(larger.entries);
		return false;
	}
	for (size_t i = 0; i < larger.capacity; i++)
		larger.entries[i].slot = SIZE_MAX;
	for (size_t i = 0; i < slots->capacity; i++)
		if (slots->entries[i].slot != SIZE_MAX)
			larger.entries[position(&larger, slots->entries[i].id)] = slots->entries[i];
	clpac__free(slots->entries);
	*slots = larger;
	return true;
}

bool clpac__slots_take(clpac__trace_slots *slots, uint64_t id, size_t *slot)
{
	if (slots->n >= slots->capacity / 2 && !grow(slots))
		return false;
	*slot = slots->n_free ? slots->free_slots[--slots->n_free] : slots->n_slots++;
	slots->entries[position(slots, id)] = (struct clpac__slot_entry){id, *slot};
	slots->n++;
	return true;
}

size_t clpac__slots_find(const clpac__trace_slots *slots, uint64_t id)
{
	return slots->n ? slots->entries[position(slots, id)].slot : SIZE_MAX;
}

size_t clpac__slots_give(clpac__trace_slots *slots, uint64_t id)
{
	if (!slots->n)
		return SIZE_MAX;
	size_t hole = position(slots, id), mask = slots->capacity - 1, slot = slots->entries[hole].slot;
	if (slot == SIZE_MAX)
		return slot;
	slots->free_slots[slots->n_free++] = slot;
	slots->n--;
	/* An entry behind the hole that may stand in it moves up. */
	for (size_t i = (hole + 1) & mask; slots->entries[i].slot != SIZE_MAX; i = (i + 1) & mask) {
		size_t home = home_of(slots, slots->entries[i].id);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			slots->entries[hole] = slots->entries[i];
			hole = i;
		}
	}
	slots->entries[hole].slot = SIZE_MAX;
	return slot;
}

void clpac__slots_free(clpac__trace_slots *slots)
{
	clpac__free(slots->entries);
	clpac__free(slots->free_slots);
	*slots = (clpac__trace_slots){0};
}
