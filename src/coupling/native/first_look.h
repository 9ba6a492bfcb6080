/* A first look at the bins that single precision could not decide, in double precision: it decides nearly all of them,
 * at a tenth of the cost of the sum in integers (cl/settle_bins.cl), and never otherwise than that sum.  OpenCL devices
 * need not have double precision, and take the integers at once. */
#ifndef CLPAC_COUPLING_NATIVE_FIRST_LOOK_H
#define CLPAC_COUPLING_NATIVE_FIRST_LOOK_H

#include <float.h>
#include <string.h>

#include "coupling/native/opencl_c.h"

#ifdef __AVX__
#include <immintrin.h>
#endif

/* Taps of a vector, and vectors whose products are added up by themselves before they are added to the others. */
enum { LOOK_WIDTH = VW == 16 ? 8 : 4, LOOK_BLOCK = 64 };

typedef double look_doubles __attribute__((vector_size(8 * LOOK_WIDTH)));
typedef int64_t look_longs __attribute__((vector_size(8 * LOOK_WIDTH)));
typedef float look_floats __attribute__((vector_size(4 * LOOK_WIDTH)));

#ifdef __clang__
#define LOOK_SHUFFLE(type, v, w, ...) __builtin_shufflevector(v, w, __VA_ARGS__)
#else
#define LOOK_SHUFFLE(type, v, w, ...) __builtin_shuffle(v, w, (type){__VA_ARGS__})
#endif
#if VW == 16
#define LOOK_BACKWARDS(v) LOOK_SHUFFLE(look_ints, v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define LOOK_EVENS(v, w) LOOK_SHUFFLE(look_longs, v, w, 0, 2, 4, 6, 8, 10, 12, 14)
#define LOOK_ODDS(v, w) LOOK_SHUFFLE(look_longs, v, w, 1, 3, 5, 7, 9, 11, 13, 15)
#else
#define LOOK_BACKWARDS(v) LOOK_SHUFFLE(look_ints, v, v, 3, 2, 1, 0)
#define LOOK_EVENS(v, w) LOOK_SHUFFLE(look_longs, v, w, 0, 2, 4, 6)
#define LOOK_ODDS(v, w) LOOK_SHUFFLE(look_longs, v, w, 1, 3, 5, 7)
#endif
typedef int32_t look_ints __attribute__((vector_size(4 * LOOK_WIDTH)));

/* GCC 12 makes two halves of it and puts them together again. */
static inline look_doubles look_widened(look_floats v)
{
#if VW == 16 && defined(__AVX512F__)
	return (look_doubles)_mm512_cvtps_pd((__m256)v);
#elif VW != 16 && defined(__AVX__)
	return (look_doubles)_mm256_cvtps_pd((__m128)v);
#else
	return __builtin_convertvector(v, look_doubles);
#endif
}

/* Integers as doubles, rounded once.  Without an instruction for it the halves of each, of which the upper one has a
 * bias, become the digits of 2^84 + upper half 2^32 and of 2^52 + lower half. */
static inline look_doubles look_rounded(look_longs v)
{
#ifdef __AVX512DQ__
	return __builtin_convertvector(v, look_doubles);
#else
	typedef uint64_t words __attribute__((vector_size(8 * LOOK_WIDTH)));
	const words biased = (words)v ^ 0x8000000000000000u;
	const look_doubles high = (look_doubles)(biased >> 32 | 0x4530000000000000u);
	const look_doubles low = (look_doubles)((biased & 0xffffffffu) | 0x4330000000000000u);
	return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
#endif
}

static inline double look_sum(look_doubles v)
{
	double sum = 0;
	for (int lane = 0; lane < LOOK_WIDTH; lane++)
		sum += v[lane];
	return sum;
}

static inline look_doubles look_forwards(const float *x)
{
	look_floats v;
	memcpy(&v, x, sizeof v);
	return look_widened(v);
}

static inline look_doubles look_backwards(const float *x)
{
	look_floats v;
	memcpy(&v, x - (LOOK_WIDTH - 1), sizeof v);
	return look_widened(LOOK_BACKWARDS(v));
}

