/* .mat of version 5: one array of real numbers (array_choice.h), channel x sample, or channel x sample x trial, as
 * EEGLAB and FieldTrip lay them.  A struct EEG is a data set of EEGLAB. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "recording/read/array_choice.h"
#include "recording/read/eeglab.h"
#include "recording/recording.h"

typedef struct finding {
	clpac__array_choice choice;
	clpac__mat_array array;
	uint64_t place, at; /* of the array */
} finding;

static clpac_status take_label(void *user, clpac__mat *mat, size_t element, size_t field, const clpac__mat_array *value,
			       clpac_error *err)
{
	clpac__array_choice *to = user;
	(void)element, (void)field;
	RETURN_IF_ERROR(ROOM_FOR_ONE(to->labels, to->n_labels, to->label_capacity, 16));
	to->labels[to->n_labels] = NULL;
	RETURN_IF_ERROR(clpac__mat_text_read(mat, value, &to->labels[to->n_labels], err));
	to->n_labels++;
	return CLPAC_OK;
}

/* Looks at a variable, whose content comes next. */
static clpac_status look_at(clpac__mat *mat, const clpac__mat_array *variable, finding *to, clpac_error *err)
{
	const clpac__array_role role =
		clpac__choice_role(&to->choice, variable->name, variable->kind == CLPAC__MAT_CELL,
				   clpac__mat_is_numeric(variable), variable->n);
	if (role == CLPAC__ROLE_LABELS)
		return clpac__mat_each(mat, variable, NULL, 0, take_label, &to->choice, err);
	if (role == CLPAC__ROLE_RATE)
		return clpac__mat_number_read(mat, variable, &to->choice.rate_hz, err);
	if (role == CLPAC__ROLE_ARRAY) {
		to->array = *variable;
		to->place = mat->place;
		to->at = mat->bytes->position;
	}
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
	return clpac__choice_check(&to->choice, mat->file->path,
				   "structs and cells are read of EEGLAB's data sets alone", err);
}

/* Adds what an array says of its shape, and what was found beside it. */
static clpac_status add_array(clpac__mat *mat, finding *found, double given_hz, clpac_recording *recording,
			      clpac_error *err)
{
	clpac__sample_layout layout = {.is_by_sample = true};
	clpac__source *from;
	const char *const *names;
	double rate_hz;
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
	RETURN_IF_ERROR(clpac__choice_settle(&found->choice, layout.n_channels, recording, &names, &rate_hz, err));
	RETURN_IF_ERROR(clpac__numbered_channels_read(from, &layout, names, "", rate_hz, recording, err));
	RETURN_IF_ERROR(clpac__mat_finish(mat, err));
	return clpac__shape_settle(&layout, rate_hz > 0 ? rate_hz : given_hz, recording, err);
}

clpac_status clpac__read_mat(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__mat *mat = NULL;
	finding found = {.choice = {.wanted = options->array, .rate_hz = NAN}};
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
	clpac__choice_clear(&found.choice);
	clpac__mat_close(mat);
	return st;
}
