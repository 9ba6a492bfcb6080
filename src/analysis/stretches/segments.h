/* --start, --stop, --segment: the segments of the recording that are computed. */
#ifndef CLPAC_ANALYSIS_STRETCHES_SEGMENTS_H
#define CLPAC_ANALYSIS_STRETCHES_SEGMENTS_H

#include <clpac/recording.h>
#include "analysis/channels/channels.h"

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
