/* Bands as text: a range of centres with widths, or explicit edges.  An amplitude band must pass both side bands of a
 * modulation, so that its default width follows from the phase bands. */
#include "coupling/signal/bands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/sized.h"

static const char *const default_bands[] = {[CLPAC_PHASE] = "2:20:10", [CLPAC_AMPLITUDE] = "60:160:10"};
_Static_assert(sizeof default_bands / sizeof *default_bands == CLPAC_AMPLITUDE + 1, "one row per use");

const char *const clpac__bands_default_tied = "60:160:10/tied";

/* Half of the default width of a phase band, as a fraction of its centre. */
static const double phase_half_width = 1.0 / 4;

/* The highest of the default phase centres. */
static const double default_phase_hz = 20;

clpac_status clpac__band_check(clpac_band band, clpac_band_use use, size_t index, double rate_hz, clpac_error *err)
{
	const char *name = clpac_band_use_text(use);
	if (!isfinite(band.lo_hz) || !isfinite(band.hi_hz))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s band %zu is %g-%g Hz: both edges must be numbers",
				   name, index, band.lo_hz, band.hi_hz);
	if (!(band.lo_hz > 0))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%s band %zu is %g-%g Hz: its lower edge must be above 0 Hz", name, index,
				   band.lo_hz, band.hi_hz);
	if (!(band.lo_hz < band.hi_hz))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "%s band %zu is %g-%g Hz: its lower edge must be below its upper edge", name, index,
				   band.lo_hz, band.hi_hz);
	if (!(band.hi_hz < rate_hz / 2))
		return clpac__fail(
			err, CLPAC_ERROR_ARGUMENT,
			"%s band %zu is %g-%g Hz: its upper edge must be below %g Hz, half the sampling rate of %g Hz",
			name, index, band.lo_hz, band.hi_hz, rate_hz / 2, rate_hz);
	return CLPAC_OK;
}

clpac_band clpac__band_tied(clpac_band phase, clpac_band amplitude)
{
	const double centre_hz = (amplitude.lo_hz + amplitude.hi_hz) / 2, half_hz = (phase.lo_hz + phase.hi_hz) / 2;
	return (clpac_band){centre_hz - half_hz, centre_hz + half_hz};
}

/* Edges printed with six digits are each off by 5e-6 at most, a half-width by 5e-6 of the upper edge, and so is a
 * centre. */
static double slack_hz(clpac_band phase, clpac_band amplitude)
{
	return 5e-6 * (amplitude.hi_hz + phase.hi_hz);
}

bool clpac__band_carries(clpac_band phase, clpac_band amplitude)
{
	const double lacking_hz = (phase.lo_hz + phase.hi_hz) / 2 - (amplitude.hi_hz - amplitude.lo_hz) / 2;
	return lacking_hz <= slack_hz(phase, amplitude);
}

bool clpac__bands_overlap(clpac_band a, clpac_band b)
{
	const double slack = slack_hz(a, b);
	return a.lo_hz < b.hi_hz - slack && b.lo_hz < a.hi_hz - slack;
}

bool clpac_cell_is_valid(clpac_band phase, clpac_band amplitude)
{
	return phase.lo_hz < phase.hi_hz && amplitude.lo_hz < amplitude.hi_hz &&
	       clpac__band_carries(phase, amplitude) && !clpac__bands_overlap(phase, amplitude);
}

bool clpac__band_fits(clpac_band band, double rate_hz)
{
	return band.lo_hz > 0 && band.lo_hz < band.hi_hz && band.hi_hz < rate_hz / 2;
}

static bool are_centres_ascending(const clpac_band *bands, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!(bands[i - 1].lo_hz + bands[i - 1].hi_hz <= bands[i].lo_hz + bands[i].hi_hz))
			return false;
	return true;
}

static bool is_above_0(clpac_band band, double rate_hz)
{
	(void)rate_hz;
	return band.lo_hz > 0;
}

static bool is_too_high(clpac_band band, double rate_hz)
{
	return is_above_0(band, rate_hz) && !clpac__band_fits(band, rate_hz);
}

/* The first of ascending amplitude bands from `first` on that is so with this phase band, as are all behind it. */
static size_t find_first(clpac_band phase, const clpac_band *amplitude, size_t first, size_t behind, double rate_hz,
			 bool (*is_so)(clpac_band band, double rate_hz))
{
	while (first < behind) {
		const size_t middle = first + (behind - first) / 2;
		if (is_so(clpac__band_tied(phase, amplitude[middle]), rate_hz))
			behind = middle;
		else
			first = middle + 1;
	}
	return first;
}

