/* Scores and axes of trials: small examples that can be reckoned by hand, and trials that do not vary. */
#include "runner.h"

#include <math.h>

#include "assertions.h"
#include "coupling/signal/circular_linear.h"

/* rho^2 of amplitudes with phases: the squared length of the scores in the plane of the axes. */
static double square_of(double *a, double *c, double *s, size_t n)
{
	double x = 0, y = 0;
	ck_assert(clpac__trial_scores(a, n));
	ck_assert(clpac__trial_axes(c, s, n));
	for (size_t i = 0; i < n; i++) {
		x += a[i] * c[i];
		y += a[i] * s[i];
	}
	return x * x + y * y;
}

TEST(amplitudes_that_follow_the_phase_are_explained)
{
	/* Phases 0, 90, 180 and 270 degrees; 2 + cos. */
	double a[] = {3, 2, 1, 2}, c[] = {1, 0, -1, 0}, s[] = {0, 1, 0, -1};
	assert_close(square_of(a, c, s, 4), 1, 1e-14);
}

TEST(amplitudes_across_the_plane_are_not)
{
	/* Two cycles of amplitude in one of phase. */
	double a[] = {1, 0, 1, 0}, c[] = {1, 0, -1, 0}, s[] = {0, 1, 0, -1};
	assert_close(square_of(a, c, s, 4), 0, 1e-14);
}

TEST(an_example_by_hand)
{
	double a[] = {4, 1, 2, 3, 0}, c[] = {1, 0, -1, 0, 0}, s[] = {0, 1, 0, -1, 0};
	/* The mean is 2; products with c: 4 - 2, with s: 1 - 3; squares 10, 2, 2. */
	assert_close(square_of(a, c, s, 5), 4.0 / 20 + 4.0 / 20, 1e-14);
}

TEST(scores_and_axes_are_centred_of_length_1_and_orthogonal)
{
	double a[] = {3, 1, 4, 1, 5}, c[] = {0.2, 0.9, -0.5, 0.7, 0.1}, s[] = {0.98, 0.43, 0.86, -0.71, 0.99};
	double sums[6] = {0};
	ck_assert(clpac__trial_scores(a, 5) && clpac__trial_axes(c, s, 5));
	for (size_t i = 0; i < 5; i++) {
		sums[0] += a[i];
		sums[1] += c[i];
		sums[2] += s[i];
		sums[3] += c[i] * s[i];
		sums[4] += a[i] * a[i];
		sums[5] += s[i] * s[i];
	}
	for (size_t i = 0; i < 4; i++)
		assert_close(sums[i], 0, 1e-14);
	assert_close(sums[4], 1, 1e-14);
	assert_close(sums[5], 1, 1e-14);
}

TEST(what_does_not_vary_is_nan)
{
	double level[] = {7, 7, 7, 7 + 1e-6, 7}, c[] = {1, -1, 1, -1}, none[] = {0, 0, 0, 0};
	double same[] = {0.5, 0.5, 0.5}, also[] = {0.1, 0.1, 0.1}, zeros[] = {0, 0, 0};
	ck_assert(!clpac__trial_scores(level, 5) && isnan(level[0]));
	ck_assert(!clpac__trial_axes(c, none, 4) && isnan(c[3]) && isnan(none[3]));
	ck_assert(!clpac__trial_axes(same, also, 3) && isnan(same[0]));
	ck_assert(!clpac__trial_scores(zeros, 3) && isnan(zeros[1]));
}
