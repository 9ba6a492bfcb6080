/** @file memory/store.h
 *  Buffers by name: what was computed or read once is found again by its key, for as long as there is room.
 *
 *  An entry is a key, a buffer and some words about it.  Whoever acquires an entry has its buffer on the device until
 * he releases it.  Entries that nobody holds stay, and leave only when their room is needed, the least recently used
 * first: to the host's memory, then to a file, where the options allow it, else for good.  Acquiring brings an entry
 * back with the same content.
 *
 *  When a pool of the store finds no room for a request, the store lets go of entries of that pool by itself
 *  (CLPAC_LADDER_EVICT).
 *
 *  Order on queues: who uses an entry's buffer in another queue than the buffer's own records that
 * (clpac_buffer_record) before he releases the entry.
 *
 *  Threads: every function may be called from any thread, but a scope is used by one thread at a time.  Acquiring and
 * releasing an entry that is on its device waits for no other thread's driver call.  No driver call and no callback is
 * made under a lock. A key leaves the table before its buffer is released, so that nobody ever finds a buffer that was
 * released.  A key that another thread is just loading or moving is waited for, and so one thread must not, while it
 * loads one key, ask for another one whose loader may ask for the first.
 */
#ifndef CLPAC_MEMORY_STORE_H
#define CLPAC_MEMORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Buffers by name.  Opaque. */
typedef struct clpac_store clpac_store;

/** An entry that somebody holds: one reference, given back once by clpac_entry_release.  Opaque. */
typedef struct clpac_entry clpac_entry;

enum {
	CLPAC_TYPE_SIZE = 16,	  /**< Bytes of a type tag, the ending NUL included. */
	CLPAC_MAX_DIMENSIONS = 4, /**< Of a shape. */
	CLPAC_MAX_STORE_POOLS = 8 /**< Pools of a store. */
};

/** What is known about an entry beside its content.  Strings are copied by the store; NULL is "". */
typedef struct clpac_metadata {
	char type[CLPAC_TYPE_SIZE];	      /**< What the bytes are, as "float32"; "" unsaid. */
	uint64_t shape[CLPAC_MAX_DIMENSIONS]; /**< Slowest first; 0 from the first unused one on. */
	const char *file;		      /**< Where it was read from. */
	uint64_t file_bytes;		      /**< The file's size then. */
	int64_t file_time_ns;		      /**< The file's time of change then, in nanoseconds since 1970. */
	const char *text;		      /**< Anything, say lines of key=value. */
} clpac_metadata;

/** Where an entry's content is. */
typedef enum clpac_store_place {
	CLPAC_ON_DEVICE = 0, /**< In a buffer of its pool. */
	CLPAC_ON_HOST,	     /**< In the host's memory. */
	CLPAC_IN_FILE,	     /**< In a file of the store's folder. */
	CLPAC_STORE_PLACES
} clpac_store_place;

/** "device", "host", "file".  Never NULL. */
const char *clpac_store_place_text(clpac_store_place place);

/* --- Stores ----------------------------------------------------------------------------------- */

/** What became of an entry whose room was needed. */
typedef enum clpac_eviction {
	CLPAC_MOVED_TO_HOST = 0,
	CLPAC_MOVED_TO_FILE,
	CLPAC_DROPPED /**< It left the store. */
} clpac_eviction;

/** Told after an entry made room, outside every lock; its key and metadata may be asked for during the call, and it is
 * not the callee's to release.  Of a dropped one the key is free already and the buffer gone.  It may use the store,
 * but not acquire or fetch a key that another thread is just loading. */
typedef void clpac_eviction_function(void *user, clpac_store *store, const clpac_entry *entry, clpac_eviction what);

/** Settings of a store; zero means default. */
typedef struct clpac_store_options {
	size_t size;	       /**< sizeof(clpac_store_options), or 0: the members of clpac 0.1. */
	uint64_t device_bytes; /**< Most bytes of entries on devices, as asked for; 0: what the pools allow. */
	uint64_t host_bytes;   /**< Most bytes of entries moved to the host's memory; 0: none are moved there. */
	const char *folder;   /**< Where entries may be moved to files, which nobody else can read and which are removed
				 with their   entries; copied.  It must exist.  NULL: nowhere. */
	uint64_t file_bytes;  /**< Most bytes of entries in files; 0: no limit. */
	uint64_t max_entries; /**< Most entries wherever they are; 0: no limit. */
	clpac_eviction_function *evicted; /**< NULL: nobody is told. */
	void *user;			  /**< For evicted. */
} clpac_store_options;

