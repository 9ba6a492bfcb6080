/* EDF, EDF+, BDF, BDF+: records of equal length, each with the samples of one signal after the other, in 16 bits, or
 * 24 in BDF.  The header and the annotations are read here, triggers in edf_annotations.c, the samples in
 * edf_samples.c. */
#include <float.h>
#include <math.h>

#include "recording/read/edf.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/read/samples.h"
#include "recording/recording.h"

/* Record times are continuous when they deviate by less than this, or by less than half a sample: writers round them
 * to milliseconds. */
static const double least_gap_seconds = 1e-3;

/* The times of the records, cut into stretches where they jump. */
typedef struct timeline {
	double record_seconds, tolerance;
	double next_onset; /* start of the next record if nothing is missing */
	clpac_stretch now;
	size_t n_records;
} timeline;

static double shortest_interval(const clpac__edf_header *header)
{
	size_t most = 1;
	for (size_t i = 0; i < header->n_signals; i++)
		if (!header->signals[i].is_annotations && header->signals[i].samples_per_record > most)
			most = header->signals[i].samples_per_record;
	return header->record_seconds / (double)most;
}

/* onset is NAN for a record without a time. */
static clpac_status advance(timeline *line, bool is_discontinuous, double onset, clpac_recording *recording,
			    clpac_error *err)
{
	double jump = isnan(onset) || line->record_seconds == 0 ? 0 : onset - line->next_onset;
	if (line->n_records == 0) {
		line->now.onset_seconds = line->next_onset = isnan(onset) ? 0 : onset;
	} else if (fabs(jump) > line->tolerance && is_discontinuous) {
		RETURN_IF_ERROR(clpac_recording_add_stretch(recording, &line->now, err));
		line->now = (clpac_stretch){onset, line->now.first_seconds + line->now.seconds, 0};
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"the recording is interrupted: the parts before and after a gap are kept apart"));
		line->next_onset = onset;
	} else if (fabs(jump) > line->tolerance) {
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"a record's own time contradicts the header, which says continuous: it is taken as such"));
	} else if (!isnan(onset)) {
		line->next_onset = onset;
	}
	line->n_records++;
	line->next_onset += line->record_seconds;
	/* Rounded down, so that the first sample of the next record, at i / rate_hz, never lies before it. */
	double end = (double)line->n_records * line->record_seconds * (1 - 4 * DBL_EPSILON);
	line->now.seconds = end - line->now.first_seconds;
	return CLPAC_OK;
}

/* A single stretch from time 0 is the default and is not added. */
static clpac_status end_timeline(const timeline *line, clpac_recording *recording, clpac_error *err)
{
	if (clpac_recording_n_stretches(recording) == 0 && (line->now.onset_seconds == 0 || line->record_seconds == 0))
		return CLPAC_OK;
	return clpac_recording_add_stretch(recording, &line->now, err);
}

/* The annotation signals, and the timeline that their times make. */
typedef struct listening {
	const clpac__records *records;
	bool is_discontinuous;
	timeline *line;
	clpac_recording *recording;
	double onset; /* of the record being read */
} listening;

static clpac_status take_annotations(void *user, const clpac__file_span *span, clpac_error *err)
{
	listening *to = user;
	const clpac__file_piece *pieces = to->records->pieces;
	for (size_t r = 0; r < span->n_records; r++) {
		for (size_t p = span->piece; p < span->piece + span->n_pieces; p++) {
			const unsigned char *from = span->bytes + r * span->stride + pieces[p].offset - span->offset;
			if (p == 0)
				to->onset = NAN;
			RETURN_IF_ERROR(clpac__edf_annotations_read((const char *)from, pieces[p].bytes, to->recording,
								    p == 0 ? &to->onset : NULL, err));
		}
		if (span->piece + span->n_pieces == to->records->n_pieces)
			RETURN_IF_ERROR(advance(to->line, to->is_discontinuous, to->onset, to->recording, err));
	}
	return CLPAC_OK;
}

/* Reads of each record its annotations alone. */
static clpac_status read_annotations(clpac__source *source, const clpac__edf_header *header, clpac_recording *recording,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	timeline line = {.record_seconds = header->record_seconds,
			 .tolerance = fmax(least_gap_seconds, shortest_interval(header) / 2)};
	clpac__file_piece *pieces = clpac__alloc_array(header->n_signals, sizeof *pieces);
	clpac__records records = {
		.start = source->position, .bytes = header->record_bytes, .n = header->n_records, .pieces = pieces};
	if (!pieces)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu signals", source->path,
		     header->n_signals);
	for (size_t i = 0; i < header->n_signals; i++) {
		const clpac__edf_signal *signal = &header->signals[i];
		if (signal->is_annotations && signal->samples_per_record)
			pieces[records.n_pieces++] =
				(clpac__file_piece){signal->offset, signal->samples_per_record * header->sample_bytes};
	}
	TRY(clpac__pieces_read(source, &records, take_annotations,
			       &(listening){&records, header->is_discontinuous, &line, recording, NAN}, err));
	if (!records.n_pieces)
		for (size_t i = 0; i < records.n; i++)
			TRY(advance(&line, header->is_discontinuous, NAN, recording, err));
	TRY(end_timeline(&line, recording, err));
done:
	clpac__free(pieces);
	return st;
}

static clpac_status check_annotations(const clpac__edf_header *header, clpac_recording *recording, clpac_error *err)
{
	bool has_annotations = false;
	for (size_t i = 0; i < header->n_signals; i++)
		has_annotations |= header->signals[i].is_annotations;
	if (header->is_discontinuous && !has_annotations)
		return clpac_recording_warn(recording, err,
					    "the header says interrupted (EDF+D), but no annotation signal tells "
					    "where: the samples are taken as continuous");
	return CLPAC_OK;
}

/* Two digits in front of a dot, or of the field's end. */
static int two_digits(const unsigned char *at)
{
	return at[0] >= '0' && at[0] <= '9' && at[1] >= '0' && at[1] <= '9' ? 10 * (at[0] - '0') + at[1] - '0' : -1;
}

/* Finds the second from which the recording's clock counts: dd.mm.yyhh.mm.ss, 85 to 99 of the last century. */
static void find_start(const unsigned char head[256], clpac_recording *recording)
{
	static const int days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	int f[6];
	for (int i = 0; i < 6; i++)
		if ((f[i] = two_digits(head + 168 + (i < 3 ? 3 * i : 3 * i - 1))) < 0)
			return;
	if (f[1] < 1 || f[1] > 12)
		return;
	const int year = f[2] + (f[2] < 85 ? 100 : 0); /* since 1900 */
	const double days = 365.0 * year + (year - 1) / 4 + days_before[f[1] - 1] + f[0] + (f[1] > 2 && year % 4 == 0);
	recording->start_s = ((days * 24 + f[3]) * 60 + f[4]) * 60 + f[5];
	recording->has_start = true;
}

clpac_status clpac__read_edf(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__edf_header header = {0};
	unsigned char head[256] = {0};
	size_t n;
	(void)options;
	TRY(clpac__source_read_upto(source, head, sizeof head, &n, err));
	clpac__source_seek(source, 0);
	TRY(clpac_recording_create(clpac__edf_format(head), &made, err));
	TRY(clpac__edf_header_read(source, &header, made, err));
	find_start(head, made);
	TRY(check_annotations(&header, made, err));
	const uint64_t start = source->position;
	TRY(clpac__edf_samples_attach(source, start, &header, made, err));
	TRY(read_annotations(source, &header, made, err));
	TRY(clpac__edf_status_read(source, start, &header, made, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__edf_header_clear(&header);
	return st;
}
