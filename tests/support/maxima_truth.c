/* Maxima by their definition. */
#include "maxima_truth.h"
#include "test_thread.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Mean and deviation of a cell's index and all its surrogates, and by how much a standing may differ: Welford's
 * recurrence in single precision rounds mean and squares four times a step.  Cells whose deviation is rounding have no
 * certain standings. */
typedef struct scale {
	double mean, deviation, error;
	bool is_one_value; /* all surrogates are equal, or the cell is not valid: nothing has a standing */
} scale;

static scale scale_of(const float *mi, const float *surrogates, size_t n_cells, size_t n_surrogates, size_t cell)
{
	scale s = {0};
	double largest = fabs((double)mi[cell]), squares = 0;
	s.mean = mi[cell];
	s.is_one_value = true;
	for (size_t k = 0; k < n_surrogates; k++) {
		s.is_one_value &= surrogates[k * n_cells + cell] == surrogates[cell];
		s.mean += surrogates[k * n_cells + cell];
		largest = fmax(largest, surrogates[k * n_cells + cell]);
	}
	s.mean /= (double)n_surrogates + 1;
	for (size_t k = 0; k <= n_surrogates; k++) {
		const double value = k ? surrogates[(k - 1) * n_cells + cell] : mi[cell];
		squares += (value - s.mean) * (value - s.mean);
	}
	s.deviation = sqrt(squares / ((double)n_surrogates + 1));
	s.error = 4 * (double)n_surrogates * 0x1p-24 * largest / s.deviation;
	return s;
}

void check_maxima(const float *mi, const float *surrogates, const uint8_t *valid, size_t n_cells, size_t n_surrogates,
		  const float *maxima, const float *p_max, const char *label)
{
	scale *scales = malloc(n_cells * sizeof *scales);
	double error = 0;
	bool is_certain = true;
	ck_assert_ptr_nonnull(scales);
	for (size_t cell = 0; cell < n_cells; cell++) {
		scales[cell] = scale_of(mi, surrogates, n_cells, n_surrogates, cell);
		scales[cell].is_one_value |= isnan(mi[cell]) || !valid[cell];
		if (scales[cell].is_one_value) {
			ck_assert_msg(isnan(p_max[cell]), "%s: p_max of a cell without standing is %g", label,
				      p_max[cell]);
			continue;
		}
		is_certain &= scales[cell].error < 0.05;
		error = fmax(error, scales[cell].error);
	}
	for (size_t k = 0; is_certain && k < n_surrogates; k++) {
		double highest = -INFINITY;
		for (size_t cell = 0; cell < n_cells; cell++)
			if (!scales[cell].is_one_value)
				highest = fmax(highest, (surrogates[k * n_cells + cell] - scales[cell].mean) /
								scales[cell].deviation);
		if (isinf(highest))
			ck_assert_msg(isnan(maxima[k]), "%s: a map without cells has a maximum", label);
		else
			ck_assert_msg(fabs(maxima[k] - highest) <= error * (1 + fabs(highest)),
				      "%s: the maximum of surrogate %zu is %.9g and not %.9g (error %.2g)", label, k,
				      maxima[k], highest, error);
	}
	for (size_t cell = 0; is_certain && cell < n_cells; cell++) {
		const double standing = (mi[cell] - scales[cell].mean) / scales[cell].deviation;
		const double slack = 2 * error * (1 + fabs(standing)) + 2e-6 * fmax(fabs(standing), 1);
		size_t fewest = 1, most = 1;
		if (scales[cell].is_one_value)
			continue;
		for (size_t k = 0; k < n_surrogates; k++) {
			fewest += maxima[k] >= standing + slack;
			most += maxima[k] >= standing - slack;
		}
		const double rank = p_max[cell] * ((double)n_surrogates + 1);
		ck_assert_msg(rank > (double)fewest - 0.5 && rank < (double)most + 0.5,
			      "%s: p_max of cell %zu is %.9g, %zu to %zu of %zu maxima reach it", label, cell,
			      p_max[cell], fewest - 1, most - 1, n_surrogates);
	}
	free(scales);
}
