/* Filters and bin edges in integers. */
#include "coupling/passes/exact.h"

#include <math.h>
#include <clpac/memory/buffer.h>

#include "base/memory.h"

enum {
	SUM_BITS = 126, /* of a sum of products, without its sign: cl/settle_bins.cl */
	SAMPLE_BITS =
		50, /* of the sum or difference of two reflected samples, each below 6 with 46 bits behind the point */
	MOST_TAP_BITS = 62,
};

/* Bits of the largest tap with which order + 1 products cannot overflow. */
static int tap_bits(size_t order)
{
	int bits = SUM_BITS - SAMPLE_BITS;
	for (size_t most = 1; most < order + 1; most *= 2)
		bits--;
	return bits < MOST_TAP_BITS ? bits : MOST_TAP_BITS;
}

/* Only the direction of the sum matters, so every band has a scale of its own. */
static void write_taps(const clpac__filter *filter, int64_t *out)
{
	double largest = 0;
	int exponent;
	for (size_t k = 0; k < filter->n_taps; k++)
		largest = fmax(largest, fmax(fabs(filter->even[k]), fabs(filter->odd[k])));
	frexp(largest, &exponent);
	const int up = tap_bits(filter->n_taps - 1) - exponent;
	for (size_t k = 0; k < filter->n_taps; k++) {
		out[2 * k] = llrint(ldexp(filter->even[k], up));
		out[2 * k + 1] = llrint(ldexp(filter->odd[k], up));
	}
}

/* The sine of part/whole of a right angle, 0 <= part <= whole; exact at both ends, and one number at both sides of the
 * middle, so that mirrored edges have mirrored directions. */
static double sine_of_part(unsigned part, unsigned whole)
{
	const double right_angle = 1.57079632679489661923;
	if (2 * part == whole)
		return sqrt(0.5);
	return 2 * part < whole ? sin(right_angle * part / whole) : cos(right_angle * (whole - part) / whole);
}

/* The edge at e/n_bins of a turn behind -pi. */
static void write_direction(unsigned e, unsigned n_bins, int64_t out[2])
{
	/* Quarters of the turn, and what is left of the angle in 4 n_bins-ths of it. */
	const unsigned quarter = 4 * e / n_bins % 4, part = 4 * e % n_bins;
	const double along = ldexp(sine_of_part(n_bins - part, n_bins), 62),
		     across = ldexp(sine_of_part(part, n_bins), 62);
	/* From -pi on: (-1, 0), (0, -1), (1, 0), (0, 1). */
	const double cosine = quarter == 0 ? -along : quarter == 1 ? across : quarter == 2 ? along : -across;
	const double sine = quarter == 0 ? -across : quarter == 1 ? -along : quarter == 2 ? across : along;
	out[0] = llrint(cosine);
	out[1] = llrint(sine);
}

clpac_status clpac__exact_write(const clpac__layout *layout, clpac_buffer *const tensors[CLPAC__TENSOR_COUNT],
				const clpac__filter *filters, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	int64_t directions[2 * (CLPAC_MAX_BINS + 1)], *taps = NULL;
	uint32_t *orders = NULL;
	const size_t each = 2 * layout->tap_stride;
	if (!each)
		goto done;
	TRY(NEW_ARRAY(taps, each));
	TRY(NEW_ARRAY(orders, layout->n_phase));
	for (size_t band = 0; band < layout->n_phase; band++) {
		const size_t bytes = 2 * filters[band].n_taps * sizeof *taps;
		orders[band] = (uint32_t)(filters[band].n_taps - 1);
		write_taps(&filters[band], taps);
		TRY(clpac_buffer_write(tensors[CLPAC__TENSOR_TAPS], band * each * sizeof *taps, bytes, taps, err));
	}
	for (unsigned e = 0; e <= layout->n_bins; e++)
		write_direction(e, (unsigned)layout->n_bins, directions + 2 * e);
	TRY(clpac_buffer_write(tensors[CLPAC__TENSOR_DIRECTIONS], 0, 2 * (layout->n_bins + 1) * sizeof *directions,
			       directions, err));
	TRY(clpac_buffer_write(tensors[CLPAC__TENSOR_ORDERS], 0, layout->n_phase * sizeof *orders, orders, err));
done:
	FREE_ALL(taps, orders);
	return st;
}
