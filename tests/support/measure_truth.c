#include "measure_truth.h"

#include <math.h>
#include <stdlib.h>

/* --- The definitions ------------------------------------------------------------------------------ */

/* A cell's kept samples, those of the amplitude in another order. */
struct cell {
	size_t n;
	oracle_real *a, *x, *y; /* amplitude, cosine and sine of the phase */
};

static struct cell cell_of(const measure_cell *of)
{
	const size_t n = of->own->kept;
	struct cell made = {n, malloc(n * sizeof *made.a), malloc(n * sizeof *made.x), malloc(n * sizeof *made.y)};
	for (size_t t = 0; t < n; t++) {
		made.a[t] = of->other->amplitude[of->am * n + of->source[t]];
		made.x[t] = creall(of->own->direction[of->ph * n + t]);
		made.y[t] = cimagl(of->own->direction[of->ph * n + t]);
	}
	return made;
}

static void cell_free(struct cell *cell)
{
	free(cell->a);
	free(cell->x);
	free(cell->y);
}

static oracle_real mean_of(const oracle_real *a, const oracle_real *b, size_t n)
{
	oracle_real sum = 0;
	for (size_t t = 0; t < n; t++)
		sum += b ? a[t] * b[t] : a[t];
	return sum / (oracle_real)n;
}

/* What a line through the slow amplitude leaves of x and y, the parts of the phase's vector. */
static void leave_out_slow(const measure_cell *of, struct cell *c)
{
	const oracle_real *slow = of->own->strength + of->ph * c->n, mean = mean_of(slow, NULL, c->n);
	oracle_real variance = 0, of_x = 0, of_y = 0;
	for (size_t t = 0; t < c->n; t++) {
		variance += (slow[t] - mean) * (slow[t] - mean) / (oracle_real)c->n;
		of_x += (slow[t] - mean) * c->x[t] / (oracle_real)c->n;
		of_y += (slow[t] - mean) * c->y[t] / (oracle_real)c->n;
	}
	variance += 1e-8L * mean * mean;
	for (size_t t = 0; t < c->n; t++) {
		c->x[t] -= of_x / variance * (slow[t] - mean);
		c->y[t] -= of_y / variance * (slow[t] - mean);
	}
}

/* The share of the variance of a that the best combination of 1, x and y explains. */
static oracle_real explained(const struct cell *c)
{
	const size_t n = c->n;
	const oracle_real a = mean_of(c->a, NULL, n), x = mean_of(c->x, NULL, n), y = mean_of(c->y, NULL, n);
	const oracle_real xx = mean_of(c->x, c->x, n) - x * x, yy = mean_of(c->y, c->y, n) - y * y;
	const oracle_real xy = mean_of(c->x, c->y, n) - x * y, variance = mean_of(c->a, c->a, n) - a * a;
	const oracle_real ax = mean_of(c->a, c->x, n) - a * x, ay = mean_of(c->a, c->y, n) - a * y;
	const oracle_real of_x = (ax * yy - ay * xy) / (xx * yy - xy * xy);
	const oracle_real of_y = (ay * xx - ax * xy) / (xx * yy - xy * xy);
	return (of_x * ax + of_y * ay) / variance;
}

static const oracle_real *ranked;

/* The order of values, where the earlier of two equal ones comes first, as in the library: qsort alone may exchange
 * them. */
static int by_value(const void *a, const void *b)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	if (ranked[i] == ranked[k])
		return i < k ? -1 : i > k;
	return ranked[i] < ranked[k] ? -1 : 1;
}

/* The deviate below which a standard normal value falls with this probability. */
static double deviate(double probability)
{
	double low = -40, high = 40;
	for (int i = 0; i < 100; i++) {
		const double middle = (low + high) / 2;
		*(0.5 * erfc(-middle / sqrt(2)) < probability ? &low : &high) = middle;
	}
	return low;
}

/* The scores of n ranks, which are the same for all rows of a problem. */
static const oracle_real *scores_of(size_t n)
{
	static oracle_real *kept;
	static size_t n_kept;
	if (n == n_kept)
		return kept;
	free(kept);
	kept = malloc(n * sizeof *kept);
	n_kept = n;
	for (size_t r = 0; r < n; r++)
		kept[r] = deviate((double)(r + 1) / (double)(n + 1));
	return kept;
}

