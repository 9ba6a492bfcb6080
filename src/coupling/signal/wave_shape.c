/* What of a fast signal is the shape of a slow wave. */
#include "coupling/signal/wave_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "coupling/signal/pairs.h"
#include "coupling/signal/slow_waves.h"

enum { FEWEST = 8, TURNS = 3, FAMILIES = 2 };

/* The ways: multiples of the phase, events at the middles and at the ends of cycles, and at their extremes. */
enum { MULTIPLES, MIDDLES, ENDS, EXTREMES };

static const double pi = 3.14159265358979323846;
static const double largest_size = 3; /* of a cycle, in that of the mean one */
/* What is known of a cycle before its fast part is seen: its size is that of its slow part, within this deviation, and
 * its delay 0, within this part of a period of the band. */
static const double size_deviation = 0.5, delay_deviation = 0.2;
/* A mean counts where its power is so many times what chance gives it. */
static const double above_chance = 3;
/* The upper end of what events are aligned on: in the lower edge of the band, of which it must hold nothing, and in the
 * frequency of the wave, above which nested oscillations are that would align on themselves in it. */
static const double below_band = 1 / 1.5, above_wave = 6;
static const double as_one = 1.3;

/* A cycle, or an extreme of it. */
typedef struct event {
	size_t at;
	double size; /* in that of the mean one */
	int family;  /* 1 for lowest points, else 0 */
} event;

typedef struct wave {
	double hz;
	size_t half, reach; /* samples: half of a cycle, and how far an event may be moved */
	bool is_known;	    /* what follows, until the next wave is looked at */
	clpac__wave_turns turns;
	clpac__wave_places places;
	size_t *starts, n; /* of its cycles */
	double *low;	   /* the series below 1.7 hz */
	double top_hz;	   /* upper end of what the events are aligned on; 0 before they are */
	event *ways[CLPAC__SHAPE_WAYS];
	size_t n_events[CLPAC__SHAPE_WAYS];
	bool are_placed[CLPAC__SHAPE_WAYS];
} wave;

/* The samples that are nearer to an event than to its neighbours, and what is found there. */
typedef struct span {
	size_t first, n, lag; /* in the band's samples; lag of the first in the form */
	double size;	      /* of the event */
	double re, im;	      /* the turn that the band takes from the event's nearest sample to the event */
	double with_mean, with_slope;
} span;

/* One family of events in a band. */
struct form {
	double *mean_re, *mean_im;   /* n_lags: what the events share, */
	double *slope_re, *slope_im; /* its derivative, */
	double *counts, *squares;    /* and events and squared sizes at each lag, */
	double *power;		     /* and their power */
	double *products; /* (n_lags + 1, 3): sums of |mean|^2, |slope|^2, and their product, before each lag */
	size_t n_lags;
	span *spans;
	size_t n_spans, room; /* and room for so many */
};

struct clpac__wave_shape {
	const double *x;
	size_t n_samples, n_waves;
	double rate_hz, lowest_hz; /* lower edge of the lowest band */
	double *guide, *middle;	   /* what events are aligned on, each n_samples */
	double guide_hz;	   /* upper end of the guide; 0 before the first */
	wave *waves;
	double *laid, *mean_guide; /* an alignment's */
	struct form form;
	double *left; /* (2, samples of a band): a band without the shape of a wave */
};

/* Values between those of every step-th sample: cubes through four of them (Catmull and Rom 1974). */
static void fill_in(const double *values, size_t n, size_t step, double *to, size_t n_samples)
{
	for (size_t t = 0; t < n_samples; t++) {
		const size_t i = t / step, ahead = i + 1 < n ? i + 1 : n - 1;
		const double a = values[i ? i - 1 : 0], b = values[i], c = values[ahead];
		const double d = values[ahead + 1 < n ? ahead + 1 : n - 1], place = (double)(t % step) / (double)step;
		to[t] = b + place / 2 * (c - a + place * (2 * a - 5 * b + 4 * c - d + place * (3 * (b - c) + d - a)));
	}
}

