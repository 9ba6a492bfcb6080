/* The members and internal functions of a store, for the files store*.c.
 *
 * The table is divided into shards by the key's hash, each with a lock of its own.  An entry is in one of three states,
 * which its shard's lock guards:
 *
 * - settled: complete and in its place; in the order of use (store_table.c), or parked because it is held or pinned;
 * - moving: a thread is copying its content to another place;
 * - loading: the loader of its key is running; no content yet.
 *
 * A thread that finds an entry moving or loading waits for shard->settled.  An entry that left the table belongs to
 * whoever gives the last reference back.
 *
 * Locks: a shard's, then the store's; several shards in the order of their numbers.  Under a lock, nothing but host
 * memory is asked for.  A thread that moves an entry calls nobody back: room for the content is made before.
 */
#ifndef CLPAC_MEMORY_STORE_STORE_PARTS_H
#define CLPAC_MEMORY_STORE_STORE_PARTS_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <clpac/memory/store.h>
#include "base/process.h"
#include "memory/pool/room/reclaimer.h"

/* --- store_table.c: the hash ------------------------------------------------------------------ */

/* A 64-bit hash for tables and for detecting damage; not secure against an adversary. */

/* Every step is invertible, so texts of the same length that differ within one word of eight bytes never share a hash.
 * To hash piece by piece, pass the hash of the previous pieces as seed; every piece but the last must be a multiple of
 * eight bytes.
 * Cost: about 8 bytes in two nanoseconds. */
uint64_t clpac__hash(const void *data, size_t bytes, uint64_t seed);

/* --- store_content.c and store_file.c --------------------------------------------------------- */

/* The place of an entry's bytes (a buffer on a device, memory of the host, a file), and moving them. */

/* A store's own folder for its files; nobody else may enter it. */
typedef struct clpac__spill_folder clpac__spill_folder;

/* Makes the folder inside the caller's folder. */
clpac_status clpac__spill_folder_create(const char *parent, clpac__spill_folder **out, clpac_error *err);
/* Removes the folder, whose files have been removed.  NULL is fine. */
void clpac__spill_folder_destroy(clpac__spill_folder *folder);

typedef struct clpac__content {
	clpac_store_place place;
	size_t bytes;
	clpac_buffer *buffer; /* on a device */
	void *data;	      /* on the host */
	uint64_t number;      /* in a file: the number in its name */
	uint64_t checksum;    /* in a file: the expected hash of its bytes */
} clpac__content;

/* Copies a content into another place; `from` is unchanged. to->place chooses the place; for a device, to->buffer
 * exists already and is as large. key is for messages. */
clpac_status clpac__content_copy(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				 clpac__content *to, clpac_error *err);

/* Copies a range to the host's memory.  A file is always verified as a whole. */
clpac_status clpac__content_read(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				 size_t offset, size_t bytes, void *target, clpac_error *err);

/* Releases the buffer, frees the memory, removes the file. */
void clpac__content_discard(clpac__content *content, clpac__spill_folder *folder);

/* --- store_file.c: what clpac__content_copy needs of files ------------------------------------ */

/* Delivers the next bytes of a file being written, or takes those of a file being read. */
typedef clpac_status clpac__piece_function(void *user, size_t offset, size_t bytes, void *piece, clpac_error *err);

/* Writes a new file from pieces that `fill` delivers; either the whole file appears under its name, or none.
 * Errors: CLPAC_ERROR_IO with errno. */
clpac_status clpac__spill_write(clpac__spill_folder *folder, const char *key, size_t bytes, clpac__piece_function *fill,
				void *user, uint64_t *number, uint64_t *checksum, clpac_error *err);
/* Reads a file in pieces handed to `use`, which must not trust them before this call has succeeded.
 * Errors: CLPAC_ERROR_IO with errno; CLPAC_ERROR_FORMAT when the file was changed. */
clpac_status clpac__spill_read(clpac__spill_folder *folder, const char *key, uint64_t number, size_t bytes,
			       uint64_t checksum, clpac__piece_function *use, void *user, clpac_error *err);
void clpac__spill_remove(clpac__spill_folder *folder, uint64_t number);

/* --- store_table.c: the order of use ---------------------------------------------------------- */

/* The order of use: a heap by the time of last use that is corrected only when it is queried.
 *
 * Using an entry only stamps it.  Its node keeps the stamp that it was sorted by, which is never newer than the
 * entry's.  If both agree for the top entry, it is the oldest; otherwise it is sorted in again.  So the order is exact,
 * and using an entry updates no list.
 *
 * A pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986), linked through the entries so that nothing is allocated.
 */

typedef struct clpac__order_node clpac__order_node;