/* Sample i of a series, or of its odd reflection on either side. */
static inline double look_at_sample(const float *x, int i, int last)
{
	return i < 0 ? 2.0 * x[0] - x[-i] : i > last ? 2.0 * x[last] - x[2 * last - i] : x[i];
}

/* Samples i, i - 1, ... */
static inline look_doubles look_before(const float *x, int i, int last)
{
	look_doubles v;
	if (i >= LOOK_WIDTH - 1)
		return look_backwards(x + i);
	if (i < 0)
		return 2.0 * x[0] - look_forwards(x - i);
	for (int lane = 0; lane < LOOK_WIDTH; lane++)
		v[lane] = look_at_sample(x, i - lane, last);
	return v;
}

/* Samples i, i + 1, ... */
static inline look_doubles look_behind(const float *x, int i, int last)
{
	look_doubles v;
	if (i + LOOK_WIDTH - 1 <= last)
		return look_forwards(x + i);
	if (i > last)
		return 2.0 * x[last] - look_backwards(x + 2 * last - i);
	for (int lane = 0; lane < LOOK_WIDTH; lane++)
		v[lane] = look_at_sample(x, i + lane, last);
	return v;
}

/* A filtered value, and a bound of the difference of its parts from those of the sum in integers. */
typedef struct looked_value {
	double re, im, error;
} looked_value;

/* The arguments are those of `filtered` in cl/settle_bins.cl.
 *
 * The error: each product passes the rounding of its tap, a reflection, the addition of samples, the multiplication,
 * and the additions of its lane in a block, of all blocks, of all lanes, and of the middle sample and the rest, each of
 * which rounds by 2^-53 at most.  A tap is below 2^62, and the sum or difference of two samples below 12; magnitudes of
 * all products add up to 2^80 at most, as those of integers do to 2^126 (src/coupling/passes/exact.c), which have 46
 * bits of the samples behind the point.  The sum in integers itself leaves out what samples have below 2^-46, at most
 * six times for a tap. */
static inline looked_value look_at(const float *x, int here, int last, const i64 *tap, int order)
{
	look_doubles re = {0}, im = {0};
	const int whole = order / LOOK_WIDTH * LOOK_WIDTH;
	double re_rest = (double)x[here] * (double)tap[0], im_rest = 0;
	for (int block = 1; block <= whole; block += LOOK_BLOCK * LOOK_WIDTH) {
		look_doubles re_block = {0}, im_block = {0};
		const int left = whole + 1 - block, n = left < LOOK_BLOCK * LOOK_WIDTH ? left : LOOK_BLOCK * LOOK_WIDTH;
		for (int k = block; k < block + n; k += LOOK_WIDTH) {
			const look_doubles before = look_before(x, here - k, last),
					   behind = look_behind(x, here + k, last);
			look_longs low, high;
			memcpy(&low, tap + 2 * k, sizeof low);
			memcpy(&high, tap + 2 * k + LOOK_WIDTH, sizeof high);
			re_block += look_rounded(LOOK_EVENS(low, high)) * (before + behind);
			im_block += look_rounded(LOOK_ODDS(low, high)) * (before - behind);
		}
		re += re_block;
		im += im_block;
	}
	for (int k = whole + 1; k <= order; k++) {
		const double before = look_at_sample(x, here - k, last), behind = look_at_sample(x, here + k, last);
		re_rest += (double)tap[2 * k] * (before + behind);
		im_rest += (double)tap[2 * k + 1] * (before - behind);
	}
	const double n_roundings = LOOK_BLOCK + order / (LOOK_BLOCK * LOOK_WIDTH) + 2 * LOOK_WIDTH + 8,
		     all_taps = 0x1p62 * (order + 1.0), sizes = fmin(12 * all_taps, 0x1p80);
	/* Twice, for roundings of what is rounded already. */
	return (looked_value){look_sum(re) + re_rest, look_sum(im) + im_rest,
			      2 * (n_roundings * 0x1p-53 * sizes + 6 * 0x1p-46 * all_taps)};
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
