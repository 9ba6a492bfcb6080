/* Clusters of cells, in a batch on a device and in a whole result on the host. */
#include "coupling/passes/clusters.h"

#include <math.h>
#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/layout/launch.h"
#include "coupling/problem/problem.h"
#include "shared/clusters.h"
#include "coupling/signal/clusters.h"

/* Which cells of a complete problem's map are neighbours: (n_phase_bands, n_amplitude_bands), as links of the kernel.
 */
static void cluster_links(const clpac_problem *problem, uint32_t *links)
{
	for (size_t ph = 0; ph < problem->n_phase_bands; ph++)
		for (size_t am = 0; am < problem->n_amplitude_bands; am++) {
			uint32_t *link = links + ph * problem->n_amplitude_bands + am;
			clpac_band band, before;
			*link = 0;
			clpac__problem_cell_band(problem, ph, am, &band);
			if (am) {
				clpac__problem_cell_band(problem, ph, am - 1, &before);
				*link |= clpac__bands_adjoin(before, band) ? CLPAC_LINK_LEFT : 0;
			}
			if (ph && clpac__bands_adjoin(problem->phase_bands[ph - 1], problem->phase_bands[ph]))
				*link |= CLPAC_LINK_UP;
		}
}

clpac_status clpac__clusters_write_links(const clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t bytes = plan->layout.bytes[CLPAC__TENSOR_LINKS];
	uint32_t *links = NULL;
	if (!plan->layout.has_clusters)
		goto done;
	TRY(NEW_BYTES(links, bytes));
	cluster_links(plan->problem, links);
	TRY(clpac_buffer_write(plan->tensors[CLPAC__TENSOR_LINKS], 0, bytes, links, err));
done:
	clpac__free(links);
	return st;
}

static clpac_status label(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t first_shift, size_t n_shifts,
			  enum clpac__tensor indices, enum clpac__tensor words, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	if ((uint64_t)l->n_phase * n_shifts * l->padded >= CLPAC_TIED)
		RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
			     "clusters of %zu x %zu cells in %zu surrogates at once: give the strategy chunked or auto",
			     l->n_phase, l->n_amplitude, n_shifts);
	return LAUNCH(plan->context, surrogate_clusters, 0, ITEMS(n_shifts, n, 1), .indices = BLOCK(tensor[indices]),
		      .bounds = BLOCK(tensor[CLPAC__TENSOR_BOUNDS]), .links = BLOCK(tensor[CLPAC__TENSOR_LINKS]),
		      .shifts = BLOCK(tensor[CLPAC__TENSOR_SHIFTS]), .words = BLOCK(tensor[words]),
		      .maxima = BLOCK(tensor[CLPAC__TENSOR_HEAVIEST]), .padded = NUMBER(l->padded),
		      .n_shifts = NUMBER(n_shifts), .first_shift = NUMBER(first_shift),
		      .n_surrogates = NUMBER(l->n_surrogates), .n_phase = NUMBER(l->n_phase),
		      .n_amplitude = NUMBER(l->n_amplitude));
}

clpac_status clpac__clusters_of_maps(const clpac_plan *plan, clpac__batch *batch, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	clpac_buffer *const *tensor = batch->tensors;
	RETURN_IF_ERROR(LAUNCH(
		plan->context, cluster_bounds, 0, ITEMS(l->padded, n * l->n_phase, 1),
		.observed = BLOCK(tensor[CLPAC__TENSOR_OBSERVED]), .moments = BLOCK(tensor[CLPAC__TENSOR_MOMENTS]),
		.valid = BLOCK(tensor[CLPAC__TENSOR_VALID]), .bounds = BLOCK(tensor[CLPAC__TENSOR_BOUNDS]),
		.padded = NUMBER(l->padded), .n_surrogates = NUMBER(l->n_surrogates), .n_phase = NUMBER(l->n_phase),
		.deviate = REAL(clpac__upper_deviate(plan->problem->cluster_alpha))));
	return label(plan, batch, n, 0, 1, CLPAC__TENSOR_OBSERVED, CLPAC__TENSOR_CLUSTERS, err);
}

clpac_status clpac__clusters_of_surrogates(const clpac_plan *plan, clpac__batch *batch, size_t n, size_t k,
					   size_t n_shifts, clpac_error *err)
{
	return label(plan, batch, n, 1 + k, n_shifts, CLPAC__TENSOR_CHUNK, CLPAC__TENSOR_CHUNK, err);
}

/* Whether a cell counts: cells of a map come again in each series. */
static bool counts(const clpac_result *result, size_t cell)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	return clpac_result_valid(result)[cell % (shape->n_phase_bands * shape->n_amplitude_bands)];
}

/* The mass of a cell's cluster; a cell without standardized statistics, or one that does not count, belongs to none,
 * and has no mass either. */
static float mass_of(const clpac_result *result, size_t cell, const uint32_t *words, size_t place)
{
	const float mi = clpac_result_array(result, CLPAC_MI, NULL)[cell];
	const float std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[cell];
	return isnan(mi) || !(std > 0) || !counts(result, cell) ? NAN : clpac__cluster_mass(words, place);
}

/* Whether no cell of a map has standardized statistics: nothing is its heaviest cluster then. */
static bool has_no_masses(const float *masses, size_t n)
{
	for (size_t cell = 0; cell < n; cell++)
		if (!isnan(masses[cell]))
			return false;
	return true;
}

