/* The header of an EDF or BDF file and its possible faults. */
#include "recording/read/edf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"

enum { HEAD_BYTES = 256, SIGNAL_BYTES = 256, MOST_SIGNALS = 9999 };

/* Fields of the first 256 bytes: start and width. */
typedef struct field {
	size_t start, width;
	const char *name;
} field;
static const field start_time = {176, 8, "start time"}, head_length = {184, 8, "number of bytes in the header"},
		   reserved = {192, 44, "reserved field"}, record_count = {236, 8, "number of records"},
		   record_duration = {244, 8, "duration of a record"}, signal_count = {252, 4, "number of signals"};

/* Fields of the signals, grouped by field: all labels, then all transducers, and so on. */
enum {
	LABEL,
	TRANSDUCER,
	UNIT,
	PHYSICAL_MIN,
	PHYSICAL_MAX,
	DIGITAL_MIN,
	DIGITAL_MAX,
	FILTERS,
	SAMPLES,
	SIGNAL_FIELD_COUNT
};
static const field signal_fields[] = {
	[LABEL] = {0, 16, "label"},
	[TRANSDUCER] = {16, 80, "transducer"},
	[UNIT] = {96, 8, "physical dimension"},
	[PHYSICAL_MIN] = {104, 8, "physical minimum"},
	[PHYSICAL_MAX] = {112, 8, "physical maximum"},
	[DIGITAL_MIN] = {120, 8, "digital minimum"},
	[DIGITAL_MAX] = {128, 8, "digital maximum"},
	[FILTERS] = {136, 80, "prefiltering"},
	[SAMPLES] = {216, 8, "number of samples per record"},
};
_Static_assert(sizeof signal_fields / sizeof *signal_fields == SIGNAL_FIELD_COUNT, "one entry per field");

typedef struct parser {
	const char *path;
	const unsigned char *head, *signals; /* the two parts */
	uint64_t file_bytes;
	clpac__edf_header *header;
	clpac_recording *recording; /* receives warnings */
	unsigned oddities;	    /* oddities of all texts */
} parser;

static bool is_magic(const unsigned char *head, const char *magic)
{
	return memcmp(head, magic, 8) == 0;
}

static bool is_plus(const unsigned char *head)
{
	return memcmp(head + reserved.start, "EDF+", 4) == 0 || memcmp(head + reserved.start, "BDF+", 4) == 0;
}

const char *clpac__edf_format(const unsigned char head[256])
{
	static const char *const names[2][2] = {{"EDF", "EDF+"}, {"BDF", "BDF+"}};
	return names[head[0] == 0xff][is_plus(head)];
}

static const char *signal_text(const parser *p, int which, size_t i)
{
	const field *f = &signal_fields[which];
	return (const char *)p->signals + f->start * p->header->n_signals + i * f->width;
}

static bool finite_number(const char *text, size_t width, double *out)
{
	return clpac__parse_field(text, width, out) && isfinite(*out);
}

static clpac_status read_signal_number(const parser *p, int which, size_t i, double *out, clpac_error *err)
{
	const char *text = signal_text(p, which, i);
	char shown[CLPAC__SHOWN_SIZE];
	if (!finite_number(text, signal_fields[which].width, out)) {
		clpac__show(text, signal_fields[which].width, shown);
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: signal %zu (\"%s\"): its %s is \"%s\", which is no number: mend the header", p->path,
			     i + 1, p->header->signals[i].name, signal_fields[which].name, shown);
	}
	return CLPAC_OK;
}

static clpac_status read_signal_text(parser *p, int which, size_t i, char **out, clpac_error *err)
{
	*out = clpac__utf8(signal_text(p, which, i), signal_fields[which].width, &p->oddities);
	if (!*out)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for the names of its signals",
			     p->path);
	return CLPAC_OK;
}

/* Equal limits give no gain: unusable. */
static clpac_status judge_limits(parser *p, clpac__edf_signal *signal, clpac_error *err)
{
	if (signal->digital_min == signal->digital_max) {
		snprintf(signal->unusable, sizeof signal->unusable, "digital minimum and maximum are both %g",
			 signal->digital_min);
		RETURN_IF_ERROR(clpac_recording_warn(
			p->recording, err, "digital minimum and maximum of a signal are equal: it is unusable"));
	} else if (signal->physical_min == signal->physical_max) {
		snprintf(signal->unusable, sizeof signal->unusable, "physical minimum and maximum are both %g",
			 signal->physical_min);
		RETURN_IF_ERROR(clpac_recording_warn(
			p->recording, err, "physical minimum and maximum of a signal are equal: it is unusable"));
	} else if (!isfinite((signal->physical_max - signal->physical_min) /
			     (signal->digital_max - signal->digital_min))) {
		snprintf(signal->unusable, sizeof signal->unusable, "its limits are too far apart for a gain");
		RETURN_IF_ERROR(clpac_recording_warn(
			p->recording, err, "limits of a signal are too far apart for a gain: it is unusable"));
	} else if (signal->digital_min > signal->digital_max) {
		RETURN_IF_ERROR(
			clpac_recording_warn(p->recording, err,
					     "the digital minimum of a signal is above its maximum: its values are "
					     "computed by the formula all the same"));
	}
	return CLPAC_OK;
}

