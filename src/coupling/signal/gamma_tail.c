/* The upper tail of a gamma distribution with a given mean and deviation. */
#include <clpac/signal.h>

#include <math.h>

/* Steps until the series or the fraction has converged grow with the root of the shape; that of 1e8 takes some 60 000.
 * A larger shape has a deviation below 1e-4 of its mean, the rounding of which decides. */
static const double largest_shape = 1e8;
enum { MOST_STEPS = 1000000 };

/* x^a e^-x / Gamma(a) */
static double front(double a, double x)
{
	int sign;
	return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* The lower tail by its power series (DLMF 8.7.1), which converges fast where x is below a + 1. */
static double lower_tail(double a, double x)
{
	double term = 1 / a, sum = term;
	for (int i = 1; i < MOST_STEPS && term > sum * 0x1p-54; i++) {
		term *= x / (a + i);
		sum += term;
	}
	return sum * front(a, x);
}

/* The upper tail by its continued fraction (DLMF 8.9.2, contracted) after Lentz 1976, Applied Optics 15:668, which
 * converges fast elsewhere. */
static double upper_tail(double a, double x)
{
	const double tiny = 1e-300;
	double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d, factor = 0;
	for (int i = 1; i < MOST_STEPS && fabs(factor - 1) > 0x1p-52; i++) {
		const double an = -i * (i - a);
		b += 2;
		d = an * d + b;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = b + an / c;
		c = fabs(c) < tiny ? tiny : c;
		factor = c * d;
		fraction *= factor;
	}
	return fraction * front(a, x);
}

double clpac_signal_gamma_tail(double value, double mean, double deviation)
{
	if (isnan(value) || !(mean > 0) || !(deviation > 0) || isinf(mean) || isinf(deviation))
		return NAN;
	const double a = mean / deviation * (mean / deviation), x = value / deviation * (mean / deviation);
	if (a > largest_shape || a == 0)
		return NAN;
	if (x <= 0)
		return 1;
	if (isinf(x))
		return 0;
	return x < a + 1 ? 1 - lower_tail(a, x) : upper_tail(a, x);
}
