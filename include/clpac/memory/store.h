/** @file memory/store.h
 * Buffers by name: data that was computed or read once is found again by its key, as long as there is room.
 *
 * An entry is a key, a buffer and metadata.  Whoever acquires an entry has its buffer on the device until he releases
 * the entry.  Entries that nobody holds stay until their room is needed.  Then they are evicted, the least recently
 * used first (or the least often: clpac_store_options.frequency_half_life): to the host's memory, then to a file, where
 * the options allow it, otherwise for good.  Acquiring an entry brings it back with the same content.
 *
 * When a pool of the store finds no room for a request, the store evicts entries of that pool by itself
 * (CLPAC_LADDER_EVICT).
 *
 * Queues: code that uses an entry's buffer in a queue other than the buffer's own calls clpac_buffer_record before it
 * releases the entry.
 *
 * Threads: every function may be called from any thread, but a scope is used by one thread at a time.  Acquiring and
 * releasing an entry that is on its device waits for no other thread's driver call.  No driver call and no callback is
 * made under a lock.  A key leaves the table before its buffer is released, so nobody ever finds a released buffer.  A
 * request for a key that another thread is loading or moving waits for it; therefore a thread that loads one key must
 * not ask for another key whose loader may ask for the first.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_STORE_H
#define CLPAC_MEMORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/handles.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Buffers by name.  Opaque. */
typedef struct clpac_store clpac_store;

/** A reference to an entry, given back once by clpac_entry_release.  Opaque. */
typedef struct clpac_entry clpac_entry;

enum {
	CLPAC_TYPE_SIZE = 16,	  /**< Bytes of a type tag, including the terminating NUL. */
	CLPAC_MAX_DIMENSIONS = 4, /**< Dimensions of a shape. */
	CLPAC_MAX_STORE_POOLS = 8 /**< Pools of a store. */
};

/** Facts about an entry beside its content.  The store copies strings; NULL is "". */
typedef struct clpac_metadata {
	char type[CLPAC_TYPE_SIZE];	      /**< Type of the elements, as "float32"; "" if not given. */
	uint64_t shape[CLPAC_MAX_DIMENSIONS]; /**< Slowest dimension first; 0 from the first unused one on. */
	const char *file;		      /**< The file that the content was read from. */
	uint64_t file_bytes;		      /**< The file's size at that time. */
	int64_t file_time_ns; /**< The file's modification time at that time, in nanoseconds since 1970. */
	const char *text;     /**< Any text, for example lines of key=value. */
} clpac_metadata;

/** Where an entry's content lies. */
typedef enum clpac_store_place {
	CLPAC_ON_DEVICE = 0, /**< In a buffer of its pool. */
	CLPAC_ON_HOST,	     /**< In the host's memory. */
	CLPAC_IN_FILE,	     /**< In a file of the store's folder. */
	CLPAC_STORE_PLACES
} clpac_store_place;

/** Name of a place: "device", "host", "file".  Never NULL. */
const char *clpac_store_place_text(clpac_store_place place);

/* --- Stores ----------------------------------------------------------------------------------- */

/** Where an evicted entry went. */
typedef enum clpac_eviction {
	CLPAC_MOVED_TO_HOST = 0,
	CLPAC_MOVED_TO_FILE,
	CLPAC_DROPPED /**< It left the store. */
} clpac_eviction;

/** Called after an entry made room, outside every lock.  The entry's key and metadata may be read during the call; the
 * function must not release it.  A dropped entry's key is free already and its buffer gone.  The function may use the
 * store, but must not acquire or fetch a key that another thread is loading.
 */
typedef void clpac_eviction_function(void *user, clpac_store *store, const clpac_entry *entry, clpac_eviction what);

