/* A result from its .npz.  The headers of all arrays are read and checked against each other and against the size of
 * the file before anything is allocated. */
#include <clpac/write.h>

#include "recording/result_words.h"
#include "recording/set_journal.h"
#include "recording/result_identity.h"
#include "recording/read/npy.h"
#include "base/number.h"
#include "base/utf8.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of an archive: the arrays of a result, then these. */
enum {
	FORMAT = CLPAC_ARRAY_COUNT,
	EMPTY_BINS,
	VALID,
	PHASE_BANDS,
	AMPLITUDE_BANDS,
	CELL_BANDS,
	SEGMENT_ONSETS,
	USED_SECONDS,
	N_STRETCHES,
	CONDITIONS,
	CHANNELS,
	PHASE_CHANNELS,
	AMPLITUDE_CHANNELS,
	MEASURES,
	FILTERS_HZ,
	FILTERS,
	TAPS,
	IDENTITY,
	PROBLEM,
	PART_COUNT, /* here the arrays of further measures begin */
	MOST_PARTS = PART_COUNT + (CLPAC_MEASURE_COUNT - 1) * CLPAC_ARRAY_COUNT
};

static const struct {
	const char *name, *type; /* without the byte order; "U": text of any length */
	size_t n_dimensions;
	bool is_needed;
} others[] = {
	[FORMAT] = {"format_version", "u4", 0, false},
	[EMPTY_BINS] = {"n_empty_bins", "u4", 3, true},
	[VALID] = {"valid", "b1", 2, false},
	[PHASE_BANDS] = {"phase_bands_hz", "f8", 2, true},
	[AMPLITUDE_BANDS] = {"amplitude_bands_hz", "f8", 2, true},
	[CELL_BANDS] = {"cell_bands_hz", "f8", 3, false},
	[SEGMENT_ONSETS] = {"segment_onsets_s", "f8", 1, true},
	[USED_SECONDS] = {"used_s", "f8", 2, false},
	[N_STRETCHES] = {"n_stretches", "u4", 2, false},
	[CONDITIONS] = {"conditions", "U", 1, false},
	[CHANNELS] = {"channels", "U", 1, true},
	[PHASE_CHANNELS] = {"phase_channels", "U", 1, false},
	[AMPLITUDE_CHANNELS] = {"amplitude_channels", "U", 1, false},
	[MEASURES] = {"measures", "U", 1, false},
	[FILTERS_HZ] = {"filters_hz", "f8", 2, false},
	[FILTERS] = {"filters", "u8", 2, false},
	[TAPS] = {"taps", "f8", 1, false},
	[IDENTITY] = {"identity", "U", 0, false},
	[PROBLEM] = {"problem", "U", 0, false},
};
_Static_assert(sizeof others / sizeof *others == PART_COUNT, "one line per part");

struct part {
	bool is_there;
	zip_uint64_t index;
	clpac__npy_head head;
	size_t n_items, item_bytes;
};

struct archive {
	const char *path;
	clpac__npz_archive npz;
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	size_t n_measures;
	struct part parts[MOST_PARTS];
	char *problem, *identity;
};

/* The array and the measure, by its number among those of the archive, that a part holds. */
struct place {
	bool is_array;
	clpac_array which;
	size_t measure;
};

static struct place place_of(int i)
{
	if (i < CLPAC_ARRAY_COUNT)
		return (struct place){true, (clpac_array)i, 0};
	if (i < PART_COUNT)
		return (struct place){false, (clpac_array)0, 0};
	return (struct place){true, (clpac_array)((i - PART_COUNT) % CLPAC_ARRAY_COUNT),
			      1 + (size_t)(i - PART_COUNT) / CLPAC_ARRAY_COUNT};
}

static int n_parts(const struct archive *archive)
{
	return PART_COUNT + (int)(archive->n_measures - 1) * CLPAC_ARRAY_COUNT;
}

