/* Where an entry's bytes are, and moving them: a buffer on a device, memory of the host, a file. */
#ifndef CLPAC_STORE_STORE_CONTENT_H
#define CLPAC_STORE_STORE_CONTENT_H

#include <clpac/memory/store.h>
#include "base/error.h"

/* A folder of a store's own for its files, which nobody else may enter. */
typedef struct clpac__spill_folder clpac__spill_folder;

/* Makes it in the caller's folder. */
clpac_status clpac__spill_folder_create(const char *parent, clpac__spill_folder **out, clpac_error *err);
/* Removes it; its files have been removed.  NULL is fine. */
void clpac__spill_folder_destroy(clpac__spill_folder *folder);

typedef struct clpac__content {
	clpac_store_place place;
	size_t bytes;
	clpac_buffer *buffer; /* on a device */
	void *data;	      /* on the host */
	uint64_t number;      /* in a file: its name */
	uint64_t checksum;    /* in a file: what its bytes must hash to */
} clpac__content;

/* Copies a content into another place; from stays as it is.  to->place says where; for a device to->buffer is there
 * already and as large.  key is for messages. */
clpac_status clpac__content_copy(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				 clpac__content *to, clpac_error *err);

/* Copies a range to the host's memory.  A file is checked as a whole. */
clpac_status clpac__content_read(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				 size_t offset, size_t bytes, void *target, clpac_error *err);

/* Releases the buffer, frees the memory, removes the file. */
void clpac__content_discard(clpac__content *content, clpac__spill_folder *folder);

/* --- store_file.c: what clpac__content_copy needs of files --- */

/* Takes the next bytes from where they are, or hands them to where they belong. */
typedef clpac_status clpac__piece_function(void *user, size_t offset, size_t bytes, void *piece, clpac_error *err);

/* Writes a new file from pieces that `fill` makes; whole under its name, or not there.  Errors: CLPAC_ERROR_IO with
 * errno. */
clpac_status clpac__spill_write(clpac__spill_folder *folder, const char *key, size_t bytes, clpac__piece_function *fill,
				void *user, uint64_t *number, uint64_t *checksum, clpac_error *err);
/* Reads a file in pieces that `use` takes, which must not be believed before this has succeeded.  Errors:
 * CLPAC_ERROR_IO with errno; CLPAC_ERROR_FORMAT when it is not what was written. */
clpac_status clpac__spill_read(clpac__spill_folder *folder, const char *key, uint64_t number, size_t bytes,
			       uint64_t checksum, clpac__piece_function *use, void *user, clpac_error *err);
void clpac__spill_remove(clpac__spill_folder *folder, uint64_t number);

#endif
