/* Results of groups of channels, put together to that of all. */
#ifndef CLPAC_TOOL_CHANNEL_GROUPS_H
#define CLPAC_TOOL_CHANNEL_GROUPS_H

#include <clpac/problem.h>
#include <clpac/result.h>

/* Puts results of consecutive channels together; their segments are the same.  Warnings that follow from the problem
 * alone are those of the first group, others and times are sums, so that the outcome does not depend on the grouping.
 * p_max and the other corrections are made anew where the family is the run.
 * @param groups n_groups results, in the order of their channels; those of one channel or more.
 * @param model the group whose filters, layout and device are taken.
 * @param whole the problem of all channels.
 * Errors: CLPAC_ERROR_FORMAT for groups that differ in shape or arrays; CLPAC_ERROR_NO_MEMORY. */
clpac_status tool_channel_groups_join(clpac_result *const *groups, size_t n_groups, size_t model,
				      const clpac_problem *whole, clpac_result **out, clpac_error *err);

/* A result without a value yet, with measures, arrays, bands, filters and valid cells of the model, and the text of a
 * problem. */
clpac_status tool_result_like(const clpac_result *model, const clpac_problem *whole, size_t n_channels,
			      size_t n_segments, clpac_result **out, clpac_error *err);

/* Sums the reports of results as clpac_result_stack does, but for warnings that all have alike. */
clpac_status tool_reports_join(clpac_result *const *groups, size_t n_groups, clpac_report *out, clpac_error *err);

#endif