static const char *part_name(const struct archive *archive, int i, char name[CLPAC__ARRAY_NAME_SIZE])
{
	const struct place place = place_of(i);
	if (!place.is_array)
		return others[i].name;
	clpac__array_name_of(archive->measures[place.measure], place.measure == 0, place.which, name);
	return name;
}

static size_t part_dimensions(int i)
{
	size_t dimensions[5];
	const struct place place = place_of(i);
	return place.is_array ? clpac_array_dimensions(&(clpac_result_shape){0}, place.which, dimensions)
			      : others[i].n_dimensions;
}

/* Bytes of an item of a type such as "<U12"; 0 where the type is not of the expected kind. */
static size_t item_bytes(const char *type, const char *expected)
{
	double width;
	type += strchr("<>|=", *type) && *type;
	if (*expected == 'U')
		return *type == 'U' && clpac__parse_number(type + 1, &width, NULL) && width >= 0 && width <= 1 << 24
			       ? (size_t)width * sizeof(uint32_t)
			       : 0;
	return strcmp(type, expected) == 0 ? (size_t)(expected[1] - '0') : 0;
}

/* The number of items, checked against the bytes after the header. */
static clpac_status count_items(struct part *part, const clpac__source *source, clpac_error *err)
{
	uint64_t left = source->bytes - source->position;
	part->n_items = 1;
	for (size_t i = 0; i < part->head.n_dimensions; i++) {
		size_t length = part->head.dimensions[i];
		if (!length)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: its dimension %zu is 0: a result has no empty arrays",
				     source->path, i);
		if (part->n_items > left / length)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s claims more items than its %llu bytes hold: it is damaged",
				     source->path, (unsigned long long)left);
		part->n_items *= length;
	}
	if (part->n_items * part->item_bytes != left)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: %zu items of %zu bytes are expected, and %llu bytes are there: it is damaged",
			     source->path, part->n_items, part->item_bytes, (unsigned long long)left);
	return CLPAC_OK;
}

static clpac_status read_head(struct archive *archive, int i, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__npz_member member = {0};
	struct part *part = &archive->parts[i];
	const bool is_array = i < CLPAC_ARRAY_COUNT || i >= PART_COUNT;
	const char *expected = is_array ? "f4" : others[i].type;
	const bool is_needed = !is_array && others[i].is_needed;
	char name[CLPAC__ARRAY_NAME_SIZE], file_name[64];
	snprintf(file_name, sizeof file_name, "%s.npy", part_name(archive, i, name));
	zip_int64_t index = zip_name_locate(archive->npz.zip, file_name, 0);
	part->is_there = index >= 0;
	if (!part->is_there && is_needed)
		FAIL(CLPAC_ERROR_FORMAT, "%s holds no array %s: it is not a result that clpac wrote", archive->path,
		     part_name(archive, i, name));
	if (!part->is_there)
		goto done;
	part->index = (zip_uint64_t)index;
	TRY(clpac__npz_member_open(&archive->npz, part->index, &member, err));
	TRY(clpac__npy_head_read(&member.source, &part->head, err));
	part->item_bytes = item_bytes(part->head.type, expected);
	if (!part->item_bytes)
		FAIL(CLPAC_ERROR_FORMAT, "%s is of type \"%s\": a result has \"%s\" here", member.path, part->head.type,
		     expected);
	if (part->head.n_dimensions != part_dimensions(i))
		FAIL(CLPAC_ERROR_FORMAT, "%s has %zu dimensions: a result has %zu here", member.path,
		     part->head.n_dimensions, part_dimensions(i));
	if (part->head.is_fortran && part->head.n_dimensions > 1)
		FAIL(CLPAC_ERROR_FORMAT, "%s is in Fortran order: save it in C order", member.path);
	TRY(count_items(part, &member.source, err));
done:
	clpac__npz_member_close(&member);
	return st;
}

static void exchange_bytes(unsigned char *data, size_t n, size_t width)
{
	for (size_t i = 0; i < n; i++)
		for (size_t a = i * width, b = a + width - 1; a < b; a++, b--) {
			unsigned char first = data[a];
			data[a] = data[b];
			data[b] = first;
		}
}

