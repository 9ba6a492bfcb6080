/* Moments, z and p of surrogates. */
#include "coupling/signal/statistics.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "shared/maps.h"

double clpac__moments_std(double m2, size_t n, unsigned ddof)
{
	return n > ddof ? sqrt(m2 / (double)(n - ddof)) : NAN;
}

double clpac__z_score(double mi, double mean, double std)
{
	return std > 0 ? (mi - mean) / std : NAN;
}

double clpac__p_value(size_t rank, size_t n)
{
	return n ? (1 + (double)rank) / (1 + (double)n) : NAN;
}

float clpac__maximum_or_nan(float maximum)
{
	return maximum > CLPAC_NO_MAXIMUM ? maximum : NAN;
}

/* How many of n values reach the least.  Sixteen at a time, a constant number, which compilers vectorise: each cell
 * passes all maxima. */
static size_t count_from(float least, const float *values, size_t n)
{
	enum { AT_ONCE = 16 };
	uint32_t reached[AT_ONCE] = {0};
	size_t sum = 0, k = 0;
	for (; k + AT_ONCE <= n; k += AT_ONCE)
		for (int i = 0; i < AT_ONCE; i++)
			reached[i] += values[k + (size_t)i] >= least;
	for (; k < n; k++)
		sum += values[k] >= least;
	for (int i = 0; i < AT_ONCE; i++)
		sum += reached[i];
	return sum;
}

void clpac__p_of_maxima(const float *standardized, size_t n, const float *maxima, size_t n_maxima, float *p_max)
{
	for (size_t i = 0; i < n; i++) {
		const double statistic = standardized[i];
		const float least = (float)(statistic - CLPAC_REACH * fmax(fabs(statistic), 1));
		p_max[i] = isnan(standardized[i])
				   ? NAN
				   : (float)clpac__p_value(count_from(least, maxima, n_maxima), n_maxima);
	}
}

/* --- Standardized statistics -------------------------------------------------------------------------------- */

/* The variance of a cell's index and surrogates together; 0 where it has no standardized statistic. */
static double variance_of(const clpac__map *map, size_t cell)
{
	const double n = (double)map->n_surrogates, std = map->std[cell], distance = map->mi[cell] - map->mean[cell];
	const double squares = std * std * (n - map->ddof) + distance * distance * (n / (n + 1));
	return map->valid[cell] && std > 0 && squares > 0 ? squares / (n + 1) : 0;
}

/* The value that so many eighths of those above 0 lie below; 0 where none is above 0. */
static double usual_of(const double *values, size_t n, size_t eighths)
{
	size_t n_there = 0;
	for (size_t i = 0; i < n; i++)
		n_there += values[i] > 0;
	const size_t place = n_there ? eighths * (n_there - 1) / 8 : 0;
	for (size_t i = 0; i < n; i++) {
		size_t below = 0, up_to = 0;
		for (size_t other = 0; other < n; other++) {
			below += values[other] > 0 && values[other] < values[i];
			up_to += values[other] > 0 && values[other] <= values[i];
		}
		if (values[i] > 0 && below <= place && up_to > place)
			return values[i];
	}
	return 0;
}

/* How much wider than is usual for the phase bands the cells of an amplitude band are, all but the narrowest three
 * eighths.  ratios: room for n_phase. */
static double widening_of(const clpac__map *map, const double *variances, const double *usual, size_t am,
			  double *ratios)
{
	size_t n = 0;
	for (size_t ph = 0; ph < map->n_phase; ph++)
		if (variances[ph * map->n_amplitude + am] > 0)
			ratios[n++] = variances[ph * map->n_amplitude + am] / usual[ph];
	return n > 1 ? fmax(usual_of(ratios, n, 3), 1) : 1;
}

size_t clpac__standardize_room(size_t n_phase, size_t n_amplitude)
{
	return n_phase * n_amplitude + 2 * n_phase;
}

void clpac__standardize(const clpac__map *map, double *room, float *standardized)
{
	const double part = (double)map->n_surrogates / ((double)map->n_surrogates + 1);
	const size_t n_amplitude = map->n_amplitude, n_cells = map->n_phase * n_amplitude;
	double *variances = room, *usual = room + n_cells, *ratios = usual + map->n_phase;
	for (size_t cell = 0; cell < n_cells; cell++)
		variances[cell] = variance_of(map, cell);
	for (size_t ph = 0; ph < map->n_phase; ph++)
		usual[ph] = usual_of(variances + ph * n_amplitude, n_amplitude, 1);
	for (size_t am = 0; am < n_amplitude; am++) {
		const double widening = widening_of(map, variances, usual, am, ratios);
		for (size_t ph = 0, cell = am; ph < map->n_phase; ph++, cell += n_amplitude) {
			const double distance = ((double)map->mi[cell] - map->mean[cell]) * part;
			const double spread = fmin(variances[cell], usual[ph] * widening);
			standardized[cell] = variances[cell] > 0 ? (float)(distance / sqrt(spread)) : NAN;
		}
	}
}

