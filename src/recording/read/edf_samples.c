#include "recording/read/edf.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "recording/read/samples.h"
#include "recording/recording.h"

/* The part of a channel in every record. */
typedef struct edf_channel {
	size_t offset, n_samples;
	double gain, shift;
} edf_channel;

typedef struct edf_samples {
	clpac__sample_file base;
	clpac__source source;
	char *path;
	uint64_t start;
	size_t record_bytes, n_records;
	const clpac__encoding *encoding;
	edf_channel *channels;
} edf_samples;

typedef struct taking {
	const clpac__encoding *encoding;
	const clpac__file_piece *pieces;
	const clpac__sink *sinks;	/* of each piece */
	size_t first_record;		/* of the file, that is read first */
	const clpac__sample_part *part; /* NULL: whole channels */
} taking;

/* Takes of one record what is asked for. */
static void take_record(const taking *to, const unsigned char *bytes, size_t record, size_t piece)
{
	const size_t each = to->encoding->bytes, n = to->pieces[piece].bytes / each, begin = record * n,
		     end = begin + n;
	const clpac__sample_part all = {begin, n}, wanted = to->part ? *to->part : all;
	const size_t from = begin > wanted.first ? begin : wanted.first;
	const size_t until = end < wanted.first + wanted.n ? end : wanted.first + wanted.n;
	if (from < until)
		to->encoding->decode(bytes + (from - begin) * each, each, false, until - from, &to->sinks[piece],
				     to->part ? from - wanted.first : from);
}

static clpac_status take_records(void *user, const clpac__file_span *span, clpac_error *err)
{
	const taking *to = user;
	(void)err;
	for (size_t r = 0; r < span->n_records; r++)
		for (size_t p = span->piece; p < span->piece + span->n_pieces; p++)
			take_record(to, span->bytes + r * span->stride + to->pieces[p].offset - span->offset,
				    to->first_record + span->record + r, p);
	return CLPAC_OK;
}

/* The records that have a part of some channels: all of them, or those from *first up to *end. */
static void find_records(const edf_samples *file, const size_t *channels, size_t n, const clpac__sample_part *part,
			 size_t *first, size_t *end)
{
	*first = part ? file->n_records : 0;
	*end = part ? 0 : file->n_records;
	for (size_t i = 0; part && part->n && i < n; i++) {
		const size_t each = file->channels[channels[i]].n_samples;
		if (!each)
			continue;
		const size_t begin = part->first / each, behind = (part->first + part->n - 1) / each + 1;
		*first = begin < *first ? begin : *first;
		*end = behind > *end ? behind : *end;
	}
	*first = *first < *end ? *first : *end;
}

/* The records of some channels or of a part of them, with a piece for each channel that has samples.
 * @param[out] pieces to be freed with clpac__free. @param[out] numbers of the channels of the pieces among the n.
 * @param[out] first_record of the file; NULL: not wanted. */
static clpac_status find_pieces(const edf_samples *file, const size_t *channels, size_t n,
				const clpac__sample_part *part, clpac__file_piece **pieces, size_t *numbers,
				size_t *first_record, clpac__records *out, clpac_error *err)
{
	size_t first, end;
	size_t n_pieces = 0;
	clpac__file_piece *made = clpac__alloc_array(n, sizeof *made);
	if (!made)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", file->path, n);
	for (size_t i = 0; i < n; i++) {
		const edf_channel *channel = &file->channels[channels[i]];
		if (!channel->n_samples)
			continue;
		if (numbers)
			numbers[n_pieces] = i;
		made[n_pieces++] = (clpac__file_piece){channel->offset, channel->n_samples * file->encoding->bytes};
	}
	find_records(file, channels, n, part, &first, &end);
	if (first_record)
		*first_record = first;
	*out = (clpac__records){.start = file->start + (uint64_t)first * file->record_bytes,
				.bytes = file->record_bytes,
				.n = end - first,
				.pieces = made,
				.n_pieces = n_pieces};
	*pieces = made;
	return CLPAC_OK;
}

static clpac_status count_bytes(const clpac__sample_file *base, const size_t *channels, size_t n,
				const clpac__sample_part *part, uint64_t *n_bytes, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__file_piece *pieces = NULL;
	clpac__records records;
	TRY(find_pieces((const edf_samples *)base, channels, n, part, &pieces, NULL, NULL, &records, err));
	*n_bytes += clpac__pieces_bytes(&records);
done:
	clpac__free(pieces);
	return st;
}

