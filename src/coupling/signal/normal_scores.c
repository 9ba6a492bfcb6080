#include "coupling/signal/normal_scores.h"

#include <math.h>

/* The deviate that is exceeded with a probability of at most a half, by Newton's method from a smaller one.  The upper
 * tail is convex there, so that no step leads beyond the root. */
static double upper_deviate_from(double start, double probability)
{
	enum { MOST_STEPS = 60 };
	double x = start;
	for (int i = 0; i < MOST_STEPS; i++) {
		const double density = exp(-x * x / 2) / sqrt(2 * 3.14159265358979323846);
		const double step = (0.5 * erfc(x / sqrt(2)) - probability) / density;
		x += step;
		if (step < 1e-12)
			break;
	}
	return x;
}

void clpac__normal_scores(float *scores, size_t n)
{
	double x = 0;
	for (size_t r = n / 2; r < n; r++) {
		x = upper_deviate_from(x, (double)(n - r) / (double)(n + 1));
		scores[r] = (float)x;
		scores[n - 1 - r] = -(float)x;
	}
}