static clpac_status read_signal(parser *p, size_t i, clpac_error *err)
{
	clpac__edf_signal *signal = &p->header->signals[i];
	double n;
	RETURN_IF_ERROR(read_signal_text(p, LABEL, i, &signal->name, err));
	RETURN_IF_ERROR(read_signal_text(p, UNIT, i, &signal->unit, err));
	RETURN_IF_ERROR(read_signal_number(p, SAMPLES, i, &n, err));
	if (n < 0 || n != floor(n) || n > 99999999)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: signal %zu (\"%s\"): its %s is %g: it must be a whole number above 0", p->path, i + 1,
			     signal->name, signal_fields[SAMPLES].name, n);
	signal->samples_per_record = (size_t)n;
	signal->is_annotations =
		strcmp(signal->name, "EDF Annotations") == 0 || strcmp(signal->name, "BDF Annotations") == 0;
	if (signal->is_annotations)
		return CLPAC_OK;

	RETURN_IF_ERROR(read_signal_number(p, PHYSICAL_MIN, i, &signal->physical_min, err));
	RETURN_IF_ERROR(read_signal_number(p, PHYSICAL_MAX, i, &signal->physical_max, err));
	RETURN_IF_ERROR(read_signal_number(p, DIGITAL_MIN, i, &signal->digital_min, err));
	RETURN_IF_ERROR(read_signal_number(p, DIGITAL_MAX, i, &signal->digital_max, err));
	RETURN_IF_ERROR(judge_limits(p, signal, err));
	if (signal->samples_per_record == 0) {
		snprintf(signal->unusable, sizeof signal->unusable, "it has no samples in a record");
		RETURN_IF_ERROR(
			clpac_recording_warn(p->recording, err, "a signal has no samples in a record: it is unusable"));
	}
	return CLPAC_OK;
}

static clpac_status read_head(parser *p, clpac_error *err)
{
	clpac__edf_header *header = p->header;
	const char *head = (const char *)p->head;
	char shown[CLPAC__SHOWN_SIZE];
	double n;
	header->is_bdf = is_magic(p->head, "\xff"
					   "BIOSEMI");
	if (!header->is_bdf && !is_magic(p->head, "0       ")) {
		clpac__show(head, 8, shown);
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: its version field is \"%s\": EDF has \"0\" there, BDF the byte 255 and \"BIOSEMI\"; "
			     "the file "
			     "is damaged or of another kind",
			     p->path, shown);
	}
	header->sample_bytes = header->is_bdf ? 3 : 2;
	header->is_plus = is_plus(p->head);
	header->is_discontinuous = header->is_plus && head[reserved.start + 4] == 'D';

	if (!finite_number(head + signal_count.start, signal_count.width, &n) || n < 1 || n > MOST_SIGNALS ||
	    n != floor(n)) {
		clpac__show(head + signal_count.start, signal_count.width, shown);
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its %s is \"%s\": it must be from 1 to %d", p->path,
			     signal_count.name, shown, MOST_SIGNALS);
	}
	header->n_signals = (size_t)n;
	uint64_t needed = HEAD_BYTES + (uint64_t)header->n_signals * SIGNAL_BYTES;
	if (needed > p->file_bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: the header of %zu signals needs %llu bytes, the file has %llu: it is cut short",
			     p->path, header->n_signals, (unsigned long long)needed, (unsigned long long)p->file_bytes);
	if (!clpac__parse_field(head + head_length.start, head_length.width, &n) || n != (double)needed)
		RETURN_IF_ERROR(clpac_recording_warn(p->recording, err, "the %s is wrong: %zu signals make it %llu",
						     head_length.name, header->n_signals, (unsigned long long)needed));

	if (memchr(head + start_time.start, ':', start_time.width)) {
		clpac__show(head + start_time.start, start_time.width, shown);
		RETURN_IF_ERROR(clpac_recording_warn(
			p->recording, err,
			"the %s is \"%s\": EDF has points there; the program that wrote it may differ in "
			"more",
			start_time.name, shown));
	}
	double *seconds = &header->record_seconds;
	if (!finite_number(head + record_duration.start, record_duration.width, seconds) || *seconds < 0) {
		clpac__show(head + record_duration.start, record_duration.width, shown);
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its %s is \"%s\": it must be a number of seconds above 0",
			     p->path, record_duration.name, shown);
	}
	return CLPAC_OK;
}

