/* A store's entries in one file: a head of 24 bytes, then for each entry its own head, its content and a checksum of
 * both. doc/memory.md has the layout.  Numbers are of eight bytes, the lowest first.
 */
#include "memory/store/store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <clpac/memory/buffer.h>
#include <clpac/memory/pool.h>
#include "base/memory.h"
#include "base/regular_file.h"

enum {
	MAGIC_BYTES = 16,
	HEAD_BYTES = MAGIC_BYTES + 8,
	SHAPE_BYTES = 8 * CLPAC_MAX_DIMENSIONS,
	FIXED_BYTES = 8 * 8 + CLPAC_TYPE_SIZE + SHAPE_BYTES, /* of an entry's head: eight numbers, type, shape */
	ARRAY_BYTES = 3 * 8 + CLPAC_TYPE_SIZE + SHAPE_BYTES, /* of an array, without its name */
	PIECE_BYTES = 1 << 20,				     /* a multiple of eight, for the checksum */
};
static const char MAGIC[MAGIC_BYTES] = "clpac store 1\n";
static const uint64_t CHECKSUM_SEED = 1;

/* --- Writing ---------------------------------------------------------------------------------- */

static char *put_number(char *next, uint64_t number)
{
	for (int i = 0; i < 8; i++)
		*next++ = (char)(number >> 8 * i & 0xff);
	return next;
}

static char *put_bytes(char *next, const void *bytes, size_t n)
{
	memcpy(next, bytes, n);
	return next + n;
}

static char *put_kind(char *next, const char type[CLPAC_TYPE_SIZE], const uint64_t shape[CLPAC_MAX_DIMENSIONS])
{
	next = put_bytes(next, type, CLPAC_TYPE_SIZE);
	for (int i = 0; i < CLPAC_MAX_DIMENSIONS; i++)
		next = put_number(next, shape[i]);
	return next;
}

static clpac_status make_head(const clpac_entry *entry, char **out, size_t *out_bytes, clpac_error *err)
{
	const clpac_metadata *about = clpac_entry_metadata(entry);
	size_t n;
	const clpac_stored_array *arrays = clpac_entry_arrays(entry, &n);
	const size_t key = strlen(entry->key), file = strlen(about->file), text = strlen(about->text);
	size_t bytes = FIXED_BYTES + key + file + text; /* of memory that exists */
	for (size_t i = 0; i < n; i++)
		bytes += ARRAY_BYTES + strlen(arrays[i].name);
	char *head = clpac__alloc(bytes), *next = head;
	if (!head)
		RETURN_NO_MEMORY(bytes);
	const uint64_t numbers[] = {
		bytes, key, file, text, n, clpac_entry_bytes(entry), about->file_bytes, (uint64_t)about->file_time_ns};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		next = put_number(next, numbers[i]);
	next = put_kind(next, about->type, about->shape);
	next = put_bytes(next, entry->key, key);
	next = put_bytes(next, about->file, file);
	next = put_bytes(next, about->text, text);
	for (size_t i = 0; i < n; i++) {
		next = put_number(next, strlen(arrays[i].name));
		next = put_number(next, arrays[i].offset);
		next = put_number(next, arrays[i].bytes);
		next = put_kind(next, arrays[i].type, arrays[i].shape);
		next = put_bytes(next, arrays[i].name, strlen(arrays[i].name));
	}
	*out = head;
	*out_bytes = bytes;
	return CLPAC_OK;
}

static clpac_status write_entry(FILE *file, const char *path, clpac_store *store, const clpac_entry *entry,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t bytes = clpac_entry_bytes(entry);
	size_t head_bytes = 0;
	char *head = NULL, end[8];
	char *content = clpac__alloc(bytes);
	if (!content)
		FAIL(CLPAC_ERROR_NO_MEMORY, "entry \"%s\": the host has no memory left for its %zu bytes", entry->key,
		     bytes);
	TRY(make_head(entry, &head, &head_bytes, err));
	TRY(clpac_store_get(store, entry->key, 0, bytes, content, err));
	uint64_t sum = clpac__hash(head, head_bytes, CHECKSUM_SEED);
	for (size_t at = 0; at < bytes; at += PIECE_BYTES)
		sum = clpac__hash(content + at, bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES, sum);
	put_number(end, sum);
	if (fwrite(head, 1, head_bytes, file) != head_bytes || fwrite(content, 1, bytes, file) != bytes ||
	    fwrite(end, 1, sizeof end, file) != sizeof end)
		FAIL_SYSTEM("writing entry \"%s\" of a store to %s", entry->key, path);
done:
	FREE_ALL(head, content);
	return st;
}

