#include "recording/read/pieces.h"

#include "base/error.h"
#include "base/memory.h"

/* Bytes that are read rather than passed over: the system reads whole pages, and each call costs as much. */
enum { CHUNK_BYTES = 1 << 20, GAP_BYTES = 4096 };

/* The pieces from `first` on that are read in one call; returns the first that is not. */
static size_t end_of_span(const clpac__records *records, size_t first)
{
	const clpac__piece *pieces = records->pieces;
	size_t i = first + 1;
	while (i < records->n_pieces && pieces[i].offset - (pieces[i - 1].offset + pieces[i - 1].bytes) <= GAP_BYTES)
		i++;
	return i;
}

static size_t span_bytes(const clpac__records *records, size_t first, size_t end)
{
	return records->pieces[end - 1].offset + records->pieces[end - 1].bytes - records->pieces[first].offset;
}

static size_t longest_span(const clpac__records *records)
{
	size_t longest = 0;
	for (size_t first = 0, end; first < records->n_pieces; first = end) {
		end = end_of_span(records, first);
		const size_t bytes = span_bytes(records, first, end);
		longest = bytes > longest ? bytes : longest;
	}
	return longest;
}

/* The records that are read in one call, without those behind the last. */
static size_t records_in_call(const clpac__records *records)
{
	size_t step = 1;
	if (end_of_span(records, 0) == records->n_pieces && records->bytes - longest_span(records) <= GAP_BYTES)
		step = records->bytes < CHUNK_BYTES ? CHUNK_BYTES / records->bytes : 1;
	return step < records->n ? step : records->n;
}

uint64_t clpac__pieces_bytes(const clpac__records *records)
{
	uint64_t spans = 0;
	if (!records->n_pieces || !records->n)
		return 0;
	for (size_t first = 0, end; first < records->n_pieces; first = end) {
		end = end_of_span(records, first);
		spans += span_bytes(records, first, end);
	}
	/* Records that are read in one call have one span, and all of them but the last are read whole. */
	const size_t step = records_in_call(records), n_calls = records->n / step + (records->n % step != 0);
	return (uint64_t)(records->n - n_calls) * records->bytes + (uint64_t)n_calls * spans;
}

/* Reads one span of some records into the buffer and hands it over. */
static clpac_status read_span(clpac__source *source, const clpac__records *records, unsigned char *buffer,
			      clpac__span *span, clpac__take_span *take, void *user, clpac_error *err)
{
	const uint64_t at = records->start + (uint64_t)span->record * records->bytes + span->offset;
	const size_t bytes = span_bytes(records, span->piece, span->piece + span->n_pieces);
	if (source->position != at)
		RETURN_IF_ERROR(clpac__source_seek(source, at, err));
	RETURN_IF_ERROR(clpac__source_read(source, buffer, (span->n_records - 1) * records->bytes + bytes, err));
	return take(user, span, err);
}

clpac_status clpac__pieces_read(clpac__source *source, const clpac__records *records, clpac__take_span *take,
				void *user, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	unsigned char *buffer = NULL;
	if (!records->n_pieces || !records->n)
		goto done;
	const size_t step = records_in_call(records), bytes = (step - 1) * records->bytes + longest_span(records);
	if (!(buffer = clpac__alloc(bytes)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", source->path, bytes);
	TRY(clpac__source_seek(source, records->start, err)); /* another source may have moved the file */
	for (size_t record = 0; record < records->n; record += step)
		for (size_t first = 0, end; first < records->n_pieces; first = end) {
			end = end_of_span(records, first);
			clpac__span span = {
				.bytes = buffer,
				.offset = records->pieces[first].offset,
				.stride = records->bytes,
				.record = record,
				.n_records = records->n - record < step ? records->n - record : step,
				.piece = first,
				.n_pieces = end - first,
			};
			TRY(read_span(source, records, buffer, &span, take, user, err));
		}
done:
	clpac__free(buffer);
	return st;
}
