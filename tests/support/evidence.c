/* Error limits of single precision, derived. */
#include "evidence.h"

#include "test_thread.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double unit = 0x1p-24;
static const double of_sample = 6, of_index = 3; /* deviations */
static const double of_transform = 3e-7;	 /* its error, of the root of mean squares of its result */

static void *array(size_t n, size_t each)
{
	void *made = calloc(n ? n : 1, each);
	if (!made) {
		fprintf(stderr, "evidence: no memory for %zu values\n", n);
		exit(EXIT_FAILURE);
	}
	return made;
}

/* sqrt(2 sum r^2), r being the autocorrelation of a band's taps; and the number of the taps. */
static double band_noise(const clpac_problem *p, clpac_band_use use, size_t band, size_t *n_taps)
{
	const bool is_phase = use == CLPAC_PHASE;
	const clpac_taps *own = is_phase ? &p->phase_taps : &p->amplitude_taps;
	const clpac_band edges = is_phase ? p->phase_bands[band] : p->amplitude_bands[band];
	const size_t order = own->taps ? own->n_taps - 1
				       : oracle_order(p->rate_hz, edges.lo_hz,
						      is_phase ? p->phase_cycles : p->amplitude_cycles, p->n_samples);
	oracle_real *taps = array(order + 1, sizeof *taps);
	if (own->taps)
		for (size_t k = 0; k <= order; k++)
			taps[k] = own->taps[band * own->n_taps + k];
	else
		oracle_firwin(p->rate_hz, edges, order, taps);
	double sum = 0;
	for (size_t lag = 0; lag <= order; lag++) {
		double r = 0;
		for (size_t k = 0; k + lag <= order; k++)
			r += (double)(taps[k] * taps[k + lag]);
		sum += (lag ? 2 : 1) * r * r;
	}
	free(taps);
	*n_taps = order + 1;
	return sqrt(2 * sum);
}

static double rms(const oracle_real *x, size_t n)
{
	double squares = 0;
	for (size_t t = 0; t < n; t++)
		squares += (double)(x[t] * x[t]);
	return sqrt(squares / (double)n);
}

/* Root mean square of the series without its mean, extended oddly over pad samples. */
static double extended_rms(const double *x, size_t n, size_t pad)
{
	oracle_real *series = array(n, sizeof *series), *wide = array(n + 2 * pad, sizeof *wide), mean = 0;
	for (size_t t = 0; t < n; t++)
		mean += (oracle_real)x[t] / (oracle_real)n;
	for (size_t t = 0; t < n; t++)
		series[t] = x[t] - mean;
	oracle_odd_extension(series, n, pad, wide);
	const double found = rms(wide, n + 2 * pad);
	free(series);
	free(wide);
	return found;
}

struct evidence evidence_gather(const clpac_problem *p, const double *x, const oracle_signals *truth)
{
	const size_t n_bands = p->n_phase_bands + p->n_amplitude_bands, kept = truth->kept;
	struct evidence made = {.truth = truth,
				.is_exact = p->hilbert == CLPAC_HILBERT_LOCAL,
				.phase_noise = array(p->n_phase_bands, sizeof(double)),
				.amplitude_noise = array(p->n_amplitude_bands, sizeof(double)),
				.amplitude_free = array(p->n_amplitude_bands, sizeof(double))};
	double *through = array(n_bands, sizeof *through);
	size_t pad = 0;
	for (size_t i = 0; i < n_bands; i++) {
		size_t n_taps;
		const bool is_phase = i < p->n_phase_bands;
		through[i] = band_noise(p, is_phase ? CLPAC_PHASE : CLPAC_AMPLITUDE,
					is_phase ? i : i - p->n_phase_bands, &n_taps);
		pad = n_taps - 1 > pad ? n_taps - 1 : pad;
	}
	const double of_band = p->hilbert == CLPAC_HILBERT_TRIMMED ? 3 : 1;
	const double series = extended_rms(x, p->n_samples, pad);
	for (size_t i = 0; i < n_bands; i++) {
		const bool is_phase = i < p->n_phase_bands;
		const size_t at = is_phase ? i : i - p->n_phase_bands;
		const oracle_real *size = (is_phase ? truth->strength : truth->amplitude) + at * kept;
		const double noise = of_transform * (series * through[i] + of_band * rms(size, kept));
		double mean = 0;
		for (size_t t = 0; t < kept; t++)
			mean += (double)size[t] / (double)kept;
		if (is_phase) {
			made.phase_noise[at] = of_sample * noise;
		} else {
			made.amplitude_noise[at] = noise / sqrt(2) / mean;
			made.amplitude_free[at] = through[i] * through[i] / 4;
		}
	}
	free(through);
	return made;
}

void evidence_free(struct evidence *evidence)
{
	free(evidence->phase_noise);
	free(evidence->amplitude_noise);
	free(evidence->amplitude_free);
}

/* Phase error in radians; the angle itself is rounded to 2^-24 turns a few times. */
static double reach(const struct evidence *e, size_t ph, size_t t)
{
	return e->phase_noise[ph] / (double)e->truth->strength[ph * e->truth->kept + t] + 2 * pi * 2 * unit;
}

/* Distance from a phase to the nearest edge, in radians. */
static double distance_from_edge(const struct evidence *e, size_t at)
{
	const double width = 2 * pi / e->truth->n_bins, in_bins = ((double)e->truth->phase[at] + pi) / width;
	return fabs(in_bins - round(in_bins)) * width;
}

