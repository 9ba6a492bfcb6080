#include "coupling/compare/compare_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

static const uint64_t usual_permutations = 10000;

/* --- Checks ------------------------------------------------------------------------------------- */

static clpac_status check_members(const clpac_comparison *c, clpac_error *err)
{
	if (!c->result || !c->first || !c->second || (c->n_channels && !c->channels))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "clpac_result_compare: %s is NULL",
			     !c->result	  ? "result"
			     : !c->first  ? "first"
			     : !c->second ? "second"
					  : "channels");
	if ((unsigned)c->side >= CLPAC_SIDE_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "side is %d: it must be one of clpac_side", (int)c->side);
	if ((unsigned)c->family > CLPAC_FAMILY_RUN)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "family is %d: it must be one of clpac_family", (int)c->family);
	if (!(c->cluster_alpha >= 0 && c->cluster_alpha <= 0.25))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "cluster_alpha is %g: it must be above 0 and at most 0.25",
			     c->cluster_alpha);
	if (c->n_permutations == 1 || c->n_permutations >= UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "n_permutations is %llu: give 2 to %u, the given order among them, or 0 for 10000",
			     (unsigned long long)c->n_permutations, UINT32_MAX - 1);
	if (strcmp(c->first, c->second) == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "first and second are both \"%.100s\": give two conditions",
			     c->first);
	if (c->is_pooled && c->of_z)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "is_pooled and of_z: a pooled index has no z; set one of them");
	return CLPAC_OK;
}

static clpac_status check_arrays(const clpac_comparison *c, clpac_error *err)
{
	const clpac_measure measure = clpac_result_measure(c->result);
	if (!clpac_result_array(c->result, CLPAC_MI, NULL) ||
	    (c->of_z && !clpac_result_array(c->result, CLPAC_Z, NULL)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the result holds no %s to compare: %s", c->of_z ? "z" : "index",
			     c->of_z ? "compute it with surrogates, or compare indices"
				     : "it may be a comparison itself");
	if (c->is_pooled && clpac_measure_is_linear(measure))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "is_pooled: %s is none of bin sums, which are what a result holds of epochs; compare "
			     "means, or mi "
			     "or "
			     "hr",
			     clpac_measure_text(measure));
	if (c->is_pooled && (!clpac_result_array(c->result, CLPAC_DISTRIBUTION, NULL) ||
			     !clpac_result_array(c->result, CLPAC_BIN_COUNTS, NULL)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "is_pooled: the result holds no sums of phase bins; compute it with keep_distributions "
			     "(--keep-distributions), or compare means");
	return CLPAC_OK;
}

static bool has_condition(const clpac_result *result, size_t segment, const char *name)
{
	const char *own = clpac_result_condition(result, segment);
	return own && strcmp(own, name) == 0;
}

/* Names the conditions that there are, each once, in an error. */
static clpac_status no_condition(const clpac_comparison *c, const char *name, clpac_error *err)
{
	const size_t n = clpac_result_get_shape(c->result)->n_segments;
	char names[600] = "";
	for (size_t s = 0; s < n; s++) {
		const char *own = clpac_result_condition(c->result, s);
		bool is_new = own != NULL;
		for (size_t k = 0; k < s && is_new; k++)
			is_new = !has_condition(c->result, k, own);
		const size_t length = strlen(names);
		if (is_new)
			snprintf(names + length, sizeof names - length, "%s\"%.60s\"", length ? ", " : "", own);
	}
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "there is no condition \"%.100s\": the result has %s", name,
			   *names ? names : "none, since it is not one of epochs");
}

static clpac_status check_conditions(const clpac_comparison *c, clpac_error *err)
{
	const size_t n = clpac_result_get_shape(c->result)->n_segments;
	const char *const names[] = {c->first, c->second};
	for (size_t i = 0; i < 2; i++) {
		bool is_there = false;
		for (size_t s = 0; s < n && !is_there; s++)
			is_there = has_condition(c->result, s, names[i]);
		if (!is_there)
			return no_condition(c, names[i], err);
	}
	return CLPAC_OK;
}

