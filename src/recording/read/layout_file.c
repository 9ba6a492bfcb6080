/* Channels that lie one after the other are read alone.  Of samples that lie side by side a whole sample of all
 * channels is read, unless it is longer than what one call of the system reads anyway. */
#include "recording/read/samples.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "recording/recording.h"

typedef struct layout_file {
	clpac__sample_file base;
	clpac__source source;
	char *path;
	uint64_t start;
	clpac__sample_layout layout;
	clpac__channel_scale *scales;
} layout_file;

typedef struct taking {
	const layout_file *file;
	const clpac__records *records;
	const clpac__sink *sinks;	/* of each piece */
	const clpac__sample_part *part; /* NULL: whole channels */
	size_t first;			/* place of the first record's sample in its sink */
	struct searching *search;	/* where samples are looked at, and not kept */
} taking;

static clpac_status take_rows(void *user, const clpac__file_span *span, clpac_error *err)
{
	const taking *to = user;
	const clpac__sample_layout *layout = &to->file->layout;
	(void)err;
	for (size_t p = span->piece; p < span->piece + span->n_pieces; p++)
		layout->encoding->decode(span->bytes + to->records->pieces[p].offset - span->offset, span->stride,
					 layout->is_big_endian, span->n_records, &to->sinks[p],
					 to->first + span->record);
	return CLPAC_OK;
}

/* All samples where no part of them is asked for. */
static clpac__sample_part part_of(const layout_file *file, const clpac__sample_part *part)
{
	return part ? *part : (clpac__sample_part){0, file->layout.n_samples};
}

/* Samples that lie side by side as records, each with a piece for each of some channels.
 * @param[out] pieces to be freed with clpac__free. */
static clpac_status find_rows(const layout_file *file, const size_t *channels, size_t n, const clpac__sample_part *part,
			      clpac__file_piece **pieces, clpac__records *out, clpac_error *err)
{
	const clpac__sample_part wanted = part_of(file, part);
	const clpac__sample_layout *layout = &file->layout;
	clpac__file_piece *made;
	RETURN_IF_ERROR(NEW_ARRAY(made, n));
	for (size_t i = 0; i < n; i++)
		made[i] = (clpac__file_piece){channels[i] * layout->encoding->bytes, layout->encoding->bytes};
	const size_t row_bytes = layout->n_channels * layout->encoding->bytes;
	*out = (clpac__records){.start = file->start + (uint64_t)wanted.first * row_bytes,
				.bytes = row_bytes,
				.n = wanted.n,
				.pieces = made,
				.n_pieces = n};
	*pieces = made;
	return CLPAC_OK;
}

/* Some channels of samples that lie side by side. */
static clpac_status read_rows(layout_file *file, const size_t *channels, size_t n, clpac__take_span *take, taking *to,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__file_piece *pieces = NULL;
	clpac__records records;
	TRY(find_rows(file, channels, n, to->part, &pieces, &records, err));
	to->records = &records;
	TRY(clpac__pieces_read(&file->source, &records, take, to, err));
done:
	clpac__free(pieces);
	return st;
}

/* One channel of those that lie one after the other, in each epoch. */
static clpac_status read_channel(layout_file *file, size_t channel, clpac__take_span *take, taking *to,
				 clpac_error *err)
{
	const clpac__sample_layout *layout = &file->layout;
	const size_t n_epochs = layout->n_epochs ? layout->n_epochs : 1, per_epoch = layout->n_samples / n_epochs;
	const size_t bytes = layout->encoding->bytes;
	const clpac__file_piece piece = {0, bytes};
	const clpac__sample_part wanted = part_of(file, to->part);
	const size_t behind = wanted.first + wanted.n;
	for (size_t epoch = 0; epoch < n_epochs; epoch++) {
		const size_t begin = epoch * per_epoch, end = begin + per_epoch;
		const size_t from = begin > wanted.first ? begin : wanted.first, until = end < behind ? end : behind;
		if (from >= until)
			continue;
		const uint64_t row = (uint64_t)(epoch * layout->n_channels + channel) * per_epoch;
		const clpac__records records = {.start = file->start + (row + (from - begin)) * bytes,
						.bytes = bytes,
						.n = until - from,
						.pieces = &piece,
						.n_pieces = 1};
		to->records = &records;
		to->first = from - wanted.first;
		RETURN_IF_ERROR(clpac__pieces_read(&file->source, &records, take, to, err));
	}
	return CLPAC_OK;
}