static void score(oracle_real *values, size_t n)
{
	size_t *order = malloc(n * sizeof *order);
	const oracle_real *scores = scores_of(n);
	oracle_real *scored = malloc(n * sizeof *scored);
	for (size_t t = 0; t < n; t++)
		order[t] = t;
	ranked = values;
	qsort(order, n, sizeof *order, by_value);
	for (size_t r = 0; r < n; r++)
		scored[order[r]] = scores[r];
	for (size_t t = 0; t < n; t++)
		values[t] = scored[t];
	free(order);
	free(scored);
}

static oracle_real height_ratio(const measure_cell *of, const struct cell *c)
{
	const oracle_signals *own = of->own;
	oracle_real sums[CLPAC_MAX_BINS] = {0}, low = INFINITY, high = 0;
	size_t counts[CLPAC_MAX_BINS] = {0};
	for (size_t t = 0; t < c->n; t++) {
		const unsigned bin = own->bins[of->ph * c->n + t];
		sums[bin] += c->a[t];
		counts[bin]++;
	}
	for (unsigned bin = 0; bin < own->n_bins; bin++) {
		oracle_real height = sums[bin];
		if (own->average == CLPAC_AVERAGE_MEAN)
			height = counts[bin] ? height / (oracle_real)counts[bin] : 0;
		low = height < low ? height : low;
		high = height > high ? height : high;
	}
	return (high - low) / high;
}

/* The amplitude in the phase band, by the band's own filter, whose response to white noise is *gain. */
static oracle_complex *filtered_amplitude(const measure_cell *of, oracle_real *gain)
{
	const clpac_problem *p = of->problem;
	const size_t n = of->own->kept;
	const size_t order = oracle_order(p->rate_hz, p->phase_bands[of->ph].lo_hz, p->phase_cycles, p->n_samples);
	oracle_real *taps = malloc((order + 1) * sizeof *taps), *envelope = malloc(n * sizeof *envelope);
	oracle_complex *quadrature = malloc((order + 1) * sizeof *quadrature), *z = malloc(n * sizeof *z);
	const oracle_real *a = of->other->amplitude + of->am * n, mean = mean_of(a, NULL, n);
	for (size_t t = 0; t < n; t++)
		envelope[t] = a[t] - mean;
	oracle_firwin(p->rate_hz, p->phase_bands[of->ph], order, taps);
	oracle_quadrature(taps, order + 1, quadrature);
	oracle_local_long(quadrature, order + 1, envelope, n, z);
	*gain = 0;
	for (size_t k = 0; k <= order; k++)
		*gain += (k ? 2 : 1) * creall(quadrature[k] * conjl(quadrature[k]));
	*gain = sqrtl(*gain);
	free(taps);
	free(envelope);
	free(quadrature);
	return z;
}

/* The phase of the amplitude goes with it. */
static oracle_real locking(const measure_cell *of)
{
	const size_t n = of->own->kept;
	oracle_real gain;
	oracle_complex sum = 0, *z = filtered_amplitude(of, &gain);
	for (size_t t = 0; t < n; t++) {
		const oracle_complex v = z[of->source[t]];
		sum += of->own->direction[of->ph * n + t] * conjl(v) / cabsl(v);
	}
	free(z);
	return cabsl(sum) / (oracle_real)n;
}

double measure_truth(const measure_cell *of, clpac_measure measure)
{
	struct cell c = cell_of(of);
	const oracle_real x = mean_of(c.a, c.x, c.n), y = mean_of(c.a, c.y, c.n), a = mean_of(c.a, NULL, c.n);
	const oracle_real x0 = x - a * mean_of(c.x, NULL, c.n), y0 = y - a * mean_of(c.y, NULL, c.n);
	oracle_real value = NAN;
	switch (measure) {
	case CLPAC_MEASURE_MI:
		value = oracle_modulation_index(of->own->bins + of->ph * c.n, c.a, c.n, 0, of->own->n_bins,
						of->own->average);
		break;
	case CLPAC_MEASURE_HR:
		value = height_ratio(of, &c);
		break;
	case CLPAC_MEASURE_MVL:
		value = hypotl(x, y);
		break;
	case CLPAC_MEASURE_DPAC:
		value = hypotl(x0, y0);
		break;
	case CLPAC_MEASURE_NDPAC:
		value = hypotl(x, y) / sqrtl(mean_of(c.a, c.a, c.n));
		break;
	case CLPAC_MEASURE_GLM:
		value = explained(&c);
		break;
	case CLPAC_MEASURE_GCMI:
		score(c.a, c.n);
		score(c.x, c.n);
		score(c.y, c.n);
		value = -log1pl(-explained(&c)) / (2 * logl(2));
		break;
	case CLPAC_MEASURE_PLV:
		value = locking(of);
		break;
	case CLPAC_MEASURE_PAC_GLM:
		leave_out_slow(of, &c);
		value = explained(&c);
		break;
	case CLPAC_MEASURE_COUNT:
	case CLPAC_MEASURE_RHO:
		break;
	}
	cell_free(&c);
	return (double)value;
}