static clpac_status write_all(FILE *file, const char *path, clpac_store *store, const clpac_key_list *keys,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_entry *entry = NULL;
	uint64_t n = 0;
	char head[HEAD_BYTES];
	if (fseek(file, HEAD_BYTES, SEEK_SET) != 0)
		FAIL_SYSTEM("writing a store to %s", path);
	for (size_t i = 0; i < keys->n; i++) {
		if (clpac_store_look(store, keys->keys[i], &entry, NULL) != CLPAC_OK)
			continue; /* it left meanwhile */
		TRY(write_entry(file, path, store, entry, err));
		clpac_entry_release(entry);
		entry = NULL;
		n++;
	}
	put_number(put_bytes(head, MAGIC, MAGIC_BYTES), n);
	if (fseek(file, 0, SEEK_SET) != 0 || fwrite(head, 1, HEAD_BYTES, file) != HEAD_BYTES || fflush(file) != 0 ||
	    fsync(fileno(file)) != 0)
		FAIL_SYSTEM("writing a store to %s", path);
done:
	clpac_entry_release(entry);
	return st;
}

/* Syncs the folder of a file, so that its name is there after a loss of power.  Some systems cannot sync a folder. */
static clpac_status sync_folder(const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *slash = strrchr(path, '/');
	int folder = -1;
	char *name = clpac__strndup(slash ? path : ".", slash && slash != path ? (size_t)(slash - path) : 1);
	if (!name)
		FAIL_NO_MEMORY(strlen(path));
	/* A folder that may be written need not be open for reading. */
	folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0 && fsync(folder) != 0 && errno != EINVAL && errno != EROFS && errno != EOPNOTSUPP &&
	    errno != ENOSYS)
		FAIL_SYSTEM("the store is in %s, but its folder could not be synced", path);
done:
	if (folder >= 0)
		close(folder);
	clpac__free(name);
	return st;
}

clpac_status clpac_store_write(clpac_store *store, const char *path, const char *prefix, clpac_error *err)
{
	NEED(store, path);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	static const char ending[] = ".XXXXXX";
	clpac_key_list keys = {0};
	FILE *file = NULL;
	int descriptor = -1;
	const size_t bytes = strlen(path) + sizeof ending;
	char *part;
	TRY(NEW_BYTES(part, bytes));
	snprintf(part, bytes, "%s%s", path, ending);
	TRY(clpac_store_list(store, prefix, NULL, &keys, err));
	descriptor = mkstemp(part);
	if (descriptor < 0)
		FAIL_SYSTEM("writing a store to %s", path);
	file = fdopen(descriptor, "wb");
	if (!file)
		FAIL_SYSTEM("writing a store to %s", path);
	TRY(write_all(file, path, store, &keys, err));
	descriptor = -1;
	const int closed = fclose(file);
	file = NULL;
	if (closed != 0 || rename(part, path) != 0) {
		const int number = errno;
		unlink(part);
		st = clpac__fail_system(err, number, "writing a store to %s", path);
		goto done;
	}
	TRY(sync_folder(path, err));
done:
	if (descriptor >= 0)
		unlink(part);
	if (file)
		fclose(file);
	else if (descriptor >= 0)
		close(descriptor);
	clpac_key_list_clear(&keys);
	clpac__free(part);
	return st;
}

/* --- Reading ---------------------------------------------------------------------------------- */

struct reading {
	FILE *file;
	const char *path;
	uint64_t at, bytes; /* position in the file, and its size */
	char *piece;	    /* of PIECE_BYTES */
};

/* An entry's head. */
typedef struct entry_head {
	char *bytes; /* the head as it stands in the file */
	size_t n_bytes;
	char *strings; /* key, file and text and names of arrays, each with a NUL */
	const char *key;
	uint64_t content_bytes;
	clpac_metadata about;
	clpac__arrays arrays;
	clpac_stored_array *list;
} entry_head;

static void clear_head(entry_head *head)
{
	FREE_ALL(head->bytes, head->strings, head->list);
	*head = (entry_head){0};
}

static clpac_status damaged(const struct reading *reading, const char *what, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_FORMAT,
			   "%s is not a store as it was written: %s (byte %" PRIu64 " of %" PRIu64 ")", reading->path,
			   what, reading->at, reading->bytes);
}