/* Whether all digital limits are numbers of 16 bits. */
static bool has_narrow_limits(const clpac__edf_header *header)
{
	for (size_t i = 0; i < header->n_signals; i++) {
		const clpac__edf_signal *signal = &header->signals[i];
		if (!(signal->digital_min >= INT16_MIN && signal->digital_max <= UINT16_MAX))
			return false;
	}
	return true;
}

/* An EDF header before samples of 24 bits, or a BDF header before samples of 16: the file's size is exactly that of the
 * header's number of records in the other width, and the digital limits are of that width.  Where the size tells
 * nothing, the reserved field decides; some programs write EDF+ into good BDF files. */
static clpac_status check_width(const parser *p, uint64_t record_bytes, uint64_t data_bytes, clpac_error *err)
{
	const clpac__edf_header *header = p->header;
	const char *mark = (const char *)p->head + reserved.start;
	const size_t other_bytes = header->is_bdf ? 2 : 3;
	const uint64_t other_record_bytes = record_bytes / header->sample_bytes * other_bytes;
	double claimed;
	if (!clpac__parse_field((const char *)p->head + record_count.start, record_count.width, &claimed))
		claimed = -1;
	const bool fits_own = claimed * (double)record_bytes == (double)data_bytes;
	const bool fits_other = claimed >= 1 && claimed * (double)other_record_bytes == (double)data_bytes;
	const bool says_other = memcmp(mark, header->is_bdf ? "EDF+" : "BDF+", 4) == 0;
	if (!fits_own && (fits_other || says_other) && has_narrow_limits(header) == header->is_bdf)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: its version field is that of %s, with samples of %zu bits, but its %s that of %zu "
			     "bits: no "
			     "sample can be trusted; mend the header",
			     p->path, header->is_bdf ? "BDF" : "EDF", 8 * header->sample_bytes,
			     fits_other ? "size is" : "reserved field is", 8 * other_bytes);
	return CLPAC_OK;
}

/* A number of samples of 0 is taken where the size of the file agrees: otherwise the signal has samples, and those of
 * all signals after it would be read from wrong places. */
static clpac_status check_empty_signals(const parser *p, bool fits, clpac_error *err)
{
	const clpac__edf_header *header = p->header;
	for (size_t i = 0; i < header->n_signals && !fits; i++)
		if (header->signals[i].samples_per_record == 0)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: signal %zu (\"%s\"): its %s is 0, and the size of the file does not agree: "
				     "no sample "
				     "can be trusted; mend the header",
				     p->path, i + 1, header->signals[i].name, signal_fields[SAMPLES].name);
	return CLPAC_OK;
}

/* The layout of a record and the number of records, which comes from the file's size: the header may have been
 * written before the recording was stopped, or the file copied in part. */