/* The series below a frequency: a windowed sinc of three cycles, at 12 values for each of its cycles. */
static clpac_status low_pass(const clpac__wave_shape *s, double hz, double *to, clpac_error *err)
{
	enum { PER_CYCLE = 8 };
	clpac_status st = CLPAC_OK;
	const size_t half = (size_t)(1.5 * s->rate_hz / hz);
	const size_t step = (size_t)fmax(1, s->rate_hz / (PER_CYCLE * hz)), n = (s->n_samples + step - 1) / step;
	double *taps = NULL, *values = NULL, sum = 0;
	if (2 * hz >= s->rate_hz || !half) {
		memcpy(to, s->x, s->n_samples * sizeof *to);
		goto done;
	}
	TRY(NEW_ARRAY(taps, half + 1));
	for (size_t k = 0; k <= half; k++) {
		const double sinc =
			k ? sin(2 * pi * hz / s->rate_hz * (double)k) / (pi * (double)k) : 2 * hz / s->rate_hz;
		taps[k] = sinc * (0.54 + 0.46 * cos(pi * (double)k / (double)half));
		sum += k ? 2 * taps[k] : taps[k];
	}
	for (size_t k = 0; k <= half; k++)
		taps[k] /= sum;
	if (step == 1) {
		TRY(clpac__filter_series(s->x, s->n_samples, taps, NULL, half, 1, to, err));
		goto done;
	}
	TRY(NEW_ARRAY(values, n));
	TRY(clpac__filter_series(s->x, s->n_samples, taps, NULL, half, step, values, err));
	fill_in(values, n, step, to, s->n_samples);
done:
	FREE_ALL(taps, values);
	return st;
}

/* Writes the samples at which cycles begin, where the wave passes half a turn. */
static void find_starts(const clpac__wave_turns *turns, wave *w)
{
	const double middle = ((double)turns->step - 1) / 2;
	for (size_t i = 1; i < turns->n; i++) {
		const double before = turns->turns[i - 1] + 0.5, here = turns->turns[i] + 0.5, whole = floor(here);
		if (whole > floor(before))
			w->starts[w->n++] = (size_t)ceil(
				middle + (double)turns->step * ((double)i - (here - whole) / (here - before)));
	}
}

/* Makes the phase of a wave and its cycles, unless they are there. */
static clpac_status look_at_wave(clpac__wave_shape *s, wave *w, clpac_error *err)
{
	const clpac__wave_turns *turns = &w->turns;
	size_t n = 0;
	if (w->is_known)
		return CLPAC_OK;
	if (!turns->n)
		RETURN_IF_ERROR(clpac__wave_turns_make(s->x, s->n_samples, s->rate_hz,
						       (clpac_band){0.75 * w->hz, 1.25 * w->hz}, 3, &w->turns, err));
	for (size_t i = 1; i < turns->n; i++)
		n += floor(turns->turns[i] + 0.5) > floor(turns->turns[i - 1] + 0.5);
	if (!w->starts)
		RETURN_IF_ERROR(NEW_ARRAY(w->starts, n + 1));
	w->n = 0;
	find_starts(turns, w);
	for (int way = MIDDLES; way < CLPAC__SHAPE_WAYS; way++)
		if (!w->ways[way])
			RETURN_IF_ERROR(NEW_ARRAY(w->ways[way], 2 * n + 1));
	if (s->form.room < 2 * n + 1) {
		clpac__free(s->form.spans);
		s->form.room = 0;
		RETURN_IF_ERROR(NEW_ARRAY(s->form.spans, 2 * n + 1));
		s->form.room = 2 * n + 1;
	}
	w->is_known = true;
	return CLPAC_OK;
}