static clpac_status take_bytes(struct reading *reading, void *out, uint64_t n, clpac_error *err)
{
	if (n > reading->bytes - reading->at)
		return damaged(reading, "it ends too early", err);
	errno = 0;
	if (fread(out, 1, (size_t)n, reading->file) != n) {
		if (!ferror(reading->file))
			return damaged(reading, "it became shorter", err);
		RETURN_SYSTEM_ERROR("reading a store from %s", reading->path);
	}
	reading->at += n;
	return CLPAC_OK;
}

static uint64_t get_number(const char **next)
{
	uint64_t number = 0;
	for (int i = 0; i < 8; i++)
		number |= (uint64_t)(unsigned char)(*next)[i] << 8 * i;
	*next += 8;
	return number;
}

static void get_kind(const char **next, char type[CLPAC_TYPE_SIZE], uint64_t shape[CLPAC_MAX_DIMENSIONS])
{
	memcpy(type, *next, CLPAC_TYPE_SIZE);
	*next += CLPAC_TYPE_SIZE;
	for (int i = 0; i < CLPAC_MAX_DIMENSIONS; i++)
		shape[i] = get_number(next);
}

/* A text of n bytes with a NUL of its own; NULL where it is longer than the rest of the head, or holds a NUL. */
static const char *get_text(const char **next, const char *end, uint64_t n, char **strings)
{
	char *text = *strings;
	if (n > (uint64_t)(end - *next) || memchr(*next, 0, (size_t)n))
		return NULL;
	memcpy(text, *next, (size_t)n);
	text[n] = 0;
	*next += n;
	*strings += n + 1;
	return text;
}

static clpac_status get_arrays(const struct reading *reading, entry_head *head, const char *next, const char *end,
			       char *strings, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	for (size_t i = 0; i < head->arrays.n; i++) {
		clpac_stored_array *array = &head->list[i];
		if (end - next < ARRAY_BYTES)
			return damaged(reading, "the list of its arrays is too short", err);
		const uint64_t name = get_number(&next);
		array->offset = (size_t)get_number(&next);
		array->bytes = (size_t)get_number(&next);
		get_kind(&next, array->type, array->shape);
		array->name = get_text(&next, end, name, &strings);
		if (!array->name)
			return damaged(reading, "the name of an array is wrong", err);
	}
	if (next != end)
		return damaged(reading, "an entry's head is too long", err);
	return st;
}

static clpac_status take_head(struct reading *reading, entry_head *head, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char first[8];
	const char *next = first;
	RETURN_IF_ERROR(take_bytes(reading, first, sizeof first, err));
	const uint64_t n_bytes = get_number(&next);
	if (n_bytes < FIXED_BYTES || n_bytes - sizeof first > reading->bytes - reading->at) {
		st = damaged(reading, "the size of an entry's head is wrong", err);
		return st;
	}
	head->n_bytes = (size_t)n_bytes;
	RETURN_IF_ERROR(NEW_BYTES(head->bytes, head->n_bytes));
	memcpy(head->bytes, first, sizeof first);
	RETURN_IF_ERROR(take_bytes(reading, head->bytes + sizeof first, n_bytes - sizeof first, err));

	const char *end = head->bytes + head->n_bytes;
	next = head->bytes + sizeof first;
	const uint64_t key = get_number(&next), file = get_number(&next), text = get_number(&next);
	const uint64_t n_arrays = get_number(&next);
	head->content_bytes = get_number(&next);
	head->about.file_bytes = get_number(&next);
	head->about.file_time_ns = (int64_t)get_number(&next);
	get_kind(&next, head->about.type, head->about.shape);
	if (n_arrays > n_bytes / ARRAY_BYTES || head->content_bytes > reading->bytes - reading->at ||
	    !head->content_bytes || head->content_bytes > SIZE_MAX) {
		st = damaged(reading, "the number of arrays or bytes of an entry is wrong", err);
		return st;
	}
	head->arrays.n = (size_t)n_arrays;
	head->list = clpac__alloc_array(head->arrays.n, sizeof *head->list);
	head->strings = clpac__alloc(head->n_bytes + 3 + head->arrays.n); /* a NUL for each text */
	if (!head->list || !head->strings)
		RETURN_NO_MEMORY(n_bytes);
	head->arrays.arrays = head->list;
	char *strings = head->strings;
	head->key = get_text(&next, end, key, &strings);
	head->about.file = head->key ? get_text(&next, end, file, &strings) : NULL;
	head->about.text = head->about.file ? get_text(&next, end, text, &strings) : NULL;
	if (!head->about.text || !*head->key) {
		st = damaged(reading, "the key or a text of an entry is wrong", err);
		return st;
	}
	RETURN_IF_ERROR(get_arrays(reading, head, next, end, strings, err));
	return st;
}

