#include "base/head.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"

static const double right_angle = 1.57079632679489661923, pi = 3.14159265358979323846;

clpac__head_place clpac__head_place_of(const double direction[3])
{
	const double aside = hypot(direction[0], direction[1]), far = atan2(aside, direction[2]) / right_angle;
	if (!(aside > 0))
		return (clpac__head_place){0, far};
	return (clpac__head_place){far * direction[0] / aside, far * direction[1] / aside};
}

void clpac__head_direction_of(clpac__head_place place, double direction[3])
{
	const double far = hypot(place.x, place.y), aside = far > 0 ? sin(far * right_angle) / far : 0;
	direction[0] = aside * place.x;
	direction[1] = aside * place.y;
	direction[2] = cos(far * right_angle);
}

/* Solves n linear equations, rows of n coefficients and the right side, by elimination; the solution comes into
 * `solution`.  False: a pivot is less than 1e-12 of the largest coefficient. */
static bool solve(double *rows, size_t n, double *solution)
{
	const size_t width = n + 1;
	double largest = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			largest = fmax(largest, fabs(rows[i * width + j]));
	for (size_t step = 0; step < n; step++) {
		size_t best = step;
		for (size_t i = step + 1; i < n; i++)
			if (fabs(rows[i * width + step]) > fabs(rows[best * width + step]))
				best = i;
		if (!(fabs(rows[best * width + step]) > 1e-12 * largest))
			return false;
		for (size_t j = step; best != step && j < width; j++) {
			const double kept = rows[step * width + j];
			rows[step * width + j] = rows[best * width + j];
			rows[best * width + j] = kept;
		}
		for (size_t i = step + 1; i < n; i++) {
			const double share = rows[i * width + step] / rows[step * width + step];
			for (size_t j = step; j < width && share != 0; j++)
				rows[i * width + j] -= share * rows[step * width + j];
		}
	}
	for (size_t i = n; i-- > 0;) {
		solution[i] = rows[i * width + n];
		for (size_t j = i + 1; j < n; j++)
			solution[i] -= rows[i * width + j] * solution[j];
		solution[i] /= rows[i * width + i];
	}
	return true;
}

bool clpac__head_directions(double (*positions)[3], size_t n)
{
	double sums[4 * 5] = {0}, found[4], middle[3] = {0, 0, 0}, scale = 0;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			middle[k] += positions[i][k] / (double)n;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++)
			scale = fmax(scale, fabs(positions[i][k] - middle[k]));
	if (n < 4 || !(scale > 0) || !isfinite(scale))
		return false;
	/* |p - c|^2 = r^2 is linear in c and r^2 - |c|^2; around the mean, in units of the largest distance. */
	for (size_t i = 0; i < n; i++) {
		double row[5] = {0, 0, 0, 1, 0};
		for (int k = 0; k < 3; k++) {
			const double at = (positions[i][k] - middle[k]) / scale;
			row[k] = 2 * at;
			row[4] += at * at;
		}
		for (int a = 0; a < 4; a++)
			for (int b = 0; b < 5; b++)
				sums[5 * a + b] += row[a] * row[b];
	}
	if (!solve(sums, 4, found))
		return false;
	for (size_t i = 0; i < n; i++) {
		double length = 0;
		for (int k = 0; k < 3; k++) {
			const double at = (positions[i][k] - middle[k]) / scale - found[k];
			length += at * at;
		}
		if (!(length > 1e-12))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		double length = 0;
		for (int k = 0; k < 3; k++) {
			positions[i][k] = (positions[i][k] - middle[k]) / scale - found[k];
			length += positions[i][k] * positions[i][k];
		}
		for (int k = 0; k < 3; k++)
			positions[i][k] /= sqrt(length);
	}
	return true;
}

/* g(x) of Perrin et al., by Legendre polynomials; terms fall with the seventh power, and those left out are below
 * 1e-10. */
static double spline(double x)
{
	enum { TERMS = 24 };
	double before = 1, legendre = x, sum = 0;
	for (int n = 1; n <= TERMS; n++) {
		const double both = (double)n * (n + 1), next = ((2 * n + 1) * x * legendre - n * before) / (n + 1);
		sum += (2 * n + 1) / (both * both * both * both) * legendre;
		before = legendre;
		legendre = next;
	}
	return sum / (4 * pi);
}

static double cosine(const double *a, const double *b)
{
	return fmin(1, fmax(-1, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
}

clpac_status clpac__head_values_create(const double (*directions)[3], const double *values, size_t n,
				       clpac__head_values *out, clpac_error *err)
{
	static const double smoothing = 1e-5;
	clpac_status st = CLPAC_OK;
	clpac__head_values made = {.n = n};
	double *rows = NULL;
	TRY(NEW_ARRAY(made.directions, 3 * n));
	TRY(NEW_ARRAY(made.weights, n + 1));
	TRY(NEW_ARRAY(rows, (n + 1) * (n + 2)));
	memcpy(made.directions, directions, 3 * n * sizeof *made.directions);
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= n; j++)
			rows[i * (n + 2) + j] = i == n && j == n   ? 0
						: i == n || j == n ? 1
								   : spline(cosine(directions[i], directions[j])) +
									     (i == j ? smoothing : 0);
	for (size_t i = 0; i < n; i++)
		rows[i * (n + 2) + n + 1] = values[i];
	/* The matrix with its diagonal is positive definite, and stays so under the one condition of the weights. */
	solve(rows, n + 1, made.weights);
	*out = made;
	made = (clpac__head_values){0};
done:
	clpac__free(rows);
	clpac__head_values_destroy(&made);
	return st;
}

double clpac__head_value_at(const clpac__head_values *values, const double direction[3])
{
	double sum = values->weights[values->n];
	for (size_t i = 0; i < values->n; i++)
		sum += values->weights[i] * spline(cosine(values->directions + 3 * i, direction));
	return sum;
}

void clpac__head_values_destroy(clpac__head_values *values)
{
	FREE_ALL(values->directions, values->weights);
	*values = (clpac__head_values){0};
}
