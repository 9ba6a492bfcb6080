/* Contents, and copying them from place to place. */
#include "memory/store/store_parts.h"

#include <string.h>
#include <clpac/memory/buffer.h>
#include "base/memory.h"
#include "memory/pool/pool.h"

/* Copying is one step per piece; files ask for several pieces, memory is a single one. */

static clpac_status take_from_buffer(void *buffer, size_t offset, size_t bytes, void *piece, clpac_error *err)
{
	return clpac_buffer_read(buffer, offset, bytes, piece, err);
}

static clpac_status hand_to_buffer(void *buffer, size_t offset, size_t bytes, void *piece, clpac_error *err)
{
	return clpac_buffer_write(buffer, offset, bytes, piece, err);
}

static clpac_status take_from_memory(void *data, size_t offset, size_t bytes, void *piece, clpac_error *err)
{
	(void)err;
	memcpy(piece, (char *)data + offset, bytes);
	return CLPAC_OK;
}

/* A range of the host's memory, filled from the middle of a content. */
struct wanted_part {
	size_t offset, bytes;
	char *target;
};

static clpac_status hand_to_part(void *user, size_t offset, size_t bytes, void *piece, clpac_error *err)
{
	struct wanted_part *part = user;
	(void)err;
	size_t first = offset > part->offset ? offset : part->offset;
	size_t end = offset + bytes < part->offset + part->bytes ? offset + bytes : part->offset + part->bytes;
	if (first < end)
		memcpy(part->target + (first - part->offset), (char *)piece + (first - offset), end - first);
	return CLPAC_OK;
}

static clpac_status copy_to_host(const clpac__content *from, const char *key, clpac__content *to, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	void *data = clpac__alloc(from->bytes);
	if (!data)
		FAIL(CLPAC_ERROR_NO_MEMORY, "entry \"%s\": the host has no memory left for its %zu bytes", key,
		     from->bytes);
	TRY(clpac_buffer_read(from->buffer, 0, from->bytes, data, err));
	to->data = data, data = NULL;
done:
	clpac__free(data);
	return st;
}

static clpac_status copy_to_device(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				   clpac__content *to, clpac_error *err)
{
	if (from->place == CLPAC_ON_HOST)
		return clpac_buffer_write(to->buffer, 0, from->bytes, from->data, err);
	return clpac__spill_read(folder, key, from->number, from->bytes, from->checksum, hand_to_buffer, to->buffer,
				 err);
}

clpac_status clpac__content_copy(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				 clpac__content *to, clpac_error *err)
{
	bool is_from_device = from->place == CLPAC_ON_DEVICE;
	to->bytes = from->bytes;
	if (to->place == CLPAC_ON_DEVICE)
		return copy_to_device(from, folder, key, to, err);
	if (to->place == CLPAC_ON_HOST)
		return copy_to_host(from, key, to, err);
	return clpac__spill_write(folder, key, from->bytes, is_from_device ? take_from_buffer : take_from_memory,
				  is_from_device ? (void *)from->buffer : from->data, &to->number, &to->checksum, err);
}

clpac_status clpac__content_read(const clpac__content *from, clpac__spill_folder *folder, const char *key,
				 size_t offset, size_t bytes, void *target, clpac_error *err)
{
	if (from->place == CLPAC_ON_DEVICE)
		return clpac_buffer_read(from->buffer, offset, bytes, target, err);
	if (from->place == CLPAC_ON_HOST)
		return take_from_memory(from->data, offset, bytes, target, err);
	struct wanted_part part = {offset, bytes, target};
	return clpac__spill_read(folder, key, from->number, from->bytes, from->checksum, hand_to_part, &part, err);
}

void clpac__content_discard(clpac__content *content, clpac__spill_folder *folder)
{
	if (content->place == CLPAC_IN_FILE)
		clpac__spill_remove(folder, content->number);
	clpac__free(content->data);
	clpac__buffer_disown(content->buffer);
	clpac_buffer_release(content->buffer);
	*content = (clpac__content){0};
}
