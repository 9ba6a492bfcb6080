#include "coupling/signal/circular_linear.h"

#include <math.h>

/* Deviations below this share of the values are roundings of float32, some of which add up in a filter. */
static const double rounding = 1e-6;

static double sum(const double *x, size_t n)
{
	double all = 0;
	for (size_t i = 0; i < n; i++)
		all += x[i];
	return all;
}

static double product(const double *x, const double *y, size_t n)
{
	double all = 0;
	for (size_t i = 0; i < n; i++)
		all += x[i] * y[i];
	return all;
}

static void subtract(double *x, double value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] -= value;
}

static void scale(double *x, double factor, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] *= factor;
}

bool clpac__trial_scores(double *amplitudes, size_t n)
{
	const double mean = sum(amplitudes, n) / (double)n;
	subtract(amplitudes, mean, n);
	const double squares = product(amplitudes, amplitudes, n);
	const bool varies = squares > (double)n * rounding * mean * rounding * mean;
	scale(amplitudes, varies ? 1 / sqrt(squares) : (double)NAN, n);
	return varies;
}

bool clpac__trial_axes(double *cosines, double *sines, size_t n)
{
	subtract(cosines, sum(cosines, n) / (double)n, n);
	subtract(sines, sum(sines, n) / (double)n, n);
	const double least = (double)n * rounding * rounding;
	const double along = product(cosines, cosines, n);
	bool spans = along > least;
	const double share = spans ? product(cosines, sines, n) / along : 0;
	for (size_t i = 0; i < n; i++)
		sines[i] -= share * cosines[i];
	const double across = product(sines, sines, n);
	spans = spans && across > least;
	scale(cosines, spans ? 1 / sqrt(along) : (double)NAN, n);
	scale(sines, spans ? 1 / sqrt(across) : (double)NAN, n);
	return spans;
}
