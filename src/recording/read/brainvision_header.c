/* The header of a BrainVision recording. */
#include "recording/read/brainvision.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "recording/file_text.h"
#include "recording/read/samples.h"

/* The unit that the standard assumes where a channel gives none. */
static const char default_unit[] = "\xc2\xb5V";

static const struct {
	const char *name, *encoding;
} binary_formats[] = {
	{"INT_16", "i2"}, {"UINT_16", "u2"}, {"INT_32", "i4"}, {"IEEE_FLOAT_32", "f4"}, {"IEEE_FLOAT_64", "f8"},
};

char *clpac__brainvision_field(const char *value, size_t i, unsigned *oddities)
{
	for (; i > 0; i--) {
		value += strcspn(value, ",");
		value += *value == ',';
	}
	char *text = clpac__utf8(value, strcspn(value, ","), oddities);
	char *to = text;
	for (const char *from = text; from && *from; from++) {
		bool is_escape = from[0] == '\\' && from[1] == '1';
		*to++ = is_escape ? ',' : *from;
		from += is_escape;
	}
	if (text)
		*to = 0;
	return text;
}

/* A whole number of at least `least`; `missing` where the key is absent. */
static clpac_status read_whole(const char *path, const clpac__ini *ini, const char *section, const char *key,
			       double least, double missing, double *out, clpac_error *err)
{
	const char *value = clpac__ini_get(ini, section, key);
	char shown[CLPAC__SHOWN_SIZE];
	*out = missing;
	/* Up to 2^53 every whole number is a double. */
	if (value && (!clpac__parse_field(value, strlen(value), out) || !(*out >= least) || *out != floor(*out) ||
		      *out > 0x1p53)) {
		clpac__show(value, strlen(value), shown);
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s is \"%s\": it must be a whole number, %g or more", path, key,
			     shown, least);
	}
	return CLPAC_OK;
}

/* Which of two words a value is; the first where the key is absent. */
static clpac_status read_word(const char *path, const clpac__ini *ini, const char *key, const char *first,
			      const char *second, bool *is_second, clpac_error *err)
{
	const char *value = clpac__ini_get(ini, "Common Infos", key);
	char shown[CLPAC__SHOWN_SIZE];
	*is_second = value && second && clpac__same_word(value, second);
	if (value && !*is_second && !clpac__same_word(value, first)) {
		clpac__show(value, strlen(value), shown);
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: %s is \"%s\": %s%s%s is read", path, key, shown, first,
			     second ? " or " : "", second ? second : "");
	}
	return CLPAC_OK;
}

/* The path of a file that the header names: beside the header, with "$b" replaced by the header's own name without
 * its ending. */
static clpac_status beside(const char *path, const char *name, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *readable = NULL, *made = NULL;
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	int folder_length = *name == '/' ? 0 : (int)(base - path);
	int base_length = dot ? (int)(dot - base) : (int)strlen(base);
	size_t room = strlen(path) + 2 * strlen(name) + strlen(base) + 1;
	readable = clpac__utf8(name, strlen(name), NULL);
	made = clpac__alloc(room);
	if (!readable || !made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", path, room);
	const char *variable = strstr(readable, "$b");
	if (variable)
		snprintf(made, room, "%.*s%.*s%.*s%s", folder_length, path, (int)(variable - readable), readable,
			 base_length, base, variable + 2);
	else
		snprintf(made, room, "%.*s%s", folder_length, path, readable);
	*out = made, made = NULL;
done:
	FREE_ALL(readable, made);
	return st;
}

static clpac_status read_layout(const char *path, const clpac__ini *ini, clpac__brainvision_header *header,
				clpac_error *err)
{
	static const char *const skipped[] = {"SegmentHeaderSize", "TrailerSize", "ChannelOffset"};
	bool is_vectorized, unused;
	char shown[CLPAC__SHOWN_SIZE];
	double n;
	const char *data_format = clpac__ini_get(ini, "Common Infos", "DataFormat");
	if (data_format && clpac__same_word(data_format, "ASCII"))
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s: DataFormat is \"ASCII\": BINARY is read; python3 -c \"import mne; "
			"mne.io.read_raw_brainvision('%s').export('x.edf')\" makes x.edf of it (pip install mne edfio)",
			path, path);
	RETURN_IF_ERROR(read_word(path, ini, "DataFormat", "BINARY", NULL, &unused, err));
	RETURN_IF_ERROR(read_word(path, ini, "DataType", "TIMEDOMAIN", NULL, &unused, err));
	RETURN_IF_ERROR(read_word(path, ini, "DataOrientation", "MULTIPLEXED", "VECTORIZED", &is_vectorized, err));
	header->layout.is_by_sample = !is_vectorized;

	RETURN_IF_ERROR(read_whole(path, ini, "Common Infos", "NumberOfChannels", 1, 0, &n, err));
	if (n == 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s does not say NumberOfChannels: it is cut short", path);
	/* MNE's reader knows of the channel that such a file has behind those of its header. */
	header->n_channels = (size_t)n;
	header->layout.n_channels = header->n_channels + clpac__ends_with(path, ".ahdr");
	RETURN_IF_ERROR(read_whole(path, ini, "Common Infos", "DataPoints", 0, 0, &n, err));
	header->n_points = (size_t)n;
	RETURN_IF_ERROR(read_whole(path, ini, "Binary Infos", "DataOffset", 0, 0, &n, err));
	header->data_offset = (uint64_t)n;
	for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
		RETURN_IF_ERROR(read_whole(path, ini, "Binary Infos", skipped[i], 0, 0, &n, err));
		if (n != 0)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s: %s is %g: data with such gaps are not read, export them anew", path,
				     skipped[i], n);
	}

	const char *format = clpac__ini_get(ini, "Binary Infos", "BinaryFormat");
	for (size_t i = 0; format && i < sizeof binary_formats / sizeof *binary_formats; i++)
		if (clpac__same_word(format, binary_formats[i].name))
			header->layout.encoding = clpac__encoding_find(binary_formats[i].encoding);
	if (!header->layout.encoding) {
		clpac__show(format ? format : "", format ? strlen(format) : 0, shown);
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s: BinaryFormat is \"%s\": INT_16, UINT_16, INT_32, IEEE_FLOAT_32 and IEEE_FLOAT_64 are read",
			path, shown);
	}
	const char *order = clpac__ini_get(ini, "Binary Infos", "UseBigEndianOrder");
	header->layout.is_big_endian = order && clpac__same_word(order, "YES");
	return CLPAC_OK;
}