/* Reads all items into a place with room for them; width is that of the numbers in an item. */
static clpac_status read_items(struct archive *archive, int i, void *to, size_t width, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__npz_member member = {0};
	const struct part *part = &archive->parts[i];
	const uint16_t one = 1;
	bool is_big_endian_here = *(const unsigned char *)&one == 0;
	clpac__npy_head head;
	TRY(clpac__npz_member_open(&archive->npz, part->index, &member, err));
	TRY(clpac__npy_head_read(&member.source, &head, err));
	TRY(clpac__source_read(&member.source, to, part->n_items * part->item_bytes, err));
	TRY(clpac__npz_member_finish(&member, err));
	if (head.is_big_endian != is_big_endian_here)
		exchange_bytes(to, part->n_items * part->item_bytes / width, width);
done:
	clpac__npz_member_close(&member);
	return st;
}

/* Texts as UTF-8, one after the other in rooms of *each bytes.  To be freed with clpac__free. */
static clpac_status read_texts(struct archive *archive, int i, char **texts, size_t *each, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct part *part = &archive->parts[i];
	size_t width = part->item_bytes / sizeof(uint32_t);
	uint32_t *points = clpac__alloc_array(part->n_items, part->item_bytes);
	char *made = clpac__alloc_array(part->n_items, 4 * width + 1);
	if (!points || !made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu texts of %zu characters",
		     archive->path, part->n_items, width);
	TRY(read_items(archive, i, points, sizeof *points, err));
	*each = 4 * width + 1;
	for (size_t k = 0; k < part->n_items; k++)
		clpac__utf8_from_code_points(points + k * width, width, made + k * *each);
	*texts = made, made = NULL;
done:
	FREE_ALL(points, made);
	return st;
}

/* A number in the problem text, such as "surrogates=200"; 0 where it is absent. */
static size_t problem_number(const char *problem, const char *key)
{
	size_t length = strlen(key);
	for (const char *word = problem; *word; word += strcspn(word, " "), word += *word == ' ')
		if (strncmp(word, key, length) == 0 && word[length] == '=')
			return (size_t)strtoull(word + length + 1, NULL, 10);
	return 0;
}

/* The shape: each number from an array that shows it, or else from the problem text. */
static clpac_result_shape read_shape(const struct archive *archive)
{
	const struct part *parts = archive->parts;
	const char *problem = archive->problem ? archive->problem : "";
	clpac_result_shape shape = {
		.n_channels = parts[EMPTY_BINS].head.dimensions[0],
		.n_segments = parts[EMPTY_BINS].head.dimensions[1],
		.n_phase_bands = parts[PHASE_BANDS].head.dimensions[0],
		.n_amplitude_bands = parts[AMPLITUDE_BANDS].head.dimensions[0],
		.n_bins = problem_number(problem, "bins"),
		.n_surrogates = problem_number(problem, "surrogates"),
	};
	if (archive->measures[0] ==
	    CLPAC_MEASURE_RHO) /* coupling across trials has no bins, whatever its problem says */
		shape.n_bins = 0;
	if (parts[CLPAC_PEAK_DISTRIBUTION].is_there)
		shape.n_bins = parts[CLPAC_PEAK_DISTRIBUTION].head.dimensions[2];
	if (parts[CLPAC_DISTRIBUTION].is_there)
		shape.n_bins = parts[CLPAC_DISTRIBUTION].head.dimensions[4];
	if (parts[CLPAC_BIN_COUNTS].is_there)
		shape.n_bins = parts[CLPAC_BIN_COUNTS].head.dimensions[3];
	/* A comparison of subjects has permutations, which its problem does not call surrogates. */
	if (parts[CLPAC_MAXIMA].is_there)
		shape.n_surrogates = parts[CLPAC_MAXIMA].head.dimensions[2];
	if (parts[CLPAC_SURROGATES].is_there)
		shape.n_surrogates = parts[CLPAC_SURROGATES].head.dimensions[2];
	return shape;
}

