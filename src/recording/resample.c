#include "config.h"

#include "recording/resample.h"

#include <clpac/read.h>

#include <math.h>
#ifdef HAVE_SAMPLERATE
#include <samplerate.h>
#endif

#include "base/cancel.h"
#include "base/error.h"
#include "base/flat.h"
#include "base/memory.h"
#include "recording/recording.h"

/* Two rates that differ by less than this are taken for one ratio: a decimal in a header loses as much. */
static const double same_ratio = 1e-9;

bool clpac__ratio_of(double new_hz, double old_hz, clpac__ratio *out)
{
	const double wanted = new_hz / old_hz;
	if (!(wanted >= 1.0 / CLPAC__MOST_TIMES && wanted <= CLPAC__MOST_TIMES))
		return false;
	/* Convergents of the continued fraction, p / q. */
	double rest = wanted;
	uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
	for (int step = 0; step < 64; step++) {
		const double whole = floor(rest);
		const double p = whole * (double)p1 + (double)p0, q = whole * (double)q1 + (double)q0;
		if (!(p <= CLPAC__MOST_RATIO && q <= CLPAC__MOST_RATIO))
			return false;
		p0 = p1;
		q0 = q1;
		p1 = (uint64_t)p;
		q1 = (uint64_t)q;
		if (p1 && fabs(p / q - wanted) <= same_ratio * wanted) {
			*out = (clpac__ratio){p1, q1};
			return true;
		}
		if (!(rest > whole))
			return false;
		rest = 1 / (rest - whole);
	}
	return false;
}

/* Rounded up: new sample k begins before old sample n where k * n_old < n * n_new. */
static size_t first_new(const clpac__ratio *ratio, size_t old)
{
	return (size_t)((old / ratio->n_old) * ratio->n_new +
			((old % ratio->n_old) * ratio->n_new + ratio->n_old - 1) / ratio->n_old);
}

bool clpac__ratio_count(const clpac__ratio *ratio, size_t n_old, size_t *n_new)
{
	if (n_old / ratio->n_old > SIZE_MAX / sizeof(double) / ratio->n_new - 1)
		return false;
	*n_new = first_new(ratio, n_old);
	return true;
}

#ifdef HAVE_SAMPLERATE

bool clpac_resampling_is_available(void)
{
	return true;
}

/* Twice the reach of libsamplerate's best filter, in samples of the lower rate. */
enum { REACH = 320 };

/* Samples of one call, which takes some 10 ms; a cancelled call ends between two. */
enum { AT_ONCE = 1 << 14 };

typedef struct conversion {
	const clpac__series *series;
	clpac__ratio ratio;
	SRC_STATE *state;
	void *out;
	float *given, *made; /* a run with what is put around it, and its outcome */
	size_t n_given, n_made;
	clpac__flat_search flats; /* where the series stays at one value, as where data is missing */
	size_t next_flat;	  /* the first that has not ended */
} conversion;

static double value_at(const clpac__series *series, size_t i)
{
	return series->type == CLPAC_FLOAT64 ? ((const double *)series->samples)[i]
					     : (double)((const float *)series->samples)[i];
}

static clpac_status make_room(float **room, size_t *n, size_t wanted, clpac_error *err)
{
	if (*n >= wanted)
		return CLPAC_OK;
	RETURN_IF_ERROR(GROW(*room, wanted));
	*n = wanted;
	return CLPAC_OK;
}

/* Sample i of a run of n, with what is put before and behind it: the run turned about its ends, so that it goes on
 * with its own level, slope and frequencies. */
static double extended(const conversion *c, size_t first, size_t n, int64_t i, double mean)
{
	const int64_t last = (int64_t)n - 1;
	if (i >= 0 && i <= last)
		return value_at(c->series, first + (size_t)i) - mean;
	const double end = value_at(c->series, first + (i < 0 ? 0 : (size_t)last));
	const int64_t behind = i < 0 ? -i : i - last;
	const int64_t inside = behind > last ? last : behind;
	return 2 * end - value_at(c->series, first + (size_t)(i < 0 ? inside : last - inside)) - mean;
}

