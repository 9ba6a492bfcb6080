/* BrainVision: a header (.vhdr), which names the samples (.eeg) and the markers (.vmrk).  The user may name any of
 * the three. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <errno.h>
#include <stddef.h>
#include <clpac/recording.h>
#include <stdint.h>

#include "recording/read/brainvision.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/read/samples.h"
#include "recording/recording.h"
#include "recording/file_text.h"
#include "base/number.h"

/* The markers of a BrainVision recording.  "Mk2=Stimulus,S  1,487,1,0" is type, description, position counted from 1,
 * length and channel; a new segment adds its date as YYYYMMDDhhmmss and microseconds. */

typedef struct marker {
	char *text; /* "type/description", or the type alone */
	bool is_segment;
	double position, length; /* in samples, from 0 */
	double date;		 /* in seconds from an arbitrary epoch; NAN: unknown */
} marker;

typedef struct reader {
	const char *path;
	double rate_hz;
	size_t n_samples;
	clpac_recording *recording;
	unsigned oddities;
	bool has_date;
	double date; /* date at the onset of the current stretch */
	clpac_stretch now;
	size_t first; /* first sample of the current stretch */
} reader;

/* Seconds of a date in the Gregorian calendar; NAN where the text is no date.  Days as in H. Hinnant,
 * "chrono-compatible low-level date algorithms". */
static double date_seconds(const char *text)
{
	int year, month, day, hour, minute;
	long microseconds;
	if (strlen(text) != 20 || strspn(text, "0123456789") != 20 ||
	    sscanf(text, "%4d%2d%2d%2d%2d%8ld", &year, &month, &day, &hour, &minute, &microseconds) != 6 || month < 1 ||
	    month > 12 || day < 1)
		return NAN;
	year -= month <= 2;
	int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	double days = 365.0 * year + year / 4 - year / 100 + year / 400 + of_year;
	return ((days * 24 + hour) * 60 + minute) * 60 + (double)microseconds * 1e-6;
}

static bool whole(const char *text, double least, double *out)
{
	return clpac__parse_field(text, strlen(text), out) && *out >= least && *out == floor(*out) && *out < 0x1p53;
}

