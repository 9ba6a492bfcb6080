/* Queries about keys, and deleting. */
#include "memory/store/store_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool clpac_store_exists(clpac_store *store, const char *text)
{
	if (!clpac__store_is_here(store) || !text)
		return false;
	clpac__key key;
	if (clpac__key_make(store, text, &key, NULL) != CLPAC_OK)
		return false;
	pthread_mutex_lock(&key.shard->lock);
	const clpac_entry *entry = clpac__shard_find(key.shard, &key);
	bool is_there = entry && entry->state != CLPAC__ENTRY_LOADING;
	pthread_mutex_unlock(&key.shard->lock);
	return is_there;
}

static bool is_listed(const clpac_entry *entry, const char *prefix, size_t prefix_bytes, const char *pattern)
{
	return entry && entry->state != CLPAC__ENTRY_LOADING && strncmp(entry->key, prefix, prefix_bytes) == 0 &&
	       (!pattern || clpac__matches(pattern, entry->key));
}

static clpac_status add_key(clpac_key_list *list, size_t *capacity, const char *key, clpac_error *err)
{
	RETURN_IF_ERROR(ROOM_FOR_ONE(list->keys, list->n, *capacity, 16));
	RETURN_IF_ERROR(NEW_COPY(list->keys[list->n], key));
	list->n++;
	return CLPAC_OK;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

clpac_status clpac_store_list(clpac_store *store, const char *prefix, const char *pattern, clpac_key_list *out,
			      clpac_error *err)
{
	NEED(store, out);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac_key_list list = {0};
	size_t capacity = 0;
	prefix = prefix ? prefix : "";
	size_t prefix_bytes = strlen(prefix);
	for (unsigned i = 0; i < CLPAC__SHARDS && st == CLPAC_OK; i++) {
		clpac__shard *shard = &store->shards[i];
		pthread_mutex_lock(&shard->lock);
		for (size_t k = 0; k < shard->n_slots && st == CLPAC_OK; k++)
			if (is_listed(shard->slots[k].entry, prefix, prefix_bytes, pattern))
				st = add_key(&list, &capacity, shard->slots[k].entry->key, err);
		pthread_mutex_unlock(&shard->lock);
	}
	TRY(st);
	if (list.n)
		qsort(list.keys, list.n, sizeof *list.keys, compare_keys);
	*out = list;
	list = (clpac_key_list){0};
done:
	clpac_key_list_clear(&list);
	return st;
}

void clpac_key_list_clear(clpac_key_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->n; i++)
		clpac__free(list->keys[i]);
	clpac__free(list->keys);
	*list = (clpac_key_list){0};
}

static void count_deleted(clpac_store *store, size_t n)
{
	clpac__store_release_room(store, CLPAC__ROOM_ENTRIES, n);
	clpac__store_count(store, &store->counts.deleted, n);
}

clpac_status clpac_store_delete(clpac_store *store, const char *text, clpac_error *err)
{
	NEED(store);
	NEED_AS(text, "key");
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	clpac__key key;
	clpac_entry *entry = NULL;
	RETURN_IF_ERROR(clpac__key_make(store, text, &key, err));
	pthread_mutex_lock(&key.shard->lock);
	st = clpac__shard_find_settled(key.shard, &key, &entry, err);
	bool is_mine = st == CLPAC_OK && entry && clpac__entry_take_out(entry);
	pthread_mutex_unlock(&key.shard->lock);
	RETURN_IF_ERROR(st);
	if (!entry)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "there is no entry \"%s\" to delete", text);
	if (is_mine)
		clpac__entry_discard(entry);
	count_deleted(store, 1);
	return st;
}

/* A settled entry whose key begins with the prefix; NULL: none is left.  Keys that this thread itself is loading are
 * skipped.  Drops the shard's lock in between. */
static clpac_entry *next_with_prefix(clpac__shard *shard, const char *prefix, size_t bytes)
{
	for (;;) {
		bool must_wait = false;
		for (size_t k = 0; k < shard->n_slots; k++) {
			clpac_entry *entry = shard->slots[k].entry;
			if (!entry || strncmp(entry->key, prefix, bytes) != 0)
				continue;
			if (entry->state == CLPAC__ENTRY_SETTLED)
				return entry;
			must_wait |= !pthread_equal(entry->body->mover, pthread_self());
		}
		if (!must_wait)
			return NULL;
		pthread_cond_wait(&shard->settled, &shard->lock);
	}
}

