/* The problem of a job, from --phase, --amplitude, --bins and the other options of the method.  An option that is not
 * given has its value from --problem, and without --problem from the library's defaults; but surrogates and seed have
 * defaults of their own here, those of the manual page. */
#include "analysis/run/job.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "base/number.h"

enum { DEFAULT_SURROGATES = 200, DEFAULT_SEED = 42 };

static clpac_status read_base(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err)
{
	if (settings->problem) {
		RETURN_IF_ERROR(clpac_problem_read(settings->problem, &method->base, err));
		method->problem = *clpac_problem_get(method->base);
		/* Those of the recording take their place. */
		method->problem.channel_numbers = method->problem.segment_numbers = NULL;
		method->problem.stretches = NULL;
		method->problem.n_stretches = 0;
		if (method->problem.windows)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--problem: windows=... are samples of one recording: take it out of the text");
		if (method->problem.pairs)
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"--problem: pairs=... are channels of one recording: take it out of the text, and give "
				"--pairs");
	} else {
		method->problem.n_surrogates = DEFAULT_SURROGATES;
		method->problem.seed = DEFAULT_SEED;
	}
	return CLPAC_OK;
}

/* Checks the syntax of --phase and --amplitude; ranges need the rate before they are bands. */
static clpac_status check_bands(const clpac__analysis_settings *settings, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__analysis_settings *v = settings;
	const char *texts[] = {v->phase, v->amplitude};
	for (int use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
		clpac_band *bands = NULL;
		size_t n;
		bool is_tied;
		const clpac_bands_rule rule = {.size = sizeof rule, .is_tied = &is_tied};
		if (!texts[use])
			continue;
		st = clpac_bands_read(texts[use], (clpac_band_use)use, &rule, &bands, &n, NULL, err);
		clpac_bands_free(bands);
		if (st != CLPAC_OK)
			RETURN_ERROR(st, "--%s: %.900s", use == CLPAC_PHASE ? "phase" : "amplitude",
				     err ? err->text : "");
	}
	return st;
}

/* Reads the bands of one use: those of the option, or else of --problem, or else the default ones.  The phase bands
 * come first, since amplitude bands are made to carry them. */
static clpac_status read_bands(clpac__method *method, const clpac__analysis_settings *settings, clpac_band_use use,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem *p = &method->problem;
	const char *text = use == CLPAC_PHASE ? settings->phase : settings->amplitude;
	const clpac_band **bands = use == CLPAC_PHASE ? &p->phase_bands : &p->amplitude_bands;
	size_t *n = use == CLPAC_PHASE ? &p->n_phase_bands : &p->n_amplitude_bands;
	bool is_tied;
	const clpac_bands_rule rule = {.size = sizeof rule,
				       .rate_hz = p->rate_hz,
				       .phase_bands = p->phase_bands,
				       .n_phase_bands = p->n_phase_bands,
				       .prefix = "--",
				       .is_tied = &is_tied};
	char *left_out = NULL;
	if (!text && *bands)
		goto done;
	TRY(clpac_bands_read(text, use, &rule, &method->bands[use], n, &left_out, err));
	*bands = method->bands[use];
	if (use == CLPAC_AMPLITUDE)
		p->tied_amplitudes = is_tied;
	if (left_out)
		clpac__analysis_note(settings, left_out);
done:
	clpac_text_free(left_out);
	return st;
}

static clpac_status read_shifts(clpac__method *method, const char *list, clpac_error *err)
{
	size_t n = 1;
	for (const char *c = list; *c; c++)
		n += *c == ',';
	RETURN_IF_ERROR(NEW_ARRAY(method->shifts, n));
	for (size_t i = 0; i < n; i++) {
		char word[32] = "";
		size_t length = strcspn(list, ",");
		uint64_t value = 0;
		if (length < sizeof word)
			memcpy(word, list, length);
		if (!clpac__parse_count(word, &value, NULL) || value > SIZE_MAX)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--shifts: number %zu of the list, \"%.*s\", is not a whole number of samples; "
				     "give 0 or more, and fewer than the series has after its edges",
				     i + 1, (int)(length < 40 ? length : 40), list);
		method->shifts[i] = (size_t)value;
		list += length + 1;
	}
	method->problem.shifts = method->shifts;
	method->problem.n_surrogates = n;
	return CLPAC_OK;
}

