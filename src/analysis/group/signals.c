#include "analysis/group/signals.h"

#include <math.h>
#include <string.h>
#include "analysis/run/spectra.h"
#include "base/ascii.h"
#include "base/memory.h"

/* Everything that the record is made of. */
typedef struct signals {
	const clpac__signals_of *each;
	size_t n;
	const char **names; /* of the channels that are compared, each once */
	size_t n_names;
	const json_t *hz; /* the frequencies of all curves; NULL: there are none */
} signals;

static const json_t *spectra_of(const json_t *facts)
{
	return json_object_get(json_object_get(facts, "provenance"), "spectra");
}

/* --- Recordings ---------------------------------------------------------------------------------- */

static void add_used(clpac__json_tree *json, json_t *one, const json_t *used)
{
	double least = INFINITY, most = 0;
	json_t *pair = json_array();
	for (size_t ch = 0; ch < json_array_size(used); ch++) {
		double sum = 0;
		for (size_t s = 0; s < json_array_size(json_array_get(used, ch)); s++)
			sum += json_number_value(json_array_get(json_array_get(used, ch), s));
		least = fmin(least, sum);
		most = fmax(most, sum);
	}
	for (int i = 0; i < 2 && isfinite(least); i++)
		clpac__json_tree_append(json, pair, json_real(i ? most : least));
	clpac__json_tree_set(json, one, "used_s", pair);
}

static void add_recordings(const signals *all, clpac__json_tree *json)
{
	json_t *list = json_array();
	for (size_t i = 0; i < all->n; i++) {
		const json_t *facts = all->each[i].facts, *provenance = json_object_get(facts, "provenance"),
			     *rejected = json_object_get(json_object_get(provenance, "part"), "rejected"),
			     *raised = json_object_get(facts, "warnings"),
			     *mains = json_object_get(json_object_get(provenance, "reading"), "mains_hz");
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "name", all->each[i].name);
		clpac__json_tree_number(json, one, "group", all->each[i].group);
		add_used(json, one, json_object_get(facts, "used_s"));
		if (rejected)
			clpac__json_tree_set(json, one, "rejected", json_incref((json_t *)rejected));
		if (raised)
			clpac__json_tree_set(json, one, "warnings", json_incref((json_t *)raised));
		if (mains)
			clpac__json_tree_set(json, one, "mains_hz", json_incref((json_t *)mains));
		clpac__json_tree_append(json, list, one);
	}
	clpac__json_tree_set(json, json->root, "recordings", list);
}

/* --- Spectra ------------------------------------------------------------------------------------- */

/* The value of a curve at a frequency, between its points; NaN beyond them. */
static double interpolate(const json_t *hz, const json_t *db, double at)
{
	const size_t n = json_array_size(hz);
	size_t i = 0;
	while (i < n && clpac__json_number_at(hz, i) < at)
		i++;
	if (i == n || clpac__json_number_at(hz, i) == at)
		return i == n ? NAN : clpac__json_number_at(db, i);
	if (!i)
		return NAN;
	const double lo = clpac__json_number_at(hz, i - 1), share = (at - lo) / (clpac__json_number_at(hz, i) - lo);
	return clpac__json_number_at(db, i - 1) +
	       share * (clpac__json_number_at(db, i) - clpac__json_number_at(db, i - 1));
}

/* Sums of curves, and what they have in common. */
typedef struct sums {
	double *sum, *squares, *count; /* of each frequency */
	size_t n_points, n_curves;
	const char *unit; /* of all; NULL: none, or different ones */
} sums;

/* Adds the curve of a channel of a recording, where it has one. */
static void add_curve(const signals *all, size_t i, const char *name, sums *to)
{
	size_t part, place;
	const json_t *spectra = spectra_of(all->each[i].facts);
	if (!clpac__spectra_find(spectra, name, 0, &part, &place))
		return;
	const json_t *one = json_array_get(spectra, part), *db = json_array_get(json_object_get(one, "db"), place);
	const char *unit = json_string_value(json_array_get(json_object_get(one, "units"), place));
	to->unit = unit && (!to->n_curves || (to->unit && strcmp(to->unit, unit) == 0)) ? unit : NULL;
	to->n_curves++;
	for (size_t k = 0; k < to->n_points; k++) {
		const double value = interpolate(json_object_get(one, "hz"), db, clpac__json_number_at(all->hz, k));
		if (isnan(value))
			continue;
		to->sum[k] += value;
		to->squares[k] += value * value;
		to->count[k]++;
	}
}

static void add_tenths(clpac__json_tree *json, json_t *list, double value)
{
	clpac__json_tree_append(json, list, isfinite(value) ? json_real(round(10 * value) / 10) : json_null());
}

/* Lists that grow by a curve at a time. */
typedef struct curves {
	json_t *names, *units, *db, *deviations; /* deviations may be NULL */
} curves;

