/* Student's t: tail, quantile, and the correlation that it stands for. */
#include "coupling/signal/student.h"

#include <math.h>

static const double half_pi = 1.57079632679489661923;

/* The probability that |t| is below sqrt(degrees) tan(angle), 0 <= angle <= pi/2. */
static double within(double angle, size_t degrees)
{
	const double cosine = cos(angle), square = cosine * cosine;
	double term = degrees % 2 ? cosine : 1, sum = 0;
	/* The terms of the odd sum have cos, 2/3 cos^3, ...; those of the even one 1, 1/2 cos^2, ... */
	for (size_t k = degrees % 2 ? 3 : 2; k <= degrees; k += 2) {
		sum += term;
		term *= square * (double)(k - 1) / (double)k;
	}
	return degrees % 2 ? (angle + sin(angle) * sum) / half_pi : sin(angle) * sum;
}

double clpac__student_tail(double t, size_t degrees)
{
	const double below = within(atan(fabs(t) / sqrt((double)degrees)), degrees);
	return t < 0 ? (1 + below) / 2 : (1 - below) / 2;
}

double clpac__student_deviate(double probability, size_t degrees)
{
	double low = 0, high = half_pi;
	for (int i = 0; i < 64; i++) {
		const double middle = (low + high) / 2;
		if ((1 - within(middle, degrees)) / 2 > probability)
			low = middle;
		else
			high = middle;
	}
	return sqrt((double)degrees) * tan((low + high) / 2);
}

double clpac__t_of_correlation(double r, size_t degrees)
{
	/* A permutation may leave no residuals; its t ends here, beyond any that data have. */
	const double rest = 1 - r * r, least = 0x1p-40;
	return r * sqrt((double)degrees / (rest > least ? rest : least));
}

double clpac__correlation_of_t(double t, size_t degrees)
{
	return t / sqrt(t * t + (double)degrees);
}