struct clpac__order_node {
	clpac__order_node *child;    /* the first child */
	clpac__order_node *next;     /* the next sibling */
	clpac__order_node *previous; /* the previous sibling, or the parent of a first child */
	uint64_t stamp;
	bool is_in;
};

typedef struct clpac__order {
	clpac__order_node *top; /* the node with the smallest stamp; NULL: empty */
} clpac__order;

/* The stamp of an entry that is used now, by how often and how recently it was used: LRFU (Lee, Choi, Kim, Noh, Min,
 * Cho, Kim 2001).  A use counts 2^(-age / half_life).  The sum over all uses, at any later time, is in the order of
 *     time of last use + half_life * log2(sum at that time),
 * which changes only when the entry is used, never falls, and is all there is to remember.  In 64ths of a use.
 * old: the stamp after the use before; 0: there was none. */
uint64_t clpac__order_stamp(uint64_t old, uint64_t now, uint64_t half_life);

void clpac__order_add(clpac__order *order, clpac__order_node *node, uint64_t stamp); /* the node is in no order */
void clpac__order_remove(clpac__order *order, clpac__order_node *node);		     /* the node is in this order */

/* --- Members ---------------------------------------------------------------------------------- */

enum clpac__entry_state { CLPAC__ENTRY_SETTLED = 0, CLPAC__ENTRY_MOVING, CLPAC__ENTRY_LOADING };

/* clpac_entry.holds: the number of references, and what the thread that gives the last one back has to do.  Flags are
 * set and references taken under the shard's lock; references are given back without it while no flag is set. */
#define CLPAC__HOLDS_PARKED ((uint64_t)1 << 62) /* back into the order of use */
#define CLPAC__HOLDS_GONE ((uint64_t)1 << 63)	/* it has left the table: discard it */
#define CLPAC__HOLDS_COUNT (CLPAC__HOLDS_PARKED - 1)

typedef struct clpac__shard clpac__shard;
typedef struct clpac__record_page clpac__record_page;

/* Members that acquiring does not need. */
typedef struct clpac__entry_body {
	clpac_entry *entry;
	clpac_store *store;
	clpac__shard *shard;
	uint64_t hash;
	unsigned pool; /* number of the pool in the store */
	unsigned pins;
	pthread_t mover; /* unless settled: the thread that moves or loads it */
	clpac__order_node node;
	clpac_entry *next; /* in a chain of entries to discard */
	clpac__content content;
	/* of the content; unlike content, may be read without the lock by those who hold the entry */
	size_t bytes;
	clpac_metadata metadata;
	char *strings;		    /* storage of metadata's strings */
	clpac_stored_array *arrays; /* NULL: none; storage of their names behind the last */
	size_t n_arrays;
} clpac__entry_body;

/* Members that acquiring needs: small, so that many fit into the cache. */
struct clpac_entry {
	alignas(32) _Atomic(uint64_t) holds;
	_Atomic(clpac_buffer *) buffer; /* content's buffer; NULL while it is not on the device */
	uint64_t stamp;			/* time of last use, on the store's clock; or as clpac__order_stamp has it */
	clpac__entry_body *body;
	char *key;	    /* points to short_key when it fits */
	uint32_t key_bytes; /* without the NUL */
	enum clpac__entry_state state;
	char short_key[48];
};

typedef struct clpac__slot {
	uint64_t hash;
	clpac_entry *entry; /* NULL: free */
} clpac__slot;

enum {
	CLPAC__SHARDS = 16,
	CLPAC__SHARD_BITS = 4,
	/* Orders of use: one per pool for entries on its device, one for the host, one for files. */
	CLPAC__ORDER_HOST = CLPAC_MAX_STORE_POOLS,
	CLPAC__ORDER_FILE,
	CLPAC__ORDERS
};

struct clpac__shard {
	alignas(64) pthread_mutex_t lock;
	clpac__slot *slots;
	size_t n_slots, n_used; /* n_slots is a power of two; at most half of the slots are used */
	uint64_t hits, misses, bad_releases, load_waits;
	clpac_store *store;
	_Atomic(uintptr_t) hint_slots; /* slots and n_slots - 1, for prefetching without the lock */
	_Atomic(size_t) hint_mask;
	pthread_cond_t settled;
	clpac__record_page *pages; /* all records */
	clpac_entry *free_records; /* chained through `key` */
	clpac__order orders[CLPAC__ORDERS];
};

/* Kinds of limits: bytes by place, and the number of entries. */
enum clpac__room {
	CLPAC__ROOM_DEVICE = CLPAC_ON_DEVICE,
	CLPAC__ROOM_HOST = CLPAC_ON_HOST,
	CLPAC__ROOM_FILE = CLPAC_IN_FILE,
	CLPAC__ROOM_ENTRIES,
	CLPAC__ROOMS
};

