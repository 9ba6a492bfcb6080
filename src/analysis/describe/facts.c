#include "analysis/describe/facts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "analysis/json_tree.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"

static bool keep(void *user, const void *data, size_t bytes)
{
	clpac__text *text = user;
	clpac__text_add_bytes(text, data, bytes);
	return !text->failed;
}

clpac_status clpac__facts_of_result(const clpac_result *result, const clpac_write_options *options, json_t **out,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	json_error_t trouble;
	clpac_write_options own = {.size = sizeof own,
				   .input_name = options->input_name,
				   .input_checksum = options->input_checksum,
				   .provenance = options->provenance,
				   .write = keep,
				   .write_user = &text};
	st = clpac_result_write_json(result, "the page", &own, err);
	if (text.failed)
		FAIL_NO_MEMORY(text.length);
	TRY(st);
	if (!(*out = json_loadb(text.data, text.length, 0, &trouble)))
		FAIL_NO_MEMORY(text.length);
done:
	clpac__text_clear(&text);
	return st;
}

/* NAME.json of NAME.npz. */
static clpac_status name_json(const char *npz_path, char **out, clpac_error *err)
{
	const char *name = clpac__name_of_path(npz_path), *dot = strrchr(name, '.');
	const size_t stem = dot && dot != name ? (size_t)(dot - npz_path) : strlen(npz_path);
	RETURN_IF_ERROR(NEW_BYTES(*out, stem + sizeof ".json"));
	snprintf(*out, stem + sizeof ".json", "%.*s.json", (int)stem, npz_path);
	return CLPAC_OK;
}

clpac_status clpac__facts_beside(const char *npz_path, const clpac_result *result, json_t **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *json_path = NULL;
	TRY(name_json(npz_path, &json_path, err));
	if (access(json_path, F_OK) == 0)
		TRY(clpac__json_tree_load(json_path, out, err));
	else
		TRY(clpac__facts_of_result(result, &(clpac_write_options){0}, out, err));
done:
	clpac__free(json_path);
	return st;
}