/** Makes an empty store.
 *  @param pool where entries that the store brings back live by default; it must outlive the store.
 *  @param options NULL for defaults; read, not kept.
 *  @param[out] out the caller's to destroy.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_IO (the folder cannot be written to), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_store_create(clpac_pool *pool, const clpac_store_options *options, clpac_store **out,
				clpac_error *err);
/** Releases every buffer and removes every file.  All entries and scopes have been given back before, and no other
 * thread uses the store or waits for memory of its pools.  NULL is fine. */
void clpac_store_destroy(clpac_store *store);

/** Lets the store hold buffers of a further pool, which must outlive it; one that it has already is fine.
 *  Errors: CLPAC_ERROR_ARGUMENT (more than CLPAC_MAX_STORE_POOLS, or more stores than a pool takes). */
clpac_status clpac_store_add_pool(clpac_store *store, clpac_pool *pool, clpac_error *err);
/** The pool that it was made with. */
clpac_pool *clpac_store_pool(const clpac_store *store);

/* --- Putting ---------------------------------------------------------------------------------- */

/** What to do when the key is there. */
typedef enum clpac_put {
	CLPAC_PUT_FAIL = 0, /**< CLPAC_ERROR_ARGUMENT. */
	CLPAC_PUT_REPLACE,  /**< The old entry leaves; those who hold it keep it until they release it. */
	CLPAC_PUT_KEEP	    /**< The old entry stays, and the buffer that was given is released. */
} clpac_put;

/** Puts a buffer under a key.
 *  @param key 1 byte or more, copied.
 *  @param buffer of one of the store's pools.  After success it belongs to the store, also where an old entry was kept;
 * after an error it is still the caller's.
 *  @param metadata NULL: none; copied.
 *  Errors: CLPAC_ERROR_ARGUMENT; CLPAC_ERROR_NO_DEVICE_MEMORY when the store's limits leave no room beside what is held
 * or pinned; CLPAC_ERROR_IO when what should make room cannot be moved to a file (it stays where it was);
 *  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_store_put(clpac_store *store, const char *key, clpac_buffer *buffer, const clpac_metadata *metadata,
			     clpac_put mode, clpac_error *err);

/** One of many. */
typedef struct clpac_put_item {
	const char *key;
	clpac_buffer *buffer;
	const clpac_metadata *metadata; /**< NULL: none. */
} clpac_put_item;

/** Puts n buffers, or none: nobody sees some of them without the others.
 *  Errors: as for clpac_store_put, and CLPAC_ERROR_ARGUMENT for a key or a buffer that occurs twice. */
clpac_status clpac_store_put_batch(clpac_store *store, size_t n, const clpac_put_item *items, clpac_put mode,
				   clpac_error *err);

/* --- Holding ---------------------------------------------------------------------------------- */

/** Finds an entry and holds it; its buffer is on the device until it is released.  An entry that had been moved comes
 * back, which may move others.
 *  @param[out] out to be given back by clpac_entry_release.
 *  Errors: CLPAC_ERROR_ARGUMENT (no such key); for one that had been moved also CLPAC_ERROR_NO_DEVICE_MEMORY,
 *  CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY, and CLPAC_ERROR_IO or CLPAC_ERROR_FORMAT when its file cannot be read or
 * is not what was written; it then stays as it was. Cost: tens of nanoseconds for one on the device. */
clpac_status clpac_store_acquire(clpac_store *store, const char *key, clpac_entry **out, clpac_error *err);
/** Acquires n entries, or none; all are on their devices at the same time.  @param[out] out n entries, written on
 * success. */
clpac_status clpac_store_acquire_batch(clpac_store *store, size_t n, const char *const *keys, clpac_entry **out,
				       clpac_error *err);
/** Holds an entry where it is, for its metadata: it is not dropped meanwhile.  Errors: CLPAC_ERROR_ARGUMENT (no such
 * key). */
