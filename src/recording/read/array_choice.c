/* One array of real numbers: the one asked for, the only one, or "data".  Beside it a number called srate, fs or sfreq
 * is the sampling rate, and a cell of texts called labels, label or ch_names has the channels. */
#include "recording/read/array_choice.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"

void clpac__choice_clear(clpac__array_choice *choice)
{
	for (size_t i = 0; i < choice->n_labels; i++)
		clpac__free(choice->labels[i]);
	clpac__free(choice->labels);
}

static bool is_one_of(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (clpac__same_word(name, *words))
			return true;
	return false;
}

void clpac__choice_list(const char *name, char names[CLPAC__CHOICE_NAMES])
{
	const size_t made = strlen(names);
	if (made + strlen(name) + 8 <= CLPAC__CHOICE_NAMES)
		strcat(strcat(names, made ? ", " : ""), name);
	else if (made < 4 || strcmp(names + made - 3, "...") != 0)
		strcat(names, ", ...");
}

clpac__array_role clpac__choice_role(clpac__array_choice *choice, const char *name, bool is_cell, bool is_numeric,
				     size_t n)
{
	static const char *const rates[] = {"srate", "fs", "sfreq", NULL}, *const labels[] = {"labels", "label",
											      "ch_names", NULL};
	const bool is_wanted = choice->wanted && strcmp(name, choice->wanted) == 0;
	if (!is_wanted && is_cell && is_one_of(name, labels) && !choice->n_labels)
		return CLPAC__ROLE_LABELS;
	if (!is_wanted && is_one_of(name, rates) && isnan(choice->rate_hz) && n == 1)
		return CLPAC__ROLE_RATE;
	if (!is_wanted && (!is_numeric || n < 2))
		return CLPAC__ROLE_NONE;
	clpac__choice_list(name, choice->names);
	if (choice->is_found)
		return CLPAC__ROLE_NONE;
	const bool is_right = choice->wanted ? is_wanted : strcmp(name, "data") == 0;
	if (!is_right && (choice->wanted || choice->n_arrays++))
		return CLPAC__ROLE_NONE;
	choice->is_found = is_right;
	return CLPAC__ROLE_ARRAY;
}

clpac_status clpac__choice_check(const clpac__array_choice *choice, const char *path, const char *none,
				 clpac_error *err)
{
	if (choice->wanted && !choice->is_found)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s holds no array \"%s\": it has %s", path, choice->wanted,
			     *choice->names ? choice->names : "none of numbers");
	if (!choice->is_found && !choice->n_arrays)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no array of numbers: %s", path, none);
	if (!choice->is_found && choice->n_arrays > 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "%s holds %zu arrays and none is called data: give one as the array, %s", path,
			     choice->n_arrays, choice->names);
	return CLPAC_OK;
}

clpac_status clpac__choice_settle(const clpac__array_choice *choice, size_t n_channels, clpac_recording *recording,
				  const char *const **names, double *rate_hz, clpac_error *err)
{
	const bool has_rate = choice->rate_hz > 0 && isfinite(choice->rate_hz);
	*rate_hz = has_rate ? choice->rate_hz : 0;
	if (!isnan(choice->rate_hz) && !has_rate)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"the number called srate, fs or sfreq is not above 0: the sampling rate is unknown"));
	bool is_named = choice->n_labels == n_channels;
	for (size_t i = 0; is_named && i < choice->n_labels; i++)
		is_named = choice->labels[i] != NULL;
	if (choice->n_labels && !is_named)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err, "%zu names of channels are no texts for %zu channels: they are left out",
			choice->n_labels, n_channels));
	*names = is_named && choice->n_labels ? (const char *const *)choice->labels : NULL;
	return CLPAC_OK;
}