clpac_status clpac__wave_shape_create(const double *x, size_t n_samples, double rate_hz, double lowest_hz,
				      const double *waves_hz, size_t n_waves, clpac__wave_shape **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__wave_shape *s = NULL;
	size_t longest = 0;
	TRY(NEW(s));
	struct form *f = &s->form;
	double **const lags[] = {&f->mean_re, &f->mean_im, &f->slope_re, &f->slope_im,
				 &f->counts,  &f->squares, &f->power};
	s->x = x;
	s->n_samples = n_samples;
	s->rate_hz = rate_hz;
	s->lowest_hz = lowest_hz;
	TRY(NEW_BYTES(s->guide, n_samples * sizeof *s->guide));
	TRY(NEW_BYTES(s->middle, n_samples * sizeof *s->middle));
	TRY(NEW_ARRAY(s->waves, n_waves));
	s->n_waves = n_waves;
	for (size_t i = 0; i < n_waves; i++) {
		wave *w = &s->waves[i];
		w->hz = waves_hz[i];
		w->half = (size_t)(rate_hz / w->hz) / 2;
		w->reach = w->half / 4 > 2 ? w->half / 4 : 2;
		longest = w->half + w->reach > longest ? w->half + w->reach : longest;
	}
	/* Samples that are looked at together may be of any number: rows of them end behind the series. */
	TRY(NEW_BYTES(s->laid, (2 * n_samples + 1) * sizeof *s->laid));
	TRY(NEW_ARRAY(s->mean_guide, 2 * longest + 1));
	for (size_t i = 0; i < sizeof lags / sizeof *lags; i++)
		TRY(NEW_ARRAY(*lags[i], 2 * longest + 4));
	TRY(NEW_ARRAY(s->form.products, 3 * (2 * longest + 4)));
	TRY(NEW_BYTES(s->left, 2 * n_samples * sizeof *s->left));
	*out = s, s = NULL;
done:
	clpac__wave_shape_destroy(s);
	return st;
}

void clpac__wave_shape_destroy(clpac__wave_shape *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->waves && i < s->n_waves; i++) {
		wave *w = &s->waves[i];
		clpac__wave_turns_clear(&w->turns);
		clpac__wave_places_clear(&w->places);
		FREE_ALL(w->starts, w->low, w->ways[MIDDLES], w->ways[ENDS], w->ways[EXTREMES]);
	}
	const struct form *f = &s->form;
	FREE_ALL(f->mean_re, f->mean_im, f->slope_re, f->slope_im, f->counts, f->squares, f->power, f->products,
		 f->spans);
	FREE_ALL(s->guide, s->middle, s->waves, s->laid, s->mean_guide, s->left, s);
}

/* Values that are summed together: two pairs. */
enum { TOGETHER = 4 };

clpac_status clpac__wave_shape_harmonics(clpac__wave_shape *s, size_t number, clpac__wave_harmonics *harmonics,
					 clpac_error *err)
{
	RETURN_IF_ERROR(look_at_wave(s, &s->waves[number], err));
	*harmonics = clpac__find_wave_harmonics(&s->waves[number].turns);
	return CLPAC_OK;
}

/* --- Alignment -------------------------------------------------------------------------------- */

/* Events on a guide, of which every stride-th sample is looked at. */
typedef struct alignment {
	double *guide; /* (stride, n_each): samples that are looked at together lie side by side */
	size_t n_samples, n_each, half, reach, stride, n_lags;
	double *mean; /* n_lags */
} alignment;

static const double *seen_from(const alignment *a, size_t at)
{
	return a->guide + (at - a->half) % a->stride * a->n_each + (at - a->half) / a->stride;
}

static void lay_guide(alignment *a, const double *guide)
{
	for (size_t first = 0; first < a->stride; first++)
		for (size_t i = 0, t = first; t < a->n_samples; i++, t += a->stride)
			a->guide[first * a->n_each + i] = guide[t];
}

static size_t keep_inside(const alignment *a, event *events, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (events[i].at > a->half + a->reach && events[i].at + a->half + a->reach + 1 < a->n_samples)
			events[kept++] = events[i];
	return kept;
}