/* Checks that every array has the dimensions of the shape. */
static clpac_status check_dimensions(const struct archive *archive, const clpac_result_shape *shape, clpac_error *err)
{
	static const size_t no_others[5];
	const struct part *parts = archive->parts;
	const size_t n_filters = parts[FILTERS].is_there ? parts[FILTERS].head.dimensions[0] : 0;
	const size_t of_others[PART_COUNT][5] = {
		[EMPTY_BINS] = {shape->n_channels, shape->n_segments, shape->n_phase_bands},
		[VALID] = {shape->n_phase_bands, shape->n_amplitude_bands},
		[PHASE_BANDS] = {shape->n_phase_bands, 2},
		[AMPLITUDE_BANDS] = {shape->n_amplitude_bands, 2},
		[CELL_BANDS] = {shape->n_phase_bands, shape->n_amplitude_bands, 2},
		[SEGMENT_ONSETS] = {shape->n_segments},
		[USED_SECONDS] = {shape->n_channels, shape->n_segments},
		[N_STRETCHES] = {shape->n_channels, shape->n_segments},
		[CONDITIONS] = {shape->n_segments},
		[CHANNELS] = {shape->n_channels},
		[PHASE_CHANNELS] = {shape->n_channels},
		[AMPLITUDE_CHANNELS] = {shape->n_channels},
		[MEASURES] = {archive->n_measures},
		[FILTERS_HZ] = {n_filters, 4},
		[FILTERS] = {n_filters, 4},
		[TAPS] = {parts[TAPS].head.dimensions[0]}, /* fill_filters compares it with the filters' */
	};
	for (int i = 0; i < n_parts(archive); i++) {
		size_t expected[5];
		char name[CLPAC__ARRAY_NAME_SIZE];
		const struct part *part = &archive->parts[i];
		const struct place place = place_of(i);
		memcpy(expected, place.is_array ? no_others : of_others[i], sizeof expected);
		if (place.is_array)
			clpac_array_dimensions(shape, place.which, expected);
		for (size_t k = 0; part->is_there && k < part->head.n_dimensions; k++)
			if (part->head.dimensions[k] != expected[k])
				RETURN_ERROR(CLPAC_ERROR_FORMAT,
					     "%s: dimension %zu of %s is %zu, where the other arrays say %zu",
					     archive->path, k, part_name(archive, i, name), part->head.dimensions[k],
					     expected[k]);
	}
	return CLPAC_OK;
}

static clpac_status fill_cell_bands(struct archive *archive, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct part *part = &archive->parts[CELL_BANDS];
	clpac_band *bands = NULL;
	if (!part->is_there)
		goto done;
	bands = clpac__alloc_array(part->n_items, part->item_bytes);
	if (!bands)
		FAIL_NO_MEMORY(part->n_items * part->item_bytes);
	TRY(read_items(archive, CELL_BANDS, bands, sizeof(double), err));
	TRY(clpac_result_set_cell_bands(result, bands, err));
done:
	clpac__free(bands);
	return st;
}

/* The conditions of segments; one that has none has an empty text. */
static clpac_status fill_conditions(struct archive *archive, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *texts = NULL;
	size_t each;
	if (!archive->parts[CONDITIONS].is_there)
		goto done;
	TRY(read_texts(archive, CONDITIONS, &texts, &each, err));
	for (size_t s = 0; s < archive->parts[CONDITIONS].n_items; s++)
		if (texts[s * each])
			TRY(clpac_result_set_condition(result, s, texts + s * each, err));
done:
	clpac__free(texts);
	return st;
}

/* Names the two channels of each pair, where the archive names both. */
static clpac_status fill_pairs(struct archive *archive, clpac_result *result, size_t channel, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *phases = NULL, *amplitudes = NULL;
	size_t of_phase, of_amplitude;
	if (!archive->parts[PHASE_CHANNELS].is_there || !archive->parts[AMPLITUDE_CHANNELS].is_there)
		goto done;
	TRY(read_texts(archive, PHASE_CHANNELS, &phases, &of_phase, err));
	TRY(read_texts(archive, AMPLITUDE_CHANNELS, &amplitudes, &of_amplitude, err));
	for (size_t ch = 0; ch < archive->parts[PHASE_CHANNELS].n_items; ch++)
		TRY(clpac_result_set_pair(result, channel + ch, phases + ch * of_phase, amplitudes + ch * of_amplitude,
					  err));
done:
	FREE_ALL(phases, amplitudes);
	return st;
}

