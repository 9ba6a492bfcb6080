#include "analysis/checkpoints/filters_text.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "analysis/json_tree.h"
#include "base/error.h"
#include "base/memory.h"

static json_t *filter_json(clpac__json_tree *json, const clpac_band_report *filter)
{
	json_t *one = json_object(), *taps = json_array();
	clpac__json_tree_number(json, one, "use", filter->use);
	clpac__json_tree_number(json, one, "lo_hz", filter->band.lo_hz);
	clpac__json_tree_number(json, one, "hi_hz", filter->band.hi_hz);
	clpac__json_tree_number(json, one, "bandwidth_lo_hz", filter->bandwidth_lo_hz);
	clpac__json_tree_number(json, one, "bandwidth_hi_hz", filter->bandwidth_hi_hz);
	clpac__json_tree_number(json, one, "edge_samples", (double)filter->edge_samples);
	clpac__json_tree_number(json, one, "is_shortened", filter->is_shortened);
	for (size_t i = 0; i < filter->n_taps; i++)
		clpac__json_tree_append(json, taps, json_real(filter->taps[i]));
	clpac__json_tree_set(json, one, "taps", taps);
	return one;
}

clpac_status clpac__filters_write(const clpac_result *result, char **text, clpac_error *err)
{
	clpac__json_tree json = {.root = json_object()};
	json_t *filters = json_array();
	size_t n;
	const clpac_band_report *reports = clpac_result_band_reports(result, &n);
	for (size_t i = 0; i < n; i++)
		clpac__json_tree_append(&json, filters, filter_json(&json, &reports[i]));
	clpac__json_tree_set(&json, json.root, "filters", filters);
	clpac_status st = clpac__json_tree_text_of(&json, text, err);
	json_decref(json.root);
	return st;
}

/* NaN for what is no number, as JSON has none. */
static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

static clpac_status take_filter(const json_t *one, clpac_band_report *out, double *taps, clpac_error *err)
{
	const json_t *list = json_object_get(one, "taps");
	const double use = number_of(one, "use"), edge = number_of(one, "edge_samples");
	if (!(use >= 0 && use < 8) || !(edge >= 0 && edge < 0x1p53))
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "a filter has use %g and %g edge samples", use, edge);
	*out = (clpac_band_report){
		.use = (clpac_band_use)use,
		.band = {number_of(one, "lo_hz"), number_of(one, "hi_hz")},
		.bandwidth_lo_hz = number_of(one, "bandwidth_lo_hz"),
		.bandwidth_hi_hz = number_of(one, "bandwidth_hi_hz"),
		.edge_samples = (size_t)edge,
		.is_shortened = number_of(one, "is_shortened") > 0,
		.n_taps = json_array_size(list),
		.taps = taps,
	};
	for (size_t i = 0; i < out->n_taps; i++)
		taps[i] = json_number_value(json_array_get(list, i));
	return CLPAC_OK;
}

clpac_status clpac__filters_read(const char *text, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_error_t trouble;
	clpac_band_report *reports = NULL;
	double *taps = NULL;
	size_t n_taps = 0;
	errno = 0;
	json_t *root = json_loads(text, 0, &trouble);
	if (!root && errno == ENOMEM)
		FAIL_NO_MEMORY(strlen(text));
	const json_t *filters = json_object_get(root, "filters");
	const size_t n = json_array_size(filters);
	if (!json_is_array(filters))
		FAIL(CLPAC_ERROR_FORMAT, "filters are no JSON array: %s", root ? "another value" : trouble.text);
	for (size_t i = 0; i < n; i++)
		n_taps += json_array_size(json_object_get(json_array_get(filters, i), "taps"));
	reports = clpac__alloc_array(n, sizeof *reports);
	taps = clpac__alloc_array(n_taps, sizeof *taps);
	if (!reports || !taps)
		FAIL_NO_MEMORY(n * sizeof *reports + n_taps * sizeof *taps);
	n_taps = 0;
	for (size_t i = 0; i < n; i++) {
		TRY(take_filter(json_array_get(filters, i), &reports[i], taps + n_taps, err));
		n_taps += reports[i].n_taps;
	}
	TRY(clpac_result_set_band_reports(result, reports, n, err));
done:
	json_decref(root);
	FREE_ALL(reports, taps);
	return st;
}