/* The number of amplitude bands that have no value with this phase band; *place is the first of them. */
static size_t count_empty(clpac_band phase, const clpac_band *amplitude, size_t n, bool is_ascending, double rate_hz,
			  size_t *place)
{
	size_t n_empty = 0;
	if (is_ascending) {
		const size_t first = find_first(phase, amplitude, 0, n, rate_hz, is_above_0);
		const size_t behind = find_first(phase, amplitude, first, n, rate_hz, is_too_high);
		*place = first ? 0 : behind;
		return first + n - behind;
	}
	for (size_t am = 0; am < n; am++)
		if (!clpac__band_fits(clpac__band_tied(phase, amplitude[am]), rate_hz) && !n_empty++)
			*place = am;
	return n_empty;
}

/* Ranges give ascending bands, thousands of them in a few characters: these take no look at every cell. */
void clpac__bands_add_empty_cells(clpac__text *text, const clpac_band *phase, size_t n_phase,
				  const clpac_band *amplitude, size_t n_amplitude, double rate_hz)
{
	const bool is_ascending = are_centres_ascending(amplitude, n_amplitude);
	size_t n_empty = 0, place = 0;
	clpac_band first = {0}, at = {0};
	for (size_t ph = 0; ph < n_phase; ph++) {
		const size_t n_here = count_empty(phase[ph], amplitude, n_amplitude, is_ascending, rate_hz, &place);
		if (n_here && !n_empty) {
			first = clpac__band_tied(phase[ph], amplitude[place]);
			at = phase[ph];
		}
		n_empty += n_here;
	}
	if (!n_empty)
		return;
	clpac__text_add(text, "%s%zu of %zu cells %s no value: %s not lie above 0 Hz", text->length ? "; " : "",
			n_empty, n_phase * n_amplitude, n_empty > 1 ? "have" : "has",
			n_empty > 1 ? "their amplitude bands do" : "its amplitude band does");
	if (isfinite(rate_hz))
		clpac__text_add(text, " and below %g Hz, half the sampling rate", rate_hz / 2);
	clpac__text_add(text, " (%s%g-%g Hz for phase %g-%g Hz)", n_empty > 1 ? "first: " : "", first.lo_hz,
			first.hi_hz, at.lo_hz, at.hi_hz);
}

void clpac__bands_add_text(clpac__text *text, const clpac_band *bands, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			clpac__text_add(text, ",");
		clpac__text_add_number(text, bands[i].lo_hz);
		clpac__text_add(text, "-");
		clpac__text_add_number(text, bands[i].hi_hz);
	}
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Reads a number and the mark after it; *rest is the text behind both. */
static bool take_number(const char *text, char mark, double *value, const char **rest)
{
	const char *end;
	if (!clpac__parse_number(text, value, &end) || *end != mark)
		return false;
	*rest = mark ? end + 1 : end;
	return true;
}

struct range {
	double first_hz, last_hz; /* centres */
	size_t n;
	bool is_logarithmic;
	double width_hz; /* 0: the default of the use */
	bool is_tied;	 /* each cell has the width that its phase band needs */
};

/* Reads FIRST:LAST:COUNT[:log][/WIDTH|/tied]. */
static clpac_status read_range(const char *text, struct range *out, clpac_error *err)
{
	struct range made = {0};
	double count;
	const char *rest;
	if (!take_number(text, ':', &made.first_hz, &rest) || !take_number(rest, ':', &made.last_hz, &rest) ||
	    !clpac__parse_number(rest, &count, &rest))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "bands \"%.100s\": a range is FIRST:LAST:COUNT in Hz, as 2:20:10",
			     text);
	if (!strncmp(rest, ":log", 4)) {
		made.is_logarithmic = true;
		rest += 4;
	}
	if (!strncmp(rest, "/tied", 5)) {
		made.is_tied = true;
		rest += 5;
	} else if (*rest == '/') {
		if (!clpac__parse_number(rest + 1, &made.width_hz, &rest) || !(made.width_hz > 0))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "bands \"%.100s\": the width after / must be a number of Hz above 0, or the word "
				     "tied for "
				     "amplitude bands",
				     text);
	}
	if (*skip_blanks(rest))
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"bands \"%.100s\": \"%.40s\" after the range is not understood; it may end in :log, and in "
			"/WIDTH or "
			"/tied",
			text, rest);
	if (!(count >= 1) || count != floor(count) || count > CLPAC__MAX_BANDS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "bands \"%.100s\": the number of bands is %g, it must be a whole number from 1 to %d",
			     text, count, CLPAC__MAX_BANDS);
	made.n = (size_t)count;
	if (!(made.first_hz > 0))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "bands \"%.100s\": the first centre is %g Hz, it must be above 0",
			     text, made.first_hz);
	if (made.n > 1 && !(made.first_hz < made.last_hz))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "bands \"%.100s\": the first centre, %g Hz, must be below the last, %g Hz", text,
			     made.first_hz, made.last_hz);
	*out = made;
	return CLPAC_OK;
}

