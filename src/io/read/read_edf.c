/* EDF, EDF+, BDF, BDF+: records of equal length, each with the samples of one signal after the other, in 16 bits, or
 * 24 in BDF.
 *
 * Values are physical ones in double precision, (digital - digital_min) * gain + physical_min.  They are never
 * clipped: converters do exceed their own limits, and a clipped peak would falsify phase and amplitude. */
#include <float.h>
#include <math.h>

#include "io/read/edf_annotations.h"
#include "io/read/edf_header.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/read/formats.h"
#include "io/read/samples.h"

enum { CHUNK_BYTES = 1 << 20 };

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
	clpac_status st = CLPAC_OK;
	double jump = isnan(onset) || line->record_seconds == 0 ? 0 : onset - line->next_onset;
	if (line->n_records == 0) {
		line->now.onset_seconds = line->next_onset = isnan(onset) ? 0 : onset;
	} else if (fabs(jump) > line->tolerance && is_discontinuous) {
		TRY(clpac_recording_add_stretch(recording, &line->now, err));
		line->now = (clpac_stretch){onset, line->now.first_seconds + line->now.seconds, 0};
		TRY(clpac_recording_warn(
			recording, err,
			"the recording is interrupted: the parts before and after a gap are kept apart"));
		line->next_onset = onset;
	} else if (fabs(jump) > line->tolerance) {
		TRY(clpac_recording_warn(
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
done:
	return st;
}

/* A single stretch from time 0 is the default and is not added. */
static clpac_status end_timeline(const timeline *line, clpac_recording *recording, clpac_error *err)
{
	if (clpac_recording_n_stretches(recording) == 0 && (line->now.onset_seconds == 0 || line->record_seconds == 0))
		return CLPAC_OK;
	return clpac_recording_add_stretch(recording, &line->now, err);
}

static clpac_status add_channels(const clpac__edf_header *header, clpac__sink *sinks, clpac_recording *recording,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	for (size_t i = 0; i < header->n_signals; i++) {
		const clpac__edf_signal *signal = &header->signals[i];
		void *samples;
		if (signal->is_annotations)
			continue;
		double rate =
			header->record_seconds > 0 ? (double)signal->samples_per_record / header->record_seconds : 0;
		TRY(clpac_recording_add_channel(recording, signal->name, signal->unit, rate,
						signal->samples_per_record * header->n_records, CLPAC_FLOAT64, &samples,
						err));
		/* In long double, so that small values far from the limits keep their digits where gain *
		 * digital_min and physical_min cancel. */
		long double exact_gain = ((long double)signal->physical_max - signal->physical_min) /
					 ((long double)signal->digital_max - signal->digital_min);
		double gain = (double)exact_gain;
		double offset = (double)(signal->physical_min - exact_gain * signal->digital_min);
		if (signal->unusable[0]) {
			TRY(clpac_recording_disable_channel(recording, clpac_recording_n_channels(recording) - 1,
							    signal->unusable, err));
			gain = offset = NAN;
		}
		sinks[i] = clpac__sink_of(samples, CLPAC_FLOAT64, gain, offset);
	}
done:
	return st;
}

/* The signals that have samples in a record: those without would cost time in every record. */
typedef struct filled_signals {
	size_t *numbers;
	size_t n;
} filled_signals;

static clpac_status find_filled(const clpac__edf_header *header, const char *path, filled_signals *out,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	out->numbers = clpac__alloc_array(header->n_signals, sizeof *out->numbers);
	if (!out->numbers)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu signals", path, header->n_signals);
	for (size_t i = 0; i < header->n_signals; i++)
		if (header->signals[i].samples_per_record > 0)
			out->numbers[out->n++] = i;
done:
	return st;
}

static clpac_status read_record(const clpac__edf_header *header, const filled_signals *filled,
				const unsigned char *bytes, size_t record, const clpac__sink *sinks,
				clpac_recording *recording, double *onset, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__encoding *encoding = clpac__encoding_find(header->is_bdf ? "i3" : "i2");
	bool is_first_list = true;
	for (size_t k = 0; k < filled->n; k++) {
		const size_t i = filled->numbers[k];
		const clpac__edf_signal *signal = &header->signals[i];
		const unsigned char *from = bytes + signal->offset;
		size_t n = signal->samples_per_record;
		if (signal->is_annotations) {
			TRY(clpac__edf_annotations_read((const char *)from, n * header->sample_bytes, recording,
							is_first_list ? onset : NULL, err));
			is_first_list = false;
		} else {
			encoding->decode(from, encoding->bytes, false, n, &sinks[i], record * n);
		}
	}
done:
	return st;
}

static clpac_status read_records(clpac__source *source, const clpac__edf_header *header, const clpac__sink *sinks,
				 clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	timeline line = {.record_seconds = header->record_seconds,
			 .tolerance = fmax(least_gap_seconds, shortest_interval(header) / 2)};
	size_t chunk = CHUNK_BYTES / header->record_bytes ? CHUNK_BYTES / header->record_bytes : 1;
	chunk = chunk < header->n_records ? chunk : header->n_records;
	filled_signals filled = {0};
	unsigned char *bytes = clpac__alloc(chunk * header->record_bytes + 1);
	if (!bytes)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", source->path,
		     chunk * header->record_bytes);
	TRY(find_filled(header, source->path, &filled, err));
	for (size_t record = 0; record < header->n_records; record++) {
		size_t left = header->n_records - record, k = record % chunk;
		if (k == 0)
			TRY(clpac__source_read(source, bytes, (left < chunk ? left : chunk) * header->record_bytes,
					       err));
		double onset = NAN;
		TRY(read_record(header, &filled, bytes + k * header->record_bytes, record, sinks, recording, &onset,
				err));
		TRY(advance(&line, header->is_discontinuous, onset, recording, err));
	}
	TRY(end_timeline(&line, recording, err));
done:
	clpac__free(filled.numbers);
	clpac__free(bytes);
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

clpac_status clpac__read_edf(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__edf_header header = {0};
	clpac__sink *sinks = NULL;
	unsigned char head[256] = {0};
	size_t n;
	(void)options;
	TRY(clpac__source_read_upto(source, head, sizeof head, &n, err));
	TRY(clpac__source_seek(source, 0, err));
	TRY(clpac_recording_create(clpac__edf_format(head), &made, err));
	TRY(clpac__edf_header_read(source, &header, made, err));
	TRY(check_annotations(&header, made, err));
	sinks = clpac__alloc_array(header.n_signals, sizeof *sinks);
	if (!sinks)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu signals", source->path,
		     header.n_signals);
	TRY(add_channels(&header, sinks, made, err));
	TRY(read_records(source, &header, sinks, made, err));
	*out = made;
	made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__edf_header_clear(&header);
	clpac__free(sinks);
	return st;
}
