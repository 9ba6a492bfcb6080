/* Heartbeats, spikes, muscles and odd harmonics. */
#include "coupling/signal/disturbances.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "coupling/signal/artefacts.h"

static const double pi = 3.14159265358979323846;

/* --- Heartbeats ------------------------------------------------------------------------------- */

/* Distances from the mean of `half` samples at both sides. */
static void take_distances(const double *x, size_t n, size_t half, double *distances)
{
	double sum = 0;
	for (size_t t = 0; t < half && t < n; t++)
		sum += x[t];
	const double share = 1 / (double)(2 * half + 1);
	for (size_t t = 0; t < n; t++) {
		if (t > half && t + half < n) {
			sum += x[t + half] - x[t - half - 1];
			distances[t] = x[t] - sum * share;
			continue;
		}
		/* The ends have fewer samples on one side. */
		sum += (t + half < n ? x[t + half] : 0) - (t > half ? x[t - half - 1] : 0);
		const size_t first = t > half ? t - half : 0, end = t + half + 1 < n ? t + half + 1 : n;
		distances[t] = x[t] - sum / (double)(end - first);
	}
}

/* The median of the sizes of distances: of every some of them in a long series, whose median they tell to 2 %. */
static double usual_size(const double *distances, size_t n, double *room)
{
	enum { ENOUGH = 5000 };
	const size_t step = n / ENOUGH ? n / ENOUGH : 1, n_taken = (n + step - 1) / step;
	for (size_t i = 0; i < n_taken; i++)
		room[i] = fabs(distances[i * step]);
	return n ? clpac__median(room, n_taken) : 0;
}

clpac_status clpac__find_beats(const double *x, size_t n_samples, double rate_hz, clpac__beats *out, clpac_error *err)
{
	enum { FEWEST = 10 };
	static const double smoothed_s = 0.03, apart_s = 0.1, deviations = 3.5;
	clpac_status st = CLPAC_OK;
	double *distances = NULL, *sorted = NULL, heights = 0;
	size_t n = 0, last = 0, n_near = 0;
	*out = (clpac__beats){0};
	TRY(NEW_BYTES(distances, n_samples * sizeof *distances));
	TRY(NEW_BYTES(sorted, n_samples * sizeof *sorted));
	take_distances(x, n_samples, (size_t)(smoothed_s * rate_hz / 2), distances);
	const double deviation = usual_size(distances, n_samples, sorted) / 0.6745, least = deviations * deviation;
	/* From here on, `sorted` holds the intervals. */
	for (size_t t = 0; t < n_samples; t++) {
		const double height = fabs(distances[t]);
		if (!(height > least))
			continue;
		if (n && (double)(t - last) < apart_s * rate_hz) {
			/* The sample belongs to the spike before, whose highest point counts. */
			if (height > fabs(distances[last])) {
				heights += height - fabs(distances[last]);
				if (n > 1)
					sorted[n - 2] += (double)(t - last);
				last = t;
			}
			continue;
		}
		if (n)
			sorted[n - 1] = (double)(t - last);
		heights += height;
		last = t;
		n++;
	}
	if (n < FEWEST || !(deviation > 0))
		goto done;
	const double usual = clpac__median(sorted, n - 1), interval_s = usual / rate_hz;
	for (size_t i = 0; i + 1 < n; i++)
		n_near += fabs(sorted[i] - usual) < 0.25 * usual;
	if (interval_s < 0.4 || interval_s > 2 || 2 * n_near < n || (double)n * usual < 0.6 * (double)n_samples)
		goto done;
	*out = (clpac__beats){n, interval_s, heights / (double)n / deviation};
done:
	FREE_ALL(distances, sorted);
	return st;
}

/* --- Spikes ----------------------------------------------------------------------------------- */

/* Values that are summed together, so that sums do not wait for one another. */
static double mean_distance(const double *distances, size_t n)
{
	double sums[4] = {0};
	for (size_t t = 0; t < n; t++)
		sums[t % 4] += fabs(distances[t]);
	return (sums[0] + sums[1] + sums[2] + sums[3]) / (double)n;
}