/* Centre of band i.  Linear centres equal those of numpy.linspace to the last digit; one band lies at the first. */
static double centre_of(const struct range *range, size_t i)
{
	if (range->n == 1)
		return range->first_hz;
	if (i == range->n - 1)
		return range->last_hz;
	double steps = (double)(range->n - 1);
	if (range->is_logarithmic)
		return range->first_hz * pow(range->last_hz / range->first_hz, (double)i / steps);
	return range->first_hz + (double)i * ((range->last_hz - range->first_hz) / steps);
}

/* A rule's rate; INFINITY where it is not known. */
static double rate_of(const clpac_bands_rule *rule)
{
	return rule->rate_hz > 0 ? rule->rate_hz : INFINITY;
}

/* The lowest and the highest centre of the phase bands that amplitude bands are to carry. */
static clpac_status find_phases(const clpac_bands_rule *rule, double *lowest_hz, double *highest_hz, clpac_error *err)
{
	double lowest = INFINITY, highest = 0;
	if (!rule->phase_bands || !rule->n_phase_bands)
		lowest = highest = default_phase_hz;
	else
		for (size_t i = 0; i < rule->n_phase_bands; i++) {
			const clpac_band band = rule->phase_bands[i];
			RETURN_IF_ERROR(clpac__band_check(band, CLPAC_PHASE, i, rate_of(rule), err));
			lowest = fmin(lowest, (band.lo_hz + band.hi_hz) / 2);
			highest = fmax(highest, (band.lo_hz + band.hi_hz) / 2);
		}
	*lowest_hz = lowest;
	*highest_hz = highest;
	return CLPAC_OK;
}

/* Refuses a tied range where nobody asked for one, and fills in the default phase bands that it is tied to.
 * @param[out] made the caller's to free. */
static clpac_status tie(const char *text, clpac_band_use use, clpac_bands_rule *rule, clpac_band **made,
			clpac_error *err)
{
	const clpac_bands_rule of_rate = {.size = sizeof of_rate, .rate_hz = rule->rate_hz, .prefix = rule->prefix};
	if (use == CLPAC_PHASE)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "bands \"%.100s\": only widths of amplitude bands can be tied, to the phase bands; give "
			     "/WIDTH in "
			     "Hz",
			     text);
	if (!rule->is_tied)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "bands \"%.100s\": widths tied to the phase bands are not taken here; give /WIDTH in Hz",
			     text);
	if (rule->phase_bands && rule->n_phase_bands)
		return CLPAC_OK;
	RETURN_IF_ERROR(clpac_bands_read(NULL, CLPAC_PHASE, &of_rate, made, &rule->n_phase_bands, NULL, err));
	rule->phase_bands = *made;
	return CLPAC_OK;
}

/* Bands of a range that do not fit: those at 0 Hz and those at half the sampling rate. */
struct misfits {
	size_t n;
	clpac_band first, last;
};

static void add_misfit(struct misfits *misfits, clpac_band band)
{
	if (!misfits->n++)
		misfits->first = band;
	misfits->last = band;
}

static void describe(clpac__text *text, const struct misfits *misfits, const char *verb)
{
	clpac__text_add(text, "%g-%g", misfits->first.lo_hz, misfits->first.hi_hz);
	if (misfits->n > 1)
		clpac__text_add(text, " to %g-%g", misfits->last.lo_hz, misfits->last.hi_hz);
	clpac__text_add(text, " Hz %s%s", verb, misfits->n > 1 ? "" : "es");
}

