/* .npz: a zip of .npy files.  One array is read: the one asked for, the only one, or "data".  Beside it `sfreq` is the
 * sampling rate, and `ch_names` are the channels, as MNE-Python calls them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "recording/file_text.h"
#include "recording/read/samples.h"
#include "recording/read/npy.h"

enum { NAMES_SIZE = 300 };

/* The name of an array, "name.npy" without its ending; NULL for other members. */
static const char *array_name(zip_t *archive, zip_uint64_t i, size_t *length)
{
	const char *name = zip_get_name(archive, i, ZIP_FL_ENC_GUESS);
	size_t n = name ? strlen(name) : 0;
	if (n <= 4 || strcmp(name + n - 4, ".npy") != 0)
		return NULL;
	*length = n - 4;
	return name;
}

static bool is_name(const char *wanted, const char *name, size_t length)
{
	return strlen(wanted) == length && memcmp(wanted, name, length) == 0;
}

/* The names of the arrays for an error message, as many as fit. */
static void list_arrays(zip_t *archive, char names[NAMES_SIZE])
{
	size_t made = 0, length;
	names[0] = 0;
	for (zip_uint64_t i = 0; i < (zip_uint64_t)zip_get_num_entries(archive, 0); i++) {
		const char *name = array_name(archive, i, &length);
		if (!name)
			continue;
		if (made + length + 8 > NAMES_SIZE) {
			strcpy(names + made, ", ...");
			return;
		}
		if (made) {
			memcpy(names + made, ", ", 2);
			made += 2;
		}
		for (size_t k = 0; k < length; k++)
			names[made++] = (unsigned char)name[k] < ' ' ? '?' : name[k];
		names[made] = 0;
	}
}

