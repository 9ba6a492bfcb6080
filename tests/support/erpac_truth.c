#include "erpac_truth.h"

#include <math.h>

static oracle_real mean(const oracle_real *x, size_t n)
{
	oracle_real sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (oracle_real)n;
}

static oracle_real covariance(const oracle_real *x, const oracle_real *y, size_t n)
{
	const oracle_real of_x = mean(x, n), of_y = mean(y, n);
	oracle_real sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - of_x) * (y[i] - of_y);
	return sum;
}

static oracle_real correlation(const oracle_real *x, const oracle_real *y, size_t n)
{
	return covariance(x, y, n) / sqrtl(covariance(x, x, n) * covariance(y, y, n));
}

oracle_real erpac_truth(const erpac_point *point, const uint32_t *order)
{
	const size_t n = point->n;
	oracle_real a[ERPAC_MOST_TRIALS], c[ERPAC_MOST_TRIALS], s[ERPAC_MOST_TRIALS];
	for (size_t i = 0; i < n; i++) {
		a[i] = point->amplitude[order ? order[i] : i];
		c[i] = creall(point->direction[i]);
		s[i] = cimagl(point->direction[i]);
	}
	const oracle_real ac = correlation(a, c, n), as = correlation(a, s, n), cs = correlation(c, s, n);
	return sqrtl((ac * ac + as * as - 2 * ac * as * cs) / (1 - cs * cs));
}

/* rho is the length of a projection of the unit vector of amplitudes onto the plane of cosines and sines.  A plane that
 * moves by d, in units of its narrower side w, moves it by d / w at most; scores that err by e move it by e.  A
 * filtered value errs by 1e-6 of the largest one in its band, at most (evidence.h has what is usual, a tenth of it),
 * and the sums over trials by n roundings. */
oracle_real erpac_truth_limit(const erpac_point *point)
{
	const size_t n = point->n;
	const oracle_real each = 1e-6L;
	oracle_real c[ERPAC_MOST_TRIALS], s[ERPAC_MOST_TRIALS], strongest = 0, loudest = 0, moved = 0;
	for (size_t i = 0; i < n; i++) {
		c[i] = creall(point->direction[i]);
		s[i] = cimagl(point->direction[i]);
		strongest = fmaxl(strongest, point->strength[i]);
		loudest = fmaxl(loudest, point->amplitude[i]);
	}
	for (size_t i = 0; i < n; i++)
		moved += powl(each * strongest / point->strength[i], 2);
	const oracle_real cc = covariance(c, c, n), ss = covariance(s, s, n), cs = covariance(c, s, n);
	const oracle_real width = sqrtl((cc + ss) / 2 - sqrtl(powl((cc - ss) / 2, 2) + cs * cs));
	const oracle_real spread = sqrtl(covariance(point->amplitude, point->amplitude, n));
	return 2 * sqrtl(moved) / width + 2 * each * loudest * sqrtl((oracle_real)n) / spread + 1e-7L * (oracle_real)n;
}
