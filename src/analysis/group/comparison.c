#include "analysis/group/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <clpac/compare.h>
#include <clpac/write.h>
#include "analysis/describe/facts.h"
#include "analysis/group/compared.h"
#include "analysis/group/signals.h"
#include "analysis/options/tables.h"
#include "analysis/options/words.h"
#include "analysis/run/run.h"
#include "base/memory.h"
#include "base/text.h"

enum { Z = 1 };			       /* of --value */
static const double ample_cycles = 10; /* of the lowest phase band in an epoch */

bool clpac__comparison_is_of_recording(const clpac__analysis_settings *settings)
{
	return settings->events != NULL;
}

/* --- Options ------------------------------------------------------------------------------------ */

bool clpac__comparison_is_about_recordings(const char *name)
{
	static const char *const of_both[] = {"measure", "seed", "clusters", "family", "pool"};
	const clpac__option_group *group = NULL;
	clpac__option_find(clpac__options_of(CLPAC_ANALYSIS_COMPARE), name, &group);
	for (size_t i = 0; i < sizeof of_both / sizeof *of_both; i++)
		if (strcmp(name, of_both[i]) == 0)
			return false;
	return group && group != &clpac__options_comparison;
}

clpac_status clpac__comparison_check(const clpac__analysis_settings *settings, clpac_error *err)
{
	if (clpac__comparison_is_of_recording(settings) && settings->channel)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--channel is about a result: --channels chooses those of a recording");
	if (settings->pool && settings->value == Z)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--pool and --value z: a pooled index has no z; give one of them");
	return clpac__compared_check(settings, err);
}

static clpac_status read_names(clpac__comparison *c, clpac_error *err)
{
	const clpac__analysis_settings *v = &c->settings;
	if (v->conditions) {
		RETURN_IF_ERROR(NEW_COPY(c->names, v->conditions));
		char *comma = strchr(c->names, ',');
		if (!comma || comma == c->names || !comma[1] || strchr(comma + 1, ','))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--conditions %.200s: give two, as planning,rest",
				     v->conditions);
		*comma = 0;
		c->conditions[0] = c->names;
		c->conditions[1] = comma + 1;
	}
	return clpac__compared_names(v->channel, &c->channel_names, &c->channels, &c->n_channels, err);
}

/* Surrogates serve z alone.  --clusters and --family are those of the comparison. */
static clpac_status prepare_job(clpac__comparison *c, clpac_error *err)
{
	RETURN_IF_ERROR(clpac__job_prepare(&c->job, &c->settings, err));
	clpac_problem *p = &c->job.method.problem;
	c->job.epochs.are_pooled = false;
	p->keep_distributions = c->settings.pool;
	p->cluster_alpha = 0;
	p->gamma_tail = false;
	if (c->settings.value == Z)
		return CLPAC_OK;
	p->n_surrogates = 0;
	p->null = CLPAC_NULL_SHIFTS;
	p->shifts = NULL;
	p->keep_surrogates = false;
	return CLPAC_OK;
}

clpac_status clpac__comparison_prepare(clpac__comparison *c, const clpac__analysis_settings *settings, clpac_error *err)
{
	c->settings = *settings;
	c->family = settings->family;
	c->settings.family = 0;
	RETURN_IF_ERROR(read_names(c, err));
	if (settings->window && strcmp(settings->window, "all") == 0)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--window all: spans differ in length, and the index of a shorter one is more biased; compare "
			"pieces of one length, as --window all:30");
	return clpac__comparison_is_of_recording(settings) ? prepare_job(c, err) : CLPAC_OK;
}

/* --- Epochs ------------------------------------------------------------------------------------- */

static void note_short_epochs(const clpac__comparison *c)
{
	char text[200];
	const clpac_problem *p = &c->job.method.problem;
	double lowest_hz = INFINITY;
	for (size_t i = 0; i < p->n_phase_bands; i++)
		lowest_hz = fmin(lowest_hz, (p->phase_bands[i].lo_hz + p->phase_bands[i].hi_hz) / 2);
	const double cycles = (double)c->job.epochs.n_samples / p->rate_hz * lowest_hz;
	if (c->settings.pool || !(cycles < ample_cycles))
		return;
	snprintf(text, sizeof text,
		 "epochs hold %.2g cycles of the lowest phase band, and an index of so few is mostly bias: --pool "
		 "compares "
		 "indices of all epochs of a condition together",
		 cycles);
	clpac__analysis_note(&c->settings, text);
}

