/* Copies between buffers that no single command can copy, as those of two devices: through the host, chunk by chunk.
 * While one device takes a chunk, the other one sends the next. */
#include "memory/pool/pool_parts.h"

#include "base/memory.h"

enum { CHUNK_BYTES = 4 << 20, SLOTS = 2 };

typedef struct crossing {
	clpac_buffer *source, *target;
	size_t source_offset, target_offset, bytes, chunk_bytes;
	unsigned char *staged[SLOTS];
	clpac_event *read[SLOTS], *written[SLOTS]; /* NULL: nothing under way */
} crossing;

static clpac_status pass(const clpac_buffer *buffer, clpac_event **event, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (*event) {
		st = clpac_event_wait(buffer->pool, *event, err);
		clpac_event_release(buffer->pool, *event);
		*event = NULL;
	}
	return st;
}

static size_t chunk_size(const crossing *crossing, size_t chunk)
{
	const size_t left = crossing->bytes - chunk * crossing->chunk_bytes;
	return left < crossing->chunk_bytes ? left : crossing->chunk_bytes;
}

/* Has a chunk sent, once its place on the host is free. */
static clpac_status begin_chunk(crossing *crossing, size_t chunk, clpac_error *err)
{
	const size_t slot = chunk % SLOTS;
	RETURN_IF_ERROR(pass(crossing->target, &crossing->written[slot], err));
	return clpac_buffer_read_later(crossing->source, crossing->source_offset + chunk * crossing->chunk_bytes,
				       chunk_size(crossing, chunk), crossing->staged[slot], &crossing->read[slot], err);
}

clpac_status clpac__copy_across(clpac_buffer *source, size_t source_offset, clpac_buffer *target, size_t target_offset,
				size_t bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	crossing crossing = {.source = source,
			     .target = target,
			     .source_offset = source_offset,
			     .target_offset = target_offset,
			     .bytes = bytes,
			     .chunk_bytes = bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES};
	const size_t n_chunks = (bytes + crossing.chunk_bytes - 1) / crossing.chunk_bytes;
	for (size_t i = 0; i < SLOTS && i < n_chunks; i++) {
		crossing.staged[i] = clpac__alloc_pages(crossing.chunk_bytes);
		if (!crossing.staged[i])
			FAIL_NO_MEMORY(crossing.chunk_bytes);
	}
	TRY(begin_chunk(&crossing, 0, err));
	for (size_t chunk = 0; chunk < n_chunks; chunk++) {
		const size_t slot = chunk % SLOTS;
		TRY(pass(source, &crossing.read[slot], err));
		if (chunk + 1 < n_chunks)
			TRY(begin_chunk(&crossing, chunk + 1, err));
		TRY(clpac_buffer_write_later(target, target_offset + chunk * crossing.chunk_bytes,
					     chunk_size(&crossing, chunk), crossing.staged[slot],
					     &crossing.written[slot], err));
	}
	for (size_t i = 0; i < SLOTS; i++)
		TRY(pass(target, &crossing.written[i], err));
done:
	/* After a failure what is under way still uses the memory. */
	for (size_t i = 0; i < SLOTS; i++) {
		pass(source, &crossing.read[i], NULL);
		pass(target, &crossing.written[i], NULL);
		clpac__free_pages(crossing.staged[i]);
	}
	return st != CLPAC_OK ? clpac__fail_context(err, st, "copy of %zu bytes through the host", bytes) : st;
}
