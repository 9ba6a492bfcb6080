/* Recordings that are kept beside the checkout and not in it. */
#ifndef CLPAC_TESTS_RECORDINGS_H
#define CLPAC_TESTS_RECORDINGS_H

#include <stddef.h>

/* NULL, or the reason why they cannot be read here. */
const char *recordings_missing(void);

/* All values of data/NAME in their folder, a .npy of little-endian float64; the caller frees them.  Fails the test
 * where the file is something else. */
double *recordings_read(const char *name, size_t *n);

#endif