/* --- Student's t ------------------------------------------------------------------------------ */

/* Student's t: tail, quantile, and the correlation that it stands for. */

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

/* --- Normal scores ---------------------------------------------------------------------------- */

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

/* --- The interval of an excess ---------------------------------------------------------------- */

/* With mean m and deviation s, s^2 / 2m is the unit of the chi-square that fits, so that an index whose excess is e has
 * the variance s^2 + 2 e s^2 / m.  The ends are the e from which the observed excess is 1.96 such deviations, as in
 * Wilson's interval of a share.  A vector of two components, each of variance (m^2 + s^2) / 2, has a length that varies
 * by that at most. */
clpac__interval clpac__excess_interval(clpac__index_law law, double excess, double mean, double deviation)
{
	const double normal_deviate = 1.959963984540054;
	if (law == CLPAC__NO_LAW || isnan(excess) || !(mean > 0) || !(deviation > 0))
		return (clpac__interval){NAN, NAN};
	const double reach = normal_deviate * deviation, more = reach * (reach / mean);
	const double middle = law == CLPAC__OF_SQUARES ? excess + more : excess;
	const double half = law == CLPAC__OF_SQUARES ? sqrt(fmax(0, more * (more + 2 * excess) + reach * reach))
						     : normal_deviate * sqrt((mean * mean + deviation * deviation) / 2);
	return (clpac__interval){fmax(0, middle - half), fmax(0, middle + half)};
}

/* --- False discoveries ------------------------------------------------------------------------ */

/* p adjusted for the rate of false discoveries. */

typedef struct ranked {
	float p;
	size_t place;
} ranked;

enum { DIGIT_BITS = 8, N_DIGITS = 32 / DIGIT_BITS, N_VALUES = 1 << DIGIT_BITS };

/* The bits of floats from 0 on are in the order of the floats. */
static size_t digit_of(float p, int digit)
{
	uint32_t bits;
	memcpy(&bits, &p, sizeof bits);
	return bits >> (digit * DIGIT_BITS) & (N_VALUES - 1);
}

/* Orders n values by their digits, the lowest first: p of a thousand cells in a fifth of the time that comparisons
 * take.  room is for n values; returns where the ordered ones are. */
static ranked *put_in_order(ranked *from, ranked *room, size_t n)
{
	size_t counts[N_DIGITS][N_VALUES] = {0};
	for (size_t i = 0; i < n; i++)
		for (int digit = 0; digit < N_DIGITS; digit++)
			counts[digit][digit_of(from[i].p, digit)]++;
	for (int digit = 0; digit < N_DIGITS; digit++) {
		size_t before = 0, *places = counts[digit];
		if (!n || places[digit_of(from[0].p, digit)] == n)
			continue;
		for (size_t value = 0; value < N_VALUES; value++) {
			const size_t count = places[value];
			places[value] = before;
			before += count;
		}
		for (size_t i = 0; i < n; i++)
			room[places[digit_of(from[i].p, digit)]++] = from[i];
		ranked *ordered = room;
		room = from;
		from = ordered;
	}
	return from;
}

/* 1 + 1/2 + ... + 1/n, the smallest terms first. */
static double harmonic(size_t n)
{
	double sum = 0;
	for (size_t i = n; i > 0; i--)
		sum += 1 / (double)i;
	return sum;
}

clpac_status clpac__false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	ranked *room = NULL;
	size_t bytes, m = 0;
	if (!clpac__size_mul(n ? n : 1, 2 * sizeof *room, &bytes) || !(room = clpac__alloc(bytes)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left to order %zu values of p", n);
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			room[m++] = (ranked){p[i] > 0 ? p[i] : 0, i}; /* -0 has other bits than 0 */
		else
			q[i] = NAN;
	}
	const ranked *order = put_in_order(room, room + n, m);
	const double factor = (double)m * (rule == CLPAC_DISCOVERY_BY ? harmonic(m) : 1);
	double lowest = 1;
	for (size_t rank = m; rank > 0; rank--) {
		const double own = (double)order[rank - 1].p;
		lowest = fmin(lowest, own * (factor / (double)rank));
		/* No q is below its p, which it would be by a rounding of the quotient where all p are equal. */
		q[order[rank - 1].place] = (float)fmax(lowest, own);
	}
done:
	clpac__free(room);
	return st;
}

clpac_status clpac_signal_false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err)
{
	NEED(p, q);
	if ((unsigned)rule > CLPAC_DISCOVERY_BY)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "rule is %d: it is CLPAC_DISCOVERY_BH or CLPAC_DISCOVERY_BY",
			     (int)rule);
	for (size_t i = 0; i < n; i++)
		if (p[i] < 0 || p[i] > 1)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "p[%zu] is %g: a p is from 0 to 1, or NaN where there is none", i, (double)p[i]);
	return clpac__false_discovery(p, n, rule, q, err);
}

/* --- The tail of a gamma distribution --------------------------------------------------------- */

/* The upper tail of a gamma distribution with a given mean and deviation. */

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