/* A filter as the arrays have it, whose taps are among those that are left; takes them. */
static clpac_status take_filter(const struct archive *archive, const double hz[4], const uint64_t counts[4],
				const double **taps, size_t *n_left, clpac_band_report *out, clpac_error *err)
{
	if (counts[0] > CLPAC_AMPLITUDE || counts[1] > SIZE_MAX || counts[3] > *n_left)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: a filter has use %llu, %llu edge samples and %llu of %zu taps: it is damaged",
			     archive->path, (unsigned long long)counts[0], (unsigned long long)counts[1],
			     (unsigned long long)counts[3], *n_left);
	*out = (clpac_band_report){.use = (clpac_band_use)counts[0],
				   .band = {hz[0], hz[1]},
				   .bandwidth_lo_hz = hz[2],
				   .bandwidth_hi_hz = hz[3],
				   .edge_samples = (size_t)counts[1],
				   .is_shortened = counts[2] != 0,
				   .n_taps = (size_t)counts[3],
				   .taps = *taps};
	*taps += out->n_taps;
	*n_left -= out->n_taps;
	return CLPAC_OK;
}

static clpac_status fill_filters(struct archive *archive, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const struct part *parts = archive->parts;
	const size_t n = parts[FILTERS].n_items / 4;
	size_t n_left = parts[TAPS].is_there ? parts[TAPS].n_items : 0;
	double *hz = NULL, *taps = NULL;
	uint64_t *counts = NULL;
	clpac_band_report *reports = NULL;
	if (!parts[FILTERS].is_there || !parts[FILTERS_HZ].is_there)
		goto done;
	TRY(NEW_ARRAY(hz, 4 * n));
	TRY(NEW_ARRAY(counts, 4 * n));
	TRY(NEW_ARRAY(reports, n));
	TRY(NEW_ARRAY(taps, n_left));
	TRY(read_items(archive, FILTERS_HZ, hz, sizeof *hz, err));
	TRY(read_items(archive, FILTERS, counts, sizeof *counts, err));
	if (n_left)
		TRY(read_items(archive, TAPS, taps, sizeof *taps, err));
	const double *next = taps;
	for (size_t i = 0; i < n; i++)
		TRY(take_filter(archive, hz + 4 * i, counts + 4 * i, &next, &n_left, &reports[i], err));
	if (n_left)
		FAIL(CLPAC_ERROR_FORMAT, "%s: %zu taps are of no filter: it is damaged", archive->path, n_left);
	TRY(clpac_result_set_band_reports(result, reports, n, err));
done:
	FREE_ALL(hz, counts, reports, taps);
	return st;
}

/* Reads what all channels of a result share. */
static clpac_status fill_shared(struct archive *archive, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (archive->parts[VALID].is_there)
		TRY(read_items(archive, VALID, clpac_result_valid(result), 1, err));
	TRY(read_items(archive, PHASE_BANDS, clpac_result_phase_bands(result), sizeof(double), err));
	TRY(read_items(archive, AMPLITUDE_BANDS, clpac_result_amplitude_bands(result), sizeof(double), err));
	TRY(fill_cell_bands(archive, result, err));
	TRY(read_items(archive, SEGMENT_ONSETS, clpac_result_segment_onsets(result), sizeof(double), err));
	TRY(fill_conditions(archive, result, err));
	TRY(fill_filters(archive, result, err));
	if (archive->problem)
		TRY(clpac_result_set_problem(result, archive->problem, err));
done:
	return st;
}

/* Reads an array of channels into that of a result, from a channel on.
 * @param row items of a channel. */