static clpac_status read_surrogates(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err)
{
	const char *text = settings->surrogates, *shifts = settings->shifts;
	uint64_t n = 0;
	if (text && strcmp(text, "exact") == 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--surrogates exact: every shift at once is --null shift=all");
	if (text && (!clpac__parse_count(text, &n, NULL) || n > SIZE_MAX))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--surrogates %s: give a whole number, 0 or more, that fits in memory", text);
	if (shifts)
		RETURN_IF_ERROR(read_shifts(method, shifts, err));
	if (shifts && text && n != method->problem.n_surrogates)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--surrogates %s with --shifts: the list has %zu shifts; leave one of the options out",
			     text, method->problem.n_surrogates);
	if (text && !shifts) {
		method->problem.n_surrogates = (size_t)n;
		method->problem.shifts = NULL;
	}
	return CLPAC_OK;
}

static bool are_all_linear(const clpac_problem *problem)
{
	for (size_t i = 0; i < problem->n_measures; i++)
		if (!clpac_measure_is_linear(problem->measures[i]))
			return false;
	return problem->n_measures > 0;
}

/* A null as --null names it; false for a word that is none.  *number is the STEP of shift=all/STEP, the N of blocks=N,
 * or 0 where there is none. */
static bool parse_null(const char *text, clpac_null *null, uint64_t *number)
{
	for (int i = CLPAC_NULL_COUNT; i-- > 0;) { /* shift=all before shift */
		const bool is_all = i == CLPAC_NULL_ALL_SHIFTS;
		const char *word = is_all ? "shift=all" : clpac_null_text((clpac_null)i);
		const char before = is_all ? '/' : i == CLPAC_NULL_BLOCKS ? '=' : 0; /* a number */
		const char *rest = text + strlen(word);
		if (strncmp(text, word, strlen(word)) != 0)
			continue;
		*null = (clpac_null)i;
		*number = 0;
		return !*rest || (*rest == before && clpac__parse_count(rest + 1, number, NULL) && *number &&
				  *number <= SIZE_MAX);
	}
	return false;
}

/* Sets the null; choices that belonged to another one do not hold for it. */
static void set_null(clpac_problem *p, clpac_null null, uint64_t number, bool has_surrogates)
{
	if (null == CLPAC_NULL_ALL_SHIFTS)
		p->n_surrogates = 0; /* counted: another recording may be longer */
	else if (p->null == CLPAC_NULL_ALL_SHIFTS && !has_surrogates)
		p->n_surrogates = DEFAULT_SURROGATES;
	if (null != CLPAC_NULL_SHIFTS)
		p->shifts = NULL;
	if (null >= CLPAC_NULL_TRIALS)
		p->min_shift = 0;
	p->shift_step = null == CLPAC_NULL_ALL_SHIFTS ? (size_t)number : 0;
	p->n_blocks = null == CLPAC_NULL_BLOCKS ? (size_t)number : 0;
	p->null = null;
}

