#include <stdio.h>
#include <string.h>
#include "analysis/json_tree.h"
#include "analysis/pages/page.h"
#include "base/folder.h"
#include "base/memory.h"

/* Rows that are shown of a long list; the file has all. */
enum { MOST_ROWS = 64 };

/* --- Values of JSON ------------------------------------------------------------------------------ */

/* A value as in a table: "4-8" of a band, "" of null. */
static void add_value(clpac__text *page, const json_t *value)
{
	if (json_is_string(value))
		clpac__page_add_text(page, json_string_value(value));
	else if (json_is_integer(value))
		clpac__text_add(page, "%lld", (long long)json_integer_value(value));
	else if (json_is_number(value))
		clpac__text_add(page, "%.4g", json_number_value(value));
	else if (json_is_boolean(value))
		clpac__text_add(page, json_is_true(value) ? "yes" : "no");
	for (size_t i = 0; i < json_array_size(value); i++) {
		clpac__text_add(page, i ? "-" : "");
		add_value(page, json_array_get(value, i));
	}
}

static void add_cell(clpac__text *page, const json_t *value)
{
	clpac__text_add(page, "<td>");
	add_value(page, value);
	clpac__text_add(page, "</td>");
}

/* --- Cautions ------------------------------------------------------------------------------------ */

static bool is_raised(const json_t *raised, const char *text)
{
	for (size_t i = 0; i < json_array_size(raised); i++) {
		const char *one = json_string_value(json_object_get(json_array_get(raised, i), "text"));
		if (one && text && strcmp(one, text) == 0)
			return true;
	}
	return false;
}

/* Warnings of the computation, how often each was raised, and those of reading. */
static void add_cautions(clpac__text *page, const json_t *result)
{
	const json_t *told = json_object_get(json_object_get(result, "provenance"), "warnings");
	const json_t *raised = json_object_get(result, "warnings");
	if (!json_array_size(told) && !json_array_size(raised))
		return;
	clpac__page_add(page, "h3", "Cautions");
	clpac__text_add(page, "<ul>\n");
	for (size_t i = 0; i < json_array_size(raised); i++) {
		const json_t *one = json_array_get(raised, i);
		const long long n = json_integer_value(json_object_get(one, "count"));
		clpac__text_add(page, "<li>");
		add_value(page, json_object_get(one, "text"));
		if (n > 1)
			clpac__text_add(page, " (%lld in all)", n);
		clpac__text_add(page, "</li>\n");
	}
	for (size_t i = 0; i < json_array_size(told); i++)
		if (!is_raised(raised, json_string_value(json_array_get(told, i))))
			clpac__page_add(page, "li", json_string_value(json_array_get(told, i)));
	clpac__text_add(page, "</ul>\n");
}

/* --- Peaks --------------------------------------------------------------------------------------- */

/* Whether a peak of a list has a value there. */
static bool has_values(const json_t *peaks, const char *key)
{
	for (size_t i = 0; i < json_array_size(peaks); i++) {
		const json_t *value = json_object_get(json_array_get(peaks, i), key);
		if (value && !json_is_null(value))
			return true;
	}
	return false;
}

/* The peak of each channel: the columns that have values.  `remaining` is the size of a caution: the share of an index
 * that the shape of a slow wave does not explain. */
static void add_peaks(clpac__text *page, const json_t *result)
{
	const json_t *peaks = json_object_get(result, "peaks");
	const char *measure = json_string_value(json_array_get(json_object_get(result, "measures"), 0));
	const char *const keys[] = {"channel",
				    "segment",
				    "phase_band_hz",
				    "amplitude_band_hz",
				    measure ? measure : "mi",
				    "z",
				    "excess",
				    "effect",
				    "t",
				    "n_subjects",
				    "p_max",
				    "p_cluster",
				    "remaining"};
	enum { N = sizeof keys / sizeof *keys };
	bool is_shown[N];
	const size_t n = json_array_size(peaks);
	if (!n)
		return;
	clpac__page_add(page, "h3", "The peak of each channel");
	clpac__text_add(page, "<table>\n<tr>");
	for (size_t k = 0; k < N; k++)
		if ((is_shown[k] = has_values(peaks, keys[k])))
			clpac__page_add(page, "th", keys[k]);
	clpac__text_add(page, "</tr>\n");
	for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
		clpac__text_add(page, "<tr>");
		for (size_t k = 0; k < N; k++)
			if (is_shown[k])
				add_cell(page, json_object_get(json_array_get(peaks, i), keys[k]));
		clpac__text_add(page, "</tr>\n");
	}
	clpac__text_add(page, "</table>\n");
	if (n > MOST_ROWS)
		clpac__text_add(page, "<p>The first %d of %zu; the .json has all.</p>\n", (int)MOST_ROWS, n);
}

/* --- Parameters ---------------------------------------------------------------------------------- */

static void add_row(clpac__text *page, const char *name, const json_t *value)
{
	if (!value)
		return;
	clpac__text_add(page, "<tr>");
	clpac__page_add(page, "th", name);
	add_cell(page, value);
	clpac__text_add(page, "</tr>\n");
}

static void add_parameters(clpac__text *page, json_t *result)
{
	const json_t *input = json_object_get(result, "input");
	const char *key;
	json_t *value;
	clpac__text_add(page, "<details><summary>Parameters</summary>\n<table>\n");
	add_row(page, "recording", json_object_get(input, "name"));
	add_row(page, "SHA-256", json_object_get(input, "checksum"));
	json_object_foreach(json_object_get(result, "parameters"), key, value)
	{
		add_row(page, key, value);
	}
	clpac__text_add(page, "</table></details>\n");
}

/* --- The section --------------------------------------------------------------------------------- */

/* The picture beside NAME.json: NAME.svg, else NAME.png. */
static clpac_status add_picture(clpac__text *page, const char *json_path, clpac_error *err)
{
	static const char *const endings[] = {".svg", ".png"};
	clpac_status st = CLPAC_OK;
	char *path = NULL;
	bool is_there = false;
	const size_t stem = strlen(json_path) - strlen(".json");
	for (size_t i = 0; i < sizeof endings / sizeof *endings && !is_there; i++) {
		clpac__free(path);
		TRY(NEW_BYTES(path, stem + strlen(endings[i]) + 1));
		snprintf(path, stem + strlen(endings[i]) + 1, "%.*s%s", (int)stem, json_path, endings[i]);
		TRY(clpac__page_add_picture(page, path, "maps of the peak, by phase and amplitude frequency", &is_there,
					    err));
	}
	if (!is_there)
		clpac__page_add(page, "p", "No picture was drawn.");
done:
	clpac__free(path);
	return st;
}

clpac_status clpac__page_add_result(clpac__text *page, const char *json_path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *result = NULL;
	char *name = NULL;
	const char *file = clpac__name_of_path(json_path);
	TRY(clpac__json_tree_load(json_path, &result, err));
	if (!(name = clpac__strndup(file, strcspn(file, "."))))
		FAIL_NO_MEMORY(strlen(file));
	clpac__page_add(page, "h2", name);
	clpac__page_add(page, "p",
			json_string_value(json_object_get(json_object_get(result, "provenance"), "sentence")));
	TRY(add_picture(page, json_path, err));
	add_cautions(page, result);
	add_peaks(page, result);
	clpac__page_add(page, "h3", "Methods");
	clpac__page_add_methods(page, result);
	add_parameters(page, result);
done:
	json_decref(result);
	clpac__free(name);
	return st;
}
