/* A store's numbers: collected, and as text and JSON from one table. */
#include "memory/store/store_parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "base/sized.h"
#include "base/text.h"

const char *clpac_store_place_text(clpac_store_place place)
{
	static const char *const texts[] = {
		[CLPAC_ON_DEVICE] = "device",
		[CLPAC_ON_HOST] = "host",
		[CLPAC_IN_FILE] = "file",
	};
	_Static_assert(sizeof texts / sizeof *texts == CLPAC_STORE_PLACES, "one text per place");
	return (unsigned)place < CLPAC_STORE_PLACES ? texts[place] : "unknown place";
}

static void measure_shard(clpac__shard *shard, clpac_store_statistics *out)
{
	uint64_t *const entries_in[CLPAC_STORE_PLACES] = {
		[CLPAC_ON_DEVICE] = &out->device_entries,
		[CLPAC_ON_HOST] = &out->host_entries,
		[CLPAC_IN_FILE] = &out->file_entries,
	};
	pthread_mutex_lock(&shard->lock);
	for (size_t k = 0; k < shard->n_slots; k++) {
		const clpac_entry *entry = shard->slots[k].entry;
		if (!entry || entry->state == CLPAC__ENTRY_LOADING)
			continue;
		uint64_t holds = atomic_load_explicit(&entry->holds, memory_order_relaxed);
		out->entries++;
		*entries_in[entry->body->content.place] += 1;
		out->referenced_entries += (holds & CLPAC__HOLDS_COUNT) != 0;
		out->pinned_entries += entry->body->pins != 0;
	}
	out->hits += shard->hits;
	out->misses += shard->misses;
	out->load_waits += shard->load_waits;
	out->bad_releases += shard->bad_releases;
	pthread_mutex_unlock(&shard->lock);
}

void clpac_store_measure(clpac_store *store, clpac_store_statistics *filled, size_t size)
{
	if (!filled)
		return;
	if (!clpac__store_is_here(store)) {
		memset(filled, 0, size);
		return;
	}
	clpac_store_statistics own, *out = &own;
	pthread_mutex_lock(&store->lock);
	*out = store->counts;
	out->device_bytes = store->taken[CLPAC__ROOM_DEVICE];
	out->host_bytes = store->taken[CLPAC__ROOM_HOST];
	out->file_bytes = store->taken[CLPAC__ROOM_FILE];
	out->peak_device_bytes = store->peaks[CLPAC__ROOM_DEVICE];
	out->peak_host_bytes = store->peaks[CLPAC__ROOM_HOST];
	out->peak_file_bytes = store->peaks[CLPAC__ROOM_FILE];
	pthread_mutex_unlock(&store->lock);
	for (unsigned i = 0; i < CLPAC__SHARDS; i++)
		measure_shard(&store->shards[i], out);
	uint64_t asked = out->hits + out->misses;
	out->hit_rate = asked ? (double)out->hits / (double)asked : 0;
	clpac__sized_give(filled, size, out, sizeof *out);
}

enum kind { BYTES, COUNT, PART };

static const struct member {
	const char *name;  /* in JSON */
	const char *words; /* in the text */
	enum kind kind;
	size_t offset;
} members[] = {
#define MEMBER(name, words, kind)                                                                                      \
	{                                                                                                              \
#name, words, kind, offsetof(clpac_store_statistics, name)                                             \
	}
	MEMBER(entries, "entries", COUNT),
	MEMBER(device_entries, "on the device", COUNT),
	MEMBER(host_entries, "on the host", COUNT),
	MEMBER(file_entries, "in files", COUNT),
	MEMBER(device_bytes, "bytes on the device", BYTES),
	MEMBER(host_bytes, "bytes on the host", BYTES),
	MEMBER(file_bytes, "bytes in files", BYTES),
	MEMBER(peak_device_bytes, "peak on the device", BYTES),
	MEMBER(peak_host_bytes, "peak on the host", BYTES),
	MEMBER(peak_file_bytes, "peak in files", BYTES),
	MEMBER(referenced_entries, "held", COUNT),
	MEMBER(pinned_entries, "pinned", COUNT),
	MEMBER(hits, "hits", COUNT),
	MEMBER(misses, "misses", COUNT),
	MEMBER(hit_rate, "hit rate", PART),
	MEMBER(puts, "put", COUNT),
	MEMBER(replaced, "replaced", COUNT),
	MEMBER(deleted, "deleted", COUNT),
	MEMBER(loads, "loads", COUNT),
	MEMBER(loaded_bytes, "loaded", BYTES),
	MEMBER(load_failures, "loads that failed", COUNT),
	MEMBER(load_waits, "waits for a load", COUNT),
	MEMBER(evictions, "dropped", COUNT),
	MEMBER(evicted_bytes, "bytes dropped", BYTES),
	MEMBER(spills_to_host, "moved to the host", COUNT),
	MEMBER(spills_to_file, "moved to files", COUNT),
	MEMBER(spilled_bytes, "bytes moved", BYTES),
	MEMBER(spill_failures, "moves that failed", COUNT),
	MEMBER(restores, "brought back", COUNT),
	MEMBER(restored_bytes, "bytes brought back", BYTES),
	MEMBER(reliefs, "asked for room", COUNT),
	MEMBER(relieved_bytes, "room given", BYTES),
	MEMBER(bad_releases, "bad releases", COUNT),
#undef MEMBER
};
enum { N_MEMBERS = sizeof members / sizeof *members };
_Static_assert(sizeof(clpac_store_statistics) - sizeof(size_t) == N_MEMBERS * sizeof(uint64_t),
	       "one line per member of eight bytes");

static uint64_t number_of(const clpac_store_statistics *statistics, const struct member *member)
{
	uint64_t value;
	memcpy(&value, (const char *)statistics + member->offset, sizeof value);
	return value;
}

clpac_status clpac_store_statistics_text(const clpac_store_statistics *statistics, char **out, clpac_error *err)
{
	NEED(statistics);
	NEED_AS(out, "text");
	clpac_store_statistics own;
	RETURN_IF_ERROR(clpac__take_sized(&own, statistics, clpac_store_statistics, err));
	clpac__text text = {0};
	for (size_t i = 0; i < N_MEMBERS; i++) {
		const struct member *member = &members[i];
		if (member->kind == PART)
			clpac__text_add(&text, "%-24s%d %%\n", member->words, (int)(100 * own.hit_rate + 0.5));
		else
			clpac__text_add(&text, "%-24s%" PRIu64 "%s\n", member->words, number_of(&own, member),
					member->kind == BYTES ? " B" : "");
	}
	return clpac__text_give(&text, "the statistics of a store as text", out, err);
}

clpac_status clpac_store_statistics_json(const clpac_store_statistics *statistics, char **out, clpac_error *err)
{
	NEED(statistics);
	NEED_AS(out, "text");
	clpac_store_statistics own;
	RETURN_IF_ERROR(clpac__take_sized(&own, statistics, clpac_store_statistics, err));
	clpac__text text = {0};
	for (size_t i = 0; i < N_MEMBERS; i++) {
		clpac__text_add(&text, "%s\"%s\": ", i ? ", " : "{", members[i].name);
		if (members[i].kind == PART)
			clpac__text_add_number(&text, own.hit_rate);
		else
			clpac__text_add(&text, "%" PRIu64, number_of(&own, &members[i]));
	}
	clpac__text_add(&text, "}");
	return clpac__text_give(&text, "the statistics of a store as text", out, err);
}