static clpac_status read_null(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err)
{
	const char *text = settings->null, *shifts = settings->shifts, *surrogates = settings->surrogates;
	clpac_problem *p = &method->problem;
	clpac_null null;
	uint64_t number;
	if (shifts || (surrogates && p->null == CLPAC_NULL_ALL_SHIFTS))
		p->null = CLPAC_NULL_SHIFTS;
	else if (p->null == CLPAC_NULL_ALL_SHIFTS)
		p->n_surrogates = 0;
	/* Costs less than some random ones; but conditions with more and with fewer epochs have more and fewer. */
	if (!text && settings->measure && !settings->problem && !shifts && !surrogates && are_all_linear(p) &&
	    !settings->pool)
		text = "shift=all";
	if (!text)
		return CLPAC_OK;
	if (!parse_null(text, &null, &number))
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--null %s: give shift, shift=all or shift=all/STEP with a step of 1 or more samples, trials, "
			"blocks "
			"or blocks=N, or phases",
			text);
	if (null == CLPAC_NULL_ALL_SHIFTS && (shifts || surrogates))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--null %s takes every shift: leave --%s out", text,
			     shifts ? "shifts" : "surrogates");
	if (null >= CLPAC_NULL_TRIALS && (shifts || clpac__analysis_is_given(settings, "min-shift")))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--null %s shifts nothing: leave --%s out", text,
			     shifts ? "shifts" : "min-shift");
	set_null(p, null, number, surrogates || shifts);
	return CLPAC_OK;
}

/* --measure LIST: as the problem's text has it. */
static clpac_status read_measures(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err)
{
	const char *text = settings->measure;
	if (!text)
		return CLPAC_OK;
	method->n_measures = 0;
	for (const char *next = text; next; next = strchr(next, ',')) {
		next += *next == ',';
		const size_t length = strcspn(next, ",");
		clpac_measure measure = (clpac_measure)0;
		while (measure < CLPAC_MEASURE_COUNT && (strlen(clpac_measure_text(measure)) != length ||
							 strncmp(clpac_measure_text(measure), next, length) != 0))
			measure++;
		if (measure == CLPAC_MEASURE_COUNT)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
				     "--measure %.100s: \"%.*s\" is none; give some of mi, hr, mvl, dpac, ndpac, glm, "
				     "gcmi, plv and pac-glm, as mi,glm",
				     text, (int)(length < 40 ? length : 40), next);
		for (size_t i = 0; i < method->n_measures; i++)
			if (method->measures[i] == measure)
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--measure %.100s: %s stands there twice", text,
					     clpac_measure_text(measure));
		method->measures[method->n_measures++] = measure;
	}
	method->problem.measures = method->measures;
	method->problem.n_measures = method->n_measures;
	return CLPAC_OK;
}

void clpac__method_permute(clpac_problem *problem)
{
	set_null(problem, CLPAC_NULL_TRIALS, 0, false);
}