static clpac_status read_channels(clpac__sample_file *base, const size_t *channels, size_t n,
				  const clpac__sample_part *part, void *const *rooms, uint64_t *n_bytes,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	edf_samples *file = (edf_samples *)base;
	const uint64_t before = file->source.n_read;
	clpac__file_piece *pieces = NULL;
	clpac__records records;
	size_t first_record;
	clpac__sink *sinks = clpac__alloc_array(n, sizeof *sinks);
	size_t *numbers = clpac__alloc_array(n, sizeof *numbers);
	if (!sinks || !numbers)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", file->path, n);
	TRY(find_pieces(file, channels, n, part, &pieces, numbers, &first_record, &records, err));
	for (size_t p = 0; p < records.n_pieces; p++) {
		const edf_channel *channel = &file->channels[channels[numbers[p]]];
		sinks[p] = clpac__sink_of(rooms[numbers[p]], CLPAC_FLOAT64, channel->gain, channel->shift);
	}
	TRY(clpac__pieces_read(&file->source, &records, take_records,
			       &(taking){file->encoding, pieces, sinks, first_record, part}, err));
done:
	*n_bytes += file->source.n_read - before;
	FREE_ALL(sinks, numbers, pieces);
	return st;
}

/* Numbers have 24 bits at most. */
static bool is_finite(const clpac__sample_file *base, size_t channel)
{
	const edf_channel *of = &((const edf_samples *)base)->channels[channel];
	return isfinite(fabs(of->gain) * 0x1p24 + fabs(of->shift));
}

static void destroy(clpac__sample_file *base)
{
	edf_samples *file = (edf_samples *)base;
	clpac__source_close(&file->source);
	FREE_ALL(file->path, file->channels, file);
}

static clpac_status add_channel(const clpac__edf_header *header, const clpac__edf_signal *signal, edf_channel *out,
				clpac_recording *recording, clpac_error *err)
{
	const double rate_hz =
		header->record_seconds > 0 ? (double)signal->samples_per_record / header->record_seconds : 0;
	RETURN_IF_ERROR(clpac__recording_add_stored_channel(recording, signal->name, signal->unit, rate_hz,
							    signal->samples_per_record * header->n_records,
							    CLPAC_FLOAT64, err));
	/* In long double, so that small values far from the limits keep their digits where gain *
	 * digital_min and physical_min cancel. */
	const long double gain = ((long double)signal->physical_max - signal->physical_min) /
				 ((long double)signal->digital_max - signal->digital_min);
	*out = (edf_channel){.offset = signal->offset,
			     .n_samples = signal->samples_per_record,
			     .gain = (double)gain,
			     .shift = (double)(signal->physical_min - gain * signal->digital_min)};
	if (signal->unusable[0]) {
		RETURN_IF_ERROR(clpac_recording_disable_channel(recording, clpac_recording_n_channels(recording) - 1,
								signal->unusable, err));
		out->gain = out->shift = NAN;
	}
	return CLPAC_OK;
}

clpac_status clpac__edf_samples_attach(const clpac__source *source, uint64_t start, const clpac__edf_header *header,
				       clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n = 0;
	edf_samples *made;
	TRY(NEW(made));
	made->base = (clpac__sample_file){
		.read = read_channels, .count_bytes = count_bytes, .is_finite = is_finite, .destroy = destroy};
	made->start = start;
	made->record_bytes = header->record_bytes;
	made->n_records = header->n_records;
	made->encoding = clpac__encoding_find(header->is_bdf ? "i3" : "i2");
	made->path = clpac__strdup(source->path);
	made->channels = clpac__alloc_array(header->n_signals, sizeof *made->channels);
	if (!made->path || !made->channels)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu signals", source->path,
		     header->n_signals);
	for (size_t i = 0; i < header->n_signals; i++)
		if (!header->signals[i].is_annotations)
			TRY(add_channel(header, &header->signals[i], &made->channels[n++], recording, err));
	TRY(clpac__source_share(source, made->path, &made->source, err));
	clpac__recording_set_file(recording, &made->base);
	made = NULL;
done:
	if (made)
		destroy(&made->base);
	return st;
}