static void average(const alignment *a, const event *events, size_t n)
{
	memset(a->mean, 0, a->n_lags * sizeof *a->mean);
	for (size_t i = 0; i < n; i++) {
		const double *from = seen_from(a, events[i].at);
		for (size_t k = 0; k < a->n_lags; k++)
			a->mean[k] += from[k];
	}
	for (size_t k = 0; k < a->n_lags; k++)
		a->mean[k] /= (double)n;
}

static double agreement(const alignment *a, size_t at)
{
	const double *from = seen_from(a, at), *mean = a->mean;
	clpac__pair first = {0, 0}, second = {0, 0};
	double sum = 0;
	size_t k = 0;
	for (; k + TOGETHER <= a->n_lags; k += TOGETHER) {
		const clpac__pair *x = (const clpac__pair *)(from + k), *y = (const clpac__pair *)(mean + k);
		first += x[0] * y[0];
		second += x[1] * y[1];
	}
	for (; k < a->n_lags; k++)
		sum += from[k] * mean[k];
	return sum + first[0] + first[1] + second[0] + second[1];
}

/* Climbs from a place to one that agrees better with the mean, by steps within reach of `from`, as long as it goes up.
 */
static size_t climb(const alignment *a, size_t from, size_t at, size_t step)
{
	double here = agreement(a, at);
	for (int sign = 1; sign >= -1; sign -= 2)
		for (size_t start = at;;) {
			const size_t to = sign > 0 ? at + step : at - step;
			if (to > from + a->reach || to + a->reach < from)
				break;
			const double there = agreement(a, to);
			if (!(there > here)) {
				if (at != start)
					return at;
				break;
			}
			here = there;
			at = to;
		}
	return at;
}

static size_t best_place(const alignment *a, size_t at)
{
	size_t best = at;
	for (size_t step = a->stride; step; step /= 2)
		best = climb(a, at, best, step);
	return best;
}

/* Moves events to agree with their mean, and gives them their sizes.  Returns how many are left. */
static size_t align(alignment *a, int n_turns, event *events, size_t n)
{
	a->n_lags = 2 * a->half / a->stride;
	for (int turn = 0; turn < n_turns; turn++) {
		n = keep_inside(a, events, n);
		if (n < FEWEST)
			return 0;
		average(a, events, n);
		for (size_t i = 0; i < n; i++)
			events[i].at = best_place(a, events[i].at);
	}
	n = keep_inside(a, events, n);
	if (n < FEWEST)
		return 0;
	average(a, events, n);
	double power = 0;
	for (size_t k = 0; k < a->n_lags; k++)
		power += a->mean[k] * a->mean[k];
	for (size_t i = 0; i < n; i++)
		events[i].size = power > 0 ? fmin(fmax(agreement(a, events[i].at) / power, 0), largest_size) : 1;
	return n;
}

static int by_time(const void *a, const void *b)
{
	const event *x = a, *y = b;
	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : x->family - y->family;
}

/* Where in the cycles their mean is highest and lowest in the middle, as parts of a cycle.  Extremes are looked for
 * half a cycle around, so that none lies at a border between two. */
static void find_extremes(const clpac__wave_shape *s, const wave *w, double places[FAMILIES])
{
	enum { PLACES = 32 };
	double mean[PLACES] = {0};
	int best[FAMILIES] = {0};
	for (size_t i = 0; i + 1 < w->n; i++)
		for (size_t k = 0; k < PLACES; k++)
			mean[k] += s->middle[w->starts[i] + k * (w->starts[i + 1] - w->starts[i]) / PLACES];
	for (int k = 1; k < PLACES; k++) {
		best[0] = mean[k] > mean[best[0]] ? k : best[0];
		best[1] = mean[k] < mean[best[1]] ? k : best[1];
	}
	for (int family = 0; family < FAMILIES; family++)
		places[family] = (double)best[family] / PLACES;
}

/* The sample at a part of a cycle, whose length is kept beyond its end. */
static double place_in(const wave *w, size_t cycle, double part)
{
	return (double)w->starts[cycle] + part * (double)(w->starts[cycle + 1] - w->starts[cycle]);
}

