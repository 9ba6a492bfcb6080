/* The stretches of one channel in one segment. */
#ifndef CLPAC_ANALYSIS_STRETCHES_STRETCHES_H
#define CLPAC_ANALYSIS_STRETCHES_STRETCHES_H

#include <clpac/problem.h>
#include "base/error.h"

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
/* Splits stretches, counted from sample `start` of a channel, at the channel's gaps.
 * @param gaps of the channel: samples that are NaN or infinite; NULL: none.
 * @param[in,out] n_gaps the number of those that are met in each stretch is added. */
clpac_status clpac__stretches_finite(const clpac__stretches *stretches, const clpac__stretches *gaps, size_t start,
				     clpac__stretches *out, size_t *n_gaps, clpac_error *err);
/* Takes out those shorter than `least`; where all are, the longest stays alone.  Returns how many were taken out. */
size_t clpac__stretches_keep_long(clpac__stretches *stretches, size_t least);

#endif
