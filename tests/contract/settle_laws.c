/* The stage settle_bins with filters of two taps, whose sums are known exactly.
 *
 * With tap 0 being 0 and tap 1 being (a, a), the value of sample t is a (x[t-1] + x[t+1]) + i a (x[t-1] - x[t+1]), so
 * that two samples choose any direction. */
#include "settle_laws.h"

#include <math.h>
#include <string.h>

#include "queue_fixture.h"
#include "random.h"
#include "targets.h"
#include "coupling/registry/registry.h"

/* BUILT: the number of bins that the kernels are compiled for.  This stage takes any other as its argument. */
enum { UNSETTLED = 128, MOST_BINS = 128, N = 3, STRIDE = 16, BUILT = 18 };

/* Directions of the edges, as src/coupling/passes/exact.c makes them; long double, so that quarters and eighths of a
 * turn are exact. */
static void make_directions(unsigned n_bins, int64_t *directions)
{
	const long double pi = acosl(-1.0L);
	for (unsigned e = 0; e <= n_bins; e++) {
		const long double angle = pi * (2.0L * e - n_bins) / n_bins;
		const bool is_quarter = 4 * e % n_bins == 0, is_eighth = 8 * e % n_bins == 0;
		long double cosine = cosl(angle), sine = sinl(angle);
		if (is_quarter) {
			cosine = roundl(cosine);
			sine = roundl(sine);
		} else if (is_eighth) {
			cosine = copysignl(sqrtl(0.5L), cosine);
			sine = copysignl(sqrtl(0.5L), sine);
		}
		directions[2 * e] = llrintl(ldexpl(cosine, 62));
		directions[2 * e + 1] = llrintl(ldexpl(sine, 62));
	}
}

/* Settles the middle one of three samples. */
static unsigned settled(float before, float after, unsigned n_bins, int64_t tap)
{
	const float samples[N] = {before, 0, after};
	const int64_t taps[4] = {0, 0, tap, tap};
	const uint32_t order = 1, whole[2] = {0, N - 1};
	int64_t directions[2 * (MOST_BINS + 1)];
	unsigned char bins[STRIDE];
	clpac__block *blocks[6];
	const void *content[6] = {samples, taps, &order, directions, whole, bins};
	const size_t bytes[6] = {sizeof samples,    sizeof taps,  sizeof order,
				 16 * (n_bins + 1), sizeof whole, sizeof bins};
	make_directions(n_bins, directions);
	memset(bins, 1, sizeof bins); /* settled: left alone */
	bins[1] = UNSETTLED;
	for (int i = 0; i < 6; i++) {
		blocks[i] = make_block(bytes[i]);
		OK(on->write(queue, blocks[i], 0, bytes[i], content[i], &err));
	}
	const clpac__launch launch = {
		.n_bins = BUILT,
		.items = {1, 1, 1},
		.lanes = 64,
		CLPAC__STAGE(settle_bins, .samples = blocks[0], .taps = blocks[1], .orders = blocks[2],
			     .directions = blocks[3], .stretches = blocks[4], .spent = blocks[2], .bins = blocks[5],
			     .n_samples = N, .begin = 0, .n_kept = N, .n_phase = 1, .n_stretches = 1, .tap_stride = 2,
			     .bin_stride = STRIDE, .tile = 256, .command = 0, .n_commands = 1, .budget = 0,
			     .n_bins = n_bins),
	};
	OK(clpac__compute_launch(queue, &launch, &err));
	OK(on->read(queue, blocks[5], 0, sizeof bins, bins, &err));
	for (int i = 0; i < 6; i++)
		on->release(queue, blocks[i]);
	ck_assert_uint_eq(bins[0], 1);
	ck_assert_uint_eq(bins[2], 1);
	return bins[1];
}

START_TEST(an_angle_on_an_edge_belongs_to_the_bin_above_and_pi_to_the_last)
{
	/* The direction of (before + after, before - after), in eighths of a turn from -pi on. */
	static const struct {
		float before, after;
		unsigned eighths;
	} cases[] = {
		{-1, -1, 8}, /* pi itself */
		{-1, 0, 1},  {-1, 1, 2}, {0, 1, 3}, {1, 1, 4}, {1, 0, 5}, {1, -1, 6}, {0, -1, 7},
	};
	static const unsigned bins[] = {8, 16, 24, 64, 128};
	open_target(_i);
	OK(clpac__compute_prepare(queue, BUILT, &err));
	for (size_t b = 0; b < COUNT(bins); b++)
		for (size_t c = 0; c < COUNT(cases); c++)
			for (int exponent = -40; exponent <= 0; exponent += 13) {
				const float unit = ldexpf(1, exponent);
				const unsigned edge = cases[c].eighths * bins[b] / 8;
				const unsigned wanted = edge == bins[b] ? bins[b] - 1 : edge;
				ck_assert_uint_eq(settled(unit * cases[c].before, unit * cases[c].after, bins[b],
							  (int64_t)1 << 61),
						  wanted);
			}
	close_target();
}