/* The highest points of a wave's cycles in the middle, or the lowest ones, aligned.  Returns their number. */
static size_t place_extremes(const clpac__wave_shape *s, const wave *w, int family, double part, alignment *a,
			     event *events)
{
	const double sign = family ? -1 : 1;
	size_t n = 0;
	for (size_t i = 0; i + 1 < w->n; i++) {
		const double from = place_in(w, i, part - 0.5), to = place_in(w, i, part + 0.5);
		if (from < 0 || to > (double)s->n_samples)
			continue;
		/* The alignment finds the sample; nothing is lost between those that it looks at together. */
		size_t best = (size_t)from;
		const size_t end = (size_t)ceil(to);
		double highest = sign * s->middle[best];
		for (size_t t = best + a->stride; t < end; t += a->stride)
			if (sign * s->middle[t] > highest) {
				highest = sign * s->middle[t];
				best = t;
			}
		events[n++] = (event){.at = best, .family = family};
	}
	a->half = w->half;
	n = align(a, TURNS, events, n);
	a->half = w->half / 2;
	return n ? align(a, 1, events, n) : 0;
}

/* Aligns the extremes of a wave's cycles in what lies above 1.7 times its frequency. */
static void place_all_extremes(clpac__wave_shape *s, wave *w, alignment *a)
{
	double places[FAMILIES];
	if (w->top_hz < 2.2 * w->hz)
		return;
	for (size_t t = 0; t < s->n_samples; t++)
		s->middle[t] = s->guide[t] - w->low[t];
	find_extremes(s, w, places);
	lay_guide(a, s->middle);
	for (int family = 0; family < FAMILIES; family++)
		w->n_events[EXTREMES] +=
			place_extremes(s, w, family, places[family], a, w->ways[EXTREMES] + w->n_events[EXTREMES]);
	qsort(w->ways[EXTREMES], w->n_events[EXTREMES], sizeof(event), by_time);
}

static void place_events(clpac__wave_shape *s, wave *w, int way)
{
	alignment a = {
		.guide = s->laid,
		.mean = s->mean_guide,
		.n_samples = s->n_samples,
		.half = w->half,
		.reach = w->reach,
		.stride = (size_t)fmax(1, s->rate_hz / (8 * w->top_hz)),
	};
	w->n_events[way] = 0;
	a.n_each = (s->n_samples + a.stride - 1) / a.stride;
	if (w->half < 2 || w->n < FEWEST || a.stride >= w->half)
		return;
	if (way == EXTREMES) {
		place_all_extremes(s, w, &a);
		return;
	}
	lay_guide(&a, s->guide);
	size_t n = 0;
	for (size_t i = 0; i + 1 < w->n; i++)
		w->ways[way][n++] = (event){.at = (size_t)place_in(w, i, way == ENDS ? 0 : 0.5)};
	w->n_events[way] = align(&a, TURNS, w->ways[way], n);
}

/* The upper end of what events are aligned on, for a band: one serves all bands whose lower edges differ by less than
 * `as_one` from the lowest on. */
static double top_for(const clpac__wave_shape *s, const wave *w, clpac_band band)
{
	const double level = floor(log(band.lo_hz / s->lowest_hz) / log(as_one) + 1e-9);
	return fmin(below_band * s->lowest_hz * pow(as_one, level), above_wave * w->hz);
}

/* Places the events of a wave in one way for a band, unless they are. */
static clpac_status prepare_events(clpac__wave_shape *s, wave *w, int way, clpac_band band, clpac_error *err)
{
	const double top_hz = top_for(s, w, band);
	if (w->top_hz != top_hz)
		memset(w->are_placed, 0, sizeof w->are_placed);
	w->top_hz = top_hz;
	if (w->are_placed[way])
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac_cancel_check(err));
	if (s->guide_hz != top_hz)
		RETURN_IF_ERROR(low_pass(s, top_hz, s->guide, err));
	s->guide_hz = top_hz;
	if (way == EXTREMES && !w->low) {
		RETURN_IF_ERROR(NEW_BYTES(w->low, s->n_samples * sizeof *w->low));
		RETURN_IF_ERROR(low_pass(s, 1.7 * w->hz, w->low, err));
	}
	place_events(s, w, way);
	w->are_placed[way] = true;
	return CLPAC_OK;
}