/* *is_read is false for a line without a position. */
static clpac_status read_marker(reader *r, const char *value, marker *out, bool *is_read, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *fields[6] = {0};
	for (size_t i = 0; i < 6; i++)
		if (!(fields[i] = clpac__brainvision_field(value, i, &r->oddities)))
			FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for a marker", r->path);
	double position;
	*is_read = whole(fields[2], 1, &position) && position <= (double)r->n_samples + 1;
	if (!*is_read)
		goto done;
	out->position = position - 1;
	if (!whole(fields[3], 0, &out->length))
		out->length = 0;
	out->is_segment = clpac__same_word(fields[0], "New Segment");
	out->date = date_seconds(fields[5]);
	size_t room = strlen(fields[0]) + strlen(fields[1]) + 2;
	if (!(out->text = clpac__alloc(room)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for a marker of %zu bytes", r->path, room);
	snprintf(out->text, room, "%s%s%s", fields[0], *fields[0] && *fields[1] ? "/" : "", fields[1]);
done:
	for (size_t i = 0; i < 6; i++)
		clpac__free(fields[i]);
	return st;
}

/* The dates give the length of a gap; without them the clock runs on as if there had been none. */
static clpac_status begin_segment(reader *r, const marker *m, clpac_error *err)
{
	size_t first = (size_t)m->position;
	if (first < r->first || first >= r->n_samples || (first == r->first && first > 0)) {
		return clpac_recording_warn(
			r->recording, err,
			"a new segment starts before an earlier one or after the data: it is left out");
	}
	if (first > 0) {
		double seconds = (double)first / r->rate_hz - r->now.first_seconds;
		bool is_dated = r->has_date && !isnan(m->date) && m->date >= r->date;
		r->now.seconds = seconds;
		RETURN_IF_ERROR(clpac_recording_add_stretch(r->recording, &r->now, err));
		RETURN_IF_ERROR(clpac_recording_warn(
			r->recording, err,
			"the recording is interrupted: the parts before and after a gap are kept apart"));
		r->now = (clpac_stretch){
			.onset_seconds = r->now.onset_seconds + (is_dated ? fmax(seconds, m->date - r->date) : seconds),
			.first_seconds = (double)first / r->rate_hz,
		};
		r->first = first;
	}
	r->has_date = !isnan(m->date);
	r->date = m->date;
	return CLPAC_OK;
}

/* The last of the stretches that begin no later; the first one for a time before all. */
static clpac_stretch stretch_at(const reader *r, double seconds)
{
	size_t first = 0, behind = clpac_recording_n_stretches(r->recording);
	if (behind == 0 || seconds >= r->now.first_seconds)
		return r->now;
	while (behind - first > 1) {
		size_t middle = first + (behind - first) / 2;
		if (seconds < clpac_recording_stretch(r->recording, middle)->first_seconds)
			behind = middle;
		else
			first = middle;
	}
	return *clpac_recording_stretch(r->recording, first);
}

/* Time on the recording's clock. */
static double onset_of(const reader *r, double position)
{
	double seconds = position / r->rate_hz;
	clpac_stretch stretch = stretch_at(r, seconds);
	return stretch.onset_seconds + seconds - stretch.first_seconds;
}

static clpac_status take_marker(reader *r, const char *value, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	marker m = {0};
	bool is_read = false;
	TRY(read_marker(r, value, &m, &is_read, err));
	if (!is_read) {
		TRY(clpac_recording_warn(r->recording, err, "a marker lies outside the data: it is left out"));
		goto done;
	}
	if (m.is_segment)
		TRY(begin_segment(r, &m, err));
	TRY(clpac_recording_add_annotation(r->recording, onset_of(r, m.position),
					   m.length > 1 ? m.length / r->rate_hz : 0, m.text, err));
done:
	clpac__free(m.text);
	return st;
}

/* Adds an annotation "type/description" per marker, and stretches where a "New Segment" lies after the first
 * sample.  rate_hz is above 0; a missing file is a warning. */
static clpac_status brainvision_markers_read(const char *path, double rate_hz, size_t n_samples,
					     clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__ini ini = {0};
	reader r = {.path = path, .rate_hz = rate_hz, .n_samples = n_samples, .recording = recording};
	clpac_error trouble = {0};
	st = clpac__ini_read(path, &ini, &trouble);
	if (st == CLPAC_ERROR_IO) {
		st = clpac_recording_warn(recording, err, "markers are not read: %s", trouble.text);
		goto done;
	}
	if (st != CLPAC_OK)
		FAIL(st, "%s", trouble.text);
	for (size_t i = 0; i < ini.n_entries; i++)
		if (clpac__same_word(ini.entries[i].section, "Marker Infos") &&
		    (ini.entries[i].key[0] == 'M' || ini.entries[i].key[0] == 'm'))
			TRY(take_marker(&r, ini.entries[i].value, err));
	if (clpac_recording_n_stretches(recording) > 0) {
		r.now.seconds = (double)n_samples / rate_hz - r.now.first_seconds;
		TRY(clpac_recording_add_stretch(recording, &r.now, err));
	}
	const char *code = clpac__ini_get(&ini, "Common Infos", "Codepage");
	if (code && clpac__same_word(code, "UTF-8") && r.oddities & CLPAC__WAS_LATIN1)
		TRY(clpac_recording_warn(recording, err,
					 "markers are not UTF-8, which their file claims: they are read as Latin-1"));
done:
	clpac__ini_clear(&ini);
	return st;
}

/* The path of the header, whichever file was named. */
static clpac_status find_header(clpac__source *source, char **out, clpac_error *err)
{
	char head[128] = "";
	size_t n;
	RETURN_IF_ERROR(clpac__source_read_upto(source, head, sizeof head - 1, &n, err));
	head[strcspn(head, "\n")] = 0;
	if (clpac__ends_with(source->path, ".vhdr") || strstr(head, "Header File"))
		return NEW_COPY(*out, source->path);
	RETURN_IF_ERROR(clpac__brainvision_find_header(source->path, out, err));
	if (*out)
		return CLPAC_OK;
	const char *slash = strrchr(source->path, '/'), *dot = strrchr(slash ? slash : source->path, '.');
	const size_t length = dot ? (size_t)(dot - source->path) : strlen(source->path);
	return clpac__fail_system(err, ENOENT, "%s can be read only with its BrainVision header %.*s.vhdr beside it",
				  source->path, (int)length, source->path);
}

/* The number of samples: from the size of the file, except where the place of a channel depends on the header's
 * number. */
static clpac_status count_samples(const clpac__source *data, clpac__brainvision_header *header,
				  clpac_recording *recording, clpac_error *err)
{
	clpac__sample_layout *layout = &header->layout;
	if (header->data_offset > data->bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s has %llu bytes, and samples from byte %llu on: it is cut short",
			     data->path, (unsigned long long)data->bytes, (unsigned long long)header->data_offset);
	uint64_t bytes = data->bytes - header->data_offset, numbers = bytes / layout->encoding->bytes;
	uint64_t rest = layout->n_channels > numbers ? 0 : bytes % (layout->n_channels * layout->encoding->bytes);
	layout->n_samples = (size_t)(numbers / layout->n_channels);
	if (layout->n_samples == 0)
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s has %llu bytes, less than one sample of %zu channels of %zu bytes: it is cut short, or "
			"NumberOfChannels is wrong",
			data->path, (unsigned long long)bytes, layout->n_channels, layout->encoding->bytes);
	if (!layout->is_by_sample) {
		if (header->n_points)
			layout->n_samples = header->n_points;
		else if (rest)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s has %llu bytes, no multiple of %zu channels of %zu bytes, and the header does "
				     "not say "
				     "DataPoints: where its channels start is unknown",
				     data->path, (unsigned long long)bytes, layout->n_channels,
				     layout->encoding->bytes);
	}
	RETURN_IF_ERROR(clpac__layout_check(layout, data->path, bytes, err));
	if (header->n_points && header->n_points != layout->n_samples)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err,
						     "the header says %zu samples, the file has %zu, which are read",
						     header->n_points, layout->n_samples));
	if (layout->is_by_sample && rest)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err, "the last sample is incomplete, %llu of %zu bytes: it is left out",
			(unsigned long long)rest, layout->n_channels * layout->encoding->bytes));
	return CLPAC_OK;
}