START_TEST(the_last_bit_of_a_sample_decides)
{
	/* One float beside the direction of an edge, on either side. */
	static const unsigned n_bins = 8;
	open_target(_i);
	OK(clpac__compute_prepare(queue, BUILT, &err));
	for (int sign = -1; sign <= 1; sign += 2) {
		const float one = (float)sign;
		/* Real and imaginary part are equal where `after` is 0: at 1/8 of a turn, edge 5, or opposite, edge 1.
		 */
		const unsigned edge = sign > 0 ? 5 : 1;
		const float little = ldexpf(one, -46);
		ck_assert_uint_eq(settled(one, -little, n_bins, (int64_t)1 << 60), edge);
		ck_assert_uint_eq(settled(one, little, n_bins, (int64_t)1 << 60), edge - 1);
		/* On the real axis: 0 at edge 4, and pi, which has the last bin on one side and the first on the other.
		 */
		const float next = nextafterf(one, 2 * one);
		ck_assert_uint_eq(settled(next, one, n_bins, 1), sign > 0 ? 4 : 0);
		ck_assert_uint_eq(settled(one, next, n_bins, 1), sign > 0 ? 3 : 7);
	}
	close_target();
}

START_TEST(nothing_at_all_has_phase_0)
{
	static const unsigned bins[] = {2, 3, 7, 18, 128};
	open_target(_i);
	OK(clpac__compute_prepare(queue, BUILT, &err));
	for (size_t b = 0; b < COUNT(bins); b++)
		ck_assert_uint_eq(settled(0, 0, bins[b], (int64_t)1 << 61), bins[b] / 2);
	close_target();
}

START_TEST(any_direction_has_its_bin)
{
	unsigned long long state = 3;
	const long double pi = acosl(-1.0L);
	open_target(_i);
	OK(clpac__compute_prepare(queue, BUILT, &err));
	for (int i = 0; i < 60; i++) {
		static const unsigned bins[] = {2, 3, 7, 18, 64, 128};
		const unsigned n_bins = bins[i % 6];
		const float before = (float)random_signed(&state), after = (float)random_signed(&state);
		const long double angle = atan2l((long double)before - after, (long double)before + after);
		ck_assert_uint_eq(settled(before, after, n_bins, (int64_t)1 << (i % 60)),
				  (unsigned)floorl((angle + pi) * n_bins / (2 * pi)));
	}
	close_target();
}

/* Settles those of n samples whose bin is UNSETTLED, by a filter of n_taps random taps. */
static void settle(const float *samples, uint32_t n, const int64_t *taps, uint32_t n_taps, unsigned char *bins,
		   size_t stride)
{
	enum { BINS = BUILT };
	int64_t directions[2 * (BINS + 1)];
	const uint32_t order = n_taps - 1, whole[2] = {0, n - 1};
	clpac__block *blocks[6];
	const void *content[6] = {samples, taps, &order, directions, whole, bins};
	const size_t bytes[6] = {
		n * sizeof *samples, n_taps * 2 * sizeof *taps, sizeof order, sizeof directions, sizeof whole, stride};
	make_directions(BINS, directions);
	for (int i = 0; i < 6; i++) {
		blocks[i] = make_block(bytes[i]);
		OK(on->write(queue, blocks[i], 0, bytes[i], content[i], &err));
	}
	const clpac__launch launch = {
		.n_bins = BINS,
		.items = {1, (n + 31) / 32, 1},
		.lanes = 64,
		CLPAC__STAGE(settle_bins, .samples = blocks[0], .taps = blocks[1], .orders = blocks[2],
			     .directions = blocks[3], .stretches = blocks[4], .spent = blocks[2], .bins = blocks[5],
			     .n_samples = n, .begin = 0, .n_kept = n, .n_phase = 1, .n_stretches = 1,
			     .tap_stride = n_taps, .bin_stride = (uint32_t)stride, .tile = 32, .command = 0,
			     .n_commands = 1, .budget = 0, .n_bins = BINS),
	};
	OK(clpac__compute_launch(queue, &launch, &err));
	OK(on->read(queue, blocks[5], 0, stride, bins, &err));
	for (int i = 0; i < 6; i++)
		on->release(queue, blocks[i]);
}