/* Writes the mean distance of each stretch of `length`.  Returns their median, with `sorted` as room for it. */
static double usual_distance(const double *distances, size_t length, size_t n, double *means, double *sorted)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = means[i] = mean_distance(distances + i * length, length);
	return clpac__median(sorted, n);
}

clpac_status clpac__find_spikes(const double *x, size_t n_samples, double rate_hz, clpac__spikes *out, clpac_error *err)
{
	enum { FEWEST = 5 };
	/* Of a normal distribution the mean distance is 0.8 deviations. */
	static const double smoothed_s = 0.03, narrow_s = 0.01, stretch_s = 0.5, apart_s = 0.1, rarest_s = 100,
			    deviations = 7, normal = 0.8, cut = 16, least_skewness = 0.25;
	clpac_status st = CLPAC_OK;
	const size_t length = (size_t)(stretch_s * rate_hz), n = length ? n_samples / length : 0;
	double *distances = NULL, *means = NULL, height = 0, squares = 0, cubes = 0;
	size_t n_spikes = 0, last = 0;
	*out = (clpac__spikes){0};
	if (n < FEWEST)
		goto done;
	TRY(NEW_BYTES(distances, n_samples * sizeof *distances));
	TRY(NEW_ARRAY(means, 2 * n));
	take_distances(x, n_samples, (size_t)fmax(1, smoothed_s * rate_hz / 2), distances);
	const double usual = usual_distance(distances, length, n, means, means + n);
	for (size_t i = 0; i < n && usual > 0; i++) {
		const double here = fmax(means[i], usual);
		for (size_t t = i * length; t < (i + 1) * length; t++) {
			const double times = fabs(distances[t]) / here * normal;
			if (!(times > deviations))
				continue;
			height = fmax(height, times);
			n_spikes += !n_spikes || (double)(t - last) > apart_s * rate_hz;
			last = t;
		}
	}
	take_distances(x, n_samples, (size_t)fmax(1, narrow_s * rate_hz / 2), distances);
	const double most = cut * usual_distance(distances, length, n, means, means + n);
	for (size_t t = 0; t < n_samples; t++) {
		const double above = distances[t] < -most ? -most : distances[t],
			     distance = above > most ? most : above;
		squares += distance * distance / (double)n_samples;
		cubes += distance * distance * distance / (double)n_samples;
	}
	const double skewness = squares > 0 ? fabs(cubes) / pow(squares, 1.5) : 0;
	out->skewness = skewness > least_skewness ? skewness : 0;
	if (n_spikes >= FEWEST && (double)n_spikes * rarest_s * rate_hz >= (double)n_samples) {
		out->n = n_spikes;
		out->deviations = height;
	}
done:
	FREE_ALL(distances, means);
	return st;
}

/* --- Muscles ---------------------------------------------------------------------------------- */

/* Adds the power of a stretch of differences, tapered, at bins from `first` on.
 * @param turns (2, length): cosines and sines of parts of a turn. */
static void add_power(const double *x, const double *turns, size_t length, size_t first, size_t n, double *power)
{
	for (size_t i = 0; i < n; i++) {
		double re = 0, im = 0;
		for (size_t t = 1, at = first + i; t < length; t++, at = (at + first + i) % length) {
			const double value = (x[t] - x[t - 1]) * (1 - turns[t]);
			re += value * turns[at];
			im += value * turns[length + at];
		}
		power[i] += re * re + im * im;
	}
}

