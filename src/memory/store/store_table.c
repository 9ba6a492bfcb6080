/* Keys and shards: open addressing with linear probing.  Removal moves later entries up, so there are no tombstones. */
#include "memory/store/store_parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

clpac_status clpac__key_make(clpac_store *store, const char *text, clpac__key *out, clpac_error *err)
{
	if (!text || !*text)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the key of an entry is empty: give it a name");
	out->text = text;
	out->bytes = strlen(text);
	if (out->bytes > UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the key of an entry has %zu bytes: give it a shorter name",
			     out->bytes);
	out->hash = clpac__hash(text, out->bytes, 0);
	/* The upper bits of the hash select the shard; its table is indexed by the lower bits. */
	out->shard = &store->shards[out->hash >> (64 - CLPAC__SHARD_BITS)];
	return CLPAC_OK;
}

static void place(clpac__slot *slots, size_t n_slots, clpac_entry *entry)
{
	size_t mask = n_slots - 1, i = entry->body->hash & mask;
	while (slots[i].entry)
		i = (i + 1) & mask;
	slots[i] = (clpac__slot){entry->body->hash, entry};
}

bool clpac__shard_reserve(clpac__shard *shard, size_t more)
{
	size_t need = shard->n_used + more, n_slots = shard->n_slots ? shard->n_slots : 16;
	while (need > n_slots / 2)
		n_slots *= 2;
	if (n_slots == shard->n_slots)
		return true;
	clpac__slot *slots = clpac__alloc_array(n_slots, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < shard->n_slots; i++)
		if (shard->slots[i].entry)
			place(slots, n_slots, shard->slots[i].entry);
	clpac__free(shard->slots);
	shard->slots = slots;
	shard->n_slots = n_slots;
	atomic_store_explicit(&shard->hint_slots, (uintptr_t)slots, memory_order_relaxed);
	atomic_store_explicit(&shard->hint_mask, n_slots - 1, memory_order_relaxed);
	return true;
}

void clpac__shard_insert(clpac__shard *shard, clpac_entry *entry)
{
	place(shard->slots, shard->n_slots, entry);
	shard->n_used++;
}

void clpac__shard_remove(clpac__shard *shard, clpac_entry *entry)
{
	size_t mask = shard->n_slots - 1, hole = entry->body->hash & mask;
	while (shard->slots[hole].entry != entry)
		hole = (hole + 1) & mask;
	for (size_t i = (hole + 1) & mask; shard->slots[i].entry; i = (i + 1) & mask) {
		/* An entry may move up unless its home slot lies behind the hole. */
		size_t home = shard->slots[i].hash & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			shard->slots[hole] = shard->slots[i];
			hole = i;
		}
	}
	shard->slots[hole] = (clpac__slot){0};
	shard->n_used--;
}

enum { RECORDS_PER_PAGE = 42 };

struct clpac__record_page {
	clpac_entry records[RECORDS_PER_PAGE];
	clpac__record_page *next;
};

clpac_entry *clpac__shard_take_record(clpac__shard *shard)
{
	if (!shard->free_records) {
		clpac__record_page *page = clpac__alloc_pages(sizeof *page);
		if (!page)
			return NULL;
		page->next = shard->pages;
		shard->pages = page;
		for (unsigned i = 0; i < RECORDS_PER_PAGE; i++)
			clpac__shard_give_record(shard, &page->records[i]);
	}
	clpac_entry *record = shard->free_records;
	shard->free_records = (clpac_entry *)(void *)record->key;
	return record;
}

void clpac__shard_give_record(clpac__shard *shard, clpac_entry *record)
{
	record->key = (char *)(void *)shard->free_records;
	shard->free_records = record;
}

void clpac__shard_free_pages(clpac__shard *shard)
{
	while (shard->pages) {
		clpac__record_page *page = shard->pages;
		shard->pages = page->next;
		clpac__free_pages(page);
	}
}