/* Hands `n_given` samples to libsamplerate some at a time, which changes no bit of what it makes. */
static clpac_status convert(conversion *c, size_t n_given, size_t n_made, double times, clpac_error *err)
{
	size_t n_taken = 0, n_out = 0;
	int trouble = src_reset(c->state);
	for (bool is_over = false; !trouble && !is_over && n_out < n_made + REACH;) {
		const size_t left = n_given - n_taken, n = left < AT_ONCE ? left : AT_ONCE;
		RETURN_IF_ERROR(clpac_cancel_check(err));
		SRC_DATA data = {.data_in = c->given + n_taken,
				 .data_out = c->made + n_out,
				 .input_frames = (long)n,
				 .output_frames = (long)(n_made + REACH - n_out),
				 .end_of_input = n == left,
				 .src_ratio = times};
		trouble = src_process(c->state, &data);
		n_taken += (size_t)data.input_frames_used;
		n_out += (size_t)data.output_frames_gen;
		is_over = !data.input_frames_used && !data.output_frames_gen;
	}
	if (trouble || n_out < n_made)
		RETURN_ERROR(CLPAC_ERROR_INTERNAL, "libsamplerate made %zu of %zu samples: %s", n_out, n_made,
			     trouble ? src_strerror(trouble) : "it stopped early");
	return CLPAC_OK;
}

/* Resamples the run of n finite samples from `first` on. */
static clpac_status resample_run(conversion *c, size_t first, size_t n, clpac_error *err)
{
	const uint64_t n_old = c->ratio.n_old, n_new = c->ratio.n_new;
	const uint64_t reach = n_old > n_new ? (REACH * n_old + n_new - 1) / n_new : REACH;
	const uint64_t wide = reach < n ? reach : n; /* many short runs cost no more than one long one */
	/* Rounded so that the first sample given falls on a new one. */
	const uint64_t lead = (wide + n_old - 1) / n_old * n_old + first % n_old;
	const size_t n_given = (size_t)lead + n + (size_t)wide;
	const size_t k_first = first_new(&c->ratio, first), k_end = first_new(&c->ratio, first + n);
	const size_t n_lead = (size_t)((lead - first % n_old) / n_old * n_new); /* new samples before that of `first` */
	const size_t from = k_first - (size_t)(first / n_old * n_new) + n_lead;
	const size_t n_made = from + (k_end - k_first);
	double mean = 0;
	for (size_t i = 0; i < n; i++) {
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		mean += value_at(c->series, first + i) / (double)n;
	}
	RETURN_IF_ERROR(make_room(&c->given, &c->n_given, n_given, err));
	RETURN_IF_ERROR(make_room(&c->made, &c->n_made, n_made + REACH, err));
	for (size_t i = 0; i < n_given; i++) {
		RETURN_IF_ERROR(clpac__cancel_check_at(i, err));
		c->given[i] = (float)extended(c, first, n, (int64_t)i - (int64_t)lead, mean);
	}
	RETURN_IF_ERROR(convert(c, n_given, n_made, (double)n_new / (double)n_old, err));
	for (size_t k = k_first; k < k_end; k++) {
		const double value = (double)c->made[from + (k - k_first)] + mean;
		if (c->series->type == CLPAC_FLOAT64)
			((double *)c->out)[k] = value;
		else
			((float *)c->out)[k] = (float)value;
	}
	return CLPAC_OK;
}

/* A flat run stays one, so that it is found at the new rate, and rings in no sample beside it. */
static void keep_flat(conversion *c, size_t first, size_t end)
{
	const double value = value_at(c->series, first);
	for (size_t k = first_new(&c->ratio, first); k < first_new(&c->ratio, end); k++) {
		if (c->series->type == CLPAC_FLOAT64)
			((double *)c->out)[k] = value;
		else
			((float *)c->out)[k] = (float)value;
	}
}

/* The flat run that begins at `first` or behind it, cut at `end`; begins at `end` where there is none. */
static clpac__flat_run flat_from(conversion *c, size_t first, size_t end)
{
	const clpac__flat_search *flats = &c->flats;
	while (c->next_flat < flats->n_runs && flats->runs[c->next_flat].first + flats->runs[c->next_flat].n <= first)
		c->next_flat++;
	if (c->next_flat == flats->n_runs || flats->runs[c->next_flat].first >= end)
		return (clpac__flat_run){.first = end};
	const clpac__flat_run *run = &flats->runs[c->next_flat];
	const size_t begin = run->first > first ? run->first : first, behind = run->first + run->n;
	return (clpac__flat_run){.first = begin, .n = (behind < end ? behind : end) - begin};
}

