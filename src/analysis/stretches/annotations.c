
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/stretches/stretches.h"
#include "base/memory.h"

static const char *const usual_pattern = "BAD*";

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

bool clpac__annotated_samples(const clpac_annotation *annotation, double onset_s, double rate_hz, size_t n_samples,
			      size_t *first, size_t *end)
{
	const double from_s = annotation->onset_seconds - onset_s, seconds = fmax(annotation->seconds, 0);
	/* A sample beyond the last, and one before the first, so that an annotation there is told from one here. */
	*first = clpac__sample_at(from_s, rate_hz, n_samples);
	*end = clpac__sample_at(from_s + seconds, rate_hz, n_samples);
	if (*end <= *first && from_s * rate_hz > CLPAC__SAMPLE_SLACK - 1)
		*end = *first + 1 < n_samples ? *first + 1 : n_samples;
	return *first < *end;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const clpac__counted_text *)a)->text, ((const clpac__counted_text *)b)->text);
}

static int by_count(const void *a, const void *b)
{
	const clpac__counted_text *x = a, *y = b;
	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

size_t clpac__texts_count(clpac__counted_text *texts, size_t n)
{
	size_t n_different = 0;
	qsort(texts, n, sizeof *texts, by_text);
	for (size_t i = 0; i < n; i++) {
		if (n_different && strcmp(texts[n_different - 1].text, texts[i].text) == 0)
			texts[n_different - 1].count += texts[i].count;
		else
			texts[n_different++] = texts[i];
	}
	qsort(texts, n_different, sizeof *texts, by_count);
	return n_different;
}

clpac_status clpac__annotation_texts(const clpac_recording *recording, clpac__counted_text **out, size_t *n,
				     clpac_error *err)
{
	const size_t n_all = clpac_recording_n_annotations(recording);
	RETURN_IF_ERROR(NEW_ARRAY(*out, n_all + 1));
	for (size_t i = 0; i < n_all; i++)
		(*out)[i] = (clpac__counted_text){clpac_recording_annotation(recording, i)->text, 1};
	*n = clpac__texts_count(*out, n_all);
	return CLPAC_OK;
}