clpac_status clpac__brainvision_header_read(const char *path, clpac__brainvision_header *out,
					    clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__ini ini = {0};
	clpac__brainvision_header header = {0};
	TRY(clpac__ini_read(path, &ini, err));
	if (!strstr(ini.first_line, "Header File"))
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s does not start as a BrainVision header does (\"Brain Vision Data Exchange Header File\")",
		     path);
	TRY(read_layout(path, &ini, &header, err));

	double interval_us = 0;
	const char *interval = clpac__ini_get(&ini, "Common Infos", "SamplingInterval");
	if (interval && clpac__parse_field(interval, strlen(interval), &interval_us) && interval_us > 0 &&
	    isfinite(1e6 / interval_us) && 1e6 / interval_us > 0)
		header.rate_hz = 1e6 / interval_us;
	else
		TRY(clpac_recording_warn(recording, err,
					 "SamplingInterval is missing or no number of microseconds above 0: the "
					 "sampling rate is unknown"));

	const char *data = clpac__ini_get(&ini, "Common Infos", "DataFile");
	const char *markers = clpac__ini_get(&ini, "Common Infos", "MarkerFile");
	if (!data)
		FAIL(CLPAC_ERROR_FORMAT, "%s does not say DataFile: it is cut short", path);
	TRY(beside(path, data, &header.data_path, err));
	TRY(clpac__brainvision_find_data(path, data, &header, recording, err));
	if (markers) {
		TRY(beside(path, markers, &header.marker_path, err));
		TRY(clpac__brainvision_find_markers(path, markers, &header, recording, err));
	}
	*out = header;
	header = (clpac__brainvision_header){0};
done:
	clpac__brainvision_header_clear(&header);
	clpac__ini_clear(&ini);
	return st;
}

/* The number in "Ch3"; 0 for anything else. */
static size_t channel_number(const char *key)
{
	double n;
	if ((key[0] != 'C' && key[0] != 'c') || (key[1] != 'h' && key[1] != 'H') ||
	    strspn(key + 2, "0123456789") != strlen(key + 2))
		return 0;
	return clpac__parse_field(key + 2, strlen(key + 2), &n) && n < 0x1p53 ? (size_t)n : 0;
}

/* Fields of a channel: name, reference, resolution, unit. */
static clpac_status read_channel(const char *path, const char *value, clpac__brainvision_channel *channel,
				 unsigned *oddities, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *resolution = clpac__brainvision_field(value, 2, oddities);
	char *unit = clpac__brainvision_field(value, 3, oddities);
	channel->name = clpac__brainvision_field(value, 0, oddities);
	channel->unit = unit && !*unit ? clpac__strdup(default_unit) : unit;
	if (channel->unit == unit)
		unit = NULL;
	if (!channel->name || !resolution || !channel->unit)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for the names of its channels", path);
	channel->resolution = 1;
	if (*resolution && !clpac__parse_field(resolution, strlen(resolution), &channel->resolution))
		channel->resolution = NAN;
done:
	FREE_ALL(resolution, unit);
	return st;
}