/** Settings of a store; zero means default. */
typedef struct clpac_store_options {
	size_t size;	       /**< sizeof(clpac_store_options), or 0: the members of clpac 0.1. */
	uint64_t device_bytes; /**< Most bytes of entries on devices, as requested; 0: as the pools allow. */
	uint64_t host_bytes;   /**< Most bytes of entries moved to the host's memory; 0: none. */
	/** Existing folder for entries moved to files, copied.  Nobody else can read these files, and each is removed
	 * with its entry.  NULL: no files.
	 */
	const char *folder;
	uint64_t file_bytes;		  /**< Most bytes of entries in files; 0: no limit. */
	uint64_t max_entries;		  /**< Most entries in all places; 0: no limit. */
	clpac_eviction_function *evicted; /**< Called for each eviction; NULL: none. */
	void *user;			  /**< Handed to evicted. */
	/** 0: the least recently used entry is evicted first.  Otherwise the least often used, where a use counts half
	 * as much after this many further uses of the store: 1 comes close to 0, and the larger, the longer a frequent
	 * entry survives others that are used once.  A few times the number of entries is a good beginning.  Up to
	 * 2^40.
	 */
	uint64_t frequency_half_life;
} clpac_store_options;

/** Makes an empty store.
 * @param pool the default pool for entries that the store brings back; the store keeps it.
 * @param options NULL for defaults; read, not kept.
 * @param[out] out the store; the caller destroys it.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_IO (the folder cannot be written to), CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_store_create(clpac_pool *pool, const clpac_store_options *options, clpac_store **out,
				clpac_error *err);
/** Gives the store up: every key leaves, with its buffer and its file.  An entry that somebody holds stays whole until
 * it is released, and keeps the store, as an open scope does.  No other thread may be calling a function with the
 * store, or waiting for memory of its pools.  NULL is fine.
 */
void clpac_store_destroy(clpac_store *store);

/** Lets the store hold buffers of a further pool, which it keeps.  Adding a pool twice is fine.
 * Errors: CLPAC_ERROR_ARGUMENT (more than CLPAC_MAX_STORE_POOLS, or more stores than a pool takes).
 */
clpac_status clpac_store_add_pool(clpac_store *store, clpac_pool *pool, clpac_error *err);
/** The pool that the store was made with. */
clpac_pool *clpac_store_pool(const clpac_store *store);

/* --- Putting ---------------------------------------------------------------------------------- */

/** Behaviour of a put when the key exists already. */
typedef enum clpac_put {
	CLPAC_PUT_FAIL = 0, /**< Fails with CLPAC_ERROR_ARGUMENT. */
	/** The old entry leaves the store; those who hold it keep it until they release it. */
	CLPAC_PUT_REPLACE,
	CLPAC_PUT_KEEP /**< The old entry stays, and the given buffer is released. */
} clpac_put;

/** Puts a buffer under a key.
 * @param key 1 byte or more, copied.
 * @param buffer of one of the store's pools.  After success it belongs to the store, even if an old entry was kept;
 *   after an error it is still the caller's.  Nobody else can put it again, in any store, or release it.
 * @param metadata NULL: none; copied.
 * Errors: CLPAC_ERROR_ARGUMENT (the key exists; a buffer that was released, of another pool, or that a store owns, with
 * both keys); CLPAC_ERROR_NO_DEVICE_MEMORY when the store's limits leave no room beside entries that
 * are held or pinned; CLPAC_ERROR_IO when an entry that should make room cannot be moved to a file (it stays where it
 * was); CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_store_put(clpac_store *store, const char *key, clpac_buffer *buffer, const clpac_metadata *metadata,
			     clpac_put mode, clpac_error *err);

/** One item of a batch. */
typedef struct clpac_put_item {
	const char *key;
	clpac_buffer *buffer;
	const clpac_metadata *metadata; /**< NULL: none. */
} clpac_put_item;

/** Puts n buffers, or none: nobody sees some of them without the others.
 * Errors: as for clpac_store_put, and CLPAC_ERROR_ARGUMENT for a key or a buffer that occurs twice.
 */
clpac_status clpac_store_put_batch(clpac_store *store, size_t n, const clpac_put_item *items, clpac_put mode,
				   clpac_error *err);