static clpac_status read_channels(clpac__sample_file *base, const size_t *channels, size_t n,
				  const clpac__sample_part *part, void *const *rooms, uint64_t *n_bytes,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	layout_file *file = (layout_file *)base;
	const uint64_t before = file->source.n_read;
	clpac__sink *sinks;
	TRY(NEW_ARRAY(sinks, n));
	for (size_t i = 0; i < n; i++)
		sinks[i] = clpac__sink_of(rooms[i], file->scales[channels[i]].type, file->scales[channels[i]].scale,
					  file->scales[channels[i]].offset);
	taking to = {.file = file, .sinks = sinks, .part = part};
	if (file->layout.is_by_sample) {
		TRY(read_rows(file, channels, n, take_rows, &to, err));
		goto done;
	}
	for (size_t i = 0; i < n; i++) {
		to.sinks = &sinks[i];
		TRY(read_channel(file, channels[i], take_rows, &to, err));
	}
done:
	*n_bytes += file->source.n_read - before;
	clpac__free(sinks);
	return st;
}

static clpac_status count_bytes(const clpac__sample_file *base, const size_t *channels, size_t n,
				const clpac__sample_part *part, uint64_t *n_bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const layout_file *file = (const layout_file *)base;
	clpac__file_piece *pieces = NULL;
	clpac__records records;
	if (!file->layout.is_by_sample) {
		*n_bytes += (uint64_t)n * part_of(file, part).n * file->layout.encoding->bytes;
		goto done;
	}
	TRY(find_rows(file, channels, n, part, &pieces, &records, err));
	*n_bytes += clpac__pieces_bytes(&records);
done:
	clpac__free(pieces);
	return st;
}

/* --- Samples that are NaN or infinite -------------------------------------------------------------- */

enum { LOOK_AT = 1024 };

/* What is known of the channels that are being searched. */
typedef struct searching {
	const size_t *channels; /* of the pieces */
	size_t *since;		/* of each, the first sample of a run that has not ended; SIZE_MAX: there is none */
	clpac_gap_found *found;
	void *user;
	union {
		float as_float32[LOOK_AT];
		double as_float64[LOOK_AT];
	} values;
} searching;

static clpac_status look(searching *search, size_t piece, size_t sample, bool is_number, clpac_error *err)
{
	const size_t since = search->since[piece];
	if (is_number == (since == SIZE_MAX))
		return CLPAC_OK;
	search->since[piece] = is_number ? SIZE_MAX : sample;
	if (!is_number)
		return CLPAC_OK;
	return search->found(search->user, search->channels[piece], since, sample - since, err);
}

static clpac_status look_through_rows(void *user, const clpac__file_span *span, clpac_error *err)
{
	const taking *to = user;
	const clpac__sample_layout *layout = &to->file->layout;
	searching *search = to->search;
	for (size_t p = span->piece; p < span->piece + span->n_pieces; p++) {
		const clpac__channel_scale scale = to->file->scales[search->channels[p]];
		const clpac__sink sink = clpac__sink_of(&search->values, scale.type, scale.scale, scale.offset);
		const unsigned char *from = span->bytes + to->records->pieces[p].offset - span->offset;
		for (size_t at = 0; at < span->n_records; at += LOOK_AT) {
			const size_t left = span->n_records - at, n = left < LOOK_AT ? left : LOOK_AT;
			const size_t first = to->first + span->record + at;
			layout->encoding->decode(from + at * span->stride, span->stride, layout->is_big_endian, n,
						 &sink, 0);
			for (size_t i = 0; i < n; i++)
				RETURN_IF_ERROR(look(search, p, first + i,
						     scale.type == CLPAC_FLOAT32
							     ? isfinite(search->values.as_float32[i])
							     : isfinite(search->values.as_float64[i]),
						     err));
		}
	}
	return CLPAC_OK;
}