/* Appends "5 of 10 amplitude bands are left out: 95-135 to 140-180 Hz reach 125 Hz, half the sampling rate". */
static void add_left_out(clpac__text *text, const struct misfits *low, const struct misfits *high, clpac_band_use use,
			 size_t n_asked, double rate_hz)
{
	const size_t n = low->n + high->n;
	clpac__text_add(text, "%zu of %zu %s bands %s left out: ", n, n_asked, clpac_band_use_text(use),
			n > 1 ? "are" : "is");
	if (low->n) {
		describe(text, low, "reach");
		clpac__text_add(text, " 0 Hz%s", high->n ? ", " : "");
	}
	if (high->n) {
		describe(text, high, "reach");
		clpac__text_add(text, " %g Hz, half the sampling rate", rate_hz / 2);
	}
}

/* Rounds to three digits; positive numbers only. */
static double rounded(double value)
{
	const int places = 2 - (int)floor(log10(value));
	const double scale = pow(10, abs(places));
	return places > 0 ? round(value * scale) / scale : round(value / scale) * scale;
}

/* Appends "FIRST:LAST:COUNT", which reads back in every locale. */
static void add_range(clpac__text *text, double first_hz, double last_hz, int n)
{
	clpac__text_add_number(text, rounded(first_hz));
	clpac__text_add(text, ":");
	clpac__text_add_number(text, rounded(last_hz));
	clpac__text_add(text, ":%d", n);
}

/* Reports a range without any band that fits, with ranges that fit at this rate.  Where the phases leave room above
 * them, amplitude centres from 3 times the highest phase keep the side bands off the phase bands.  Otherwise phases up
 * to a tenth of the rate, and amplitudes from a quarter of it, fit at any rate. */
static clpac_status nothing_fits(const char *text, clpac_band_use use, clpac_band first, const clpac_bands_rule *rule,
				 double highest_hz, bool is_tied, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text fitting = {0};
	char *words = NULL;
	const double rate_hz = rule->rate_hz, room_hz = rate_hz / 2 - highest_hz;
	const char *prefix = rule->prefix ? rule->prefix : "";
	if (!(rate_hz > 0))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "bands \"%.100s\": none lies above 0 Hz, the first is %g-%g Hz; give higher centres or a smaller "
		     "width",
		     text, first.lo_hz, first.hi_hz);
	if (use == CLPAC_AMPLITUDE && 3 * highest_hz < 0.9 * room_hz) {
		clpac__text_add(&fitting, "%samplitude ", prefix);
		add_range(&fitting, 3 * highest_hz, 0.95 * room_hz, 10);
	} else {
		const double phase_hz = fmin(default_phase_hz, rate_hz / 10);
		clpac__text_add(&fitting, "%sphase ", prefix);
		add_range(&fitting, phase_hz / 5, phase_hz, 5);
		clpac__text_add(&fitting, " %samplitude ", prefix);
		add_range(&fitting, rate_hz / 4, 0.35 * rate_hz, 3);
	}
	if (is_tied)
		clpac__text_add(&fitting, "/tied");
	TRY(clpac__text_give(&fitting, "a line of text", &words, err));
	FAIL(CLPAC_ERROR_ARGUMENT,
	     "no %s band of %.100s fits below %g Hz, half the sampling rate of %g Hz (the first is %g-%g Hz); give "
	     "such as %s",
	     clpac_band_use_text(use), text, rate_hz / 2, rate_hz, first.lo_hz, first.hi_hz, words);
done:
	clpac__free(words);
	clpac__text_clear(&fitting);
	return st;
}

