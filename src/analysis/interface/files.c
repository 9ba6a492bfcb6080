/* Results as files that hold everything: arrays and filters, and beside them report, provenance and sentence. */
#include <clpac/analysis.h>
#include <errno.h>
#include <string.h>
#include "analysis/checkpoints/report_text.h"
#include "analysis/json_tree.h"
#include "base/memory.h"
#include "base/sized.h"

/* Hands a member over that is JSON of its own. */
static clpac_status add_json(clpac__json_tree *json, const char *key, const char *text, clpac_error *err)
{
	json_error_t trouble;
	errno = 0;
	json_t *value = json_loads(text, 0, &trouble);
	if (!value && errno != ENOMEM)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the %s of the result is no JSON: %s", key, trouble.text);
	clpac__json_tree_set(json, json->root, key, value);
	return CLPAC_OK;
}

static clpac_status write_report(const clpac_result *result, char **text, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	char *report = NULL;
	TRY(clpac__report_write(clpac_result_report((clpac_result *)result), &report, err)); /* read only */
	TRY(add_json(&json, "report", report, err));
	if (*clpac_result_provenance(result))
		TRY(add_json(&json, "provenance", clpac_result_provenance(result), err));
	if (*clpac_result_sentence(result))
		clpac__json_tree_text(&json, json.root, "sentence", clpac_result_sentence(result));
	TRY(clpac__json_tree_text_of(&json, text, err));
done:
	json_decref(json.root);
	clpac__free(report);
	return st;
}

clpac_status clpac_analysis_save(const clpac_result *result, const char *path, const clpac_write_options *options,
				 clpac_error *err)
{
	NEED(result);
	NEED(path);
	clpac_status st = CLPAC_OK;
	clpac_write_options own;
	char *text = NULL;
	TRY(clpac__take_sized(&own, options, clpac_write_options, err));
	if (!own.report)
		TRY(write_report(result, &text, err));
	own.size = sizeof own;
	own.report = own.report ? own.report : text;
	TRY(clpac_result_write_npz(result, path, &own, err));
done:
	clpac__free(text);
	return st;
}

/* A member as text, to be freed with clpac__free; NULL where there is none. */
static clpac_status take_json(const json_t *root, const char *key, char **out, clpac_error *err)
{
	const json_t *value = json_object_get(root, key);
	clpac__json_tree json = {.root = json_incref((json_t *)value)};
	*out = NULL;
	if (!value)
		return CLPAC_OK;
	const clpac_status st = clpac__json_tree_text_of(&json, out, err);
	json_decref(json.root);
	return st;
}

static clpac_status take_report(const json_t *root, clpac_result *result, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *report = NULL, *provenance = NULL;
	TRY(take_json(root, "report", &report, err));
	TRY(take_json(root, "provenance", &provenance, err));
	const char *sentence = json_string_value(json_object_get(root, "sentence"));
	if (report)
		TRY(clpac__report_read(report, clpac_result_report(result), err));
	if (provenance)
		TRY(clpac_result_set_provenance(result, provenance, err));
	if (sentence)
		TRY(clpac_result_set_sentence(result, sentence, err));
done:
	clpac__free(report);
	clpac__free(provenance);
	return st;
}

clpac_status clpac_analysis_load(const char *path, clpac_result **out, clpac_error *err)
{
	NEED(path);
	NEED(out);
	clpac_status st = CLPAC_OK;
	clpac_result *made = NULL;
	char *text = NULL;
	json_t *root = NULL;
	json_error_t trouble;
	TRY(clpac_result_read_npz(path, &made, err));
	TRY(clpac_result_read_report(path, &text, err));
	errno = 0;
	if (text && !(root = json_loads(text, JSON_REJECT_DUPLICATES, &trouble))) {
		if (errno == ENOMEM)
			FAIL_NO_MEMORY(strlen(text));
		FAIL(CLPAC_ERROR_FORMAT, "%s: its report.json is no JSON: %s", path, trouble.text);
	}
	if (root)
		TRY(take_report(root, made, err));
	*out = made;
	made = NULL;
done:
	json_decref(root);
	clpac_text_free(text);
	clpac_result_destroy(made);
	return st;
}
