/* The names of a result's arrays in files, which tell the measures apart. */
#ifndef CLPAC_RECORDING_ARRAY_NAME_H
#define CLPAC_RECORDING_ARRAY_NAME_H

#include <clpac/result.h>

enum { CLPAC__ARRAY_NAME_SIZE = 48 };

/* "glm", "z" for the arrays of the first measure, "gcmi", "gcmi_z" for those of further ones. */
void clpac__array_name_of(clpac_measure measure, bool is_first, clpac_array which, char name[CLPAC__ARRAY_NAME_SIZE]);

#endif
