#include "analysis/stretches/rejects.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include "base/memory.h"

static const char *const usual_pattern = "BAD*";
/* Tolerance in samples: a time meant to fall on a sample may miss it by rounding. */
static const double sample_slack = 1e-6;

clpac_status clpac__annotation_is_rejected(const clpac__analysis_settings *settings, const char *text,
					   bool *is_rejected, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const char *list = settings->reject ? settings->reject : usual_pattern;
	/* BrainVision's markers have a type before their text: "Comment/BAD_muscle". */
	const char *slash = strchr(text, '/'), *behind = slash ? slash + 1 : text;
	char *copy = NULL;
	*is_rejected = false;
	if (settings->reject && settings->keep_bad)
		FAIL(CLPAC_ERROR_ARGUMENT, "--reject and --keep-bad: give one of them");
	if (settings->keep_bad)
		goto done;
	TRY(NEW_COPY(copy, list));
	for (char *word = copy, *next; word; word = next) {
		next = strchr(word, ',');
		if (next)
			*next++ = 0;
		if (!*word)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "--reject \"%s\": an empty pattern; give one or more, as BAD*,EDGE*, or --keep-bad", list);
		*is_rejected |= fnmatch(word, text, FNM_CASEFOLD) == 0 || fnmatch(word, behind, FNM_CASEFOLD) == 0;
	}
done:
	clpac__free(copy);
	return st;
}

static size_t sample_at(double seconds, double rate_hz, size_t most)
{
	const double sample = ceil(seconds * rate_hz - sample_slack);
	return sample > 0 ? sample < (double)most ? (size_t)sample : most : 0;
}

bool clpac__annotated_samples(const clpac_annotation *annotation, double onset_s, double rate_hz, size_t n_samples,
			      size_t *first, size_t *end)
{
	const double from_s = annotation->onset_seconds - onset_s, seconds = fmax(annotation->seconds, 0);
	/* A sample beyond the last, and one before the first, so that an annotation there is told from one here. */
	*first = sample_at(from_s, rate_hz, n_samples);
	*end = sample_at(from_s + seconds, rate_hz, n_samples);
	if (*end <= *first && from_s * rate_hz > sample_slack - 1)
		*end = *first + 1 < n_samples ? *first + 1 : n_samples;
	return *first < *end;
}