clpac_status clpac__find_bursts(const double *x, size_t n_samples, double rate_hz, clpac_band range, clpac__bursts *out,
				clpac_error *err)
{
	enum { FEWEST = 8, MOST = 64 };
	static const double stronger = 8, everywhere = 4, lone = 12;
	clpac_status st = CLPAC_OK;
	const size_t length = (size_t)(rate_hz / 8), n = length > 8 ? n_samples / length : 0;
	double *powers = NULL, *sorted = NULL, *spectra = NULL, *turns = NULL, sum = 0;
	size_t n_bursts = 0, n_lone = 0, n_summed[2] = {0}, n_above = 0;
	*out = (clpac__bursts){0};
	if (n < 2 * FEWEST)
		goto done;
	const size_t first = (size_t)ceil(range.lo_hz * (double)length / rate_hz);
	const size_t end = (size_t)(fmin(range.hi_hz, 0.4 * rate_hz) * (double)length / rate_hz) + 1;
	const size_t n_bins = end > first ? end - first : 0;
	TRY(NEW_ARRAY(powers, 2 * n));
	TRY(NEW_ARRAY(sorted, n));
	TRY(NEW_ARRAY(spectra, 2 * n_bins));
	TRY(NEW_ARRAY(turns, 2 * length));
	for (size_t k = 0; k < length; k++) {
		turns[k] = cos(2 * pi * (double)k / (double)length);
		turns[length + k] = sin(2 * pi * (double)k / (double)length);
	}
	double *highest = powers + n;
	for (size_t i = 0; i < n; i++) {
		for (size_t t = i * length + 1; t < (i + 1) * length; t++) {
			const double square = (x[t] - x[t - 1]) * (x[t] - x[t - 1]);
			powers[i] += square / (double)(length - 1);
			highest[i] = square > highest[i] ? square : highest[i];
		}
		sorted[i] = powers[i];
	}
	const double usual = clpac__median(sorted, n);
	for (size_t i = 0; i < n; i++)
		if (powers[i] > stronger * usual) {
			n_bursts++;
			n_lone += highest[i] > lone * powers[i];
			sum += powers[i];
		}
	if (n_bursts < FEWEST || 2 * n_bursts > n || 2 * n_lone > n_bursts || !n_bins)
		goto done;
	for (size_t i = 0; i < n; i++) {
		const bool is_burst = powers[i] > stronger * usual;
		if (n_summed[is_burst] < MOST) {
			add_power(x + i * length, turns, length, first, n_bins, spectra + is_burst * n_bins);
			n_summed[is_burst]++;
		}
	}
	for (size_t k = 0; k < n_bins; k++)
		n_above += spectra[n_bins + k] * (double)n_summed[0] > everywhere * spectra[k] * (double)n_summed[1];
	if (5 * n_above < 4 * n_bins)
		goto done;
	*out = (clpac__bursts){(double)n_bursts / (double)n, sum / (double)n_bursts / usual};
done:
	FREE_ALL(powers, sorted, spectra, turns);
	return st;
}

/* --- Odd harmonics ---------------------------------------------------------------------------- */

clpac__wave_harmonics clpac__find_wave_harmonics(const clpac__wave_turns *turns)
{
	enum { PLACES = 96, HARMONICS = 3 };
	double re[PLACES], im[PLACES], sums[HARMONICS][2] = {{0}}, cycle[2] = {0}, squares = 0;
	const size_t n = turns->n;
	for (int i = 0; i < PLACES; i++) {
		re[i] = cos(2 * pi * (i + 0.5) / PLACES);
		im[i] = sin(2 * pi * (i + 0.5) / PLACES);
	}
	for (size_t t = 0; t < n; t++) {
		const double x = turns->means[t];
		const int place = (int)((turns->turns[t] - floor(turns->turns[t])) * PLACES) % PLACES;
		for (int m = 0; m < HARMONICS; m++) {
			const int at = (m + 1) * place + m / 2;
			sums[m][0] += x * re[at % PLACES];
			sums[m][1] -= x * im[at % PLACES];
		}
		cycle[0] += x * re[(3 * place + 1) % PLACES];
		cycle[1] -= x * im[(3 * place + 1) % PLACES];
		if (t + 1 == n || floor(turns->turns[t + 1]) > floor(turns->turns[t])) {
			squares += cycle[0] * cycle[0] + cycle[1] * cycle[1];
			cycle[0] = cycle[1] = 0;
		}
	}
	if (!n || !(hypot(sums[0][0], sums[0][1]) > 0))
		return (clpac__wave_harmonics){0};
	/* What the means have taken off, at the mean frequency of the wave. */
	const double step_turns = pi * fabs(turns->turns[n - 1] - turns->turns[0]) / (double)n / (double)turns->step;
	double gains[HARMONICS];
	for (int m = 0; m < HARMONICS; m++) {
		const double turn = (m + 1) * step_turns;
		gains[m] = turn > 0 ? sin(turn * (double)turns->step) / ((double)turns->step * sin(turn)) : 1;
	}
	const double first = hypot(sums[0][0], sums[0][1]) / gains[0];
	const double second = hypot(sums[1][0], sums[1][1]) / gains[1];
	/* The third harmonic in the direction of three times the phase of the first. */
	const double turn = 3 * atan2(sums[0][1], sums[0][0]);
	const double third = (sums[2][0] * cos(turn) + sums[2][1] * sin(turn)) / gains[2];
	return (clpac__wave_harmonics){second / first, third / first, sqrt(squares / 2) / gains[2] / first};
}

