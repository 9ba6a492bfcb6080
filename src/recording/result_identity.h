/* The identity of a result, by which an .npz and the .json beside it are known to be of one result. */
#ifndef CLPAC_RECORDING_RESULT_IDENTITY_H
#define CLPAC_RECORDING_RESULT_IDENTITY_H

#include <clpac/result.h>

#include "base/error.h"

enum { CLPAC__IDENTITY_SIZE = 65 };

/* SHA-256 of all numbers and names of a result, as hexadecimal digits.  Equal results have one identity, so that their
 * files are equal too; times and devices do not enter.  Errors: CLPAC_ERROR_CANCELLED. */
clpac_status clpac__result_identity(const clpac_result *result, char identity[CLPAC__IDENTITY_SIZE], clpac_error *err);

/* The identity in the .json beside an .npz.
 * @param[out] identity empty where there is no such file, where it is no clpac's, or where it is of a version without
 * identities.
 * @param[out] is_ours whether a clpac wrote it. */
clpac_status clpac__sidecar_identity(const char *npz_path, char identity[CLPAC__IDENTITY_SIZE], bool *is_ours,
				     clpac_error *err);

#endif
