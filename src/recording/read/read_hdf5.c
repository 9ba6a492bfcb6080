/* Files of HDF5.  .mat of version 7.3: one array of real numbers (array_choice.h), whose dimensions MATLAB writes the
 * other way round, so that the channels' is the last.  Neurodata Without Borders (NWB 2): an ElectricalSeries of
 * /acquisition, or the one that is named, by its path where it stands elsewhere; sample x channel (NWB Format
 * Specification, TimeSeries and ElectricalSeries). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "recording/file_text.h"
#include "recording/read/array_choice.h"
#include "recording/read/hdf5.h"
#include "recording/read/mat.h"
#include "recording/recording.h"

/* Whether an object has an attribute of this text. */
static clpac_status says(clpac__hdf5 *h5, uint64_t address, const char *name, const char *text, bool *out,
			 clpac_error *err)
{
	char *found;
	RETURN_IF_ERROR(clpac__hdf5_text_attribute(h5, address, name, &found, err));
	*out = found && strcmp(found, text) == 0;
	clpac__free(found);
	return CLPAC_OK;
}

/* --- MATLAB -------------------------------------------------------------------------------------- */

typedef struct finding {
	clpac__array_choice choice;
	clpac__hdf5_object array;
} finding;

/* Reads the letters of a char array.  *out is NULL where it is none, or an empty one. */
static clpac_status read_letters(clpac__hdf5 *h5, uint64_t address, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__hdf5_object array;
	double *letters = NULL, emptiness;
	uint32_t *points = NULL;
	char *text = NULL;
	bool is_text;
	*out = NULL;
	TRY(clpac__hdf5_object_read(h5, address, &array, err));
	TRY(says(h5, address, "MATLAB_class", "char", &is_text, err));
	TRY(clpac__hdf5_number_attribute(h5, address, "MATLAB_empty", &emptiness, err));
	if (!is_text || emptiness > 0)
		goto done;
	TRY(clpac__hdf5_use_up(h5, &h5->letters_left, array.space.n, "names", err));
	TRY(clpac__hdf5_numbers_read(h5, &array, &letters, err));
	if (!letters)
		goto done;
	TRY(NEW_ARRAY(points, array.space.n));
	for (size_t i = 0; i < array.space.n; i++)
		points[i] = letters[i] >= 0 && letters[i] <= 0x10ffff ? (uint32_t)letters[i] : 0xfffd;
	TRY(NEW_BYTES(text, 4 * array.space.n + 1));
	clpac__utf8_from_code_points(points, clpac__mat_join_halves(points, array.space.n), text);
	if (!(*out = clpac__utf8(text, strlen(text), NULL)))
		FAIL_NO_MEMORY(4 * array.space.n);
done:
	FREE_ALL(letters, points, text);
	return st;
}

/* Reads a cell of texts: references to arrays. */
static clpac_status read_labels(clpac__hdf5 *h5, const clpac__hdf5_object *cell, clpac__array_choice *to,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	uint64_t *addresses;
	TRY(clpac__hdf5_references_read(h5, cell, &addresses, err));
	for (size_t i = 0; addresses && i < cell->space.n; i++) {
		TRY(ROOM_FOR_ONE(to->labels, to->n_labels, to->label_capacity, 16));
		to->labels[to->n_labels] = NULL;
		TRY(read_letters(h5, addresses[i], &to->labels[to->n_labels], err));
		to->n_labels++;
	}
done:
	clpac__free(addresses);
	return st;
}