static clpac_status read_rows(struct archive *archive, int i, void *to, size_t channel, size_t width, clpac_error *err)
{
	const struct part *part = &archive->parts[i];
	if (!part->is_there || !part->n_items)
		return CLPAC_OK;
	const size_t row_bytes = part->n_items / part->head.dimensions[0] * part->item_bytes;
	return read_items(archive, i, (char *)to + channel * row_bytes, width, err);
}

/* Reads what belongs to the channels, which are those of the result from `channel` on. */
static clpac_status fill_channels(struct archive *archive, clpac_result *result, size_t channel, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *names = NULL;
	size_t each;
	for (int i = 0; i < n_parts(archive); i++) {
		const struct place place = place_of(i);
		if (place.is_array)
			TRY(read_rows(archive, i,
				      clpac_result_array(clpac_result_of(result, archive->measures[place.measure]),
							 place.which, NULL),
				      channel, sizeof(float), err));
	}
	TRY(read_rows(archive, EMPTY_BINS, clpac_result_empty_bins(result), channel, sizeof(uint32_t), err));
	TRY(read_rows(archive, USED_SECONDS, clpac_result_used_seconds(result), channel, sizeof(double), err));
	TRY(read_rows(archive, N_STRETCHES, clpac_result_n_stretches(result), channel, sizeof(uint32_t), err));
	TRY(fill_pairs(archive, result, channel, err));
	TRY(read_texts(archive, CHANNELS, &names, &each, err));
	for (size_t ch = 0; ch < archive->parts[CHANNELS].n_items; ch++)
		TRY(clpac_result_set_channel_name(result, channel + ch, names + ch * each, err));
done:
	clpac__free(names);
	return st;
}

/* Whether the .json beside is of the same result.  Files of versions that wrote no identity agree with each other. */
static clpac_status check_sidecar(const struct archive *archive, bool *agrees, clpac_error *err)
{
	char beside[CLPAC__IDENTITY_SIZE];
	bool is_ours;
	RETURN_IF_ERROR(clpac__sidecar_identity(archive->path, beside, &is_ours, err));
	*agrees = !is_ours || strcmp(beside, archive->identity ? archive->identity : "") == 0;
	return CLPAC_OK;
}

/* Refuses an archive of a format that came later, of which nothing else may be as it is expected here. */
static clpac_status check_format(struct archive *archive, clpac_error *err)
{
	uint32_t number = 0;
	RETURN_IF_ERROR(read_head(archive, FORMAT, err));
	if (archive->parts[FORMAT].is_there)
		RETURN_IF_ERROR(read_items(archive, FORMAT, &number, sizeof number, err));
	if (number > CLPAC__RESULT_FORMAT)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s is a result of format %lu, and this version of clpac reads formats 0 to %d: read it "
			     "with a newer clpac",
			     archive->path, (unsigned long)number, CLPAC__RESULT_FORMAT);
	return CLPAC_OK;
}

/* The measures of the archive, the modulation index where it names none. */
static clpac_status read_measures(struct archive *archive, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *names = NULL;
	size_t each;
	archive->measures[0] = CLPAC_MEASURE_MI;
	archive->n_measures = 1;
	TRY(read_head(archive, MEASURES, err));
	if (!archive->parts[MEASURES].is_there)
		goto done;
	const size_t n = archive->parts[MEASURES].n_items;
	if (!n || n > CLPAC_MEASURE_COUNT)
		FAIL(CLPAC_ERROR_FORMAT, "%s names %zu measures: a result has 1 to %d", archive->path, n,
		     CLPAC_MEASURE_COUNT);
	TRY(read_texts(archive, MEASURES, &names, &each, err));
	for (size_t i = 0; i < n; i++) {
		clpac_measure measure = (clpac_measure)0;
		while (measure < CLPAC_MEASURE_COUNT && strcmp(clpac_measure_text(measure), names + i * each) != 0)
			measure++;
		if (n == 1 && strcmp(clpac_measure_text(CLPAC_MEASURE_RHO), names) == 0)
			measure = CLPAC_MEASURE_RHO;
		for (size_t k = 0; k < i; k++)
			if (archive->measures[k] == measure)
				measure = CLPAC_MEASURE_COUNT;
		if (measure == CLPAC_MEASURE_COUNT)
			FAIL(CLPAC_ERROR_FORMAT,
			     "%s names the measure \"%.40s\", which this clpac does not know, or twice", archive->path,
			     names + i * each);
		archive->measures[i] = measure;
	}
	archive->n_measures = n;
done:
	clpac__free(names);
	return st;
}