clpac_status clpac__brainvision_channels_read(const char *path, clpac__brainvision_header *header,
					      clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__ini ini = {0};
	unsigned oddities = 0;
	const size_t n_channels = header->n_channels;
	TRY(clpac__ini_read(path, &ini, err));
	header->channels = clpac__alloc_array(n_channels, sizeof *header->channels);
	if (!header->channels)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", path, n_channels);
	for (size_t i = 0; i < ini.n_entries; i++) {
		if (!clpac__same_word(ini.entries[i].section, "Channel Infos"))
			continue;
		size_t number = channel_number(ini.entries[i].key);
		if (number < 1 || number > n_channels || header->channels[number - 1].name)
			TRY(clpac_recording_warn(recording, err,
						 "a line of [Channel Infos] names no channel from Ch1 to Ch%zu, or one "
						 "again: it is left out",
						 n_channels));
		else
			TRY(read_channel(path, ini.entries[i].value, &header->channels[number - 1], &oddities, err));
	}
	for (size_t i = 0; i < n_channels; i++) {
		char value[24];
		if (header->channels[i].name)
			continue;
		TRY(clpac_recording_warn(recording, err,
					 "a channel has no line in [Channel Infos]: it is named by its number"));
		snprintf(value, sizeof value, "%zu", i + 1);
		TRY(read_channel(path, value, &header->channels[i], &oddities, err));
	}
	const char *code = clpac__ini_get(&ini, "Common Infos", "Codepage");
	if (code && clpac__same_word(code, "UTF-8") && oddities & CLPAC__WAS_LATIN1)
		TRY(clpac_recording_warn(
			recording, err,
			"names or units are not UTF-8, which the header claims: they are read as Latin-1"));
	if (oddities & CLPAC__HAD_CONTROLS)
		TRY(clpac_recording_warn(recording, err,
					 "names or units hold control characters: they are read as \"?\""));
done:
	clpac__ini_clear(&ini);
	return st;
}

void clpac__brainvision_header_clear(clpac__brainvision_header *header)
{
	for (size_t i = 0; header->channels && i < header->n_channels; i++) {
		FREE_ALL(header->channels[i].name, header->channels[i].unit);
	}
	FREE_ALL(header->channels, header->data_path, header->marker_path);
	*header = (clpac__brainvision_header){0};
}

/* --- Sections and keys ------------------------------------------------------------------------ */

/* Texts of sections and keys. */

/* Cuts the blanks off both ends, in place. */
static char *trim(char *start, char *end)
{
	while (start < end && strchr(" \t\r", *start) && *start)
		start++;
	while (end > start && strchr(" \t\r", end[-1]) && end[-1])
		end--;
	*end = 0;
	return start;
}

static clpac_status add(clpac__ini *ini, const char *path, clpac__ini_entry entry, clpac_error *err)
{
	size_t n = ini->n_entries;
	if ((n & (n - 1)) == 0) {
		clpac__ini_entry *entries = clpac__realloc_array(ini->entries, n ? 2 * n : 1, sizeof *entries);
		if (!entries)
			RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu lines", path,
				     n + 1);
		ini->entries = entries;
	}
	ini->entries[ini->n_entries++] = entry;
	return CLPAC_OK;
}

clpac_status clpac__ini_read(const char *path, clpac__ini *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__ini ini = {0};
	const char *section = "";
	size_t length = 0;
	TRY(clpac__source_read_text(path, &ini.text, &length, err));
	char *at = ini.text, *end = ini.text + length;
	if (length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		char *stop = newline ? newline : end;
		char *line = trim(at, stop);
		at = stop + 1;
		if (!ini.first_line)
			ini.first_line = line;
		char *equals = strchr(line, '='), *bracket = strchr(line, ']');
		if (*line == ';')
			continue;
		if (*line == '[' && bracket) {
			*bracket = 0;
			section = line + 1;
		} else if (equals) {
			char *value = equals + 1;
			clpac__ini_entry entry = {section, trim(line, equals), trim(value, value + strlen(value))};
			TRY(add(&ini, path, entry, err));
		}
	}
	if (!ini.first_line)
		ini.first_line = ini.text;
	*out = ini;
	ini = (clpac__ini){0};
done:
	clpac__ini_clear(&ini);
	return st;
}

void clpac__ini_clear(clpac__ini *ini)
{
	FREE_ALL(ini->text, ini->entries);
	*ini = (clpac__ini){0};
}

const char *clpac__ini_get(const clpac__ini *ini, const char *section, const char *key)
{
	for (size_t i = 0; i < ini->n_entries; i++) {
		const clpac__ini_entry *entry = &ini->entries[i];
		if (clpac__same_word(entry->section, section) && clpac__same_word(entry->key, key))
			return *entry->value ? entry->value : NULL;
	}
	return NULL;
}