static clpac_status look_at(void *user, clpac__hdf5 *h5, const char *name, uint64_t address, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	finding *to = user;
	clpac__hdf5_object variable;
	char *class = NULL;
	double *number = NULL, emptiness;
	/* What cells and objects refer to. */
	if (*name == '#')
		return CLPAC_OK;
	TRY(clpac__hdf5_object_read(h5, address, &variable, err));
	TRY(clpac__hdf5_text_attribute(h5, address, "MATLAB_class", &class, err));
	TRY(clpac__hdf5_number_attribute(h5, address, "MATLAB_empty", &emptiness, err));
	const bool is_text = class && (strcmp(class, "char") == 0 || strcmp(class, "cell") == 0);
	const bool is_numeric = variable.is_array && variable.type.kind != CLPAC__HDF5_REFERENCES && class && !is_text;
	switch (clpac__choice_role(&to->choice, name, class && strcmp(class, "cell") == 0, is_numeric,
				   emptiness > 0 ? 0 : variable.space.n)) {
	case CLPAC__ROLE_LABELS:
		TRY(read_labels(h5, &variable, &to->choice, err));
		break;
	case CLPAC__ROLE_RATE:
		TRY(clpac__hdf5_numbers_read(h5, &variable, &number, err));
		to->choice.rate_hz = number ? *number : NAN;
		break;
	case CLPAC__ROLE_ARRAY:
		to->array = variable;
		if (!is_numeric || emptiness > 0)
			to->array.type.kind = CLPAC__HDF5_OTHER;
		break;
	case CLPAC__ROLE_NONE:
		break;
	}
done:
	FREE_ALL(class, number);
	return st;
}

/* The same scale for all channels. */
static clpac_status make_scales(size_t n, clpac_sample_type type, double scale, double offset,
				clpac__channel_scale **out, clpac_error *err)
{
	RETURN_IF_ERROR(NEW_ARRAY(*out, n));
	for (size_t c = 0; c < n; c++)
		(*out)[c] = (clpac__channel_scale){type, scale, offset};
	return CLPAC_OK;
}

static clpac_status read_matlab(clpac__hdf5 *h5, const clpac_read_options *options, clpac_recording *recording,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	finding found = {.choice = {.wanted = options->array, .rate_hz = NAN}};
	const clpac__hdf5_space *space = &found.array.space;
	clpac__hdf5_object root;
	clpac__sample_layout layout = {0};
	clpac__channel_scale *scales = NULL;
	const char *const *names;
	double rate_hz;
	TRY(clpac__hdf5_object_read(h5, h5->root, &root, err));
	TRY(clpac__hdf5_each(h5, &root, look_at, &found, err));
	TRY(clpac__choice_check(&found.choice, h5->file->path,
				"structs and cells are not read; EEGLAB's data sets are where they are saved in "
				"version 5 (pop_saveset, with 'version', '6')",
				err));
	if (found.array.type.kind != CLPAC__HDF5_NUMBERS || !space->is_readable || space->n_dimensions < 2)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s: the array holds no real numbers of two or three dimensions: channel x sample, or channel x "
		     "sample x trial are read",
		     h5->file->path);
	const size_t n = space->n_dimensions;
	const bool is_one = n == 2 && (space->dimensions[0] == 1 || space->dimensions[1] == 1);
	layout.n_channels = is_one ? 1 : space->dimensions[n - 1];
	layout.n_epochs = n == 3 ? space->dimensions[0] : 0;
	TRY(clpac__choice_settle(&found.choice, layout.n_channels, recording, &names, &rate_hz, err));
	TRY(clpac__hdf5_claim_check(h5, &found.array, layout.n_channels, err));
	TRY(make_scales(layout.n_channels, found.array.type.encoding->type, 1, 0, &scales, err));
	TRY(clpac__hdf5_channels_add(h5, &found.array, &layout, names, "", rate_hz, scales, recording, err));
	TRY(clpac__shape_settle(&layout, rate_hz > 0 ? rate_hz : options->rate_hz, recording, err));
done:
	clpac__choice_clear(&found.choice);
	clpac__free(scales);
	return st;
}

/* --- Neurodata Without Borders ------------------------------------------------------------------- */

typedef struct series {
	const char *wanted; /* NULL: not said */
	clpac__hdf5_object group;
	size_t n;
	bool is_found;
	char names[CLPAC__CHOICE_NAMES];
} series;

static clpac_status take_series(void *user, clpac__hdf5 *h5, const char *name, uint64_t address, clpac_error *err)
{
	series *to = user;
	bool is_series;
	RETURN_IF_ERROR(says(h5, address, "neurodata_type", "ElectricalSeries", &is_series, err));
	if (!is_series)
		return CLPAC_OK;
	clpac__choice_list(name, to->names);
	if (to->wanted && strcmp(name, to->wanted) != 0)
		return CLPAC_OK;
	to->is_found = true;
	if (to->n++)
		return CLPAC_OK;
	return clpac__hdf5_object_read(h5, address, &to->group, err);
}