struct clpac_store {
	unsigned process; /* that made it (base/process.h) */
	clpac__shard shards[CLPAC__SHARDS];
	_Atomic(unsigned) n_pools;
	clpac_pool *pools[CLPAC_MAX_STORE_POOLS];
	clpac__spill_folder *folder; /* NULL: no files */
	clpac_eviction_function *evicted;
	void *user;
	uint64_t limits[CLPAC__ROOMS]; /* 0: no entries there */
	uint64_t half_life;	       /* of a use, in uses; 0: only the last one counts */

	atomic_size_t n_holders; /* the owner, until it is destroyed; entries, also those that left; scopes */

	alignas(64) _Atomic(uint64_t) clock;

	/* The store's lock guards the members below. counts holds the statistics, except members that the shards
	 * keep. */
	alignas(64) pthread_mutex_t lock;
	pthread_cond_t freed;
	uint64_t taken[CLPAC__ROOMS], peaks[CLPAC__ROOMS];
	size_t leaving[CLPAC__ROOMS]; /* entries whose room will soon be free */
	clpac_store_statistics counts;
};

/* Whether there is a store, and this process may use it. */
static inline bool clpac__store_is_here(const clpac_store *store)
{
	return store && !clpac__is_foreign(store->process);
}

/* --- store_table.c ---------------------------------------------------------------------------- */

/* A key, prepared for a search. */
typedef struct clpac__key {
	const char *text;
	size_t bytes;
	uint64_t hash;
	clpac__shard *shard;
} clpac__key;

/* CLPAC_ERROR_ARGUMENT when the key is NULL, empty or too long. */
clpac_status clpac__key_make(clpac_store *store, const char *text, clpac__key *out, clpac_error *err);

#if defined(__GNUC__)
#define CLPAC__PREFETCH(address) __builtin_prefetch((const void *)(address))
#else
#define CLPAC__PREFETCH(address) ((void)0)
#endif

/* Prefetches the key's slot while its shard is being locked: most of the cost of finding a key among many is this
 * memory access. */
static inline void clpac__shard_expect(clpac__shard *shard, const clpac__key *key)
{
	uintptr_t slots = atomic_load_explicit(&shard->hint_slots, memory_order_relaxed);
	size_t mask = atomic_load_explicit(&shard->hint_mask, memory_order_relaxed);
	CLPAC__PREFETCH(slots + (key->hash & mask) * sizeof(clpac__slot));
}

/* Called with the shard's lock held. */
static inline clpac_entry *clpac__shard_find(const clpac__shard *shard, const clpac__key *key)
{
	size_t mask = shard->n_slots - 1;
	for (size_t i = key->hash & mask; shard->n_slots && shard->slots[i].entry; i = (i + 1) & mask) {
		clpac_entry *entry = shard->slots[i].entry;
		if (shard->slots[i].hash != key->hash)
			continue;
		CLPAC__PREFETCH(entry->short_key); /* while the beginning of the record is on its way */
		if (entry->key_bytes == key->bytes && memcmp(entry->key, key->text, key->bytes) == 0)
			return entry;
	}
	return NULL;
}
/* Makes room for that many more entries.  False: no host memory. */
bool clpac__shard_reserve(clpac__shard *shard, size_t more);
void clpac__shard_insert(clpac__shard *shard, clpac_entry *entry);
void clpac__shard_remove(clpac__shard *shard, clpac_entry *entry);
/* A free record.  Records lie close together, in pages that stay until the store is destroyed.  NULL: no host
 * memory. */
clpac_entry *clpac__shard_take_record(clpac__shard *shard);
void clpac__shard_give_record(clpac__shard *shard, clpac_entry *record);
void clpac__shard_free_pages(clpac__shard *shard);

/* Finds an entry and waits until it is settled; *out is NULL when there is none.  Fails if this thread itself moves or
 * loads it.  Drops the shard's lock in between. */
clpac_status clpac__shard_find_settled(clpac__shard *shard, const clpac__key *key, clpac_entry **out, clpac_error *err);

/* --- store_holders.c -------------------------------------------------------------------------- */

/* Adds a holder, and takes one away; the store ends with the last. */
void clpac__store_hold(clpac_store *store);
void clpac__store_let_go(clpac_store *store);

/* --- store_entry.c ---------------------------------------------------------------------------- */

/* The number in the store of a buffer's pool; CLPAC_ERROR_ARGUMENT for a buffer that was released, or of a pool that
 * the store does not have. */
clpac_status clpac__store_pool_number(const clpac_store *store, const clpac_buffer *buffer, const char *key,
				      unsigned *out, clpac_error *err);

/* Makes an entry without content, in no table, in state loading. */
clpac_status clpac__entry_create(clpac_store *store, const clpac__key *key, const clpac_metadata *metadata,
				 clpac_entry **out, clpac_error *err);
