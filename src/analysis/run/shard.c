#include "analysis/run/shard.h"

#include <string.h>
#include <clpac/version.h>
#include "base/number.h"

clpac_status clpac__shard_read(const clpac__analysis_settings *settings, size_t *number, size_t *n, clpac_error *err)
{
	const char *text = settings->shard, *slash = text ? strchr(text, '/') : NULL;
	char first[24] = "";
	uint64_t i = 0, of = 0;
	*number = *n = 0;
	if (!text)
		return CLPAC_OK;
	if (slash && (size_t)(slash - text) < sizeof first)
		memcpy(first, text, (size_t)(slash - text));
	if (!slash || !clpac__parse_count(first, &i, NULL) || !clpac__parse_count(slash + 1, &of, NULL) || i < 1 ||
	    i > of || of > UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--shard %.60s: give I/N, from 1/N to N/N, as 2/7", text);
	*number = (size_t)i;
	*n = (size_t)of;
	return CLPAC_OK;
}

/* Whether a pair is the first of those that have its phase and follow each other. */
static bool begins(const clpac__shard_cut *cut, size_t row)
{
	return !cut->pairs || row == 0 || cut->pairs[row].phase != cut->pairs[row - 1].phase;
}

/* How many of some units `number` of n shares have.  Neither product overflows: n is of 32 bits. */
static size_t share_of(size_t n_units, size_t number, size_t n)
{
	return n_units / n * number + (size_t)((uint64_t)(n_units % n) * number / n);
}

size_t clpac__shard_first(const clpac__shard_cut *cut, size_t number, size_t n)
{
	size_t n_units = 0, row = 0, left;
	for (size_t i = 0; i < cut->n_rows; i++)
		n_units += begins(cut, i);
	left = share_of(n_units, number - 1, n);
	while (row < cut->n_rows && (left || !begins(cut, row)))
		left -= begins(cut, row++);
	return row;
}

void clpac__shard_record(const clpac__job_shard *shard, clpac__json_tree *json)
{
	json_t *one = json_object();
	clpac__json_tree_number(json, one, "number", (double)shard->number);
	clpac__json_tree_number(json, one, "of", (double)shard->n);
	clpac__json_tree_number(json, one, "first_row", (double)shard->first);
	clpac__json_tree_number(json, one, "n_rows", (double)shard->n_rows);
	clpac__json_tree_number(json, one, "n_all_rows", (double)shard->n_all);
	clpac__json_tree_number(json, one, "first_part", (double)(shard->is_dead ? shard->n_parts : shard->part));
	clpac__json_tree_set(json, one, "is_dead", json_boolean(shard->is_dead));
	clpac__json_tree_text(json, one, "version", CLPAC_VERSION_STRING);
	clpac__json_tree_text(json, one, "input", shard->input);
	clpac__json_tree_text(json, one, "recording", shard->recording);
	clpac__json_tree_text(json, one, "problem", shard->problem);
	clpac__json_tree_set(json, json->root, "shard", one);
}