clpac_status clpac__store_clusters(const clpac_plan *plan, clpac__batch *batch, clpac__run *run, clpac_measure measure,
				   size_t first, size_t n, clpac_error *err)
{
	const clpac__layout *l = &plan->layout;
	const size_t cells = l->n_phase * l->n_amplitude, K = l->n_surrogates, words_each = l->n_phase * l->padded;
	const clpac_result *result = clpac_result_of(run->result, measure);
	float *mass = clpac_result_array(result, CLPAC_CLUSTER_MASS, NULL);
	float *maxima = clpac_result_array(result, CLPAC_CLUSTER_MAXIMA, NULL);
	if (!l->has_clusters)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac_buffer_read(batch->tensors[CLPAC__TENSOR_CLUSTERS], 0,
					  n * words_each * sizeof *batch->rows, batch->rows, err));
	for (size_t i = 0; i < n; i++) {
		const uint32_t *words = (const uint32_t *)batch->rows + i * words_each;
		for (size_t cell = 0; cell < cells; cell++)
			mass[(first + i) * cells + cell] =
				mass_of(result, (first + i) * cells + cell, words,
					cell / l->n_amplitude * l->padded + cell % l->n_amplitude);
	}
	RETURN_IF_ERROR(clpac_buffer_read(batch->tensors[CLPAC__TENSOR_HEAVIEST], 0, n * (K + 1) * sizeof *batch->rows,
					  batch->rows, err));
	for (size_t i = 0; i < n; i++) {
		const bool is_empty = has_no_masses(mass + (first + i) * cells, cells);
		for (size_t k = 0; k < K; k++)
			maxima[(first + i) * K + k] = is_empty ? NAN : batch->rows[i * (K + 1) + 1 + k];
	}
	return CLPAC_OK;
}

/* --- On the host ------------------------------------------------------------------------------- */

/* The bounds of a map's cells, as those of the kernel. */
typedef struct bound {
	double mean, deviation, limit; /* limit NAN: the cell has no standardized statistics */
} bound;

static bound bound_of(const clpac_result *result, size_t cell, const clpac_problem *problem, double deviate)
{
	const double all = (double)problem->n_surrogates + 1;
	const double mi = clpac_result_array(result, CLPAC_MI, NULL)[cell];
	const double mean = clpac_result_array(result, CLPAC_SURROGATE_MEAN, NULL)[cell];
	const double std = clpac_result_array(result, CLPAC_SURROGATE_STD, NULL)[cell];
	const double from_mean = mi - mean;
	const double squares = std * std * (all - 1 - problem->ddof) + from_mean * from_mean * (1 - 1 / all);
	bound made = {.mean = mean + from_mean / all, .deviation = sqrt(squares / all), .limit = NAN};
	if (std > 0 && !isnan(mi) && counts(result, cell))
		made.limit = clpac__cluster_limit(made.mean, made.deviation, deviate);
	return made;
}

static void standardize(const bound *bounds, const float *indices, size_t n, float *standardized)
{
	for (size_t cell = 0; cell < n; cell++) {
		const double statistic = (indices[cell] - bounds[cell].mean) / bounds[cell].deviation;
		standardized[cell] = statistic > bounds[cell].limit ? (float)statistic : 0;
	}
}

clpac_status clpac__clusters_of_result(const clpac_problem *problem, clpac_result *result, const float *surrogates,
				       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_phase = problem->n_phase_bands, n_amplitude = problem->n_amplitude_bands;
	const size_t cells = n_phase * n_amplitude, K = problem->n_surrogates;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	float *mass = clpac_result_array(result, CLPAC_CLUSTER_MASS, NULL);
	float *maxima = clpac_result_array(result, CLPAC_CLUSTER_MAXIMA, NULL);
	const double deviate = clpac__upper_deviate(problem->cluster_alpha);
	uint32_t *links = clpac__alloc_array(cells, sizeof *links), *words = clpac__alloc_array(cells, sizeof *words);
	float *standardized = clpac__alloc_array(cells, sizeof *standardized);
	bound *bounds = clpac__alloc_array(cells, sizeof *bounds);
	if (!links || !words || !standardized || !bounds)
		FAIL_NO_MEMORY(cells * sizeof *bounds);
	cluster_links(problem, links);
	for (size_t series = 0; series < clpac__problem_rows(problem) * problem->n_segments; series++) {
		for (size_t cell = 0; cell < cells; cell++)
			bounds[cell] = bound_of(result, series * cells + cell, problem, deviate);
		standardize(bounds, mi + series * cells, cells, standardized);
		clpac__label_clusters(standardized, links, n_phase, n_amplitude, words);
		for (size_t cell = 0; cell < cells; cell++)
			mass[series * cells + cell] = mass_of(result, series * cells + cell, words, cell);
		for (size_t k = 0; k < K && !has_no_masses(mass + series * cells, cells); k++) {
			standardize(bounds, surrogates + (series * K + k) * cells, cells, standardized);
			maxima[series * K + k] =
				clpac__label_clusters(standardized, links, n_phase, n_amplitude, words);
		}
	}
done:
	FREE_ALL(links, words, standardized, bounds);
	return st;
}