clpac_status clpac__shard_find_settled(clpac__shard *shard, const clpac__key *key, clpac_entry **out, clpac_error *err)
{
	clpac_entry *entry;
	bool has_waited = false;
	while ((entry = clpac__shard_find(shard, key)) && entry->state != CLPAC__ENTRY_SETTLED) {
		if (pthread_equal(entry->body->mover, pthread_self()))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "key \"%s\" is asked for while this thread is loading it",
				     key->text);
		shard->load_waits += !has_waited && entry->state == CLPAC__ENTRY_LOADING;
		has_waited = true;
		pthread_cond_wait(&shard->settled, &shard->lock);
	}
	*out = entry;
	return CLPAC_OK;
}

/* --- The hash --------------------------------------------------------------------------------- */

/* The hash: multiply and fold, word by word. */

/* Odd constants whose bits have no pattern: the golden ratio, and the multiplier of Steele and Vigna 2021
 * (Computationally easy, spectrally good multipliers). */
#define ODD_A UINT64_C(0x9E3779B97F4A7C15)
#define ODD_B UINT64_C(0xD1342543DE82EF95)

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * ODD_B;
	return hash ^ hash >> 32;
}

uint64_t clpac__hash(const void *data, size_t bytes, uint64_t seed)
{
	const unsigned char *next = data;
	uint64_t hash = seed ^ bytes * ODD_A, word;
	for (; bytes >= sizeof word; bytes -= sizeof word, next += sizeof word) {
		memcpy(&word, next, sizeof word);
		hash = mix(hash, word);
	}
	word = 0;
	for (size_t i = 0; i < bytes; i++)
		word |= (uint64_t)next[i] << 8 * i;
	hash = mix(hash, word) * ODD_A;
	return hash ^ hash >> 29;
}

/* --- The order of use ------------------------------------------------------------------------- */

/* The pairing heap of the order of use. */

uint64_t clpac__order_stamp(uint64_t old, uint64_t now, uint64_t half_life)
{
	enum { PARTS = 64 };
	const double life = (double)half_life * PARTS, age = (double)(int64_t)(now * PARTS - old);
	const double sum = 1 + (old ? exp2(-age / life) : 0);
	return now * PARTS + (uint64_t)(life * log2(sum));
}

/* Melds two heaps, neither of which has siblings at its top. */
static clpac__order_node *meld(clpac__order_node *a, clpac__order_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (b->stamp < a->stamp) {
		clpac__order_node *swapped = a;
		a = b;
		b = swapped;
	}
	b->next = a->child;
	if (b->next)
		b->next->previous = b;
	b->previous = a;
	a->child = b;
	return a;
}

/* Melds a row of siblings into one heap: pairs from the left, then the pairs from the right.  This two-pass order makes
 * the amortised cost logarithmic. */
static clpac__order_node *meld_row(clpac__order_node *first)
{
	clpac__order_node *pairs = NULL, *whole = NULL;
	while (first) {
		clpac__order_node *a = first, *b = first->next;
		first = b ? b->next : NULL;
		a->next = a->previous = NULL;
		if (b)
			b->next = b->previous = NULL;
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		clpac__order_node *a = pairs;
		pairs = a->next, a->next = NULL;
		whole = meld(whole, a);
	}
	return whole;
}

void clpac__order_add(clpac__order *order, clpac__order_node *node, uint64_t stamp)
{
	*node = (clpac__order_node){.stamp = stamp, .is_in = true};
	order->top = meld(order->top, node);
}

void clpac__order_remove(clpac__order *order, clpac__order_node *node)
{
	clpac__order_node *below = meld_row(node->child);
	if (order->top == node) {
		order->top = below;
	} else {
		if (node->previous->child == node)
			node->previous->child = node->next;
		else
			node->previous->next = node->next;
		if (node->next)
			node->next->previous = node->previous;
		order->top = meld(order->top, below);
	}
	*node = (clpac__order_node){0};
}