clpac_status clpac__method_read(clpac__method *method, const clpac__analysis_settings *settings, clpac_error *err)
{
	const clpac__analysis_settings *v = settings;
	clpac_problem *p = &method->problem;
	RETURN_IF_ERROR(read_base(method, settings, err));
	RETURN_IF_ERROR(check_bands(settings, err));
	RETURN_IF_ERROR(read_surrogates(method, settings, err));
	RETURN_IF_ERROR(read_measures(method, settings, err));
	RETURN_IF_ERROR(read_null(method, settings, err));
	if (clpac__analysis_is_given(settings, "bins")) {
		/* 0 means the default to the library, but is an error on the command line. */
		if (v->bins < CLPAC_MIN_BINS || v->bins > CLPAC_MAX_BINS)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--bins %llu: give %d to %d phase bins",
				     (unsigned long long)v->bins, CLPAC_MIN_BINS, CLPAC_MAX_BINS);
		p->n_bins = (unsigned)v->bins;
	}
	if (clpac__analysis_is_given(settings, "average"))
		p->average = (clpac_average)v->average;
	if (clpac__analysis_is_given(settings, "hilbert"))
		p->hilbert = (clpac_hilbert)v->hilbert;
	if (clpac__analysis_is_given(settings, "seed"))
		p->seed = v->seed;
	if (clpac__analysis_is_given(settings, "ddof"))
		p->ddof = v->ddof;
	if (v->keep_surrogates)
		p->keep_surrogates = true;
	if (v->allow_narrow)
		p->allow_narrow = true;
	if (v->keep_distributions)
		p->keep_distributions = true;
	if (v->share_shifts)
		p->share_shifts = true;
	if (clpac__analysis_is_given(settings, "family"))
		p->family = (clpac_family)v->family;
	const bool has_surrogates = p->n_surrogates || p->null == CLPAC_NULL_ALL_SHIFTS;
	if (p->family == CLPAC_FAMILY_RUN && p->n_surrogates && !p->share_shifts && p->null >= CLPAC_NULL_TRIALS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--family run: each channel has surrogates of its own, and a "
						   "maximum over them all is that of one "
						   "surrogate of them all; give --share-shifts too");
	if (p->family == CLPAC_FAMILY_RUN && p->n_surrogates && !p->share_shifts && !p->shifts &&
	    p->null == CLPAC_NULL_SHIFTS)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--family run: each channel and segment has shifts of its own, and a "
			     "maximum over them all is that of one "
			     "shift of them all; give --share-shifts too");
	if (clpac__analysis_is_given(settings, "clusters")) {
		if (!(v->cluster_share > 0 && v->cluster_share <= 0.25))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"--clusters %g: give the share of a cell's indices that enter clusters, above 0 and at "
				"most 0.25",
				v->cluster_share);
		p->cluster_alpha = v->cluster_share;
	}
	if (p->cluster_alpha > 0 && !has_surrogates)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--clusters: their p needs surrogates, and there are none with --surrogates "
			     "0; leave one of them out");
	if (v->gamma)
		p->gamma_tail = true;
	if (p->gamma_tail && !has_surrogates)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--gamma: there is nothing to fit a distribution to with "
						   "--surrogates 0; leave one of them out");
	if (p->keep_surrogates && v->drop_surrogates)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--drop-surrogates: they are to be kept too; leave one of them out");
	if (p->keep_surrogates && !has_surrogates)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--keep-surrogates: there are none to keep with --surrogates 0; leave one of them out");
	return CLPAC_OK;
}

/* Rounds seconds to samples; false if they are below 0 or more than any memory holds. */
static bool samples_of(double seconds, double rate_hz, size_t *out)
{
	double n = floor(seconds * rate_hz + 0.5);
	if (!(n >= 0 && n < (double)PTRDIFF_MAX))
		return false;
	*out = (size_t)n;
	return true;
}

clpac_status clpac__method_set_rate(clpac__method *method, const clpac__analysis_settings *settings, double rate_hz,
				    clpac_error *err)
{
	const clpac__analysis_settings *v = settings;
	size_t n;
	if (method->base && clpac_problem_left_out(method->base))
		clpac__analysis_note(settings, clpac_problem_left_out(method->base));
	method->problem.rate_hz = rate_hz;
	RETURN_IF_ERROR(read_bands(method, settings, CLPAC_PHASE, err));
	RETURN_IF_ERROR(read_bands(method, settings, CLPAC_AMPLITUDE, err));
	if (v->edge && strcmp(v->edge, "auto") == 0) {
		method->problem.edge_samples = CLPAC_EDGE_AUTO;
	} else if (v->edge) {
		double seconds;
		if (!clpac__parse_number(v->edge, &seconds, NULL) || !samples_of(seconds, rate_hz, &n))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--edge %s: give auto, or seconds of 0 or more", v->edge);
		method->problem.edge_samples = (ptrdiff_t)n;
	}
	if (clpac__analysis_is_given(settings, "min-shift")) {
		if (!samples_of(v->min_shift_s, rate_hz, &n))
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--min-shift %g: give seconds of 0 or more", v->min_shift_s);
		method->problem.min_shift = n;
	}
	return CLPAC_OK;
}

void clpac__method_clear(clpac__method *method)
{
	clpac_problem_destroy(method->base);
	clpac_bands_free(method->bands[CLPAC_PHASE]);
	clpac_bands_free(method->bands[CLPAC_AMPLITUDE]);
	clpac__free(method->shifts);
	*method = (clpac__method){0};
}