/* Finds an object by its path, whose parts slashes divide. */
static clpac_status find_path(clpac__hdf5 *h5, const char *path, clpac__hdf5_object *out, bool *is_there,
			      clpac_error *err)
{
	char name[CLPAC__HDF5_NAME_SIZE];
	*is_there = true;
	RETURN_IF_ERROR(clpac__hdf5_object_read(h5, h5->root, out, err));
	while (*is_there && *(path += strspn(path, "/"))) {
		const size_t n = strcspn(path, "/");
		const clpac__hdf5_object group = *out;
		*is_there = n < sizeof name;
		if (!*is_there)
			break;
		memcpy(name, path, n);
		name[n] = 0;
		RETURN_IF_ERROR(clpac__hdf5_find(h5, &group, name, out, is_there, err));
		path += n;
	}
	return CLPAC_OK;
}

static clpac_status find_series(clpac__hdf5 *h5, series *to, clpac_error *err)
{
	clpac__hdf5_object folder;
	bool is_there;
	if (to->wanted && strchr(to->wanted, '/')) {
		RETURN_IF_ERROR(find_path(h5, to->wanted, &to->group, &is_there, err));
		if (!is_there)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds nothing at \"%s\"", h5->file->path, to->wanted);
		return CLPAC_OK;
	}
	RETURN_IF_ERROR(find_path(h5, "acquisition", &folder, &is_there, err));
	if (is_there)
		RETURN_IF_ERROR(clpac__hdf5_each(h5, &folder, take_series, to, err));
	if (!*to->names)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s holds no ElectricalSeries in /acquisition: one that stands elsewhere is named by its "
			     "path, as processing/ecephys/LFP/ElectricalSeries",
			     h5->file->path);
	if (to->wanted && !to->is_found)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds no ElectricalSeries \"%s\" in /acquisition: it has %s",
			     h5->file->path, to->wanted, to->names);
	if (to->n > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s holds %zu ElectricalSeries in /acquisition: give one as the array, %s", h5->file->path,
			     to->n, to->names);
	return CLPAC_OK;
}

/* The rate of times that are even within a tenth of an interval. */
static clpac_status rate_of_times(clpac__hdf5 *h5, const clpac__hdf5_object *array, size_t n_samples, double *out,
				  clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double *times = NULL;
	const size_t n = array->space.n;
	if (n == n_samples)
		TRY(clpac__hdf5_numbers_read(h5, array, &times, err));
	if (!times || n < 2)
		FAIL(CLPAC_ERROR_FORMAT, "%s: %zu timestamps are no times of %zu samples", h5->file->path, n,
		     n_samples);
	const double interval = (times[n - 1] - times[0]) / (double)(n - 1);
	for (size_t i = 0; i < n; i++) {
		TRY(clpac__cancel_check_at(i, err));
		if (!(fabs(times[i] - times[0] - (double)i * interval) <= interval / 10))
			FAIL(CLPAC_ERROR_FORMAT,
			     "%s: timestamp %zu of %zu is %.9g s, and not %.9g s as with even intervals: samples at "
			     "uneven times are not read; interpolate them to a rate",
			     h5->file->path, i, n, times[i], times[0] + (double)i * interval);
	}
	/* Times of single numbers are rounded. */
	const double rate_hz = 1 / interval, whole = round(rate_hz);
	*out = fabs(rate_hz - whole) <= 1e-6 * whole ? whole : rate_hz;
done:
	clpac__free(times);
	return st;
}

/* @param[out] out 0: the file does not say it. */
static clpac_status find_rate(clpac__hdf5 *h5, const clpac__hdf5_object *group, size_t n_samples, double *out,
			      clpac_error *err)
{
	clpac__hdf5_object part;
	bool is_there;
	*out = 0;
	RETURN_IF_ERROR(clpac__hdf5_find(h5, group, "starting_time", &part, &is_there, err));
	if (is_there) {
		RETURN_IF_ERROR(clpac__hdf5_number_attribute(h5, part.address, "rate", out, err));
		if (!(*out > 0 && isfinite(*out)))
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the rate of its series is %g Hz: it must be above 0",
				     h5->file->path, *out);
		return CLPAC_OK;
	}
	RETURN_IF_ERROR(clpac__hdf5_find(h5, group, "timestamps", &part, &is_there, err));
	return is_there ? rate_of_times(h5, &part, n_samples, out, err) : CLPAC_OK;
}