/* The runs of finite samples from `first` to `end`, those that are flat apart. */
static clpac_status resample_stretch(conversion *c, size_t first, size_t end, clpac_error *err)
{
	while (first < end) {
		const clpac__flat_run flat = flat_from(c, first, end);
		const size_t from = first;
		while (first < flat.first && isfinite(value_at(c->series, first)))
			first++;
		if (first > from)
			RETURN_IF_ERROR(resample_run(c, from, first - from, err));
		while (first < end && !isfinite(value_at(c->series, first)))
			first++;
		if (flat.n && first == flat.first) {
			keep_flat(c, first, first + flat.n);
			first += flat.n;
		}
	}
	return CLPAC_OK;
}

/* Finds flat runs of half a cycle at 25 Hz, the highest of the default phase bands, and more. */
static clpac_status find_flats(conversion *c, clpac_error *err)
{
	const double least = floor(c->series->rate_hz / 50) + 1;
	c->flats.least = least > 4 ? (size_t)least : 4;
	c->flats.longest_clip = 10 * c->flats.least;
	RETURN_IF_ERROR(clpac__flat_look(&c->flats, c->series->samples, c->series->type == CLPAC_FLOAT64, 1,
					 c->series->n_samples, err));
	return clpac__flat_end(&c->flats, err);
}

/* The first sample at or behind a time, where a time may miss its sample by rounding. */
static size_t sample_at(double seconds, double rate_hz, size_t n)
{
	const double at = ceil(seconds * rate_hz - 1e-6 * (1 + seconds));
	return at <= 0 ? 0 : at < (double)n ? (size_t)at : n;
}

clpac_status clpac__resample(const clpac__series *series, const clpac_stretch *stretches, size_t n_stretches,
			     double rate_hz, size_t n_samples, void **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	conversion c = {.series = series};
	int trouble = 0;
	if (!clpac__ratio_of(rate_hz, series->rate_hz, &c.ratio))
		FAIL(CLPAC_ERROR_ARGUMENT, "%g Hz cannot be resampled to %g Hz", series->rate_hz, rate_hz);
	c.out = clpac__alloc_array(n_samples, clpac__sample_bytes(series->type));
	if (!c.out)
		FAIL_NO_MEMORY(n_samples * clpac__sample_bytes(series->type));
	for (size_t k = 0; k < n_samples; k++) {
		if (series->type == CLPAC_FLOAT64)
			((double *)c.out)[k] = NAN;
		else
			((float *)c.out)[k] = NAN;
	}
	c.state = src_new(SRC_SINC_BEST_QUALITY, 1, &trouble);
	if (!c.state)
		FAIL(CLPAC_ERROR_NO_MEMORY, "libsamplerate cannot begin: %s", src_strerror(trouble));
	TRY(find_flats(&c, err));
	for (size_t i = 0; i < (n_stretches ? n_stretches : 1); i++) {
		size_t first = 0, end = series->n_samples;
		if (n_stretches) {
			first = sample_at(stretches[i].first_seconds, series->rate_hz, series->n_samples);
			end = sample_at(stretches[i].first_seconds + stretches[i].seconds, series->rate_hz,
					series->n_samples);
		}
		TRY(resample_stretch(&c, first, end, err));
	}
	*out = c.out, c.out = NULL;
done:
	if (c.state)
		src_delete(c.state);
	clpac__flat_clear(&c.flats);
	FREE_ALL(c.given, c.made, c.out);
	return st;
}

#else

bool clpac_resampling_is_available(void)
{
	return false;
}

clpac_status clpac__resample(const clpac__series *series, const clpac_stretch *stretches, size_t n_stretches,
			     double rate_hz, size_t n_samples, void **out, clpac_error *err)
{
	(void)stretches;
	(void)n_stretches;
	(void)n_samples;
	(void)out;
	return clpac__fail(err, CLPAC_ERROR_UNSUPPORTED, "%g Hz cannot be resampled to %g Hz without libsamplerate",
			   series->rate_hz, rate_hz);
}

#endif
