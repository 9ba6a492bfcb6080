/* .mat of version 5: one array of real numbers, the one asked for, the only one, or "data"; channel x sample, or
 * channel x sample x trial, as EEGLAB and FieldTrip lay them.  Beside it a number called srate, fs or sfreq is the
 * sampling rate, and a cell of texts called labels, label or ch_names has the channels.  A struct EEG is a data set of
 * EEGLAB. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/read/eeglab.h"
#include "recording/recording.h"

enum { NAMES_SIZE = 300 };

typedef struct finding {
	const char *wanted; /* NULL: not said */
	clpac__mat_array array;
	uint64_t place, at; /* of the array */
	bool is_found;	    /* and not only the first of several */
	size_t n_arrays;
	char names[NAMES_SIZE]; /* of the arrays, for a message */
	double rate_hz;		/* NAN: not said */
	char **labels;
	size_t n_labels, label_capacity;
} finding;

static bool is_one_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (clpac__same_word(name, *words))
			return true;
	return false;
}

static void list_name(const char *name, char names[NAMES_SIZE])
{
	const size_t made = strlen(names);
	if (made + strlen(name) + 8 <= NAMES_SIZE)
		strcat(strcat(names, made ? ", " : ""), name);
	else if (made < 4 || strcmp(names + made - 3, "...") != 0)
		strcat(names, ", ...");
}

static clpac_status take_label(void *user, clpac__mat *mat, size_t element, size_t field, const clpac__mat_array *value,
			       clpac_error *err)
{
	finding *to = user;
	(void)element, (void)field;
	RETURN_IF_ERROR(ROOM_FOR_ONE(to->labels, to->n_labels, to->label_capacity, 16));
	to->labels[to->n_labels] = NULL;
	RETURN_IF_ERROR(clpac__mat_text_read(mat, value, &to->labels[to->n_labels], err));
	to->n_labels++;
	return CLPAC_OK;
}

static void clear(finding *found)
{
	for (size_t i = 0; i < found->n_labels; i++)
		clpac__free(found->labels[i]);
	clpac__free(found->labels);
}

/* Looks at a variable, whose content comes next. */
static clpac_status look_at(clpac__mat *mat, const clpac__mat_array *variable, finding *to, clpac_error *err)
{
	static const char *const rates[] = {"srate", "fs", "sfreq", NULL}, *const labels[] = {"labels", "label",
											      "ch_names", NULL};
	const bool is_wanted = to->wanted && strcmp(variable->name, to->wanted) == 0;
	if (!is_wanted && variable->kind == CLPAC__MAT_CELL && is_one_of(variable->name, labels) && !to->n_labels)
		return clpac__mat_each(mat, variable, NULL, 0, take_label, to, err);
	if (!is_wanted && is_one_of(variable->name, rates) && isnan(to->rate_hz) && variable->n == 1)
		return clpac__mat_number_read(mat, variable, &to->rate_hz, err);
	if (!is_wanted && (!clpac__mat_is_numeric(variable) || variable->n < 2))
		return CLPAC_OK;
	list_name(variable->name, to->names);
	if (to->is_found)
		return CLPAC_OK;
	const bool is_right = to->wanted ? is_wanted : strcmp(variable->name, "data") == 0;
	if (!is_right && (to->wanted || to->n_arrays++))
		return CLPAC_OK;
	to->is_found = is_right;
	to->array = *variable;
	to->place = mat->place;
	to->at = mat->bytes->position;
	return CLPAC_OK;
}

static clpac_status find(clpac__mat *mat, finding *to, clpac_error *err)
{
	clpac__mat_array variable;
	bool is_there;
	clpac__mat_go_to(mat, CLPAC__MAT_HEAD_BYTES);
	for (;;) {
		RETURN_IF_ERROR(clpac__mat_next(mat, &variable, &is_there, err));
		if (!is_there)
			break;
		if (*variable.name)
			RETURN_IF_ERROR(look_at(mat, &variable, to, err));
	}
	if (to->wanted && !to->is_found)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds no array \"%s\": it has %s", mat->file->path, to->wanted,
			     *to->names ? to->names : "none of numbers");
	if (!to->is_found && !to->n_arrays)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s holds no array of numbers: structs and cells are read of EEGLAB's data sets alone",
			     mat->file->path);
	if (!to->is_found && to->n_arrays > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds %zu arrays and none is called data: name one of %s",
			     mat->file->path, to->n_arrays, to->names);
	return CLPAC_OK;
}

/* Adds what an array says of its shape, and what was found beside it. */
static clpac_status add_array(clpac__mat *mat, finding *found, double given_hz, clpac_recording *recording,
			      clpac_error *err)
{
	clpac__sample_layout layout = {.is_by_sample = true};
	clpac__source *from;
	const clpac__mat_array *array = &found->array;
	RETURN_IF_ERROR(clpac__mat_samples_find(mat, found->place, found->at, array, &layout, &from, err));
	if (array->n_dimensions > 3)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s: \"%s\" has %zu dimensions: channel x sample, or channel x sample x trial are read",
			     mat->file->path, array->name, array->n_dimensions);
	const bool is_one = array->n_dimensions == 2 && (array->dimensions[0] == 1 || array->dimensions[1] == 1);
	layout.n_channels = is_one ? 1 : array->dimensions[0];
	layout.n_samples = layout.n_channels ? array->n / layout.n_channels : 0;
	layout.n_epochs = array->n_dimensions == 3 ? array->dimensions[2] : 0;
	if (!isnan(found->rate_hz) && !(found->rate_hz > 0 && isfinite(found->rate_hz))) {
		found->rate_hz = NAN;
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"the number called srate, fs or sfreq is not above 0: the sampling rate is unknown"));
	}
	bool is_named = found->n_labels == layout.n_channels;
	for (size_t i = 0; is_named && i < found->n_labels; i++)
		is_named = found->labels[i] != NULL;
	if (found->n_labels && !is_named)
		RETURN_IF_ERROR(
			clpac_recording_warn(recording, err,
					     "%zu names of channels are no texts for %zu channels: they are left "
					     "out",
					     found->n_labels, layout.n_channels));
	const double rate_hz = isnan(found->rate_hz) ? 0 : found->rate_hz;
	RETURN_IF_ERROR(clpac__numbered_channels_read(
		from, &layout, is_named ? (const char *const *)found->labels : NULL, "", rate_hz, recording, err));
	RETURN_IF_ERROR(clpac__mat_finish(mat, err));
	return clpac__shape_settle(&layout, rate_hz > 0 ? rate_hz : given_hz, recording, err);
}

clpac_status clpac__read_mat(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__mat *mat = NULL;
	finding found = {.wanted = options->array, .rate_hz = NAN};
	bool is_set = false;
	TRY(clpac__mat_open(source, &mat, err));
	if (!options->array)
		TRY(clpac__eeglab_is_set(mat, &is_set, err));
	if (is_set) {
		TRY(clpac__eeglab_read(mat, options->rate_hz, &made, err));
	} else {
		TRY(clpac_recording_create("MAT", &made, err));
		TRY(find(mat, &found, err));
		TRY(add_array(mat, &found, options->rate_hz, made, err));
	}
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clear(&found);
	clpac__mat_close(mat);
	return st;
}