/* The scale of each channel: value * conversion * channel_conversion + offset. */
static clpac_status find_scales(clpac__hdf5 *h5, const clpac__hdf5_object *group, const clpac__hdf5_object *data,
				size_t n_channels, clpac__channel_scale **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__hdf5_object part;
	double conversion, offset, *each = NULL;
	bool is_there, is_plain;
	TRY(clpac__hdf5_number_attribute(h5, data->address, "conversion", &conversion, err));
	TRY(clpac__hdf5_number_attribute(h5, data->address, "offset", &offset, err));
	TRY(clpac__hdf5_find(h5, group, "channel_conversion", &part, &is_there, err));
	if (is_there && part.space.n == n_channels)
		TRY(clpac__hdf5_numbers_read(h5, &part, &each, err));
	if (is_there && !each)
		FAIL(CLPAC_ERROR_FORMAT, "%s: channel_conversion has %zu numbers for %zu channels", h5->file->path,
		     part.space.n, n_channels);
	conversion = isnan(conversion) ? 1 : conversion;
	offset = isnan(offset) ? 0 : offset;
	is_plain = conversion == 1 && offset == 0 && !each;
	TRY(make_scales(n_channels, is_plain ? data->type.encoding->type : CLPAC_FLOAT64, conversion, offset, out,
			err));
	for (size_t c = 0; each && c < n_channels; c++)
		(*out)[c].scale *= each[c];
	for (size_t c = 0; c < n_channels; c++)
		if (!isfinite((*out)[c].scale) || !isfinite(offset))
			FAIL(CLPAC_ERROR_FORMAT,
			     "%s: conversion and offset of channel %zu are %g and %g: they must be finite",
			     h5->file->path, c, (*out)[c].scale, offset);
done:
	clpac__free(each);
	return st;
}

/* The names of a series' electrodes: of the table's column label or channel_name.
 * @param[out] out texts of n_channels, to be freed as the array; NULL: the table has none for all of them. */
static clpac_status find_names(clpac__hdf5 *h5, const clpac__hdf5_object *group, size_t n_channels, char ***out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	static const char *const columns[] = {"label", "channel_name"};
	clpac__hdf5_object rows, table, column;
	double *numbers = NULL;
	char **labels = NULL, **made = NULL;
	bool is_there = false, is_named = true;
	column.space.n = 0;
	*out = NULL;
	TRY(clpac__hdf5_find(h5, group, "electrodes", &rows, &is_there, err));
	if (!is_there || rows.space.n != n_channels)
		goto done;
	TRY(clpac__hdf5_numbers_read(h5, &rows, &numbers, err));
	TRY(find_path(h5, "general/extracellular_ephys/electrodes", &table, &is_there, err));
	for (size_t i = 0; is_there && numbers && !labels && i < 2; i++) {
		bool has_column;
		TRY(clpac__hdf5_find(h5, &table, columns[i], &column, &has_column, err));
		if (has_column)
			TRY(clpac__hdf5_texts_read(h5, &column, &labels, err));
	}
	if (!labels)
		goto done;
	TRY(NEW_ARRAY(made, n_channels));
	for (size_t c = 0; c < n_channels && is_named; c++) {
		is_named = numbers[c] >= 0 && numbers[c] < (double)column.space.n && *labels[(size_t)numbers[c]];
		if (is_named)
			TRY(NEW_COPY(made[c], labels[(size_t)numbers[c]]));
	}
	if (is_named)
		*out = made, made = NULL;
done:
	for (size_t i = 0; labels && i < column.space.n; i++)
		clpac__free(labels[i]);
	for (size_t c = 0; made && c < n_channels; c++)
		clpac__free(made[c]);
	FREE_ALL(numbers, labels, made);
	return st;
}

