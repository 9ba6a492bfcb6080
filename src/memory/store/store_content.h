/* The place of an entry's bytes (a buffer on a device, memory of the host, a file), and moving them. */
#ifndef CLPAC_MEMORY_STORE_STORE_CONTENT_H
#define CLPAC_MEMORY_STORE_STORE_CONTENT_H

#include <clpac/memory/store.h>
#include "base/error.h"

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

#endif
