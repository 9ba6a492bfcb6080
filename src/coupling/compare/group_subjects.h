/* The subjects of a comparison: whether their results agree, and their values. */
#ifndef CLPAC_COUPLING_COMPARE_GROUP_SUBJECTS_H
#define CLPAC_COUPLING_COMPARE_GROUP_SUBJECTS_H

#include <stddef.h>
#include <clpac/group.h>
#include "base/error.h"

enum { CLPAC__SUBJECT_NAME_SIZE = 320 };

/* The results of both groups, one after the other. */
static inline size_t clpac__group_n(const clpac_group *group)
{
	return group->n_first + group->n_second;
}
static inline const clpac_result *clpac__group_result(const clpac_group *group, size_t i)
{
	return i < group->n_first ? group->first[i] : group->second[i - group->n_first];
}

/* Checks members and results, all but the channels. */
clpac_status clpac__group_check(const clpac_group *group, clpac_error *err);

/* How many channels are compared. */
size_t clpac__group_n_channels(const clpac_group *group);

/* Finds the channels in each result.
 * @param[out] places (result, channel), clpac__group_n_channels of each. */
clpac_status clpac__group_channels(const clpac_group *group, size_t *places, clpac_error *err);

/* Takes the values of all subjects, differences where they are pairs.
 * @param places as from clpac__group_channels.
 * @param[out] values (subject, channel, segment, phase, amplitude). */
void clpac__group_values(const clpac_group *group, const size_t *places, double *values);

#endif