/* Creates the result that the archive's arrays fill. */
static clpac_status create_result(const struct archive *archive, const clpac_result_shape *shape, const char *folder,
				  clpac_result **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	unsigned arrays[CLPAC_MEASURE_COUNT] = {0};
	for (int i = 0; i < n_parts(archive); i++) {
		const struct place place = place_of(i);
		if (place.is_array)
			arrays[place.measure] |= (unsigned)archive->parts[i].is_there << place.which;
	}
	TRY(clpac_result_create_in(shape, arrays[0], folder, &made, err));
	TRY(clpac_result_set_measure(made, archive->measures[0], err));
	for (size_t i = 1; i < archive->n_measures; i++)
		TRY(clpac_result_add_measure(made, archive->measures[i], arrays[i], NULL, err));
	*out = made, made = NULL;
done:
	clpac_result_destroy(made);
	return st;
}

/* Whether an archive has the arrays and axes of a result, whose channels alone may be others. */
static bool fits(const struct archive *archive, const clpac_result_shape *shape, const clpac_result *result)
{
	const clpac_result_shape *whole = clpac_result_get_shape(result);
	bool does_fit = shape->n_segments == whole->n_segments && shape->n_phase_bands == whole->n_phase_bands &&
			shape->n_amplitude_bands == whole->n_amplitude_bands && shape->n_bins == whole->n_bins &&
			shape->n_surrogates == whole->n_surrogates &&
			archive->n_measures == clpac_result_measures(result, NULL);
	for (int i = 0; does_fit && i < n_parts(archive); i++) {
		const struct place place = place_of(i);
		if (!place.is_array)
			continue;
		const clpac_result *of = clpac_result_of(result, archive->measures[place.measure]);
		const float *values = clpac_result_array(of, place.which, NULL);
		const bool is_own =
			values && (!place.measure || values != clpac_result_array(result, place.which, NULL));
		does_fit = is_own == archive->parts[i].is_there;
	}
	return does_fit;
}

/* Where the channels of an archive go: to those of a result from `channel` on. */
typedef struct target {
	clpac_result *result;	    /* NULL: to be made, with the facts of the archive */
	size_t channel, n_channels; /* 0: those of the archive */
	const char *folder;	    /* of arrays that are made */
} target;

/* @param[out] agrees whether the .json beside is of this result; where not, nothing is read. */
static clpac_status read_archive(const char *path, target *to, bool *agrees, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct archive archive = {.path = path};
	clpac_result *made = NULL;
	clpac__source file = {0};
	size_t each;
	TRY(clpac__source_open(path, &file, err));
	TRY(clpac__npz_open(&file, &archive.npz, err));
	TRY(check_format(&archive, err));
	TRY(read_measures(&archive, err));
	for (int i = 0; i < n_parts(&archive); i++)
		TRY(read_head(&archive, i, err));
	if (archive.parts[PROBLEM].is_there)
		TRY(read_texts(&archive, PROBLEM, &archive.problem, &each, err));
	if (archive.parts[IDENTITY].is_there)
		TRY(read_texts(&archive, IDENTITY, &archive.identity, &each, err));
	TRY(check_sidecar(&archive, agrees, err));
	if (!*agrees)
		goto done;
	clpac_result_shape shape = read_shape(&archive);
	TRY(check_dimensions(&archive, &shape, err));
	if (to->result && !fits(&archive, &shape, to->result))
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s has other measures, arrays, bands, segments or surrogates than the channels before", path);
	const size_t n = shape.n_channels, n_all = to->n_channels ? to->n_channels : n;
	if (n > n_all || to->channel > n_all - n)
		FAIL(CLPAC_ERROR_FORMAT, "%s has %zu channels, of which number %zu would be the first of %zu", path, n,
		     to->channel, n_all);
	shape.n_channels = n_all;
	if (!to->result) {
		TRY(create_result(&archive, &shape, to->folder, &made, err));
		TRY(fill_shared(&archive, made, err));
	}
	TRY(fill_channels(&archive, made ? made : to->result, to->channel, err));
	to->result = made ? made : to->result;
	to->channel += n;
	made = NULL;
done:
	clpac_result_destroy(made);
	FREE_ALL(archive.problem, archive.identity);
	clpac__npz_close(&archive.npz);
	clpac__source_close(&file);
	return st;
}