/** One of the arrays of an entry: a part of its buffer. */
typedef struct clpac_stored_array {
	const char *name;		      /**< Unique in the entry; NULL is "". */
	char type[CLPAC_TYPE_SIZE];	      /**< As in clpac_metadata. */
	uint64_t shape[CLPAC_MAX_DIMENSIONS]; /**< As in clpac_metadata. */
	size_t offset;			      /**< Its first byte in the buffer. */
	size_t bytes;			      /**< 1 or more. */
	const void *data;		      /**< For clpac_store_save: the bytes on the host.  Otherwise not used. */
} clpac_stored_array;

enum {
	CLPAC_ARRAY_ALIGNMENT = 512 /**< Of the offsets that clpac_store_save chooses: any device's for sub-buffers. */
};

/** Puts a buffer that holds several arrays under one key: they are acquired, moved, deleted and counted as one.
 * @param arrays n arrays with name, type, shape, offset and bytes; copied.  Parts may overlap.
 * Errors: as for clpac_store_put, and CLPAC_ERROR_ARGUMENT for an array that is not in the buffer, is empty, or has the
 * name of another.
 */
clpac_status clpac_store_put_arrays(clpac_store *store, const char *key, clpac_buffer *buffer, size_t n,
				    const clpac_stored_array *arrays, const clpac_metadata *metadata, clpac_put mode,
				    clpac_error *err);

/** Saves arrays of the host under a key, in one call: allocates a buffer in the pool that the store was made with,
 * copies the arrays into it one after another, at multiples of CLPAC_ARRAY_ALIGNMENT, and puts it.
 * @param arrays n arrays, 1 or more, with name, type, shape, bytes and data; offset is chosen.  Copied.
 * @param metadata NULL: none; copied.  One array needs no name: its type and shape may stand here.
 * Errors: as for clpac_store_put_arrays, clpac_pool_allocate and clpac_buffer_write; nothing was put then.
 */
clpac_status clpac_store_save(clpac_store *store, const char *key, size_t n, const clpac_stored_array *arrays,
			      const clpac_metadata *metadata, clpac_put mode, clpac_error *err);

/** Saves arrays of single precision in half precision, which takes half the bytes on the device, the host and in files.
 *
 * The arrays' type becomes "float16*2^k": a value is that of the half times 2^k, which a kernel reads as
 * ldexp(vload_half(i, p), k).  k is chosen for each array so that its largest finite magnitude, divided by 2^k, lies in
 * [2^14, 2^15): no value is out of half's range.  A value x comes back with an error of at most 2^-11 |x|, or of 2^-39
 * times the largest magnitude if that is more; infinities and NaN come back as such.
 * @param arrays n arrays, 1 or more, of type "float32", with name, shape, bytes and data.
 * Errors: as for clpac_store_save, and CLPAC_ERROR_ARGUMENT for an array of another type.
 */
clpac_status clpac_store_save_half(clpac_store *store, const char *key, size_t n, const clpac_stored_array *arrays,
				   const clpac_metadata *metadata, clpac_put mode, clpac_error *err);

/** Reads values of an array of an entry, wherever it lies, as single precision: one of type "float32", or one that
 * clpac_store_save_half made.
 * @param name of the array.
 * @param[out] out n values, from number `first` on.
 * Errors: CLPAC_ERROR_ARGUMENT for another key, name, type or range; those of clpac_store_get.
 * Cost: that of clpac_store_get, and a nanosecond or so for each half.
 */
clpac_status clpac_store_get_floats(clpac_store *store, const char *key, const char *name, size_t first, size_t n,
				    float *out, clpac_error *err);

/** The arrays of an entry, in the order in which they were given, valid while the entry is held.
 * @param[out] n their number; 0 and NULL returned for an entry that was put without.
 */
const clpac_stored_array *clpac_entry_arrays(const clpac_entry *entry, size_t *n);
/** The array of that name; NULL where the entry has none. */
const clpac_stored_array *clpac_entry_array(const clpac_entry *entry, const char *name);

/* --- Holding ---------------------------------------------------------------------------------- */