static clpac_status fail_to_choose(size_t n_conditions, const char *first, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "there %s %zu condition%s (\"%.100s\"%s): name two with --conditions A,B",
			   n_conditions == 1 ? "is" : "are", n_conditions, n_conditions == 1 ? "" : "s", first,
			   n_conditions > 1 ? ", ..." : "");
}

static clpac_status fail_to_find(const clpac__job_epochs *epochs, const char *name, clpac_error *err)
{
	char list[400] = "";
	for (size_t i = 0; i < epochs->n_conditions && strlen(list) + 120 < sizeof list; i++)
		clpac__append(list, sizeof list, "%s\"%.100s\"", i ? ", " : "", epochs->conditions[i]);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "--conditions: there is no condition \"%.100s\"; there are %s",
			   name, list);
}

/* Refuses, before anything is computed, conditions that cannot be compared. */
static clpac_status check_conditions(const clpac__comparison *c, clpac_error *err)
{
	const clpac__job_epochs *epochs = &c->job.epochs;
	size_t n[2] = {0};
	const char *names[2];
	for (size_t i = 0; i < 2; i++) {
		names[i] = c->conditions[i] ? c->conditions[i] : i < epochs->n_conditions ? epochs->conditions[i] : "";
		size_t at = 0;
		while (at < epochs->n_conditions && strcmp(epochs->conditions[at], names[i]) != 0)
			at++;
		for (size_t e = 0; e < epochs->n; e++)
			n[i] += epochs->each[e].condition == at && epochs->each[e].fate == CLPAC__EPOCH_USED;
		if (at == epochs->n_conditions && c->conditions[0])
			RETURN_IF_ERROR(fail_to_find(epochs, names[i], err));
	}
	if (!c->conditions[0] && epochs->n_conditions != 2)
		RETURN_IF_ERROR(fail_to_choose(epochs->n_conditions, epochs->conditions[0], err));
	if (strcmp(names[0], names[1]) == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--conditions: both are \"%.100s\": give two conditions", names[0]);
	if (n[0] < 2 || n[1] < 2)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "\"%.100s\" has %zu epoch%s, \"%.100s\" %zu: at least two of each are needed", names[0],
			     n[0], n[0] == 1 ? "" : "s", names[1], n[1]);
	return clpac__compared_room(
		&c->settings, CLPAC_TWO_SAMPLE, n[0], n[1], (double)clpac__job_rows(&c->job),
		(double)c->job.method.problem.n_phase_bands * (double)c->job.method.problem.n_amplitude_bands, err);
}

/* --- Two results ---------------------------------------------------------------------------------- */

static const double same_length = 1e-6, least_share = 0.9; /* of segments' lengths */

/* "rest" of "a/rest.npz", as a condition. */
static clpac_status name_result(const char *path, char **out, clpac_error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	RETURN_IF_ERROR(NEW_COPY(*out, name));
	char *dot = strrchr(*out, '.');
	if (dot && dot != *out)
		*dot = 0;
	return CLPAC_OK;
}

/* The time of a segment that is used, in the channel that has the least of it. */
static double used_of(const clpac_result *result, size_t segment)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	double least = INFINITY;
	for (size_t ch = 0; ch < shape->n_channels; ch++) {
		const double own = clpac_result_used_seconds((clpac_result *)result)[ch * shape->n_segments + segment];
		least = own > 0 ? fmin(least, own) : least;
	}
	return isfinite(least) ? least : 0;
}

static double longest_of(const clpac_result *result)
{
	double most = 0;
	for (size_t s = 0; s < clpac_result_get_shape(result)->n_segments; s++)
		most = fmax(most, used_of(result, s));
	return most;
}