/* --- What the cycles share -------------------------------------------------------------------- */

/* Writes the spans of one family of a way's events. */
static void find_spans(const clpac__wave_shape *s, const clpac__band_signal *signal, const event *events,
		       size_t n_events, size_t half, int family, struct form *f)
{
	const size_t step = signal->step, reach = half / step + 1;
	const double turn = 2 * pi * 0.5 * (signal->band.lo_hz + signal->band.hi_hz) / s->rate_hz;
	f->n_lags = 2 * reach + 1;
	f->n_spans = 0;
	for (size_t i = 0; i < n_events; i++) {
		const size_t at = events[i].at, nearest = (at + step / 2) / step;
		if (events[i].family != family)
			continue;
		size_t from = at > half ? at - half : 0, to = at + half < s->n_samples ? at + half : s->n_samples;
		if (i && (events[i - 1].at + at) / 2 > from)
			from = (events[i - 1].at + at) / 2;
		if (i + 1 < n_events && (events[i + 1].at + at) / 2 < to)
			to = (events[i + 1].at + at) / 2;
		const size_t first = (from + step - 1) / step, end = (to + step - 1) / step;
		const double off = turn * ((double)at - (double)(nearest * step));
		f->spans[f->n_spans++] = (span){.first = first,
						.n = end > first ? end - first : 0,
						.lag = first + reach - nearest,
						.size = events[i].size,
						.re = cos(off),
						.im = sin(off)};
	}
}

/* Adds n samples, times a complex number, to a mean. */
static void add_turned(const double *restrict z_re, const double *restrict z_im, double re, double im, size_t n,
		       double *restrict to_re, double *restrict to_im)
{
	size_t k = 0;
	for (; k + TOGETHER <= n; k += TOGETHER)
		for (size_t i = k; i < k + TOGETHER; i++) {
			to_re[i] += re * z_re[i] - im * z_im[i];
			to_im[i] += re * z_im[i] + im * z_re[i];
		}
	for (; k < n; k++) {
		to_re[k] += re * z_re[k] - im * z_im[k];
		to_im[k] += re * z_im[k] + im * z_re[k];
	}
}

/* Writes what the events share.  Returns whether it is anywhere above chance. */
static bool find_mean(const clpac__band_signal *signal, struct form *f)
{
	const size_t n_lags = f->n_lags;
	double sizes = 0;
	for (size_t k = 0; k < n_lags + 1; k++)
		f->mean_re[k] = f->mean_im[k] = f->counts[k] = f->squares[k] = f->power[k] = 0;
	for (size_t i = 0; i < f->n_spans; i++) {
		const span *p = &f->spans[i];
		add_turned(signal->re + p->first, signal->im + p->first, p->size * p->re, p->size * p->im, p->n,
			   f->mean_re + p->lag, f->mean_im + p->lag);
		for (size_t k = 0; k < p->n; k++)
			f->power[p->lag + k] += signal->power[p->first + k];
		/* Where they begin and end, of which sums are made below. */
		f->counts[p->lag]++;
		f->counts[p->lag + p->n]--;
		f->squares[p->lag] += p->size * p->size;
		f->squares[p->lag + p->n] -= p->size * p->size;
		sizes += p->size * p->size / (double)f->n_spans;
	}
	bool is_any = false;
	double count = 0, squares = 0;
	for (size_t k = 0; k < n_lags; k++) {
		count += f->counts[k];
		squares += f->squares[k];
		const double re = f->mean_re[k] / fmax(squares, 1e-9), im = f->mean_im[k] / fmax(squares, 1e-9);
		const double power = (re * re + im * im) * sizes;
		const double chance = f->power[k] / fmax(1, count * count);
		const double kept =
			count >= FEWEST && power > above_chance * chance ? 1 - above_chance * chance / power : 0;
		f->mean_re[k] = kept * re;
		f->mean_im[k] = kept * im;
		is_any |= kept > 0;
	}
	return is_any;
}