static clpac_status count_records(parser *p, clpac_error *err)
{
	clpac__edf_header *header = p->header;
	uint64_t data_bytes = p->file_bytes - HEAD_BYTES - (uint64_t)header->n_signals * SIGNAL_BYTES, record_bytes = 0;
	for (size_t i = 0; i < header->n_signals; i++) { /* at most 9999 x 99999999 x 3: no overflow */
		header->signals[i].offset = (size_t)record_bytes;
		record_bytes += (uint64_t)header->signals[i].samples_per_record * header->sample_bytes;
	}
	if (record_bytes == 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the %s of every signal is 0", p->path,
			     signal_fields[SAMPLES].name);
	RETURN_IF_ERROR(check_width(p, record_bytes, data_bytes, err));
	if (data_bytes > 0 && data_bytes < record_bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: a record needs %llu bytes, but only %llu follow the header: the file is cut short, "
			     "or a %s "
			     "is wrong",
			     p->path, (unsigned long long)record_bytes, (unsigned long long)data_bytes,
			     signal_fields[SAMPLES].name);
	header->record_bytes = (size_t)record_bytes;
	header->n_records = (size_t)(data_bytes / record_bytes);

	double claimed;
	char shown[CLPAC__SHOWN_SIZE];
	clpac__show((const char *)p->head + record_count.start, record_count.width, shown);
	const bool agrees =
		clpac__parse_field((const char *)p->head + record_count.start, record_count.width, &claimed) &&
		claimed == (double)header->n_records;
	RETURN_IF_ERROR(check_empty_signals(p, agrees && data_bytes % record_bytes == 0, err));
	if (!agrees)
		RETURN_IF_ERROR(clpac_recording_warn(
			p->recording, err,
			"the %s in the header is \"%s\": the file has %zu complete ones, which are read",
			record_count.name, shown, header->n_records));
	if (data_bytes % record_bytes)
		RETURN_IF_ERROR(clpac_recording_warn(
			p->recording, err, "the last record is incomplete, %llu of %llu bytes: it is left out",
			(unsigned long long)(data_bytes % record_bytes), (unsigned long long)record_bytes));
	return CLPAC_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Signals that a name does not tell apart; names of annotations are alike by rule. */
static clpac_status check_names(const parser *p, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__edf_header *header = p->header;
	size_t n = 0;
	const char **names = clpac__alloc_array(header->n_signals, sizeof *names);
	if (!names)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for the names of its signals", p->path);
	for (size_t i = 0; i < header->n_signals; i++)
		if (!header->signals[i].is_annotations)
			names[n++] = header->signals[i].name;
	qsort(names, n, sizeof *names, compare_names);
	for (size_t i = 1; i < n; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			TRY(clpac_recording_warn(p->recording, err,
						 "several signals have one name: choose them by number"));
done:
	clpac__free(names);
	return st;
}

/* A record duration of 0 is right in a file of annotations only; otherwise the rate is unknown. */
static clpac_status check_rates(const parser *p, clpac_error *err)
{
	const clpac__edf_header *header = p->header;
	for (size_t i = 0; i < header->n_signals; i++) {
		const clpac__edf_signal *signal = &header->signals[i];
		if (signal->is_annotations || signal->samples_per_record == 0)
			continue;
		if (header->record_seconds == 0)
			RETURN_IF_ERROR(clpac_recording_warn(p->recording, err,
							     "the %s is 0: the sampling rates are unknown",
							     record_duration.name));
		else if (!isfinite((double)signal->samples_per_record / header->record_seconds))
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its %s is %g: no sampling rate follows from it", p->path,
				     record_duration.name, header->record_seconds);
	}
	return CLPAC_OK;
}

clpac_status clpac__edf_header_read(clpac__source *source, clpac__edf_header *out, clpac_recording *recording,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__edf_header header = {0};
	unsigned char head[HEAD_BYTES], *signals = NULL;
	parser p = {source->path, head, NULL, source->bytes, &header, recording, 0};
	if (source->bytes < HEAD_BYTES)
		FAIL(CLPAC_ERROR_FORMAT, "%s has %llu bytes, the header of an EDF file 256 and more: it is cut short",
		     source->path, (unsigned long long)source->bytes);
	TRY(clpac__source_read(source, head, HEAD_BYTES, err));
	TRY(read_head(&p, err));

	header.signals = clpac__alloc_array(header.n_signals, sizeof *header.signals);
	p.signals = signals = clpac__alloc(header.n_signals * SIGNAL_BYTES);
	if (!header.signals || !signals)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu signals", source->path,
		     header.n_signals);
	TRY(clpac__source_read(source, signals, header.n_signals * SIGNAL_BYTES, err));
	for (size_t i = 0; i < header.n_signals; i++)
		TRY(read_signal(&p, i, err));
	TRY(count_records(&p, err));
	TRY(check_rates(&p, err));
	TRY(check_names(&p, err));
	if (p.oddities & CLPAC__NOT_ASCII)
		TRY(clpac_recording_warn(recording, err,
					 "names or units are not ASCII, as EDF wants them: they are read as %s",
					 p.oddities & CLPAC__WAS_LATIN1 ? "Latin-1" : "UTF-8"));
	if (p.oddities & CLPAC__HAD_CONTROLS)
		TRY(clpac_recording_warn(recording, err,
					 "names or units hold control characters: they are read as \"?\""));
	*out = header;
	header = (clpac__edf_header){0};
done:
	clpac__edf_header_clear(&header);
	clpac__free(signals);
	return st;
}

void clpac__edf_header_clear(clpac__edf_header *header)
{
	for (size_t i = 0; header->signals && i < header->n_signals; i++) {
		FREE_ALL(header->signals[i].name, header->signals[i].unit);
	}
	clpac__free(header->signals);
	*header = (clpac__edf_header){0};
}