clpac_status clpac__entry_describe(clpac_entry *entry, const clpac_metadata *metadata, clpac_error *err);
/* Frees only the memory of the entry itself.  NULL is fine. */
void clpac__entry_free(clpac_entry *entry);

/* Makes a buffer the content of an entry that no other thread sees, and the store its owner.  CLPAC_ERROR_ARGUMENT when
 * a store owns it already; the entry then has no content. */
clpac_status clpac__entry_set_buffer(clpac_entry *entry, clpac_buffer *buffer, unsigned pool, clpac_error *err);
/* Undoes that, if it was done: the buffer is the caller's again. */
void clpac__entry_return_buffer(clpac_entry *entry);

/* Called with the shard's lock held. refer takes a reference; touch stamps the entry as just used; begin_move takes it
 * out of the order, to be moved by this thread; settle declares it settled in its content's place and wakes waiting
 * threads. */
static inline void clpac__entry_refer(clpac_entry *entry)
{
	atomic_fetch_add_explicit(&entry->holds, 1, memory_order_relaxed);
}

static inline void clpac__entry_touch(clpac_store *store, clpac_entry *entry)
{
	/* Two threads may get the same time; then they have used their entries simultaneously. */
	uint64_t now = atomic_load_explicit(&store->clock, memory_order_relaxed) + 1;
	atomic_store_explicit(&store->clock, now, memory_order_relaxed);
	entry->stamp = store->half_life ? clpac__order_stamp(entry->stamp, now, store->half_life) : now;
}

void clpac__entry_begin_move(clpac_entry *entry);
void clpac__entry_settle(clpac_entry *entry);
/* The least recently used entry of an order that nobody holds or pins; NULL: none.  The shard's lock is held. */
clpac_entry *clpac__shard_oldest(clpac__shard *shard, unsigned order);
/* Takes a settled entry out of table and order.  The shard's lock is held.  True: nobody holds it, so the caller must
 * discard it, without the lock. */
bool clpac__entry_take_out(clpac_entry *entry);
/* Frees content, room and memory of an entry that only the caller can reach. */
void clpac__entry_discard(clpac_entry *entry);
void clpac__entries_discard(clpac_entry *chain);

/* --- store_put.c ------------------------------------------------------------------------------ */

/* The arrays of one item of a batch. */
typedef struct clpac__arrays {
	size_t n;
	const clpac_stored_array *arrays;
} clpac__arrays;

/* --- store_arrays.c --------------------------------------------------------------------------- */

static inline const char *clpac__array_name(const clpac_stored_array *array)
{
	return array->name ? array->name : "";
}

/* Gives an entry a copy of the list, whose arrays lie within `bytes`. */
clpac_status clpac__entry_set_arrays(clpac_entry *entry, const clpac__arrays *arrays, size_t bytes, clpac_error *err);

/* --- store_room.c ----------------------------------------------------------------------------- */

/* Takes room if there is some. */
bool clpac__store_take_room(clpac_store *store, enum clpac__room room, uint64_t amount);
/* Called when nothing can be evicted.  Waits for entries that other threads are moving out; true when trying again
 * makes sense. */
bool clpac__store_await_room(clpac_store *store, enum clpac__room room, uint64_t amount);
void clpac__store_release_room(clpac_store *store, enum clpac__room room, uint64_t amount);
/* Announces that room will soon be free (+1), or has been freed (-1). */
void clpac__store_leaving(clpac_store *store, enum clpac__room room, int change);
/* Adds to one of store->counts. */
void clpac__store_count(clpac_store *store, uint64_t *count, uint64_t n);

/* --- store_evict.c ---------------------------------------------------------------------------- */

/* Takes room and evicts entries for it.  The room is given back with release_room unless an entry takes it over.  Calls
 * back; therefore called without a lock, and not while this thread is moving an entry. */
clpac_status clpac__store_make_room(clpac_store *store, enum clpac__room room, uint64_t amount, clpac_error *err);

/* The function registered for CLPAC_LADDER_EVICT; user is the store. */
clpac_relief_function clpac__store_relieve;
extern const clpac__reclaimer clpac__store_reclaimer;

/* --- store_acquire.c -------------------------------------------------------------------------- */

/* Holds a settled entry and brings it onto its device.  Called with its shard locked; returns with it unlocked.
 * *has_left: it was deleted meanwhile and is not held, so the caller starts again. */
clpac_status clpac__store_bring(clpac_entry *entry, clpac__shard *shard, bool *has_left, clpac_error *err);

/* --- store_keys.c ----------------------------------------------------------------------------- */

/* True when a text matches a pattern of clpac_store_list. */
bool clpac__matches(const char *pattern, const char *text);

#endif