/* --- Limits of errors ------------------------------------------------------------------------------ */

/* How far the score of each value may be off, since values that err by as much as the errors say may change places. */
static oracle_real *score_errors(const oracle_real *values, const oracle_real *errors, size_t n)
{
	size_t *order = malloc(n * sizeof *order);
	const oracle_real *scores = scores_of(n);
	oracle_real *off = malloc(n * sizeof *off);
	for (size_t t = 0; t < n; t++)
		order[t] = t;
	ranked = values;
	qsort(order, n, sizeof *order, by_value);
	for (size_t r = 0; r < n; r++) {
		const oracle_real value = values[order[r]], error = errors[order[r]];
		size_t low = r, high = r;
		while (low > 0 && value - values[order[low - 1]] < error + errors[order[low - 1]])
			low--;
		while (high + 1 < n && values[order[high + 1]] - value < error + errors[order[high + 1]])
			high++;
		off[order[r]] = fmaxl(scores[high] - scores[r], scores[r] - scores[low]);
	}
	free(order);
	return off;
}

/* Three deviations of the sum of errors times scores, over n. */
static oracle_real error_of_mean(const oracle_real *errors, const oracle_real *scores, size_t n)
{
	oracle_real sum = 0;
	for (size_t t = 0; t < n; t++)
		sum += errors[t] * errors[t] * scores[t] * scores[t];
	return 3 * sqrtl(sum) / (oracle_real)n;
}

double measure_truth_limit_of_ranks(const measure_cell *of, const struct evidence *own, const struct evidence *other,
				    double value)
{
	const size_t n = of->own->kept, ph = of->ph;
	struct cell c = cell_of(of);
	oracle_real *angle_error = malloc(n * sizeof *angle_error), *amplitude_error = malloc(n * sizeof *angle_error);
	const oracle_real noise = 6 * (oracle_real)other->amplitude_noise[of->am] * mean_of(c.a, NULL, n);
	for (size_t t = 0; t < n; t++) {
		angle_error[t] = own->phase_noise[ph] / of->own->strength[ph * n + t] + 2e-7L;
		amplitude_error[t] = noise;
	}
	oracle_real *of_a = score_errors(c.a, amplitude_error, n), e = 0;
	score(c.a, n);
	for (int part = 0; part < 2; part++) {
		oracle_real *along = part ? c.y : c.x;
		for (size_t t = 0; t < n; t++)
			along[t] = -acosl(along[t]);
		oracle_real *off = score_errors(along, angle_error, n);
		score(along, n);
		e += error_of_mean(off, c.a, n) + error_of_mean(of_a, along, n);
		free(off);
	}
	cell_free(&c);
	free(angle_error);
	free(amplitude_error);
	free(of_a);
	const double rest = exp2(-2 * value), move = 2 * sqrt(1 - rest) * (double)e + (double)(e * e);
	return move / (2 * log(2) * rest);
}

double measure_truth_limit_of_locking(const measure_cell *of, const struct evidence *own, const struct evidence *other)
{
	const size_t n = of->own->kept;
	oracle_real gain, sum = 0;
	oracle_complex *z = filtered_amplitude(of, &gain);
	const oracle_real mean = mean_of(of->other->amplitude + of->am * n, NULL, n);
	const oracle_real noise = 6 * (oracle_real)other->amplitude_noise[of->am] * mean * gain;
	for (size_t t = 0; t < n; t++)
		sum += fminl(2, noise / cabsl(z[of->source[t]])) +
		       fminl(2, own->phase_noise[of->ph] / of->own->strength[of->ph * n + t]);
	free(z);
	return (double)(sum / (oracle_real)n);
}

/* How far the mean of (A - centre) u may be off. */
static double error_of_vector(const measure_cell *of, const struct evidence *own, const struct evidence *other,
			      const struct cell *c, double centre, double deviation)
{
	const double n = (double)c->n, noise = other->amplitude_noise[of->am] * (double)mean_of(c->a, NULL, c->n);
	oracle_real turned = 0;
	for (size_t t = 0; t < c->n; t++)
		turned += fabsl(c->a[t] - centre) *
			  fminl(2, own->phase_noise[of->ph] / 2 / of->own->strength[of->ph * c->n + t]);
	return 3 * noise / sqrt(n * other->amplitude_free[of->am]) + (double)turned / n +
	       6 * 0x1p-24 * sqrt(log2(2 * n)) * deviation / sqrt(n);
}