static clpac_status bands_of_range(const char *text, clpac_band_use use, const clpac_bands_rule *given,
				   clpac_band **bands, size_t *n, char **left_out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_bands_rule rule = *given;
	clpac_band *made = NULL, *phases = NULL;
	clpac__text line = {0};
	struct range range = {0};
	struct misfits low = {0}, high = {0};
	size_t n_made = 0;
	double lowest_hz = default_phase_hz, highest_hz = default_phase_hz;
	TRY(read_range(text, &range, err));
	if (range.is_tied)
		TRY(tie(text, use, &rule, &phases, err));
	if (use == CLPAC_AMPLITUDE)
		TRY(find_phases(&rule, &lowest_hz, &highest_hz, err));
	if (use == CLPAC_AMPLITUDE && range.width_hz == 0)
		range.width_hz = 2 * (range.is_tied ? lowest_hz : highest_hz);
	TRY(NEW_ARRAY(made, range.n));
	for (size_t i = 0; i < range.n; i++) {
		const double centre = centre_of(&range, i), part = phase_half_width, width_hz = range.width_hz;
		clpac_band band = {centre * (1 - part), centre * (1 + part)};
		if (width_hz > 0)
			band = (clpac_band){centre - width_hz / 2, centre + width_hz / 2};
		if (!(band.lo_hz < band.hi_hz))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "bands \"%.100s\": the band around %g Hz has no width in double precision; give more",
			     text, centre);
		if (!(band.lo_hz > 0))
			add_misfit(&low, band);
		else if (!(band.hi_hz < rate_of(&rule) / 2))
			add_misfit(&high, band);
		else
			made[n_made++] = band;
	}
	if (!n_made)
		TRY(nothing_fits(text, use, low.n ? low.first : high.first, &rule, highest_hz, range.is_tied, err));
	if (left_out) {
		if (n_made < range.n)
			add_left_out(&line, &low, &high, use, range.n, rule.rate_hz);
		if (range.is_tied)
			clpac__bands_add_empty_cells(&line, rule.phase_bands, rule.n_phase_bands, made, n_made,
						     rate_of(&rule));
		const bool is_said = line.length || line.failed;
		char *words = is_said ? clpac__text_take(&line) : NULL;
		if (is_said && !words)
			FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a line of text");
		*left_out = words;
	}
	if (rule.is_tied)
		*rule.is_tied = range.is_tied;
	*bands = made;
	*n = n_made;
	made = NULL;
done:
	clpac__text_clear(&line);
	clpac_bands_free(phases);
	clpac__free(made);
	return st;
}

/* Reads LO-HI,LO-HI,... */
static clpac_status bands_of_edges(const char *text, clpac_band **bands, size_t *n, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_band *made = NULL;
	size_t count = 1;
	for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
		count++;
	if (count > CLPAC__MAX_BANDS)
		FAIL(CLPAC_ERROR_ARGUMENT, "bands \"%.40s...\": %zu bands are more than %d; give fewer", text, count,
		     CLPAC__MAX_BANDS);
	TRY(NEW_ARRAY(made, count));
	const char *part = text;
	for (size_t i = 0; i < count; i++) {
		const char *start = skip_blanks(part), *rest;
		if (!take_number(start, '-', &made[i].lo_hz, &rest) ||
		    !clpac__parse_number(rest, &made[i].hi_hz, &rest) ||
		    *(rest = skip_blanks(rest)) != (i + 1 < count ? ',' : '\0'))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "band %zu, \"%.*s\", is not understood: write LO-HI in Hz, as 4-8,8-13, "
			     "or a range FIRST:LAST:COUNT",
			     i, (int)strcspn(start, ","), start);
		if (!(made[i].lo_hz > 0) || !(made[i].lo_hz < made[i].hi_hz))
			FAIL(CLPAC_ERROR_ARGUMENT, "band %zu is %g-%g Hz: a band needs 0 < lower edge < upper edge", i,
			     made[i].lo_hz, made[i].hi_hz);
		part = rest + 1;
	}
	*bands = made;
	*n = count;
	made = NULL;
done:
	clpac__free(made);
	return st;
}

clpac_status clpac_bands_read(const char *text, clpac_band_use use, const clpac_bands_rule *rule, clpac_band **bands,
			      size_t *n, char **left_out, clpac_error *err)
{
	NEED(bands, n);
	clpac_bands_rule own;
	RETURN_IF_ERROR(clpac__take_sized(&own, rule, clpac_bands_rule, err));
	if ((unsigned)use > CLPAC_AMPLITUDE)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "clpac_bands_read: a band's use is %d; it is CLPAC_PHASE or CLPAC_AMPLITUDE", (int)use);
	if (!(own.rate_hz >= 0) || isinf(own.rate_hz))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "clpac_bands_read: rate_hz is %g: it must be a number of Hz above 0, or 0 where it is not "
			     "known",
			     own.rate_hz);
	text = skip_blanks(text ? text : default_bands[use]);
	if (!*text)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "no %s bands are given: write a range as %s or edges as 4-8,8-13",
			     clpac_band_use_text(use), default_bands[use]);
	if (strchr(text, ':')) {
		RETURN_IF_ERROR(bands_of_range(text, use, &own, bands, n, left_out, err));
	} else {
		RETURN_IF_ERROR(bands_of_edges(text, bands, n, err));
		if (left_out)
			*left_out = NULL;
		if (own.is_tied)
			*own.is_tied = false;
	}
	return CLPAC_OK;
}

void clpac_bands_free(clpac_band *bands)
{
	clpac__free(bands);
}