double evidence_expected_moves(const struct evidence *e)
{
	double expected = 0;
	for (size_t ph = 0; ph < e->truth->n_phase; ph++)
		for (size_t t = 0; t < e->truth->kept; t++)
			expected += erfc(distance_from_edge(e, ph * e->truth->kept + t) /
					 (reach(e, ph, t) / of_sample) / sqrt(2)) /
				    2;
	return expected;
}

size_t evidence_of_bins(const struct evidence *e, const unsigned char *bins, size_t stride, size_t *moved,
			const char *label, const char *replay)
{
	const oracle_signals *truth = e->truth;
	const int n_bins = (int)truth->n_bins;
	const double width = 2 * pi / n_bins;
	size_t all = 0;
	ck_assert_msg(truth->n_doubtful == 0, "%s: %zu samples of the oracle are doubtful: draw others; %s", label,
		      truth->n_doubtful, replay);
	for (size_t ph = 0; ph < truth->n_phase; ph++) {
		moved[ph] = 0;
		for (size_t t = 0; t < truth->kept; t++) {
			const size_t at = ph * truth->kept + t;
			const int mine = (int)truth->bins[at], its = bins[ph * stride + t];
			if (mine == its)
				continue;
			moved[ph]++;
			const double limit = reach(e, ph, t);
			if (limit >= width && !e->is_exact)
				continue;
			const int apart = (its - mine + n_bins) % n_bins;
			const double distance = distance_from_edge(e, at);
			const bool is_explained =
				!e->is_exact && (apart == 1 || apart == n_bins - 1) && distance <= limit;
			ck_assert_msg(is_explained,
				      "%s: sample %zu of phase band %zu is in bin %d instead of %d: its phase %.9f "
				      "lies %.3g rad "
				      "from the edge, where single precision reaches %.3g rad%s; %s",
				      label, t, ph, its, mine, (double)truth->phase[at], distance, limit,
				      e->is_exact ? " and must not decide" : "", replay);
		}
		all += moved[ph];
	}
	return all;
}

size_t evidence_take_bins(const struct evidence *e, oracle_signals *truth, const unsigned char *bins, size_t stride,
			  const char *label)
{
	size_t *moved = array(truth->n_phase, sizeof *moved);
	const size_t all = evidence_of_bins(e, bins, stride, moved, label, "");
	for (size_t ph = 0; ph < truth->n_phase; ph++)
		for (size_t t = 0; t < truth->kept; t++)
			truth->bins[ph * truth->kept + t] = bins[ph * stride + t];
	free(moved);
	return all;
}

double evidence_index(const struct evidence *e, const unsigned char *bins, size_t am, size_t shift, double *tolerance)
{
	const size_t kept = e->truth->kept;
	size_t *source = array(kept, sizeof *source);
	for (size_t t = 0; t < kept; t++)
		source[t] = (t + shift) % kept;
	const double index = evidence_index_in_order(e, bins, am, source, tolerance);
	free(source);
	return index;
}

double evidence_index_in_order(const struct evidence *e, const unsigned char *bins, size_t am, const size_t *source,
			       double *tolerance)
{
	const oracle_signals *truth = e->truth;
	const unsigned n_bins = truth->n_bins;
	const oracle_real *amplitude = truth->amplitude + am * truth->kept;
	oracle_real distribution[CLPAC_MAX_BINS] = {0}, total = 0, all = 0;
	size_t counts[CLPAC_MAX_BINS] = {0};
	for (size_t t = 0; t < truth->kept; t++) {
		distribution[bins[t]] += amplitude[source[t]];
		all += amplitude[source[t]];
		counts[bins[t]]++;
	}
	for (unsigned j = 0; j < n_bins; j++) {
		if (truth->average == CLPAC_AVERAGE_MEAN && counts[j])
			distribution[j] /= (oracle_real)counts[j];
		total += distribution[j];
	}
	const double index = (double)oracle_index_of_distribution(distribution, n_bins);
	const double entropy = log(n_bins);
	/* An amplitude of 1 is the mean one, a height of 1 the mean of the bins' means: where large amplitudes lie in
	 * full bins, that is far less, and errors count for more. */
	const double scale =
		truth->average == CLPAC_AVERAGE_MEAN ? (double)(all / (oracle_real)truth->kept / total) * n_bins : 1;
	double sum = 0, variance = 0, squares = 0;
	for (unsigned j = 0; j < n_bins; j++) {
		const double height = (double)(distribution[j] / total) * n_bins;
		const double averaged = (double)counts[j] * e->amplitude_free[am], independent = fmax(1, averaged);
		const double weight = truth->average == CLPAC_AVERAGE_SUM
					      ? (double)counts[j] * n_bins / (double)truth->kept
					      : counts[j] > 0;
		const double noise = weight * scale * e->amplitude_noise[am] / sqrt(independent);
		const double error =
			4 * unit * fabs(height - 1) + 2 * unit + scale * 0x1p-31 * sqrt((double)truth->kept);
		const double slope = fabs(log(fmax(height, error + of_index * noise)));
		sum += slope * error;
		/* Short bins share their errors with their neighbours. */
		variance += counts[j] ? slope * slope * noise * noise * independent / averaged : 0;
		squares += pow(error + of_index * noise, 2);
	}
	*tolerance = (sum + of_index * sqrt(variance) + squares / 2) / (n_bins * entropy) + index * (n_bins + 8) * unit;
	return index;
}