/* How much farther off that mean may be where a line through the slow amplitude is taken from u: measure_truth_limit.
 */
static double error_of_line(const measure_cell *of, const struct evidence *own, size_t n, double deviation)
{
	const oracle_real *slow = of->own->strength + of->ph * n, mean = mean_of(slow, NULL, n);
	const oracle_real spread = sqrtl(mean_of(slow, slow, n) - mean * mean);
	const oracle_real noise = own->phase_noise[of->ph] / 2;
	oracle_real turned = 0;
	for (size_t t = 0; t < n; t++)
		turned += fabsl(slow[t] - mean) * fminl(2, noise / slow[t]) / (oracle_real)n;
	return deviation * (double)((turned + 4 * noise) / spread);
}

/* The least deviation of a cosine of the phase less any angle. */
static double least_deviation(const struct cell *c)
{
	const oracle_real x = mean_of(c->x, NULL, c->n), y = mean_of(c->y, NULL, c->n);
	const oracle_real xx = mean_of(c->x, c->x, c->n) - x * x, yy = mean_of(c->y, c->y, c->n) - y * y;
	const oracle_real xy = mean_of(c->x, c->y, c->n) - x * y;
	return sqrt((double)((xx + yy) / 2 - hypotl((xx - yy) / 2, xy)));
}

static double error_of_heights(const measure_cell *of, const struct evidence *other, const struct cell *c)
{
	size_t counts[CLPAC_MAX_BINS] = {0}, least = c->n;
	for (size_t t = 0; t < c->n; t++)
		counts[of->own->bins[of->ph * c->n + t]]++;
	for (unsigned bin = 0; bin < of->own->n_bins; bin++)
		least = counts[bin] && counts[bin] < least ? counts[bin] : least;
	return 6 * other->amplitude_noise[of->am] / sqrt((double)least * other->amplitude_free[of->am]);
}

static double error_of_index(const measure_cell *of, const struct evidence *other)
{
	const size_t n = of->own->kept;
	unsigned char *bins = malloc(n);
	double limit;
	for (size_t t = 0; t < n; t++)
		bins[t] = (unsigned char)of->own->bins[of->ph * n + t];
	evidence_index_in_order(other, bins, of->am, of->source, &limit);
	free(bins);
	return limit;
}

double measure_truth_limit(const measure_cell *of, const struct evidence *own, const struct evidence *other,
			   clpac_measure measure, double value)
{
	struct cell c = cell_of(of);
	const double mean = (double)mean_of(c.a, NULL, c.n), square = (double)mean_of(c.a, c.a, c.n);
	const double deviation = sqrt(square - mean * mean);
	const bool is_beside = measure == CLPAC_MEASURE_PAC_GLM;
	const bool is_centred = is_beside || measure == CLPAC_MEASURE_DPAC || measure == CLPAC_MEASURE_GLM;
	const double off = error_of_vector(of, own, other, &c, is_centred ? mean : 0, deviation) +
			   (is_beside ? error_of_line(of, own, c.n, deviation) : 0);
	if (is_beside)
		leave_out_slow(of, &c);
	const double of_root = off / deviation / least_deviation(&c);
	double limit = 0;
	switch (measure) {
	case CLPAC_MEASURE_MI:
		limit = error_of_index(of, other);
		break;
	case CLPAC_MEASURE_HR:
		limit = error_of_heights(of, other, &c);
		break;
	case CLPAC_MEASURE_MVL:
	case CLPAC_MEASURE_DPAC:
		limit = off;
		break;
	case CLPAC_MEASURE_NDPAC:
		limit = off / sqrt(square);
		break;
	case CLPAC_MEASURE_GLM:
	case CLPAC_MEASURE_PAC_GLM:
		limit = 2 * sqrt(value) * of_root + of_root * of_root;
		break;
	case CLPAC_MEASURE_GCMI:
		limit = measure_truth_limit_of_ranks(of, own, other, value);
		break;
	case CLPAC_MEASURE_PLV:
		limit = measure_truth_limit_of_locking(of, own, other);
		break;
	case CLPAC_MEASURE_COUNT:
	case CLPAC_MEASURE_RHO:
		break;
	}
	cell_free(&c);
	return limit;
}
