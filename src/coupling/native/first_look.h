/* A first look at the bins that single precision could not decide, in double precision: it decides nearly all of them,
 * at a tenth of the cost of the sum in integers (cl/settle_bins.cl), and never otherwise than that sum.  OpenCL devices
 * need not have double precision, and take the integers at once. */
#ifndef CLPAC_COUPLING_NATIVE_FIRST_LOOK_H
#define CLPAC_COUPLING_NATIVE_FIRST_LOOK_H

#include <float.h>
#include <string.h>

#include "coupling/native/opencl_c.h"

enum { LOOK_WIDTH = 8 };

typedef double look_doubles __attribute__((vector_size(8 * LOOK_WIDTH)));
typedef int64_t look_longs __attribute__((vector_size(8 * LOOK_WIDTH)));
typedef float look_floats __attribute__((vector_size(4 * LOOK_WIDTH)));

#ifdef __clang__
#define LOOK_BACKWARDS(v) __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define LOOK_EVENS(v, w) __builtin_shufflevector(v, w, 0, 2, 4, 6, 8, 10, 12, 14)
#define LOOK_ODDS(v, w) __builtin_shufflevector(v, w, 1, 3, 5, 7, 9, 11, 13, 15)
#else
#define LOOK_BACKWARDS(v) __builtin_shuffle(v, (iv8){7, 6, 5, 4, 3, 2, 1, 0})
#define LOOK_EVENS(v, w) __builtin_shuffle(v, w, (look_longs){0, 2, 4, 6, 8, 10, 12, 14})
#define LOOK_ODDS(v, w) __builtin_shuffle(v, w, (look_longs){1, 3, 5, 7, 9, 11, 13, 15})
typedef int32_t iv8 __attribute__((vector_size(4 * LOOK_WIDTH)));
#endif

static inline look_doubles look_sizes(look_doubles v)
{
	return (look_doubles)((look_longs)v & INT64_MAX);
}

static inline double look_sum(look_doubles v)
{
	double sum = 0;
	for (int lane = 0; lane < LOOK_WIDTH; lane++)
		sum += v[lane];
	return sum;
}

/* Sample i of a series, or of its odd reflection on either side. */
static inline double look_at_sample(const float *x, int i, int last)
{
	return i < 0 ? 2.0 * x[0] - x[-i] : i > last ? 2.0 * x[last] - x[2 * last - i] : x[i];
}

/* A filtered value, and a bound of the difference of its parts from those of the sum in integers. */
typedef struct looked_value {
	double re, im, error;
} looked_value;

/* The arguments are those of `filtered` in cl/settle_bins.cl.
 *
 * The error: each product passes one addition of samples, one multiplication, and the additions of its lane, of all
 * lanes and of the middle sample, each of which rounds by 2^-53 at most.  The sum in integers itself leaves out what
 * samples have below 2^-46, at most six times for a tap, which is below 2^62. */
static inline looked_value look_at(const float *x, int here, int last, const i64 *tap, int order)
{
	const int from_ends = here < last - here ? here : last - here, inner = order < from_ends ? order : from_ends;
	look_doubles re = {0}, im = {0}, size = {0};
	for (int from = 1; from <= order; from += LOOK_WIDTH) {
		look_doubles before = {0}, after = {0}, real, imaginary;
		look_longs low = {0}, high = {0};
		if (from + LOOK_WIDTH - 1 <= inner) {
			look_floats b, a;
			memcpy(&b, x + here - from - (LOOK_WIDTH - 1), sizeof b);
			memcpy(&a, x + here + from, sizeof a);
			before = __builtin_convertvector(LOOK_BACKWARDS(b), look_doubles);
			after = __builtin_convertvector(a, look_doubles);
		} else {
			for (int k = from; k < from + LOOK_WIDTH && k <= order; k++) {
				before[k - from] = look_at_sample(x, here - k, last);
				after[k - from] = look_at_sample(x, here + k, last);
			}
		}
		if (from + LOOK_WIDTH - 1 <= order) {
			memcpy(&low, tap + 2 * from, sizeof low);
			memcpy(&high, tap + 2 * (from + LOOK_WIDTH / 2), sizeof high);
		} else {
			i64 rest[2 * LOOK_WIDTH] = {0};
			memcpy(rest, tap + 2 * from, 2 * sizeof *rest * (size_t)(order - from + 1));
			memcpy(&low, rest, sizeof low);
			memcpy(&high, rest + LOOK_WIDTH, sizeof high);
		}
		real = __builtin_convertvector(LOOK_EVENS(low, high), look_doubles);
		imaginary = __builtin_convertvector(LOOK_ODDS(low, high), look_doubles);
		real *= before + after;
		imaginary *= before - after;
		re += real;
		im += imaginary;
		size += look_sizes(real) + look_sizes(imaginary);
	}
	const double middle = (double)x[here] * (double)tap[0], sizes = look_sum(size) + fabs(middle);
	const double roundings = order / LOOK_WIDTH + LOOK_WIDTH + 8, cut_off = 6 * 0x1p62 * 0x1p-46 * (order + 1.0);
	return (looked_value){look_sum(re) + middle, look_sum(im),
			      /* Twice, for the roundings of the bound itself. */
			      2 * (roundings * DBL_EPSILON * sizes + cut_off)};
}

/* The bin of a value, or -1 if its error may decide it; directions as in cl/settle_bins.cl. */
static inline int look_up_bin(const i64 *directions, looked_value z, int n_bins)
{
	const float turns = phase_turns((float)z.re, (float)z.im);
	const int edge = (int)((turns + 0.5f) * (float)n_bins + 0.5f);
	if (edge == 0 || edge == n_bins) /* the half line at -pi and pi, which belongs to the last bin */
		return fabs(z.im) <= z.error ? -1 : z.im < 0 ? 0 : n_bins - 1;
	/* The sine of the angle to the nearest edge, times the magnitude; directions have 62 bits behind the point. */
	const double along = z.im * ((double)directions[2 * edge] * 0x1p-62),
		     across = z.re * ((double)directions[2 * edge + 1] * 0x1p-62), sine = along - across;
	if (fabs(sine) <= 2 * z.error + 4 * DBL_EPSILON * (fabs(along) + fabs(across)))
		return -1;
	return sine > 0 ? edge : edge - 1;
}

#define FIRST_LOOK(x, here, last, tap, order, directions, n_bins)                                                      \
	look_up_bin(directions, look_at(x, here, last, tap, order), n_bins)

#endif