static clpac_status find_gaps(clpac__sample_file *base, const size_t *channels, size_t n, clpac_gap_found *found,
			      void *user, uint64_t *n_bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	layout_file *file = (layout_file *)base;
	const uint64_t before = file->source.n_read;
	searching *search = clpac__alloc_zero(sizeof *search);
	size_t *since = clpac__alloc_array(n, sizeof *since);
	if (!search || !since)
		FAIL_NO_MEMORY(sizeof *search + n * sizeof *since);
	for (size_t i = 0; i < n; i++)
		since[i] = SIZE_MAX;
	search->found = found;
	search->user = user;
	taking to = {.file = file, .search = search};
	for (size_t i = 0; i < n; i += file->layout.is_by_sample ? n : 1) {
		search->channels = channels + i;
		search->since = since + i;
		if (file->layout.is_by_sample)
			TRY(read_rows(file, channels, n, look_through_rows, &to, err));
		else
			TRY(read_channel(file, channels[i], look_through_rows, &to, err));
		for (size_t k = 0; k < (file->layout.is_by_sample ? n : 1); k++)
			TRY(look(search, k, file->layout.n_samples, true, err));
	}
done:
	*n_bytes += file->source.n_read - before;
	FREE_ALL(since, search);
	return st;
}

bool clpac__is_finite_scaled(const clpac__encoding *encoding, const clpac__channel_scale *scale)
{
	return *encoding->name != 'f' &&
	       (scale->type == CLPAC_FLOAT32 || isfinite(scale->scale * 0x1p64 + scale->offset));
}

static bool is_finite(const clpac__sample_file *base, size_t channel)
{
	const layout_file *file = (const layout_file *)base;
	return clpac__is_finite_scaled(file->layout.encoding, &file->scales[channel]);
}

static void destroy(clpac__sample_file *base)
{
	layout_file *file = (layout_file *)base;
	clpac__source_close(&file->source);
	FREE_ALL(file->path, file->scales, file);
}

clpac_status clpac__layout_file_attach(const clpac__source *source, uint64_t start, const clpac__sample_layout *layout,
				       const clpac__channel_scale *scales, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	layout_file *made;
	TRY(NEW(made));
	made->base = (clpac__sample_file){read_channels, find_gaps, count_bytes, is_finite, destroy};
	made->start = start;
	made->layout = *layout;
	made->path = clpac__strdup(source->path);
	made->scales = clpac__alloc_array(layout->n_channels, sizeof *made->scales);
	if (!made->path || !made->scales)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", source->path,
		     layout->n_channels);
	memcpy(made->scales, scales, layout->n_channels * sizeof *scales);
	TRY(clpac__source_share(source, made->path, &made->source, err));
	clpac__recording_set_file(recording, &made->base);
	made = NULL;
done:
	if (made)
		destroy(&made->base);
	return st;
}

/* --- Pieces of a recording -------------------------------------------------------------------- */

/* Bytes that are read rather than passed over: the system reads whole pages, and each call costs as much. */
enum { CHUNK_BYTES = 1 << 20, GAP_BYTES = 4096 };

/* The pieces from `first` on that are read in one call; returns the first that is not. */
static size_t end_of_span(const clpac__records *records, size_t first)
{
	const clpac__file_piece *pieces = records->pieces;
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
			      clpac__file_span *span, clpac__take_span *take, void *user, clpac_error *err)
{
	const uint64_t at = records->start + (uint64_t)span->record * records->bytes + span->offset;
	const size_t bytes = span_bytes(records, span->piece, span->piece + span->n_pieces);
	if (source->position != at)
		clpac__source_seek(source, at);
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
	clpac__source_seek(source, records->start);
	for (size_t record = 0; record < records->n; record += step)
		for (size_t first = 0, end; first < records->n_pieces; first = end) {
			end = end_of_span(records, first);
			clpac__file_span span = {
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