size_t clpac_store_delete_prefix(clpac_store *store, const char *prefix)
{
	if (!clpac__store_is_here(store))
		return 0;
	size_t n = 0;
	prefix = prefix ? prefix : "";
	size_t bytes = strlen(prefix);
	for (unsigned i = 0; i < CLPAC__SHARDS; i++) {
		clpac__shard *shard = &store->shards[i];
		clpac_entry *entry, *chain = NULL;
		pthread_mutex_lock(&shard->lock);
		while ((entry = next_with_prefix(shard, prefix, bytes))) {
			n++;
			if (clpac__entry_take_out(entry)) {
				entry->body->next = chain;
				chain = entry;
			}
		}
		pthread_mutex_unlock(&shard->lock);
		clpac__entries_discard(chain);
	}
	count_deleted(store, n);
	return n;
}

/* --- Patterns of keys ------------------------------------------------------------------------- */

/* Patterns of keys: *, ?, [set] and a backslash. */

/* Bytes of the UTF-8 character at the beginning of the text, so that ? matches whole characters. */
static size_t character_bytes(const char *text)
{
	size_t n = 1;
	while (((unsigned char)text[n] & 0xC0) == 0x80)
		n++;
	return n;
}

/* True when a byte is in the set that follows the opening bracket.  *end points behind the set; NULL: the set is not
 * closed, and the bracket stands for itself. */
static bool is_in_set(const char *set, unsigned char byte, const char **end)
{
	bool is_inverted = *set == '!' || *set == '^', is_in = false;
	const char *next = set + is_inverted, *first = next;
	*end = NULL;
	for (; *next && (*next != ']' || next == first); next++) {
		unsigned char low = (unsigned char)*next, high = low;
		if (next[1] == '-' && next[2] && next[2] != ']') {
			next += 2;
			high = (unsigned char)*next;
		}
		is_in |= low <= byte && byte <= high;
	}
	if (*next)
		*end = next + 1;
	return is_in != is_inverted;
}

/* True when one element of the pattern, other than a star, matches the beginning of a text that is not empty; advances
 * both. */
static bool takes(const char **pattern, const char **text)
{
	const char *element = *pattern, *end;
	size_t n = 1;
	bool is_taken;
	if (*element == '?') {
		is_taken = true;
		n = character_bytes(*text);
		end = element + 1;
	} else {
		is_taken = *element == '[' && is_in_set(element + 1, (unsigned char)**text, &end);
		if (*element != '[' || !end) {
			element += *element == '\\' && element[1];
			is_taken = *element == **text;
			end = element + 1;
		}
	}
	*pattern = end;
	*text += n;
	return is_taken;
}

bool clpac__matches(const char *pattern, const char *text)
{
	/* Only the last star needs to be tried at greater lengths: everything before it has matched as early as
	 * possible. */
	const char *star = NULL, *from = NULL;
	while (*text) {
		const char *next_pattern = pattern, *next_text = text;
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern && takes(&next_pattern, &next_text)) {
			pattern = next_pattern;
			text = next_text;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == 0;
}

/* --- One spelling ----------------------------------------------------------------------------- */

/* One spelling for keys that are put together from parts. */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The part that begins here, without blanks around it; *next is behind it and its "/". */
static size_t trim_part(const char **part, const char **next)
{
	const char *begin = *part, *end = begin + strcspn(begin, "/");
	*next = *end ? end + 1 : end;
	while (begin < end && is_blank(*begin))
		begin++;
	while (begin < end && is_blank(end[-1]))
		end--;
	*part = begin;
	return (size_t)(end - begin);
}

clpac_status clpac_key_normalise(const char *key, char **normal, clpac_error *err)
{
	NEED(key, normal);
	clpac_status st = CLPAC_OK;
	const char *part = key, *next;
	size_t n = 0;
	char *made;
	TRY(NEW_BYTES(made, strlen(key) + 1));
	while (is_blank(*part))
		part++;
	const bool is_absolute = *part == '/';
	for (; *part; part = next) {
		const size_t bytes = trim_part(&part, &next);
		if (!bytes || (bytes == 1 && *part == '.'))
			continue;
		if (n || is_absolute)
			made[n++] = '/';
		memcpy(made + n, part, bytes);
		n += bytes;
	}
	made[n] = 0;
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "key \"%s\": nothing is left of it when it is normalised", key);
	*normal = made, made = NULL;
done:
	clpac__free(made);
	return st;
}