/** Finds an entry and holds it; its buffer is on the device until the entry is released.  An evicted entry is brought
 * back, which may evict others.
 * @param[out] out the entry; the caller gives it back with clpac_entry_release.
 * Errors: CLPAC_ERROR_ARGUMENT (no such key); for an evicted entry also CLPAC_ERROR_NO_DEVICE_MEMORY,
 * CLPAC_ERROR_DEVICE, CLPAC_ERROR_NO_MEMORY, and CLPAC_ERROR_IO or CLPAC_ERROR_FORMAT when its file cannot be read or
 * was changed.  The entry then stays as it was.
 * Cost: tens of nanoseconds for an entry on the device.
 */
clpac_status clpac_store_acquire(clpac_store *store, const char *key, clpac_entry **out, clpac_error *err);
/** Acquires n entries, or none; all are on their devices at the same time.
 * @param[out] out n entries, written on success.
 */
clpac_status clpac_store_acquire_batch(clpac_store *store, size_t n, const char *const *keys, clpac_entry **out,
				       clpac_error *err);
/** Holds an entry where it is, for its metadata: it is not dropped meanwhile.
 * Errors: CLPAC_ERROR_ARGUMENT (no such key).
 */
clpac_status clpac_store_look(clpac_store *store, const char *key, clpac_entry **out, clpac_error *err);
/** Takes a further reference to an entry that the caller holds. */
void clpac_entry_hold(clpac_entry *entry);
/** Gives one reference back.  NULL is fine.  Releasing once too often, for an entry that is still in the store, is
 * ignored and counted.
 */
void clpac_entry_release(clpac_entry *entry);
/** Gives n references back and sets them to NULL; NULLs among them are fine. */
void clpac_entry_release_batch(clpac_entry **entries, size_t n);

/** Copies bytes of an entry's content to the host and leaves the content where it is.
 * Errors: CLPAC_ERROR_ARGUMENT (no such key, a range outside the content), CLPAC_ERROR_DEVICE, CLPAC_ERROR_IO,
 * CLPAC_ERROR_FORMAT; target is undefined then.
 */
clpac_status clpac_store_get(clpac_store *store, const char *key, size_t offset, size_t bytes, void *target,
			     clpac_error *err);

/** The entry's buffer, which belongs to the store, valid while the entry is held.  NULL for an entry held by
 * clpac_store_look that is not on its device.
 */
clpac_buffer *clpac_entry_buffer(const clpac_entry *entry);
/** The entry's key.  Valid while the entry is held.  Never NULL. */
const char *clpac_entry_key(const clpac_entry *entry);
/** The entry's metadata, valid while the entry is held.  Its strings are never NULL. */
const clpac_metadata *clpac_entry_metadata(const clpac_entry *entry);
/** Bytes of the entry's content. */
size_t clpac_entry_bytes(const clpac_entry *entry);
/** The pool, and thereby the device, on which the entry lives when it is acquired. */
clpac_pool *clpac_entry_pool(const clpac_entry *entry);
/** Where the entry's content lies now. */
clpac_store_place clpac_entry_place(const clpac_entry *entry);

/** Protects an entry from eviction until clpac_store_unpin was called as often.  It can still be deleted or replaced.
 * Errors: CLPAC_ERROR_ARGUMENT (no such key; unpinned too often).
 */
clpac_status clpac_store_pin(clpac_store *store, const char *key, clpac_error *err);
clpac_status clpac_store_unpin(clpac_store *store, const char *key, clpac_error *err);

/* --- Loading ---------------------------------------------------------------------------------- */

/** Makes the content of a key; called outside every lock.  It may use the store, but must not ask for the same key.
 * @param[in,out] metadata begins as the metadata given to clpac_store_fetch; type, shape and text may be completed,
 *   with strings that live until clpac_store_fetch returns.
 * @param[out] out a buffer of one of the store's pools; it belongs to the store on success.
 */
typedef clpac_status clpac_load_function(void *user, clpac_store *store, const char *key, clpac_metadata *metadata,
					 clpac_buffer **out, clpac_error *err);