static clpac_status read_series(clpac__hdf5 *h5, const clpac_read_options *options, clpac_recording *recording,
				clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	series found = {.wanted = options->array};
	clpac__hdf5_object data = {0};
	clpac__sample_layout layout = {0};
	clpac__channel_scale *scales = NULL;
	char **names = NULL, *unit = NULL;
	bool is_there;
	double rate_hz;
	TRY(find_series(h5, &found, err));
	TRY(clpac__hdf5_find(h5, &found.group, "data", &data, &is_there, err));
	const clpac__hdf5_space *space = &data.space;
	if (!is_there || data.type.kind != CLPAC__HDF5_NUMBERS || !space->is_readable || space->n_dimensions < 1 ||
	    space->n_dimensions > 2)
		FAIL(CLPAC_ERROR_FORMAT, "%s: the series has no data of real numbers, sample x channel",
		     h5->file->path);
	layout.n_channels = space->n_dimensions == 1 ? 1 : space->dimensions[1];
	TRY(clpac__hdf5_claim_check(h5, &data, layout.n_channels, err));
	TRY(find_rate(h5, &found.group, space->dimensions[0], &rate_hz, err));
	TRY(find_scales(h5, &found.group, &data, layout.n_channels, &scales, err));
	TRY(find_names(h5, &found.group, layout.n_channels, &names, err));
	TRY(clpac__hdf5_text_attribute(h5, data.address, "unit", &unit, err));
	TRY(clpac__hdf5_channels_add(h5, &data, &layout, (const char *const *)names,
				     unit && strcmp(unit, "volts") == 0 ? "V"
				     : unit				? unit
									: "",
				     rate_hz, scales, recording, err));
	TRY(clpac__shape_settle(&layout, rate_hz, recording, err));
done:
	for (size_t c = 0; names && c < layout.n_channels; c++)
		clpac__free(names[c]);
	FREE_ALL(names, scales, unit);
	return st;
}

/* --- The reader ---------------------------------------------------------------------------------- */

/* Says of a file of another kind what makes one of it that is read.  GNU Octave marks what save -hdf5 writes. */
static clpac_status refuse(clpac__source *source, clpac_error *err)
{
	unsigned char head[CLPAC__HEAD_BYTES];
	size_t n;
	clpac__source_seek(source, 0);
	RETURN_IF_ERROR(clpac__source_read_upto(source, head, sizeof head, &n, err));
	return clpac__foreign_refuse(head, n, source->path, false, err);
}

static clpac_status find_octave(void *user, clpac__hdf5 *h5, const char *name, uint64_t address, clpac_error *err)
{
	double mark;
	(void)name;
	RETURN_IF_ERROR(clpac__hdf5_number_attribute(h5, address, "OCTAVE_NEW_FORMAT", &mark, err));
	*(bool *)user |= mark == 1;
	return CLPAC_OK;
}

clpac_status clpac__read_hdf5(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__hdf5 *h5 = NULL;
	clpac__hdf5_object root;
	char head[10], *version = NULL;
	bool is_octave = false;
	TRY(clpac__source_read(source, head, sizeof head, err));
	const bool is_matlab = memcmp(head, "MATLAB 7.3", sizeof head) == 0;
	TRY(clpac__hdf5_open(source, &h5, err));
	if (is_matlab) {
		TRY(clpac_recording_create("MAT 7.3", &made, err));
		TRY(read_matlab(h5, options, made, err));
	} else {
		TRY(clpac__hdf5_text_attribute(h5, h5->root, "nwb_version", &version, err));
		if (!version) {
			TRY(clpac__hdf5_object_read(h5, h5->root, &root, err));
			TRY(clpac__hdf5_each(h5, &root, find_octave, &is_octave, err));
			if (is_octave)
				FAIL(CLPAC_ERROR_FORMAT,
				     "%s was written by GNU Octave's save -hdf5, which is not read as a recording: "
				     "save "
				     "-v7 writes a file that is",
				     source->path);
			TRY(refuse(source, err));
		}
		TRY(clpac_recording_create("NWB", &made, err));
		TRY(read_series(h5, options, made, err));
	}
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	FREE_ALL(version, h5);
	return st;
}