/* The slope of the mean, a sample of the series, and running sums of products, which give those of any run of lags.
 * @param turn of the middle of the band, a sample. */
static void find_slope(struct form *f, double turn, size_t step)
{
	const double c = cos(turn * (double)step), s = sin(turn * (double)step);
	const double *re = f->mean_re, *im = f->mean_im;
	for (size_t k = 0; k < f->n_lags; k++) {
		const size_t before = k ? k - 1 : k, behind = k + 1 < f->n_lags ? k + 1 : k;
		const double apart = (double)((behind - before) * step);
		/* Neighbours are turned to the middle one first: between them the band turns far. */
		const double re_behind = behind > k ? c * re[behind] + s * im[behind] : re[k];
		const double im_behind = behind > k ? c * im[behind] - s * re[behind] : im[k];
		const double re_before = before < k ? c * re[before] - s * im[before] : re[k];
		const double im_before = before < k ? c * im[before] + s * re[before] : im[k];
		f->slope_re[k] = (re_behind - re_before) / apart - turn * im[k];
		f->slope_im[k] = (im_behind - im_before) / apart + turn * re[k];
		double *next = f->products + 3 * (k + 1);
		next[0] = next[-3] + re[k] * re[k] + im[k] * im[k];
		next[1] = next[-2] + f->slope_re[k] * f->slope_re[k] + f->slope_im[k] * f->slope_im[k];
		next[2] = next[-1] + re[k] * f->slope_re[k] + im[k] * f->slope_im[k];
	}
}

/* The sum of n samples times a conjugate form. */
static void multiply(const double *z_re, const double *z_im, const double *re, const double *im, size_t n,
		     double *sum_re, double *sum_im)
{
	clpac__pair re_0 = {0, 0}, re_1 = re_0, im_0 = re_0, im_1 = re_0;
	size_t k = 0;
	for (; k + TOGETHER <= n; k += TOGETHER) {
		const clpac__pair *x_re = (const clpac__pair *)(z_re + k), *x_im = (const clpac__pair *)(z_im + k);
		const clpac__pair *y_re = (const clpac__pair *)(re + k), *y_im = (const clpac__pair *)(im + k);
		re_0 += x_re[0] * y_re[0] + x_im[0] * y_im[0];
		im_0 += x_im[0] * y_re[0] - x_re[0] * y_im[0];
		re_1 += x_re[1] * y_re[1] + x_im[1] * y_im[1];
		im_1 += x_im[1] * y_re[1] - x_re[1] * y_im[1];
	}
	for (; k < n; k++) {
		re_0[0] += z_re[k] * re[k] + z_im[k] * im[k];
		im_0[0] += z_im[k] * re[k] - z_re[k] * im[k];
	}
	*sum_re = re_0[0] + re_0[1] + re_1[0] + re_1[1];
	*sum_im = im_0[0] + im_0[1] + im_1[0] + im_1[1];
}

/* Writes the products of each event with mean and slope.  Returns the mean power of what is left of the events. */
static double fit(const clpac__band_signal *signal, struct form *f)
{
	double left = 0, n_values = 0;
	for (size_t i = 0; i < f->n_spans; i++) {
		span *p = &f->spans[i];
		double re, im, slope_re, slope_im, own = 0;
		const double *z_re = signal->re + p->first, *z_im = signal->im + p->first;
		multiply(z_re, z_im, f->mean_re + p->lag, f->mean_im + p->lag, p->n, &re, &im);
		multiply(z_re, z_im, f->slope_re + p->lag, f->slope_im + p->lag, p->n, &slope_re, &slope_im);
		for (size_t k = 0; k < p->n; k++)
			own += signal->power[p->first + k];
		const double *a = f->products + 3 * p->lag, *b = a + 3 * p->n;
		const double with_mean = p->re * re - p->im * im;
		left += own - 2 * p->size * with_mean + p->size * p->size * (b[0] - a[0]);
		n_values += (double)p->n;
		p->with_mean = with_mean - p->size * (b[0] - a[0]);
		p->with_slope = -(p->re * slope_re - p->im * slope_im) + p->size * (b[2] - a[2]);
	}
	return n_values > 0 ? left / n_values : 0;
}