clpac_status clpac_store_look(clpac_store *store, const char *key, clpac_entry **out, clpac_error *err);
/** A further reference to an entry that the caller holds. */
void clpac_entry_hold(clpac_entry *entry);
/** Gives one reference back.  NULL is fine.  One too many, for an entry that is still in the store, is ignored and
 * counted. */
void clpac_entry_release(clpac_entry *entry);
/** Gives n references back, NULLs among them allowed, and sets them to NULL. */
void clpac_entry_release_batch(clpac_entry **entries, size_t n);

/** Copies bytes of an entry's content to the host, wherever it is, and leaves it there.
 *  Errors: CLPAC_ERROR_ARGUMENT (no such key, a range outside), CLPAC_ERROR_DEVICE, CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT;
 * target is undefined then. */
clpac_status clpac_store_get(clpac_store *store, const char *key, size_t offset, size_t bytes, void *target,
			     clpac_error *err);

/** The entry's buffer, the store's, for as long as the entry is held; NULL for one that was only looked at and is not
 * on its device. */
clpac_buffer *clpac_entry_buffer(const clpac_entry *entry);
/** Valid as long as the entry is held, as is the metadata.  Never NULL. */
const char *clpac_entry_key(const clpac_entry *entry);
/** Its strings are never NULL. */
const clpac_metadata *clpac_entry_metadata(const clpac_entry *entry);
/** Bytes of its content. */
size_t clpac_entry_bytes(const clpac_entry *entry);
/** The pool, and by it the device, where it lives when it is acquired. */
clpac_pool *clpac_entry_pool(const clpac_entry *entry);
/** Where its content is now. */
clpac_store_place clpac_entry_place(const clpac_entry *entry);

/** Keeps an entry from being evicted until clpac_store_unpin was called as often.  Deleting and replacing it still
 * works. Errors: CLPAC_ERROR_ARGUMENT (no such key; unpinned too often). */
clpac_status clpac_store_pin(clpac_store *store, const char *key, clpac_error *err);
clpac_status clpac_store_unpin(clpac_store *store, const char *key, clpac_error *err);

/* --- Loading ---------------------------------------------------------------------------------- */

/** Makes what a key stands for; called outside every lock.  It may use the store, but not ask for the same key.
 *  @param[in,out] metadata begins as what clpac_store_fetch was given; type, shape and text may be completed, with
 * strings that live until clpac_store_fetch returns.
 *  @param[out] out a buffer of one of the store's pools, the store's from now on. */
typedef clpac_status clpac_load_function(void *user, clpac_store *store, const char *key, clpac_metadata *metadata,
					 clpac_buffer **out, clpac_error *err);

/** Acquires an entry, having it loaded first where it is missing, or where it was made from another file, or another
 * size or time of change of the file, than metadata says (that one leaves).  Several threads that ask at the same time
 * load once; where that failed, the next of them tries.
 *  @param metadata NULL: whatever is there will do.
 *  Errors: those of the loader, of clpac_store_put and of clpac_store_acquire; CLPAC_ERROR_ARGUMENT where a loader asks
 * for the key that it loads. */
clpac_status clpac_store_fetch(clpac_store *store, const char *key, const clpac_metadata *metadata,
			       clpac_load_function *load, void *user, clpac_entry **out, clpac_error *err);

/* --- Keys ------------------------------------------------------------------------------------- */

/** Whether the key is there; one that is just being loaded is not. */
bool clpac_store_exists(clpac_store *store, const char *key);

/** Some keys. */
typedef struct clpac_key_list {
	size_t n;
	char **keys; /**< Sorted by their bytes. */
} clpac_key_list;

/** Lists the keys that begin with a prefix and match a pattern.
 *  @param prefix NULL or "": any.
 *  @param pattern of the whole key: * stands for any characters, ? for one, [a-z] and [!a-z] for one of some (by
 * bytes), a backslash takes the next one as it is.  NULL: any.
 *  @param[out] out the caller's to clear with clpac_key_list_clear.
 *  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_store_list(clpac_store *store, const char *prefix, const char *pattern, clpac_key_list *out,
			      clpac_error *err);
/** Frees the keys.  A zeroed one is fine. */
void clpac_key_list_clear(clpac_key_list *list);

/** Removes a key; those who hold the entry keep it until they release it.  Pinned ones go too.
 *  Errors: CLPAC_ERROR_ARGUMENT (no such key). */
