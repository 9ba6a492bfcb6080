/* Whole pages of results, from memory and from files. */
#include <clpac/analysis.h>
#include <stdio.h>
#include <string.h>
#include "analysis/describe/facts.h"
#include "analysis/pages/page.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/sized.h"

/* --- Files --------------------------------------------------------------------------------------- */

/* The name of a section: that of the file, up to its first point. */
static clpac_status name_section(const char *npz_path, char **out, clpac_error *err)
{
	const char *file = clpac__name_of_path(npz_path);
	if (!(*out = clpac__strndup(file, strcspn(file, "."))))
		RETURN_NO_MEMORY(strlen(file));
	return CLPAC_OK;
}

clpac_status clpac__page_add_file(clpac__text *page, const char *npz_path, size_t number, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_result *result = NULL;
	json_t *facts = NULL;
	char *name = NULL;
	TRY(clpac_analysis_load(npz_path, &result, err));
	TRY(clpac__facts_beside(npz_path, result, &facts, err));
	TRY(name_section(npz_path, &name, err));
	TRY(clpac__page_add_result(
		page, &(clpac__shown){.name = name, .result = result, .facts = facts, .number = number}, err));
done:
	json_decref(facts);
	clpac_result_destroy(result);
	clpac__free(name);
	return st;
}

/* --- Writing ------------------------------------------------------------------------------------- */

/* Writes bytes under the temporary name of a file of a set. */
static clpac_status write_part(clpac_output_set *set, const char *path, const char *bytes, size_t n, bool overwrite,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *temporary = NULL;
	FILE *file = NULL;
	TRY(clpac_output_set_create(set, path, overwrite, &temporary, err));
	if (!(file = fopen(temporary, "wb")) || fwrite(bytes, 1, n, file) != n || fflush(file) != 0)
		FAIL_SYSTEM("writing %s", path);
done:
	if (file && fclose(file) != 0 && st == CLPAC_OK)
		st = clpac__fail_system(err, errno, "writing %s", path);
	return st;
}

static clpac_status put(clpac__text *page, const char *path, const clpac_write_options *options, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_output_set *own = NULL;
	const size_t n = page->length;
	char *text = clpac__text_take(page);
	if (!text)
		FAIL_NO_MEMORY(n);
	if (options->write) {
		if (!options->write(options->write_user, text, n))
			FAIL(CLPAC_ERROR_IO, "writing %s: what takes it takes no more", path);
		goto done;
	}
	if (!options->set)
		TRY(clpac_output_set_open(&own, err));
	TRY(write_part(own ? own : options->set, path, text, n, options->overwrite, err));
	if (own)
		TRY(clpac_output_set_commit(own, err));
done:
	clpac_output_set_close(own);
	clpac__free(text);
	return st;
}

static const char title[] = "Phase-amplitude coupling";

clpac_status clpac__page_write_files(const char *const *npz_paths, size_t n, const char *path,
				     const clpac_write_options *options, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text page = {0};
	clpac__page_begin(&page, title);
	for (size_t i = 0; i < n; i++)
		TRY(clpac__page_add_file(&page, npz_paths[i], i, err));
	clpac__page_end(&page);
	TRY(put(&page, path, options, err));
done:
	clpac__text_clear(&page);
	return st;
}

clpac_status clpac__page_write(const clpac_result *result, const char *npz_path, const char *path,
			       const clpac_write_options *options, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *name = NULL;
	TRY(name_section(npz_path, &name, err));
	TRY(clpac_analysis_page(&result, (const char *const[]){name}, 1, path, options, err));
done:
	clpac__free(name);
	return st;
}

clpac_status clpac_analysis_page(const clpac_result *const *results, const char *const *names, size_t n,
				 const char *path, const clpac_write_options *options, clpac_error *err)
{
	NEED(results, path);
	clpac_status st = CLPAC_OK;
	clpac__text page = {0};
	json_t *facts = NULL;
	clpac_write_options own;
	char number[32];
	TRY(clpac__take_sized(&own, options, clpac_write_options, err));
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "page %s: there is no result to show", path);
	clpac__page_begin(&page, title);
	for (size_t i = 0; i < n; i++) {
		if (!results[i])
			FAIL(CLPAC_ERROR_ARGUMENT, "page %s: result %zu is NULL", path, i);
		json_decref(facts);
		facts = NULL;
		TRY(clpac__facts_of_result(results[i], &own, &facts, err));
		snprintf(number, sizeof number, "Result %zu", i + 1);
		TRY(clpac__page_add_result(&page,
					   &(clpac__shown){.name = names && names[i] ? names[i] : number,
							   .result = results[i],
							   .facts = facts,
							   .number = i},
					   err));
	}
	clpac__page_end(&page);
	TRY(put(&page, path, &own, err));
done:
	json_decref(facts);
	clpac__text_clear(&page);
	return st;
}