/* Appends the mean of the curves that were added, and starts anew. */
static void take_mean(sums *from, const char *name, clpac__json_tree *json, curves *to)
{
	json_t *mean = json_array(), *deviation = to->deviations ? json_array() : NULL, *texts = json_object();
	for (size_t k = 0; k < from->n_points; k++) {
		const double n = from->count[k], middle = from->sum[k] / n,
			     rest = fmax(0, from->squares[k] - n * middle * middle);
		add_tenths(json, mean, middle);
		if (deviation)
			add_tenths(json, deviation, n > 1 ? sqrt(rest / (n - 1)) : NAN);
		from->sum[k] = from->squares[k] = from->count[k] = 0;
	}
	clpac__json_tree_text(json, texts, "name", name);
	clpac__json_tree_text(json, texts, "unit", from->unit);
	clpac__json_tree_append(json, to->names, json_incref(json_object_get(texts, "name")));
	clpac__json_tree_append(json, to->units, json_incref(json_object_get(texts, "unit")));
	clpac__json_tree_append(json, to->db, mean);
	if (deviation)
		clpac__json_tree_append(json, to->deviations, deviation);
	json_decref(texts);
	from->n_curves = 0;
	from->unit = NULL;
}

static void add_curves(const signals *all, int group, curves *of, clpac__json_tree *json, json_t *to)
{
	json_t *one = json_object();
	if (!json_array_size(of->names)) {
		json_decref(one);
		json_decref(of->names);
		json_decref(of->units);
		json_decref(of->db);
		json_decref(of->deviations);
		return;
	}
	clpac__json_tree_number(json, one, "group", group);
	clpac__json_tree_set(json, one, "channels", of->names);
	clpac__json_tree_set(json, one, "units", of->units);
	clpac__json_tree_set(json, one, "hz", json_incref((json_t *)all->hz));
	clpac__json_tree_set(json, one, "db", of->db);
	if (of->deviations)
		clpac__json_tree_set(json, one, "deviation_db", of->deviations);
	clpac__json_tree_append(json, to, one);
}

static void add_group(const signals *all, int group, sums *own, clpac__json_tree *json, json_t *by_channel,
		      json_t *by_recording)
{
	curves channels = {json_array(), json_array(), json_array(), json_array()};
	curves recordings = {json_array(), json_array(), json_array(), NULL};
	for (size_t c = 0; c < all->n_names; c++) {
		for (size_t i = 0; i < all->n; i++)
			if (all->each[i].group == group)
				add_curve(all, i, all->names[c], own);
		if (own->n_curves)
			take_mean(own, all->names[c], json, &channels);
	}
	for (size_t i = 0; i < all->n; i++) {
		for (size_t c = 0; c < all->n_names && all->each[i].group == group; c++)
			add_curve(all, i, all->names[c], own);
		if (own->n_curves)
			take_mean(own, all->each[i].name, json, &recordings);
	}
	add_curves(all, group, &channels, json, by_channel);
	add_curves(all, group, &recordings, json, by_recording);
}

static clpac_status add_spectra(const signals *all, clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	sums own = {.n_points = json_array_size(all->hz)};
	TRY(NEW_ARRAY(own.sum, own.n_points));
	TRY(NEW_ARRAY(own.squares, own.n_points));
	TRY(NEW_ARRAY(own.count, own.n_points));
	json_t *by_channel = json_array(), *by_recording = json_array();
	for (int group = 1; group <= 2; group++)
		add_group(all, group, &own, json, by_channel, by_recording);
	clpac__json_tree_set(json, json->root, "spectra", by_channel);
	clpac__json_tree_set(json, json->root, "recording_spectra", by_recording);
done:
	FREE_ALL(own.sum, own.squares, own.count);
	return st;
}

/* --- All of it ----------------------------------------------------------------------------------- */

static void take_name(signals *all, const char *name)
{
	for (size_t i = 0; i < all->n_names && name; i++)
		if (clpac__same_word(all->names[i], name))
			return;
	if (name)
		all->names[all->n_names++] = name;
}

static clpac_status find_names(signals *all, const clpac_result *made, clpac_error *err)
{
	const size_t n = clpac_result_get_shape(made)->n_channels;
	RETURN_IF_ERROR(NEW_ARRAY(all->names, 2 * n));
	for (size_t row = 0; row < n; row++) {
		const char *phase = clpac_result_pair_channel(made, row, CLPAC_PHASE);
		take_name(all, phase ? phase : clpac_result_channel_name(made, row));
		take_name(all, clpac_result_pair_channel(made, row, CLPAC_AMPLITUDE));
	}
	return CLPAC_OK;
}

clpac_status clpac__signals_add(const clpac__signals_of *each, size_t n, const clpac_result *made,
				clpac__json_tree *json, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	signals all = {.each = each, .n = n};
	TRY(find_names(&all, made, err));
	for (size_t i = 0; i < n && !all.hz; i++)
		all.hz = json_object_get(json_array_get(spectra_of(each[i].facts), 0), "hz");
	add_recordings(&all, json);
	if (json_array_size(all.hz))
		TRY(add_spectra(&all, json, err));
done:
	clpac__free(all.names);
	return st;
}