/* Reads an entry's content, into a buffer or nowhere, and its checksum. */
static clpac_status take_content(struct reading *reading, const entry_head *head, clpac_buffer *buffer,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char last[8];
	const char *next = last;
	uint64_t sum = clpac__hash(head->bytes, head->n_bytes, CHECKSUM_SEED);
	for (uint64_t at = 0; at < head->content_bytes; at += PIECE_BYTES) {
		const uint64_t rest = head->content_bytes - at;
		const size_t n = rest < PIECE_BYTES ? (size_t)rest : PIECE_BYTES;
		RETURN_IF_ERROR(take_bytes(reading, reading->piece, n, err));
		sum = clpac__hash(reading->piece, n, sum);
		if (buffer)
			RETURN_IF_ERROR(clpac_buffer_write(buffer, (size_t)at, n, reading->piece, err));
	}
	RETURN_IF_ERROR(take_bytes(reading, last, sizeof last, err));
	if (get_number(&next) != sum)
		st = damaged(reading, "an entry's checksum is wrong", err);
	return st;
}

static clpac_status take_entry(struct reading *reading, clpac_store *store, clpac_put mode, bool is_check,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *buffer = NULL;
	entry_head head = {0};
	TRY(take_head(reading, &head, err));
	if (is_check && mode == CLPAC_PUT_FAIL && clpac_store_exists(store, head.key))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "reading %s: there is an entry \"%s\" already; delete it first, or replace or keep it",
		     reading->path, head.key);
	if (!is_check)
		TRY(clpac_pool_allocate(clpac_store_pool(store), (size_t)head.content_bytes, "store", &buffer, err));
	TRY(take_content(reading, &head, buffer, err));
	if (is_check)
		goto done;
	TRY(clpac_store_put_arrays(store, head.key, buffer, head.arrays.n, head.arrays.arrays, &head.about, mode, err));
	buffer = NULL;
done:
	clpac_buffer_release(buffer);
	clear_head(&head);
	return st;
}

static clpac_status take_all(struct reading *reading, clpac_store *store, clpac_put mode, bool is_check,
			     size_t *n_taken, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char head[HEAD_BYTES];
	const char *next = head + MAGIC_BYTES;
	reading->at = 0;
	if (fseek(reading->file, 0, SEEK_SET) != 0)
		RETURN_SYSTEM_ERROR("reading a store from %s", reading->path);
	RETURN_IF_ERROR(take_bytes(reading, head, sizeof head, err));
	if (memcmp(head, MAGIC, MAGIC_BYTES) != 0) {
		st = damaged(reading, "it does not begin as one of version 1", err);
		return st;
	}
	const uint64_t n = get_number(&next);
	*n_taken = 0;
	for (uint64_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(take_entry(reading, store, mode, is_check, err));
		++*n_taken;
	}
	if (reading->at != reading->bytes)
		st = damaged(reading, "more follows behind its last entry", err);
	return st;
}

clpac_status clpac_store_read(clpac_store *store, const char *path, clpac_put mode, size_t *n, clpac_error *err)
{
	NEED(store, path);
	NEED_HERE(store);
	clpac_status st = CLPAC_OK;
	struct stat facts;
	size_t n_taken = 0;
	struct reading reading = {.path = path, .piece = clpac__alloc(PIECE_BYTES)};
	if (!reading.piece)
		FAIL_NO_MEMORY(PIECE_BYTES);
	if ((unsigned)mode > CLPAC_PUT_KEEP)
		FAIL(CLPAC_ERROR_ARGUMENT, "reading a store: mode is %d: give a value of clpac_put", (int)mode);
	TRY(clpac__regular_file_open(path, "reading a store from", &reading.file, err));
	if (fstat(fileno(reading.file), &facts) != 0)
		FAIL_SYSTEM("reading a store from %s", path);
	reading.bytes = (uint64_t)facts.st_size;
	TRY(take_all(&reading, store, mode, true, &n_taken, err));
	n_taken = 0;
	TRY(take_all(&reading, store, mode, false, &n_taken, err));
done:
	if (n)
		*n = st == CLPAC_OK ? n_taken : 0;
	if (reading.file)
		fclose(reading.file);
	clpac__free(reading.piece);
	return st;
}