/* Harmonics of the mean of many cycles are as large by chance as their standard error. */
bool clpac__has_odd_harmonics(clpac__wave_harmonics found)
{
	static const double least_third = 0.08, most_second = 0.3, errors = 5;
	const double third = fabs(found.third);
	return third > least_third && third > errors * found.third_chance && found.second <= most_second * third;
}

/* --- All of them ------------------------------------------------------------------------------ */

clpac_status clpac__find_disturbances(const double *x, size_t n_samples, double rate_hz, clpac_band fast,
				      clpac_disturbances *out, clpac_error *err)
{
	clpac__beats beats;
	clpac__bursts bursts;
	clpac__spikes spikes = {0};
	RETURN_IF_ERROR(clpac__find_beats(x, n_samples, rate_hz, &beats, err));
	RETURN_IF_ERROR(clpac__find_bursts(x, n_samples, rate_hz, fast, &bursts, err));
	/* Their own edges are spikes, too. */
	if (!beats.n && !(bursts.share > 0))
		RETURN_IF_ERROR(clpac__find_spikes(x, n_samples, rate_hz, &spikes, err));
	*out = (clpac_disturbances){.n_beats = beats.n,
				    .beat_interval_s = beats.interval_s,
				    .beat_deviations = beats.deviations,
				    .burst_share = bursts.share,
				    .burst_times = bursts.times,
				    .n_spikes = spikes.n,
				    .spike_deviations = spikes.deviations,
				    .skewness = spikes.skewness};
	return CLPAC_OK;
}

clpac_status clpac_signal_disturbances(const double *x, size_t n_samples, double rate_hz, clpac_band fast,
				       double wave_hz, clpac_disturbances *out, clpac_error *err)
{
	/* As many samples a second for each hertz of the highest frequency as cautions look at. */
	enum { PER_HERTZ = 4 };
	NEED(x, out);
	clpac_status st = CLPAC_OK;
	double *means = NULL;
	clpac__wave_turns turns = {0};
	if (!(rate_hz > 0 && isfinite(rate_hz) && fast.lo_hz > 0 && fast.hi_hz > fast.lo_hz && isfinite(fast.hi_hz) &&
	      wave_hz >= 0 && isfinite(wave_hz)))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "rate_hz is %g, fast %g-%g Hz and wave_hz %g: give a rate above 0, a band above 0 with "
			     "its lower edge first, and a wave of 0 Hz or more",
			     rate_hz, fast.lo_hz, fast.hi_hz, wave_hz);
	*out = (clpac_disturbances){0};
	for (size_t t = 0; t < n_samples; t++)
		if (!isfinite(x[t]))
			return CLPAC_OK;
	const size_t step = (size_t)fmax(1, rate_hz / (PER_HERTZ * fast.hi_hz)), n = n_samples / step;
	const double coarse_hz = rate_hz / (double)step;
	if (!n)
		return CLPAC_OK;
	TRY(NEW_ARRAY(means, n));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < step; k++)
			means[i] += x[i * step + k] / (double)step;
	TRY(clpac__find_disturbances(means, n, coarse_hz, fast, out, err));
	if (!(wave_hz > 0) || !(1.25 * wave_hz < coarse_hz / 2))
		goto done;
	TRY(clpac__wave_turns_make(means, n, coarse_hz, (clpac_band){0.75 * wave_hz, 1.25 * wave_hz}, 3, &turns, err));
	const clpac__wave_harmonics found = clpac__find_wave_harmonics(&turns);
	if (turns.n && clpac__has_odd_harmonics(found))
		out->third_harmonic = found.third;
done:
	clpac__wave_turns_clear(&turns);
	clpac__free(means);
	return st;
}