clpac_status clpac_store_delete(clpac_store *store, const char *key, clpac_error *err);
/** Removes every key that begins with the prefix; NULL or "": all.  @return how many. */
size_t clpac_store_delete_prefix(clpac_store *store, const char *prefix);

/** Lets go of entries on a pool's device that nobody holds, the least recently used first, until so many bytes of it
 * were released: to the host or a file where the options allow it.  The pool's ladder asks for this by itself.
 *  @return the bytes released, of the pool's size classes. */
uint64_t clpac_store_evict(clpac_store *store, clpac_pool *pool, uint64_t bytes);

/* --- Scopes ----------------------------------------------------------------------------------- */

/** A list of references that are given back together.  Opaque. */
typedef struct clpac_store_scope clpac_store_scope;

/** Opens a scope.
 *  @param outer the scope that it lies in, which must have no other open one in it; NULL: none.
 *  @param[out] out ended by clpac_store_scope_close, or with outer.
 *  Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_store_scope_open(clpac_store *store, clpac_store_scope *outer, clpac_store_scope **out,
				    clpac_error *err);
/** clpac_store_acquire, for the scope to release: *out is not the caller's to release. */
clpac_status clpac_store_scope_acquire(clpac_store_scope *scope, const char *key, clpac_entry **out, clpac_error *err);
/** Hands a reference that the caller has over to the scope.  Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_ARGUMENT (of
 * another store); it is then still the caller's. */
clpac_status clpac_store_scope_take(clpac_store_scope *scope, clpac_entry *entry, clpac_error *err);
/** Closes the scopes in it, then releases what it took, the last first.  NULL is fine. */
void clpac_store_scope_close(clpac_store_scope *scope);

/* --- Statistics ------------------------------------------------------------------------------- */

/** A store's numbers; bytes as asked for.  Every member after size has eight bytes. */
typedef struct clpac_store_statistics {
	size_t size; /**< Bytes of this struct that were filled.  In one made by hand 0: the members of clpac 0.1. */
	uint64_t entries;				     /**< In the store now. */
	uint64_t device_entries, host_entries, file_entries; /**< The same by place. */
	uint64_t device_bytes, host_bytes, file_bytes;	     /**< Also of entries that left and are still held. */
	uint64_t peak_device_bytes, peak_host_bytes, peak_file_bytes;
	uint64_t referenced_entries, pinned_entries; /**< Of entries. */
	uint64_t hits;				     /**< Times that a key was asked for and was there. */
	uint64_t misses;			     /**< Times that it was not. */
	double hit_rate;			     /**< hits / (hits + misses); 0 before the first. */
	uint64_t puts;				     /**< Buffers that were put, those loaded included. */
	uint64_t replaced;			     /**< Entries that left for another of their key. */
	uint64_t deleted;			     /**< Entries that left because they were told to. */
	uint64_t loads;				     /**< Times that a loader was called. */
	uint64_t loaded_bytes;			     /**< That loaders made. */
	uint64_t load_failures;			     /**< Of loads. */
	uint64_t load_waits;			     /**< Times that a thread waited for another's load. */
	uint64_t evictions;			     /**< Entries that were dropped to make room. */
	uint64_t evicted_bytes;
	uint64_t spills_to_host, spills_to_file; /**< Moves down. */
	uint64_t spilled_bytes;
	uint64_t spill_failures; /**< Moves that failed, either way. */
	uint64_t restores;	 /**< Moves back to the device. */
	uint64_t restored_bytes;
	uint64_t reliefs;	 /**< Times that a pool asked for room. */
	uint64_t relieved_bytes; /**< That it got, of its size classes. */
	uint64_t bad_releases;	 /**< Releases of what was not held; ignored. */
} clpac_store_statistics;

/** Reads all numbers; while other threads use the store they may be of slightly different moments.
 *  @param[out] out filled up to size bytes.  @param size sizeof(clpac_store_statistics), as the caller's header has it.
 */
void clpac_store_measure(clpac_store *store, clpac_store_statistics *out, size_t size);
/** The numbers as text for people, several lines.  @param[out] text freed with clpac_text_free.  Errors:
 * CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_store_statistics_text(const clpac_store_statistics *statistics, char **text, clpac_error *err);
/** The same as one JSON object on one line: the members under their names in their order. */
clpac_status clpac_store_statistics_json(const clpac_store_statistics *statistics, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
