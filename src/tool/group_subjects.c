/* Results to compare: the operands before and behind --with. */
#include "tool/group_subjects.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <clpac/io.h>
#include "base/memory.h"

static bool is_operand(const tool_call *call, const char *word)
{
	for (size_t i = 0; i < call->n_operands; i++)
		if (call->every_operand[i] == word)
			return true;
	return false;
}

/* How many operands stand before --with on the command line.  Operands point to its words. */
static size_t count_first(const tool_call *call)
{
	size_t n = 0;
	for (int i = 0; i < (int)call->values.analysis.n_words; i++) {
		const bool is_one = is_operand(call, call->values.analysis.words[i]);
		if (!is_one && strcmp(call->values.analysis.words[i], "--with") == 0)
			break;
		n += is_one;
	}
	return n;
}

/* The same file twice is a mistake of a pattern, and would count a subject twice. */
static clpac_status check_paths(const tool_subjects *subjects, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct stat *facts;
	TRY(NEW_ARRAY(facts, subjects->n));
	for (size_t i = 0; i < subjects->n; i++) {
		if (stat(subjects->paths[i], &facts[i]) != 0)
			FAIL_SYSTEM("reading %s", subjects->paths[i]);
		for (size_t k = 0; k < i; k++)
			if (facts[i].st_dev == facts[k].st_dev && facts[i].st_ino == facts[k].st_ino)
				FAIL(CLPAC_ERROR_ARGUMENT, "%s and %s are one file: a subject counts once",
				     subjects->paths[k], subjects->paths[i]);
	}
done:
	clpac__free(facts);
	return st;
}

static clpac_status choose_measure(const clpac_result *result, const char *path, const char *name,
				   const clpac_result **out, clpac_error *err)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(result, measures);
	*out = name ? NULL : result;
	for (size_t i = 0; name && i < n; i++)
		if (strcmp(clpac_measure_text(measures[i]), name) == 0)
			*out = clpac_result_of(result, measures[i]);
	if (!*out)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--measure %.40s: %s does not hold it; its first is %s", name, path,
			     clpac_measure_text(measures[0]));
	return CLPAC_OK;
}

/* The names of --channel, between commas. */
static clpac_status read_channels(const char *list, tool_subjects *out, clpac_error *err)
{
	size_t n = 1;
	if (!list)
		return CLPAC_OK;
	for (const char *c = list; *c; c++)
		n += *c == ',';
	RETURN_IF_ERROR(NEW_COPY(out->names, list));
	RETURN_IF_ERROR(NEW_ARRAY(out->channels, n));
	for (char *name = out->names; name;) {
		char *comma = strchr(name, ',');
		if (comma)
			*comma = 0;
		if (!*name)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--channel %.100s: a name between commas is missing", list);
		out->channels[out->n_channels++] = name;
		name = comma ? comma + 1 : NULL;
	}
	return CLPAC_OK;
}

clpac_status tool_subjects_find(tool_call *call, tool_subjects *out, clpac_error *err)
{
	out->paths = call->every_operand;
	out->n = call->n_operands;
	out->n_first = call->values.with ? count_first(call) : out->n;
	return read_channels(call->values.channel, out, err);
}

clpac_status tool_subjects_read(tool_call *call, tool_subjects *subjects, clpac_error *err)
{
	const size_t n = subjects->n;
	call->direction = TOOL_INPUT;
	if (!(subjects->whole = clpac__alloc_array(n, sizeof *subjects->whole)) ||
	    !(subjects->compared = clpac__alloc_array(n, sizeof *subjects->compared)))
		RETURN_NO_MEMORY(n * sizeof *subjects->compared);
	RETURN_IF_ERROR(check_paths(subjects, err));
	for (size_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(clpac_result_read_npz(subjects->paths[i], &subjects->whole[i], err));
		RETURN_IF_ERROR(choose_measure(subjects->whole[i], subjects->paths[i], call->values.analysis.measure,
					       &subjects->compared[i], err));
	}
	return CLPAC_OK;
}

void tool_subjects_clear(tool_subjects *subjects)
{
	for (size_t i = 0; subjects->whole && i < subjects->n; i++)
		clpac_result_destroy(subjects->whole[i]);
	clpac__free(subjects->whole);
	clpac__free(subjects->compared);
	clpac__free(subjects->names);
	clpac__free(subjects->channels);
}
