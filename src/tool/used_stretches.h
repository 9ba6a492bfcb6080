/* The stretches of one channel in one segment. */
#ifndef CLPAC_TOOL_USED_STRETCHES_H
#define CLPAC_TOOL_USED_STRETCHES_H

#include <clpac/problem.h>
#include "base/error.h"

/* Ascending and apart from each other. */
typedef struct tool_stretches {
	clpac_window *each;
	size_t n, capacity;
} tool_stretches;

clpac_status tool_stretches_add(tool_stretches *to, clpac_window stretch, clpac_error *err);
void tool_stretches_clear(tool_stretches *stretches);

/* Samples 0 .. n_samples - 1 without those of a list. */
clpac_status tool_stretches_without(const tool_stretches *list, size_t n_samples, tool_stretches *out,
				    clpac_error *err);
/* The samples that are in both lists. */
clpac_status tool_stretches_common(const tool_stretches *a, const tool_stretches *b, tool_stretches *out,
				   clpac_error *err);
/* Splits stretches, counted from sample `start` of a channel, at the channel's gaps.
 * @param gaps of the channel: samples that are NaN or infinite; NULL: none.
 * @param[in,out] n_gaps the number of those that are met in each stretch is added. */
clpac_status tool_stretches_finite(const tool_stretches *stretches, const tool_stretches *gaps, size_t start,
				   tool_stretches *out, size_t *n_gaps, clpac_error *err);
/* Takes out those shorter than `least`; where all are, the longest stays alone.  Returns how many were taken out. */
size_t tool_stretches_keep_long(tool_stretches *stretches, size_t least);

#endif