static clpac_status find_channels(clpac__compared_epochs *w, clpac_error *err)
{
	const clpac_comparison *c = w->asked;
	const size_t n = w->shape->n_channels;
	w->n_channels = c->n_channels ? c->n_channels : n;
	RETURN_IF_ERROR(NEW_ARRAY(w->channels, w->n_channels));
	for (size_t i = 0; i < w->n_channels; i++) {
		uint64_t number;
		size_t at = c->n_channels ? n : i;
		if (c->n_channels && !c->channels[i])
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channels[%zu] is NULL", i);
		for (size_t k = 0; at == n && k < n; k++)
			at = strcmp(clpac_result_channel_name(c->result, k), c->channels[i]) == 0 ? k : n;
		if (at == n && clpac__parse_count(c->channels[i], &number, NULL) && number < n)
			at = (size_t)number;
		if (at == n)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "there is no channel %.100s: the result has %zu, the first of them %.100s",
				     c->channels[i], n, clpac_result_channel_name(c->result, 0));
		w->channels[i] = at;
	}
	return CLPAC_OK;
}

/* --- Epochs ------------------------------------------------------------------------------------- */

static bool has_values(const clpac__compared_epochs *w, size_t channel, size_t segment)
{
	const float *values = clpac_result_array(w->asked->result, w->asked->of_z ? CLPAC_Z : CLPAC_MI, NULL) +
			      (channel * w->shape->n_segments + segment) * w->map;
	for (size_t cell = 0; cell < w->map; cell++)
		if (!isnan(values[cell]))
			return true;
	return false;
}

static bool is_used(const clpac__compared_epochs *w, size_t i, size_t segment)
{
	if (w->asked->family != CLPAC_FAMILY_RUN)
		return has_values(w, w->channels[i], segment);
	for (size_t k = 0; k < w->n_channels; k++)
		if (!has_values(w, w->channels[k], segment))
			return false;
	return true;
}

/* Channels without enough epochs stay empty. */
static clpac_status find_epochs(clpac__compared_epochs *w, clpac_error *err)
{
	const clpac_comparison *c = w->asked;
	bool has_any = false;
	size_t most_first = 0, most_second = 0;
	RETURN_IF_ERROR(NEW_ARRAY(w->of_channels, w->n_channels));
	RETURN_IF_ERROR(NEW_ARRAY(w->permutations, w->n_channels));
	for (size_t i = 0; i < w->n_channels; i++) {
		clpac__epochs *own = &w->of_channels[i];
		RETURN_IF_ERROR(NEW_ARRAY(own->segments, w->shape->n_segments));
		for (int second = 0; second < 2; second++) {
			for (size_t s = 0; s < w->shape->n_segments; s++)
				if (has_condition(c->result, s, second ? c->second : c->first) && is_used(w, i, s))
					own->segments[own->n++] = s;
			own->n_first = second ? own->n_first : own->n;
		}
		const size_t n_second = own->n - own->n_first;
		most_first = own->n_first > most_first ? own->n_first : most_first;
		most_second = n_second > most_second ? n_second : most_second;
		if (own->n_first < 2 || n_second < 2 || own->n >= UINT32_MAX) {
			own->n = 0;
			continue;
		}
		has_any = true;
		w->permutations[i] =
			clpac__permutations_choose(true, own->n_first, own->n,
						   c->n_permutations ? c->n_permutations : usual_permutations, c->seed);
	}
	if (!has_any)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "\"%.100s\" has %zu epoch%s with values in any channel, \"%.100s\" %zu: at least two of "
			     "each are "
			     "needed",
			     c->first, most_first, most_first == 1 ? "" : "s", c->second, most_second);
	return CLPAC_OK;
}

clpac_status clpac__compared_find(const clpac_comparison *asked, clpac__compared_epochs *out, clpac_error *err)
{
	*out = (clpac__compared_epochs){.asked = asked};
	RETURN_IF_ERROR(check_members(asked, err));
	RETURN_IF_ERROR(check_arrays(asked, err));
	RETURN_IF_ERROR(check_conditions(asked, err));
	out->shape = clpac_result_get_shape(asked->result);
	out->map = out->shape->n_phase_bands * out->shape->n_amplitude_bands;
	RETURN_IF_ERROR(find_channels(out, err));
	return find_epochs(out, err);
}

void clpac__compared_clear(clpac__compared_epochs *epochs)
{
	for (size_t i = 0; epochs->of_channels && i < epochs->n_channels; i++)
		clpac__free(epochs->of_channels[i].segments);
	FREE_ALL(epochs->of_channels, epochs->permutations, epochs->channels);
	*epochs = (clpac__compared_epochs){0};
}