/** Acquires an entry and loads it first if it is missing or stale.  An entry is stale when it was made from another
 * file than metadata names, or from a file of another size or modification time; it then leaves the store.  Threads
 * that ask for the same key at the same time load it once; if that fails, the next of them tries.
 * @param metadata NULL: any entry of that key is accepted.
 * Errors: those of the loader, of clpac_store_put and of clpac_store_acquire; CLPAC_ERROR_ARGUMENT when a loader asks
 * for the key that it loads.
 */
clpac_status clpac_store_fetch(clpac_store *store, const char *key, const clpac_metadata *metadata,
			       clpac_load_function *load, void *user, clpac_entry **out, clpac_error *err);

/* --- Files ------------------------------------------------------------------------------------ */

/** Writes entries to one file, with keys, metadata, arrays and contents, wherever these lie: another store can read it,
 * on another device and machine.  doc/memory.md has the format.  The file appears when it is complete; until then its
 * content is in PATH.XXXXXX.
 * @param prefix of the keys to write; NULL or "": all.  Entries that appear or leave meanwhile may be missing.
 * Errors: CLPAC_ERROR_IO with errno; CLPAC_ERROR_NO_MEMORY; those of clpac_store_get.  An older file is untouched then.
 * Cost: host memory for the largest content.
 */
clpac_status clpac_store_write(clpac_store *store, const char *path, const char *prefix, clpac_error *err);
/** Reads entries of such a file into buffers of the pool that the store was made with, and puts them, one after
 * another. The whole file is checked before the first: a damaged one changes nothing.
 * @param mode as for clpac_store_put; with CLPAC_PUT_FAIL nothing is put where a key exists.
 * @param[out] n entries put or kept; NULL is fine.
 * Errors: CLPAC_ERROR_IO with errno; CLPAC_ERROR_FORMAT with the place; those of clpac_store_put_arrays and
 * clpac_pool_allocate, after which the entries before stay.
 */
clpac_status clpac_store_read(clpac_store *store, const char *path, clpac_put mode, size_t *n, clpac_error *err);

/* --- Keys ------------------------------------------------------------------------------------- */

/** One spelling for keys that are put together from parts, as paths are: blanks at both ends and around each "/" go, so
 * do empty parts and parts ".", and a "/" at the end.  "..", case and all other bytes stay.  A normal key is its own.
 * Stores take any key as it is; callers who want one spelling pass each key through here.
 * @param[out] normal freed with clpac_text_free.
 * Errors: CLPAC_ERROR_ARGUMENT (nothing is left), CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_key_normalise(const char *key, char **normal, clpac_error *err);

/** True when the key is in the store; false for one that is being loaded. */
bool clpac_store_exists(clpac_store *store, const char *key);

/** A list of keys. */
typedef struct clpac_key_list {
	size_t n;
	char **keys; /**< Sorted by their bytes. */
} clpac_key_list;

/** Lists the keys that begin with a prefix and match a pattern.
 * @param prefix NULL or "": any.
 * @param pattern matches the whole key: * stands for any characters, ? for one, [a-z] and [!a-z] for one of a set (of
 *   bytes), and a backslash quotes the next character.  NULL: any.
 * @param[out] out the list; the caller clears it with clpac_key_list_clear.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_store_list(clpac_store *store, const char *prefix, const char *pattern, clpac_key_list *out,
			      clpac_error *err);
/** Frees the keys.  A zeroed list is fine. */
void clpac_key_list_clear(clpac_key_list *list);

/** Removes a key, also a pinned one; those who hold the entry keep it until they release it.
 * Errors: CLPAC_ERROR_ARGUMENT (no such key).
 */
clpac_status clpac_store_delete(clpac_store *store, const char *key, clpac_error *err);
/** Removes every key that begins with the prefix; NULL or "": all.
 * @return the number of keys removed.
 */
size_t clpac_store_delete_prefix(clpac_store *store, const char *prefix);

/** Evicts entries on a pool's device that nobody holds, the least recently used first, until this many bytes of the
 * pool were released: to the host or a file where the options allow it.  The pool's ladder calls this by itself.
 * @return the bytes released, in the pool's size classes.
 */