/* An index of less time is higher by chance, so that segments of both results have one length. */
static clpac_status check_lengths(const clpac__comparison *c, clpac_result *const parts[2], double *length_s,
				  clpac_error *err)
{
	const char *const paths[] = {c->settings.input, c->settings.other};
	const double lengths[] = {longest_of(parts[0]), longest_of(parts[1])};
	for (size_t i = 0; i < 2; i++)
		if (clpac_result_get_shape(parts[i])->n_segments < 2)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"%.300s has one segment, and at least two of each result are needed: compute it with "
				"--segment, both with the same length",
				paths[i]);
	*length_s = lengths[0];
	if (fabs(lengths[0] - lengths[1]) > same_length * lengths[0])
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"segments of %.200s have %g s, those of %.200s %g s, and an index of less time is higher by "
			"chance: compute both with the same --segment",
			paths[0], lengths[0], paths[1], lengths[1]);
	return CLPAC_OK;
}

/* Reads two results as one, whose segments have the results' names as conditions.  Segments that have lost time
 * belong to no condition. */
static clpac_status read_both(clpac__comparison *c, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *parts[2] = {NULL, NULL};
	size_t n_short = 0, place = 0;
	double length_s = 0;
	TRY(clpac_result_read_npz(c->settings.input, &parts[0], err));
	TRY(clpac_result_read_npz(c->settings.other, &parts[1], err));
	TRY(clpac__facts_beside(c->settings.input, parts[0], &c->facts[0], err));
	TRY(clpac__facts_beside(c->settings.other, parts[1], &c->facts[1], err));
	TRY(name_result(c->settings.input, &c->stems[0], err));
	TRY(name_result(c->settings.other, &c->stems[1], err));
	if (strcmp(c->stems[0], c->stems[1]) == 0)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "%.300s and %.300s have one name, and names are the conditions: give them different ones",
		     c->settings.input, c->settings.other);
	TRY(check_lengths(c, parts, &length_s, err));
	TRY(clpac_result_stack(parts, 2, NULL, &c->own_epochs, err));
	for (size_t i = 0; i < 2; i++)
		for (size_t s = 0; s < clpac_result_get_shape(parts[i])->n_segments; s++, place++) {
			const bool is_short = used_of(parts[i], s) < least_share * length_s;
			n_short += is_short;
			TRY(clpac_result_set_condition(c->own_epochs, place, is_short ? "" : c->stems[i], err));
		}
	for (size_t i = 0; i < 2 && !c->names; i++)
		c->conditions[i] = c->stems[i];
	if (n_short)
		clpac__analysis_warn(&c->settings, n_short,
				     "%zu of %zu segments have lost more than a tenth of their %g s and are left out",
				     n_short, place, length_s);
done:
	clpac_result_destroy(parts[0]);
	clpac_result_destroy(parts[1]);
	return st;
}

static clpac_status take_epochs(clpac__comparison *c, clpac_status st)
{
	c->epochs = c->own_epochs;
	return st;
}

clpac_status clpac__comparison_open(clpac__comparison *c, clpac_error *err)
{
	if (c->settings.other)
		return take_epochs(c, read_both(c, err));
	if (!clpac__comparison_is_of_recording(&c->settings)) {
		RETURN_IF_ERROR(take_epochs(c, clpac_result_read_npz(c->settings.input, &c->own_epochs, err)));
		return clpac__facts_beside(c->settings.input, c->own_epochs, &c->facts[0], err);
	}
	RETURN_IF_ERROR(clpac__job_open(&c->job, err));
	RETURN_IF_ERROR(check_conditions(c, err));
	note_short_epochs(c);
	clpac__job_warn_of_losses(&c->job);
	return CLPAC_OK;
}

clpac_status clpac__comparison_compute(clpac__comparison *c, clpac_error *err)
{
	RETURN_IF_ERROR(take_epochs(c, clpac__job_run(&c->job, &c->own_epochs, err)));
	return clpac__job_check_cells(&c->job, c->epochs, err);
}

/* --- The comparison ----------------------------------------------------------------------------- */