/* Takes the form off each event, with the size and the delay that are most likely: those of least squares, held to what
 * is known beforehand, the more so the weaker the form is in the noise.
 * @param noise of one coefficient; delay in samples, one deviation. */
static void take_off(const struct form *f, double noise, double delay, double *restrict left_re,
		     double *restrict left_im)
{
	for (size_t i = 0; i < f->n_spans; i++) {
		const span *p = &f->spans[i];
		const double *a = f->products + 3 * p->lag, *b = a + 3 * p->n;
		const double mm = (b[0] - a[0]) / noise + 1 / (size_deviation * size_deviation);
		const double ss = (b[1] - a[1]) / noise + 1 / (delay * delay);
		const double ms = -(b[2] - a[2]) / noise;
		const double m = p->with_mean / noise, s = p->with_slope / noise;
		const double determinant = mm * ss - ms * ms;
		const double size = fmin(fmax(p->size + (ss * m - ms * s) / determinant, 0), largest_size + 1);
		const double moved = (mm * s - ms * m) / determinant;
		/* The form lies at the event, and is turned back to the samples. */
		add_turned(f->mean_re + p->lag, f->mean_im + p->lag, -size * p->re, size * p->im, p->n,
			   left_re + p->first, left_im + p->first);
		add_turned(f->slope_re + p->lag, f->slope_im + p->lag, moved * p->re, -moved * p->im, p->n,
			   left_re + p->first, left_im + p->first);
	}
}

clpac_status clpac__wave_shape_take_off(clpac__wave_shape *s, size_t number, int way, const clpac__band_signal *signal,
					double *amplitudes, bool *is_locked, clpac_error *err)
{
	wave *w = &s->waves[number];
	const clpac_band band = signal->band;
	*is_locked = false;
	RETURN_IF_ERROR(look_at_wave(s, w, err));
	if (way == MULTIPLES)
		return clpac__wave_multiples_take_off(&w->turns, &w->places, signal, s->n_samples, s->rate_hz,
						      amplitudes, is_locked, err);
	RETURN_IF_ERROR(prepare_events(s, w, way, band, err));
	double *left_re = s->left, *left_im = s->left + signal->n;
	const size_t half = way == EXTREMES ? w->half / 2 + w->reach : w->half;
	const double width_hz = band.hi_hz - band.lo_hz, middle_hz = 0.5 * (band.lo_hz + band.hi_hz);
	const double delay = delay_deviation * s->rate_hz / middle_hz;
	for (int family = 0; family < FAMILIES && w->n_events[way]; family++) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		struct form *f = &s->form;
		find_spans(s, signal, w->ways[way], w->n_events[way], half, family, f);
		if (!find_mean(signal, f))
			continue;
		if (!*is_locked) {
			memcpy(left_re, signal->re, signal->n * sizeof *left_re);
			memcpy(left_im, signal->im, signal->n * sizeof *left_im);
		}
		find_slope(f, 2 * pi * middle_hz / s->rate_hz, signal->step);
		const double noise = fit(signal, f) * s->rate_hz / ((double)signal->step * 4 * width_hz);
		if (noise > 0)
			take_off(f, noise, delay, left_re, left_im);
		*is_locked = true;
	}
	for (size_t i = 0; *is_locked && i < signal->n; i++)
		amplitudes[i] = sqrt(left_re[i] * left_re[i] + left_im[i] * left_im[i]);
	return CLPAC_OK;
}
