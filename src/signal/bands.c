/* Bands as text: a range of centres with widths, or explicit edges. */
#include "signal/bands.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"

static const struct {
	const char *name;
	const char *default_text;
	double half_width; /* half of the default width, as a fraction of the centre */
} uses[] = {
	[CLPAC_PHASE] = {"phase", "2:20:10", 1.0 / 4},
	[CLPAC_AMPLITUDE] = {"amplitude", "60:160:10", 1.0 / 8},
};
_Static_assert(sizeof uses / sizeof *uses == CLPAC_AMPLITUDE + 1, "one row per use");

const char *clpac__band_use_text(clpac_band_use use)
{
	return uses[use].name;
}

const char *clpac__bands_default_text(clpac_band_use use)
{
	return uses[use].default_text;
}

clpac_status clpac__band_check(clpac_band band, clpac_band_use use, size_t index, double rate_hz, clpac_error *err)
{
	const char *name = clpac__band_use_text(use);
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

typedef struct range {
	double first_hz, last_hz; /* centres */
	size_t n;
	bool is_logarithmic;
	double width_hz; /* 0: the default fraction of the centre */
} range;

/* Reads FIRST:LAST:COUNT[:log][/WIDTH]. */
static clpac_status read_range(const char *text, range *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	range made = {0};
	double count;
	const char *rest;
	if (!take_number(text, ':', &made.first_hz, &rest) || !take_number(rest, ':', &made.last_hz, &rest) ||
	    !clpac__parse_number(rest, &count, &rest))
		FAIL(CLPAC_ERROR_ARGUMENT, "bands '%.100s': a range is FIRST:LAST:COUNT in Hz, as 2:20:10", text);
	if (!strncmp(rest, ":log", 4)) {
		made.is_logarithmic = true;
		rest += 4;
	}
	if (*rest == '/') {
		if (!clpac__parse_number(rest + 1, &made.width_hz, &rest) || !(made.width_hz > 0))
			FAIL(CLPAC_ERROR_ARGUMENT, "bands '%.100s': the width after / must be a number of Hz above 0",
			     text);
	}
	if (*skip_blanks(rest))
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "bands '%.100s': '%.40s' after the range is not understood; it may end in :log or /WIDTH", text,
		     rest);
	if (!(count >= 1) || count != floor(count) || count > CLPAC__MAX_BANDS)
		FAIL(CLPAC_ERROR_ARGUMENT,
		     "bands '%.100s': the number of bands is %g, it must be a whole number from 1 to %d", text, count,
		     CLPAC__MAX_BANDS);
	made.n = (size_t)count;
	if (!(made.first_hz > 0))
		FAIL(CLPAC_ERROR_ARGUMENT, "bands '%.100s': the first centre is %g Hz, it must be above 0", text,
		     made.first_hz);
	if (made.n > 1 && !(made.first_hz < made.last_hz))
		FAIL(CLPAC_ERROR_ARGUMENT, "bands '%.100s': the first centre, %g Hz, must be below the last, %g Hz",
		     text, made.first_hz, made.last_hz);
	*out = made;
done:
	return st;
}

/* Centre of band i.  Linear centres equal those of numpy.linspace to the last digit; one band lies at the first. */
static double centre_of(const range *range, size_t i)
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

static clpac_status bands_of_range(const char *text, clpac_band_use use, clpac_band **bands, size_t *n,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_band *made = NULL;
	range range = {0};
	TRY(read_range(text, &range, err));
	made = clpac__alloc_array(range.n, sizeof *made);
	if (!made)
		FAIL_NO_MEMORY(range.n * sizeof *made);
	for (size_t i = 0; i < range.n; i++) {
		double centre = centre_of(&range, i), part = uses[use].half_width;
		if (range.width_hz > 0)
			made[i] = (clpac_band){centre - range.width_hz / 2, centre + range.width_hz / 2};
		else
			made[i] = (clpac_band){centre * (1 - part), centre * (1 + part)};
		if (!(made[i].lo_hz > 0))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "bands '%.100s': a width of %g Hz around %g Hz reaches down to %g Hz; "
			     "every band must lie above 0 Hz",
			     text, range.width_hz, centre, made[i].lo_hz);
		if (!(made[i].lo_hz < made[i].hi_hz))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "bands '%.100s': the band around %g Hz has no width in double precision; give more", text,
			     centre);
	}
	*bands = made;
	*n = range.n;
	made = NULL;
done:
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
		FAIL(CLPAC_ERROR_ARGUMENT, "bands '%.40s...': %zu bands are more than %d; give fewer", text, count,
		     CLPAC__MAX_BANDS);
	made = clpac__alloc_array(count, sizeof *made);
	if (!made)
		FAIL_NO_MEMORY(count * sizeof *made);
	const char *part = text;
	for (size_t i = 0; i < count; i++) {
		const char *start = skip_blanks(part), *rest;
		if (!take_number(start, '-', &made[i].lo_hz, &rest) ||
		    !clpac__parse_number(rest, &made[i].hi_hz, &rest) ||
		    *(rest = skip_blanks(rest)) != (i + 1 < count ? ',' : '\0'))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "band %zu, '%.*s', is not understood: write LO-HI in Hz, as 4-8,8-13, "
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

clpac_status clpac_bands_read(const char *text, clpac_band_use use, clpac_band **bands, size_t *n, clpac_error *err)
{
	NEED(text);
	NEED(bands);
	NEED(n);
	if ((unsigned)use > CLPAC_AMPLITUDE)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "clpac_bands_read: a band's use is %d; it is CLPAC_PHASE or CLPAC_AMPLITUDE",
				   (int)use);
	if (!text || !*skip_blanks(text))
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "no %s bands are given: write a range as %s or edges as 4-8,8-13",
				   clpac__band_use_text(use), clpac__bands_default_text(use));
	text = skip_blanks(text);
	return strchr(text, ':') ? bands_of_range(text, use, bands, n, err) : bands_of_edges(text, bands, n, err);
}

void clpac_bands_free(clpac_band *bands)
{
	clpac__free(bands);
}