static clpac_status choose(zip_t *archive, const char *path, const char *wanted, zip_uint64_t *out, clpac_error *err)
{
	char names[NAMES_SIZE];
	size_t n_arrays = 0, length;
	bool is_found = false;
	for (zip_uint64_t i = 0; i < (zip_uint64_t)zip_get_num_entries(archive, 0); i++) {
		const char *name = array_name(archive, i, &length);
		if (!name)
			continue;
		if (!wanted && (is_name("sfreq", name, length) || is_name("ch_names", name, length)))
			continue;
		n_arrays++;
		if (is_name(wanted ? wanted : "data", name, length) || (!wanted && n_arrays == 1)) {
			is_found = wanted || is_name("data", name, length);
			*out = i;
			if (is_found)
				break;
		}
	}
	list_arrays(archive, names);
	if (n_arrays == 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no array (no member's name ends in .npy)", path);
	if (wanted && !is_found)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds no array \"%s\": it has %s", path, wanted, names);
	if (!wanted && !is_found && n_arrays > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s holds %zu arrays and none is called data: give one as the array, %s", path, n_arrays,
			     names);
	return CLPAC_OK;
}

/* Opens an array by name and reads its header; *is_there is false where there is none. */
static clpac_status open_array(clpac__npz_archive *archive, const char *wanted, clpac__npz_member *member,
			       clpac__npy_head *head, bool *is_there, clpac_error *err)
{
	*is_there = false;
	for (zip_uint64_t i = 0; !*is_there && i < (zip_uint64_t)zip_get_num_entries(archive->zip, 0); i++) {
		size_t length;
		const char *name = array_name(archive->zip, i, &length);
		if (!name || !is_name(wanted, name, length))
			continue;
		RETURN_IF_ERROR(clpac__npz_member_open(archive, i, member, err));
		RETURN_IF_ERROR(clpac__npy_head_read(&member->source, head, err));
		*is_there = true;
	}
	return CLPAC_OK;
}

/* sfreq: one real number above 0. */
static clpac_status read_rate(clpac__npz_archive *archive, double *rate_hz, clpac_recording *recording,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__npz_member member = {0};
	clpac__npy_head head;
	bool is_there;
	TRY(open_array(archive, "sfreq", &member, &head, &is_there, err));
	if (!is_there)
		goto done;
	size_t n = 1;
	for (size_t k = 0; k < head.n_dimensions; k++)
		n = n == 1 ? head.dimensions[k] : n;
	if (n == 1 && head.encoding) {
		unsigned char bytes[8];
		double value = 0;
		float single = 0;
		TRY(clpac__source_read(&member.source, bytes, head.encoding->bytes, err));
		const bool is_single = head.encoding->type == CLPAC_FLOAT32;
		const clpac__sink sink =
			clpac__sink_of(is_single ? (void *)&single : (void *)&value, head.encoding->type, 1, 0);
		head.encoding->decode(bytes, head.encoding->bytes, head.is_big_endian, 1, &sink, 0);
		*rate_hz = is_single ? (double)single : value;
	}
	if (!isfinite(*rate_hz) || *rate_hz <= 0) {
		*rate_hz = 0;
		TRY(clpac_recording_warn(recording, err, "sfreq is no number above 0: the sampling rate is unknown"));
	}
done:
	clpac__npz_member_close(&member);
	return st;
}

/* Names of channels: texts of one size, one after the other. */
typedef struct channel_names {
	char **each;
	size_t n;
} channel_names;

static void clear_names(channel_names *names)
{
	for (size_t i = 0; names->each && i < names->n; i++)
		clpac__free(names->each[i]);
	clpac__free(names->each);
}

/* ch_names: Unicode texts ('<U12'). */
static clpac_status read_names(clpac__npz_archive *archive, channel_names *out, clpac_recording *recording,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__npz_member member = {0};
	clpac__npy_head head;
	unsigned char *bytes = NULL;
	uint32_t *points = NULL;
	char *text = NULL;
	bool is_there;
	uint64_t width = 0;
	TRY(open_array(archive, "ch_names", &member, &head, &is_there, err));
	if (!is_there)
		goto done;
	const char *type = strchr("<>=|", *head.type) && *head.type ? head.type + 1 : head.type;
	const uint64_t left = member.source.bytes - member.source.position;
	if (*type != 'U' || !clpac__parse_count(type + 1, &width, NULL) || width == 0 || head.n_dimensions != 1 ||
	    width > left / 4 || head.dimensions[0] > left / 4 / width) {
		TRY(clpac_recording_warn(
			recording, err,
			"ch_names is no list of texts that are all there (its type is \"%s\"): channels are "
			"numbered",
			head.type));
		goto done;
	}
	TRY(NEW_BYTES(bytes, (size_t)width * 4));
	TRY(NEW_ARRAY(points, (size_t)width));
	TRY(NEW_BYTES(text, (size_t)width * 4 + 1));
	TRY(NEW_ARRAY(out->each, head.dimensions[0]));
	for (; out->n < head.dimensions[0]; out->n++) {
		TRY(clpac__source_read(&member.source, bytes, (size_t)width * 4, err));
		for (size_t k = 0; k < width; k++) {
			const unsigned char *b = bytes + 4 * k;
			points[k] = head.is_big_endian
					    ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
					    : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
		}
		clpac__utf8_from_code_points(points, (size_t)width, text);
		if (!(out->each[out->n] = clpac__utf8(text, strlen(text), NULL)))
			FAIL_NO_MEMORY((size_t)width * 4);
	}
done:
	clpac__npz_member_close(&member);
	FREE_ALL(bytes, points, text);
	return st;
}

clpac_status clpac__read_npz(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__npz_member member = {0};
	clpac__npz_archive archive = {0};
	zip_uint64_t chosen = 0;
	clpac__npy_facts facts = {0};
	channel_names names = {0};
	TRY(clpac__npz_open(source, &archive, err));
	TRY(choose(archive.zip, source->path, options->array, &chosen, err));
	TRY(clpac_recording_create("npz", &made, err));
	TRY(read_rate(&archive, &facts.rate_hz, made, err));
	TRY(read_names(&archive, &names, made, err));
	facts.names = (const char *const *)names.each;
	facts.n_names = names.n;
	TRY(clpac__npz_member_open(&archive, chosen, &member, err));
	TRY(clpac__npy_samples_read(&member.source, &facts, options->rate_hz, made, err));
	TRY(clpac__npz_member_finish(&member, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__npz_member_close(&member);
	clpac__npz_close(&archive);
	clear_names(&names);
	return st;
}