START_TEST(the_last_bit_decides_among_thousands_of_products_that_cancel)
{
	/* All taps but the first come in pairs of opposite sign with equal samples, whose products cancel exactly; in
	 * double precision what is left of them exceeds what decides. */
	enum { ORDER = 2002, LENGTH = 2 * ORDER + 3, MIDDLE = ORDER + 1, STRIDE_OF_BINS = 4096 };
	static float x[LENGTH];
	static int64_t taps[2 * (ORDER + 1)];
	static unsigned char bins[STRIDE_OF_BINS];
	unsigned long long state = 17;
	open_target(_i);
	OK(clpac__compute_prepare(queue, BUILT, &err));
	for (int round = 0; round < 20; round++) {
		const int side = round % 2 ? 1 : -1;
		memset(taps, 0, sizeof taps);
		memset(bins, 0, sizeof bins);
		taps[2] = (int64_t)1 << 58; /* real parts add up */
		taps[3] = (int64_t)1 << 58;
		x[MIDDLE] = (float)random_signed(&state);
		x[MIDDLE - 1] = 1; /* equal on both sides: the real axis */
		x[MIDDLE + 1] = 1;
		for (int k = 2; k + 1 < ORDER; k += 2) {
			const int64_t real = (int64_t)(random_signed(&state) * 0x1p58),
				      imaginary = (int64_t)(random_signed(&state) * 0x1p58);
			for (int sign = -1; sign <= 1; sign += 2) {
				const float sample = (float)random_signed(&state);
				x[MIDDLE + sign * k] = x[MIDDLE + sign * (k + 1)] = sample;
			}
			taps[2 * k] = real;
			taps[2 * k + 1] = imaginary;
			taps[2 * k + 2] = -real;
			taps[2 * k + 3] = -imaginary;
		}
		/* One sample more on one side, where the imaginary tap alone is not 0. */
		taps[2 * ORDER] = 0;
		taps[2 * ORDER + 1] = (int64_t)1 << 8;
		x[MIDDLE - ORDER] = (float)side;
		x[MIDDLE + ORDER] = 0;
		bins[MIDDLE] = UNSETTLED;
		settle(x, LENGTH, taps, ORDER + 1, bins, STRIDE_OF_BINS);
		ck_assert_uint_eq(bins[MIDDLE], side > 0 ? BUILT / 2 : BUILT / 2 - 1);
	}
	close_target();
}

START_TEST(a_sample_is_settled_alike_alone_and_with_all_others)
{
	/* Noise with level stretches, whose sums are reused: longer and shorter than the filter, at 0 and elsewhere. */
	enum { LENGTH = 203, TAPS = 9, ROUND = 208 };
	float x[LENGTH];
	int64_t taps[2 * TAPS];
	unsigned char all[ROUND], some[ROUND];
	unsigned long long state = 9;
	for (int t = 0; t < LENGTH; t++)
		x[t] = (float)random_signed(&state);
	for (int t = 30; t < 95; t++)
		x[t] = 0.25f;
	for (int t = 110; t < 120; t++)
		x[t] = -0.5f;
	for (int t = 140; t < LENGTH; t++)
		x[t] = 0;
	for (int k = 0; k < 2 * TAPS; k++)
		taps[k] = (int64_t)(random_signed(&state) * 0x1p60);
	taps[1] = 0;
	open_target(_i);
	OK(clpac__compute_prepare(queue, 18, &err));
	memset(all, UNSETTLED, sizeof all);
	settle(x, LENGTH, taps, TAPS, all, sizeof all);
	/* Every 33rd, so that each is alone in its tile. */
	for (int first = 0; first < 33; first++) {
		memset(some, 5, sizeof some);
		for (int t = first; t < LENGTH; t += 33)
			some[t] = UNSETTLED;
		settle(x, LENGTH, taps, TAPS, some, sizeof some);
		for (int t = 0; t < LENGTH; t++)
			ck_assert_msg(some[t] == (t % 33 == first ? all[t] : 5), "sample %d: %d alone, %d among all", t,
				      some[t], all[t]);
	}
	close_target();
}

TCase *settle_laws(size_t n_targets)
{
	static const TTest *const *const laws[] = {
		&an_angle_on_an_edge_belongs_to_the_bin_above_and_pi_to_the_last,
		&the_last_bit_of_a_sample_decides,
		&the_last_bit_decides_among_thousands_of_products_that_cancel,
		&nothing_at_all_has_phase_0,
		&any_direction_has_its_bin,
		&a_sample_is_settled_alike_alone_and_with_all_others,
	};
	return laws_on_targets("settled bins", laws, COUNT(laws), n_targets);
}
