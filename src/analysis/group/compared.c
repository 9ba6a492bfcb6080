#include "analysis/group/compared.h"

#include <string.h>
#include "analysis/room.h"
#include "base/memory.h"

clpac_status clpac__compared_check(const clpac__analysis_settings *settings, clpac_error *err)
{
	if (clpac__analysis_is_given(settings, "permutations") && settings->permutations < 2)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--permutations %llu: give 2 or more",
			     (unsigned long long)settings->permutations);
	if (settings->permutations >= UINT32_MAX)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--permutations %llu: give 2 to %lu",
			     (unsigned long long)settings->permutations, (unsigned long)UINT32_MAX - 1);
	if (clpac__analysis_is_given(settings, "clusters") &&
	    !(settings->cluster_share > 0 && settings->cluster_share <= 0.25))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--clusters %g: give a share above 0 and at most 0.25",
			     settings->cluster_share);
	return CLPAC_OK;
}

clpac_status clpac__compared_room(const clpac__analysis_settings *settings, clpac_design design, size_t n_first,
				  size_t n_second, double n_maps, double n_cells, clpac_error *err)
{
	bool is_exact;
	const uint64_t n = clpac_group_permutations(design, n_first, n_second, settings->permutations, &is_exact);
	return clpac__room_check_permutations(n, n_maps, n_cells, n_first + n_second, err);
}

uint64_t clpac__compared_seed(const clpac__analysis_settings *settings)
{
	return clpac__analysis_is_given(settings, "seed") ? settings->seed : CLPAC__COMPARISON_SEED;
}

clpac_status clpac__compared_measure(const clpac_result *result, const char *path, const char *name,
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

clpac_status clpac__compared_names(const char *list, char **text, const char ***names, size_t *n, clpac_error *err)
{
	size_t most = 1;
	*n = 0;
	if (!list)
		return CLPAC_OK;
	for (const char *c = list; *c; c++)
		most += *c == ',';
	RETURN_IF_ERROR(NEW_COPY(*text, list));
	RETURN_IF_ERROR(NEW_ARRAY(*names, most));
	for (char *name = *text, *next; name; name = next) {
		next = strchr(name, ',');
		if (next)
			*next++ = 0;
		(*names)[(*n)++] = name;
	}
	return CLPAC_OK;
}

clpac_status clpac__compared_end(const clpac__analysis_settings *settings, const clpac_result *made, const char *what,
				 clpac_error *err)
{
	const clpac_warning *warnings = clpac_result_report(made)->warnings;
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (warnings[k].count)
			clpac__analysis_warn(settings, 1, "%s", warnings[k].text);
	if (!clpac_result_peak(made, SIZE_MAX).found)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s, so nothing is written: %s", what,
			     warnings[CLPAC_WARN_MISSING].text);
	return CLPAC_OK;
}
