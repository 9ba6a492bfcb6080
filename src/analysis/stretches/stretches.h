/* The stretches of one channel in one segment. */
#ifndef CLPAC_ANALYSIS_STRETCHES_STRETCHES_H
#define CLPAC_ANALYSIS_STRETCHES_STRETCHES_H

#include <clpac/problem.h>
#include <clpac/recording.h>

#include "base/error.h"
#include "analysis/settings.h"
#include "analysis/channels/channels.h"

/* Tolerance in samples: a time meant to fall on a sample may miss it by rounding. */
#define CLPAC__SAMPLE_SLACK 1e-6

/* The first sample at `seconds` or later, no more than `most`. */
size_t clpac__sample_at(double seconds, double rate_hz, size_t most);

/* Ascending and apart from each other. */
typedef struct clpac__stretches {
	clpac_window *each;
	size_t n, capacity;
} clpac__stretches;

clpac_status clpac__stretches_add(clpac__stretches *to, clpac_window stretch, clpac_error *err);
void clpac__stretches_clear(clpac__stretches *stretches);

/* Samples 0 .. n_samples - 1 without those of a list. */
clpac_status clpac__stretches_without(const clpac__stretches *list, size_t n_samples, clpac__stretches *out,
				      clpac_error *err);
/* The samples that are in both lists. */
clpac_status clpac__stretches_common(const clpac__stretches *a, const clpac__stretches *b, clpac__stretches *out,
				     clpac_error *err);
/* Where channels have no data: their gaps and flat runs, a list for each channel. */
typedef struct clpac__missing {
	const clpac__stretches *gaps;  /* samples that are NaN or infinite */
	const clpac__stretches *flats; /* samples at one value; NULL: they are used as they are */
} clpac__missing;

/* Splits stretches, counted from sample `start` of a channel, at what the channel lacks.
 * @param gaps of the channel, or its flat runs; NULL: none.
 * @param[in,out] n_gaps the number of those that are met in each stretch is added. */
clpac_status clpac__stretches_finite(const clpac__stretches *stretches, const clpac__stretches *gaps, size_t start,
				     clpac__stretches *out, size_t *n_gaps, clpac_error *err);
/* Takes out those shorter than `least`; where all are, the longest stays alone.  Returns how many were taken out. */
size_t clpac__stretches_keep_long(clpac__stretches *stretches, size_t least);

/* Annotations: those whose time is left out (--reject, --keep-bad), and how many there are of each text. */

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

/* --start, --stop, --segment: the segments of the recording that are computed. */

typedef struct clpac__job_segment {
	size_t start, n_samples;
	double onset_s; /* on the recording's clock */
	size_t number;	/* by which its random shifts are drawn: of the stretch, or of the piece in the cut */
} clpac__job_segment;

/* Segments in the order of the recording; none crosses a gap. */
typedef struct clpac__job_segments {
	clpac__job_segment *each;
	size_t n;
	size_t *lengths; /* the different numbers of samples, longest first */
	size_t n_lengths;
	/* The segments once more, those of the first length first, then those of the second, ...: */
	size_t *firsts;	 /* of each length, where its segments begin below; behind the last, n */
	size_t *places;	 /* in `each` */
	size_t *numbers; /* for the random shifts */
	struct clpac__segment_length *by_length; /* working memory */
} clpac__job_segments;

/* Cuts the recording by the options, and warns if its gaps make segments. */
clpac_status clpac__job_segments_choose(const clpac_recording *recording, const clpac__chosen_channels *channels,
					const clpac__analysis_settings *settings, clpac__job_segments *out,
					clpac_error *err);
/* Takes n segments over as they are.  *each is the list's from then on, and NULL. */
clpac_status clpac__job_segments_make(clpac__job_segment **each, size_t n, clpac__job_segments *out, clpac_error *err);
/* The number of segments of one length; 0 where there are none.  *places are theirs in `each`; *numbers has their
 * numbers, NULL where these are 0, 1, ...  Both are nullable. */
size_t clpac__job_segments_of(const clpac__job_segments *segments, size_t n_samples, const size_t **places,
			      const size_t **numbers);
/* Removes segments of fewer samples than this.  Returns the number removed. */
size_t clpac__job_segments_drop(clpac__job_segments *segments, size_t least_samples);
void clpac__job_segments_clear(clpac__job_segments *segments);

#endif