uint64_t clpac_store_evict(clpac_store *store, clpac_pool *pool, uint64_t bytes);

/* --- Scopes ----------------------------------------------------------------------------------- */

/** A list of references that are given back together.  Opaque. */
typedef struct clpac_store_scope clpac_store_scope;

/** Opens a scope.
 * @param outer the enclosing scope, which must have no other open scope in it; NULL: none.
 * @param[out] out the scope; ended by clpac_store_scope_close, or together with outer.
 * Errors: CLPAC_ERROR_ARGUMENT, CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_store_scope_open(clpac_store *store, clpac_store_scope *outer, clpac_store_scope **out,
				    clpac_error *err);
/** clpac_store_acquire for a scope, which releases the entry: the caller must not release *out. */
clpac_status clpac_store_scope_acquire(clpac_store_scope *scope, const char *key, clpac_entry **out, clpac_error *err);
/** Hands a reference of the caller's over to the scope.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_ARGUMENT (an entry of another store); the reference is then still the
 * caller's.
 */
clpac_status clpac_store_scope_take(clpac_store_scope *scope, clpac_entry *entry, clpac_error *err);
/** Closes the scopes inside it, then releases its references, the last first.  NULL is fine. */
void clpac_store_scope_close(clpac_store_scope *scope);

/* --- Statistics ------------------------------------------------------------------------------- */

/** A store's numbers; bytes as requested.  Every member after size is eight bytes. */
typedef struct clpac_store_statistics {
	size_t size; /**< Bytes of this struct that were filled.  In one made by hand 0: the members of clpac 0.1. */
	uint64_t entries;				     /**< In the store now. */
	uint64_t device_entries, host_entries, file_entries; /**< Entries by place. */
	/** Bytes by place, including entries that left the store and are still held. */
	uint64_t device_bytes, host_bytes, file_bytes;
	uint64_t peak_device_bytes, peak_host_bytes, peak_file_bytes;
	uint64_t referenced_entries, pinned_entries; /**< Entries that are held, and that are pinned. */
	uint64_t hits;				     /**< Requests for a key that found it. */
	uint64_t misses;			     /**< Requests for a key that did not. */
	double hit_rate;			     /**< hits / (hits + misses); 0 before the first. */
	uint64_t puts;				     /**< Buffers put, including loaded ones. */
	uint64_t replaced;			     /**< Entries replaced by another of the same key. */
	uint64_t deleted;			     /**< Entries deleted by the caller. */
	uint64_t loads;				     /**< Calls of a loader. */
	uint64_t loaded_bytes;			     /**< Bytes made by loaders. */
	uint64_t load_failures;			     /**< Loads that failed. */
	uint64_t load_waits;			     /**< Waits of a thread for another thread's load. */
	uint64_t evictions;			     /**< Entries dropped to make room. */
	uint64_t evicted_bytes;
	uint64_t spills_to_host, spills_to_file; /**< Evictions to the host, and to a file. */
	uint64_t spilled_bytes;
	uint64_t spill_failures; /**< Failed moves in either direction. */
	uint64_t restores;	 /**< Moves back to the device. */
	uint64_t restored_bytes;
	uint64_t reliefs;	 /**< Calls of a pool that needed room. */
	uint64_t relieved_bytes; /**< Bytes released for pools, in their size classes. */
	uint64_t bad_releases;	 /**< Releases of an entry that was not held; ignored. */
} clpac_store_statistics;

/** Reads all numbers; while other threads use the store, they may be of slightly different moments.
 * @param[out] out filled up to size bytes.
 * @param size sizeof(clpac_store_statistics), as the caller's header has it.
 */
void clpac_store_measure(clpac_store *store, clpac_store_statistics *out, size_t size);
/** The numbers as text for people, several lines.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_store_statistics_text(const clpac_store_statistics *statistics, char **text, clpac_error *err);
/** The numbers as one JSON object on one line: the members under their names in their order.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_store_statistics_json(const clpac_store_statistics *statistics, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