static clpac_status read_into(const char *path, target *to, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_error why = {0};
	bool agrees = true;
	/* A set that a killed run left is completed if that is possible; a failure refuses no whole result. */
	if (clpac__leftovers_settle(path, false, &why) == CLPAC_ERROR_NO_MEMORY)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s", why.text);
	TRY(read_archive(path, to, &agrees, err));
	/* A run may be putting its files in place at this moment. */
	if (!agrees) {
		why = (clpac_error){0};
		if (clpac__leftovers_settle(path, true, &why) == CLPAC_ERROR_NO_MEMORY)
			FAIL(CLPAC_ERROR_NO_MEMORY, "%s", why.text);
		TRY(read_archive(path, to, &agrees, err));
	}
	if (!agrees)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%.400s and the .json beside it are of different results (their \"identity\" differs)%s%.300s; "
		     "keep "
		     "results apart, or compute this one again",
		     path, *why.text ? ": " : "", why.text);
done:
	return st;
}

clpac_status clpac_result_read_npz(const char *path, clpac_result **out, clpac_error *err)
{
	NEED(path, out);
	target to = {0};
	RETURN_IF_ERROR(read_into(path, &to, err));
	*out = to.result;
	return CLPAC_OK;
}

clpac_status clpac_result_join_npz(const char *path, size_t *channel, size_t n_channels, const char *folder,
				   clpac_result **whole, clpac_error *err)
{
	NEED(path, channel, whole);
	target to = {*whole, *channel, n_channels, folder};
	if (*whole && clpac_result_get_shape(*whole)->n_channels != n_channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_channels is %zu: the result has %zu", n_channels,
			     clpac_result_get_shape(*whole)->n_channels);
	if (!n_channels)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "n_channels is 0: a result has one channel at least");
	RETURN_IF_ERROR(read_into(path, &to, err));
	*whole = to.result;
	*channel = to.channel;
	return CLPAC_OK;
}

/* --- The text beside the arrays ------------------------------------------------------------------ */

clpac_status clpac_result_read_report(const char *path, char **text, clpac_error *err)
{
	NEED(path);
	NEED(text);
	clpac_status st = CLPAC_OK;
	clpac__source file = {0};
	clpac__npz_archive npz = {0};
	clpac__npz_member member = {0};
	char *made = NULL;
	TRY(clpac__source_open(path, &file, err));
	TRY(clpac__npz_open(&file, &npz, err));
	const zip_int64_t index = zip_name_locate(npz.zip, "report.json", 0);
	if (index >= 0) {
		TRY(clpac__npz_member_open(&npz, (zip_uint64_t)index, &member, err));
		const uint64_t n = member.source.bytes;
		if (n >= SIZE_MAX || !(made = clpac__alloc((size_t)n + 1)))
			FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its %llu bytes", member.path,
			     (unsigned long long)n);
		TRY(clpac__source_read(&member.source, made, (size_t)n, err));
		TRY(clpac__npz_member_finish(&member, err));
		made[n] = 0;
	}
	*text = made;
	made = NULL;
done:
	clpac__free(made);
	clpac__npz_member_close(&member);
	clpac__npz_close(&npz);
	clpac__source_close(&file);
	return st;
}
