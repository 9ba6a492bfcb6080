#include "analysis/room.h"

#include <stdio.h>
#include <string.h>
#include <clpac/memory/device.h>
#include <clpac/memory/options.h>

/* The memory that is free here; 0 where the system does not tell. */
static clpac_status find_free(double *bytes, clpac_error *err)
{
	const clpac_options native = {.device = "native"};
	clpac_device_list *list = NULL;
	*bytes = 0;
	RETURN_IF_ERROR(clpac_devices_find_for(&native, &list, err));
	for (size_t i = 0; i < clpac_devices_count(list); i++)
		if (strcmp(clpac_devices_get(list, i)->backend, "native") == 0)
			*bytes = (double)clpac_devices_get(list, i)->free_bytes;
	clpac_devices_destroy(list);
	return CLPAC_OK;
}

clpac_status clpac__room_check(double bytes, const char *what, const char *remedy, clpac_error *err)
{
	/* The system is not asked for what has room everywhere. */
	static const double always = 64.0 * (1 << 20);
	double free_bytes;
	if (bytes <= always)
		return CLPAC_OK;
	RETURN_IF_ERROR(find_free(&free_bytes, err));
	if (free_bytes > 0 && bytes > free_bytes)
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "%s would take %.4g MiB of this computer's memory, of which %.4g MiB are free: %s", what,
			     bytes / (1 << 20), free_bytes / (1 << 20), remedy);
	return CLPAC_OK;
}

clpac_status clpac__room_check_result(const clpac_problem *problem, size_t n_rows, double n_segments, clpac_error *err)
{
	const double n_cells = (double)problem->n_phase_bands * (double)problem->n_amplitude_bands;
	const double n_series = (double)n_rows * n_segments, n_surrogates = (double)problem->n_surrogates;
	const double n_measures = problem->n_measures ? (double)problem->n_measures : 1;
	/* Of each cell at least the index; with surrogates z, p, p_max, mean and deviation; of each surrogate a
	 * maximum. */
	const double of_cells = n_cells * (n_surrogates > 0 ? 6 : 1) * n_measures;
	const double of_surrogates = n_surrogates * (problem->keep_surrogates ? 1 + n_cells : 1) * n_measures;
	char what[160];
	snprintf(what, sizeof what, "%zu channels or pairs in %.0f segments, with %zu x %zu bands", n_rows, n_segments,
		 problem->n_phase_bands, problem->n_amplitude_bands);
	RETURN_IF_ERROR(clpac__room_check(n_series * of_cells * sizeof(float), what,
					  "give fewer bands (--phase, --amplitude), channels or segments", err));
	snprintf(what, sizeof what, "--surrogates %zu%s, for %zu channels or pairs in %.0f segments",
		 problem->n_surrogates, problem->keep_surrogates ? " --keep-surrogates" : "", n_rows, n_segments);
	return clpac__room_check(n_series * (of_cells + of_surrogates) * sizeof(float), what,
				 problem->keep_surrogates ? "give fewer, or leave out --keep-surrogates" : "give fewer",
				 err);
}

double clpac__room_of_surrogates(const clpac_problem *problem, size_t n_rows, double n_segments)
{
	const double n_cells = (double)problem->n_phase_bands * (double)problem->n_amplitude_bands;
	const double n_measures = problem->n_measures ? (double)problem->n_measures : 1;
	return (double)n_rows * n_segments * n_cells * n_measures * (double)problem->n_surrogates * sizeof(float);
}

clpac_status clpac__room_check_permutations(uint64_t n_permutations, double n_maps, double n_cells, size_t n_permuted,
					    clpac_error *err)
{
	/* Of each permutation and map two maxima in the result, and the highest while they are counted; of each value
	 * itself, and as it is scaled. */
	const double of_maxima = (double)n_permutations * n_maps * (2 * sizeof(float) + sizeof(double));
	const double of_values = 2 * n_maps * n_cells * (double)n_permuted * sizeof(double);
	char what[160];
	snprintf(what, sizeof what, "--permutations %llu, for %.0f maps of %.0f cells and %zu epochs or subjects",
		 (unsigned long long)n_permutations, n_maps, n_cells, n_permuted);
	return clpac__room_check(of_maxima + of_values, what, "give fewer", err);
}
