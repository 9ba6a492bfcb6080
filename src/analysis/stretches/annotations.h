/* Annotations: those whose time is left out (--reject, --keep-bad), and how many there are of each text. */
#ifndef CLPAC_ANALYSIS_STRETCHES_ANNOTATIONS_H
#define CLPAC_ANALYSIS_STRETCHES_ANNOTATIONS_H

#include <clpac/recording.h>
#include "analysis/settings.h"

/* Whether run leaves out the time of an annotation: one of the patterns of --reject is its text, in any case, or what
 * stands behind the first "/" of it; BAD* without that option; none with --keep-bad.  Errors: CLPAC_ERROR_ARGUMENT for
 * both options at once and for an empty pattern; CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__annotation_is_rejected(const clpac__analysis_settings *settings, const char *text,
					   bool *is_rejected, clpac_error *err);

/* Samples first .. end - 1, counted from `onset_s` of the recording's clock, that an annotation covers: those at its
 * onset or later and before its end, and the next one where it lies between two or has no duration.  No more than
 * n_samples; false where there are none. */
bool clpac__annotated_samples(const clpac_annotation *annotation, double onset_s, double rate_hz, size_t n_samples,
			      size_t *first, size_t *end);

/* A text, and how often it was met. */
typedef struct clpac__counted_text {
	const char *text;
	size_t count;
} clpac__counted_text;

/* Puts n texts that may repeat into a list of each once, the most frequent first, with the sums of their counts.
 * Returns its length. */
size_t clpac__texts_count(clpac__counted_text *texts, size_t n);

/* Lists the texts of a recording's annotations, which are the recording's.
 * @param[out] out to be freed with clpac__free. */
clpac_status clpac__annotation_texts(const clpac_recording *recording, clpac__counted_text **out, size_t *n,
				     clpac_error *err);

#endif