/* Without --conditions there must be two: in the order of --events, or of their first epochs. */
static clpac_status choose_conditions(clpac__comparison *c, clpac_error *err)
{
	const clpac__job_epochs *epochs = &c->job.epochs;
	const size_t n = clpac_result_get_shape(c->epochs)->n_segments;
	size_t n_found = epochs->n_conditions;
	if (c->conditions[0])
		return CLPAC_OK;
	for (size_t i = 0; i < epochs->n_conditions && i < 2; i++)
		c->conditions[i] = epochs->conditions[i];
	for (size_t s = 0; s < n && !clpac__comparison_is_of_recording(&c->settings); s++) {
		const char *own = clpac_result_condition(c->epochs, s);
		bool is_new = own != NULL;
		for (size_t k = 0; k < s && is_new; k++)
			is_new = !clpac_result_condition(c->epochs, k) ||
				 strcmp(clpac_result_condition(c->epochs, k), own) != 0;
		if (is_new && n_found < 2)
			c->conditions[n_found] = own;
		n_found += is_new;
	}
	if (!n_found)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"%.300s is no result of epochs: compute it with clpac run --events, or give a recording and "
			"--events",
			c->settings.input);
	if (n_found != 2)
		RETURN_IF_ERROR(fail_to_choose(n_found, c->conditions[0], err));
	return CLPAC_OK;
}

/* Refuses more permutations than there is memory for. */
static clpac_status check_room(const clpac__comparison *c, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(c->compared);
	size_t n[2] = {0};
	for (size_t s = 0; s < shape->n_segments; s++)
		for (size_t i = 0; i < 2; i++) {
			const char *own = clpac_result_condition(c->compared, s);
			n[i] += own && c->conditions[i] && strcmp(own, c->conditions[i]) == 0;
		}
	if (!n[0] || !n[1])
		return CLPAC_OK;
	return clpac__compared_room(&c->settings, CLPAC_TWO_SAMPLE, n[0], n[1],
				    (double)(c->n_channels ? c->n_channels : shape->n_channels),
				    (double)shape->n_phase_bands * (double)shape->n_amplitude_bands, err);
}

clpac_status clpac__comparison_make(clpac__comparison *c, clpac_error *err)
{
	const char *measure = clpac__comparison_is_of_recording(&c->settings) ? NULL : c->settings.measure;
	RETURN_IF_ERROR(clpac__compared_measure(c->epochs, c->settings.input, measure, &c->compared, err));
	RETURN_IF_ERROR(choose_conditions(c, err));
	RETURN_IF_ERROR(check_room(c, err));
	const clpac_status st =
		clpac_result_compare(&(clpac_comparison){.size = sizeof(clpac_comparison),
							 .result = c->compared,
							 .first = c->conditions[0],
							 .second = c->conditions[1],
							 .is_pooled = c->settings.pool,
							 .of_z = c->settings.value == Z,
							 .side = (clpac_side)c->settings.side,
							 .channels = c->channels,
							 .n_channels = c->n_channels,
							 .family = c->family ? CLPAC_FAMILY_RUN : CLPAC_FAMILY_MAP,
							 .n_permutations = c->settings.permutations,
							 .seed = clpac__compared_seed(&c->settings),
							 .cluster_alpha = c->settings.cluster_share,
							 .progress = clpac__analysis_permutations,
							 .progress_user = &c->settings},
				     &c->made, err);
	if (st != CLPAC_OK)
		clpac__name_options(err);
	RETURN_IF_ERROR(st);
	return clpac__compared_end(&c->settings, c->made, "no valid cell can be compared", err);
}

clpac_status clpac__comparison_tell_signals(const clpac__comparison *c, clpac__json_tree *json, clpac_error *err)
{
	json_t *own = NULL;
	/* Epochs that the caller has given have no file. */
	if (!c->facts[0])
		RETURN_IF_ERROR(clpac__facts_of_result(c->epochs, &(clpac_write_options){0}, &own, err));
	const clpac__signals_of each[] = {
		{.name = own ? "epochs" : c->settings.input, .facts = own ? own : c->facts[0], .group = 1},
		{.name = c->settings.other, .facts = c->facts[1], .group = 2}};
	const clpac_status st = clpac__signals_add(each, c->facts[1] ? 2 : 1, c->made, json, err);
	json_decref(own);
	return st;
}

void clpac__comparison_close(clpac__comparison *c)
{
	clpac_result_destroy(c->made);
	clpac_result_destroy(c->own_epochs);
	json_decref(c->facts[0]);
	json_decref(c->facts[1]);
	clpac__job_close(&c->job);
	FREE_ALL(c->names, c->channel_names, c->channels, c->stems[0], c->stems[1]);
}