static clpac_status add_channels(const clpac__brainvision_header *header, clpac__channel_scale *scales,
				 clpac_recording *recording, clpac_error *err)
{
	const clpac__encoding *encoding = header->layout.encoding;
	for (size_t c = 0; c < header->n_channels; c++) {
		const clpac__brainvision_channel *channel = &header->channels[c];
		/* Without a factor the numbers stay as they are; with one, only double keeps the precision of the
		 * product. */
		clpac_sample_type type = channel->resolution == 1 ? encoding->type : CLPAC_FLOAT64;
		double scale = channel->resolution;
		RETURN_IF_ERROR(clpac__recording_add_stored_channel(
			recording, channel->name, channel->unit, header->rate_hz, header->layout.n_samples, type, err));
		if (!isfinite(scale) || scale == 0) {
			scale = NAN;
			RETURN_IF_ERROR(clpac_recording_disable_channel(recording, c,
									"its resolution is 0 or not a number", err));
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err,
				"the resolution of a channel is 0 or not a number: the channel is unusable"));
		}
		scales[c] = (clpac__channel_scale){type, scale, 0};
	}
	return CLPAC_OK;
}

clpac_status clpac__read_brainvision(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__brainvision_header header = {0};
	clpac__source data = {0};
	clpac__channel_scale *scales = NULL;
	clpac_error trouble = {0};
	char *path = NULL;
	TRY(find_header(source, &path, err));
	TRY(clpac_recording_create("BrainVision", &made, err));
	TRY(clpac__brainvision_header_read(path, &header, made, err));
	st = clpac__source_open(header.data_path, &data, &trouble);
	if (st != CLPAC_OK) {
		clpac__fail_native(err, st, trouble.native_code, "%s names its DataFile: %s", path, trouble.text);
		goto done;
	}
	TRY(count_samples(&data, &header, made, err));
	TRY(clpac__brainvision_channels_read(path, &header, made, err));
	scales = clpac__alloc_array(header.layout.n_channels, sizeof *scales);
	if (!scales)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", path,
		     header.layout.n_channels);
	TRY(add_channels(&header, scales, made, err));
	TRY(clpac__layout_file_attach(&data, header.data_offset, &header.layout, scales, made, err));

	double rate_hz = header.rate_hz > 0 ? header.rate_hz : options->rate_hz;
	if (header.marker_path && rate_hz > 0)
		TRY(brainvision_markers_read(header.marker_path, rate_hz, header.layout.n_samples, made, err));
	else if (header.marker_path)
		TRY(clpac_recording_warn(made, err, "markers are left out, since the sampling rate is unknown"));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__source_close(&data);
	clpac__brainvision_header_clear(&header);
	FREE_ALL(scales, path);
	return st;
}

clpac_status clpac__brainvision_files(clpac__source *source, char *paths[CLPAC__MOST_FILES], clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *warned = NULL; /* takes the header's warnings, which the reader of the samples tells */
	clpac__brainvision_header header = {0};
	TRY(find_header(source, &paths[0], err));
	TRY(clpac_recording_create("BrainVision", &warned, err));
	TRY(clpac__brainvision_header_read(paths[0], &header, warned, err));
	paths[1] = header.data_path, header.data_path = NULL;
	/* A missing file of markers is a warning of the reader. */
	if (header.marker_path && access(header.marker_path, R_OK) == 0) {
		paths[2] = header.marker_path, header.marker_path = NULL;
	}
done:
	clpac_recording_destroy(warned);
	clpac__brainvision_header_clear(&header);
	return st;
}
