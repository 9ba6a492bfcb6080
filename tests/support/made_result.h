/* A small result with a known value in every place, for tests of what is done with results, and a folder to do it
 * in. */
#ifndef CLPAC_TESTS_MADE_RESULT_H
#define CLPAC_TESTS_MADE_RESULT_H

#include <stdint.h>

#include <clpac/result.h>

enum {
	MADE_CHANNELS = 2,
	MADE_SEGMENTS = 3,
	MADE_PHASE_BANDS = 4,
	MADE_AMPLITUDE_BANDS = 5,
	MADE_BINS = 6,
	MADE_SURROGATES = 7,
	MADE_MAPS = 1 << CLPAC_MI | 1 << CLPAC_Z | 1 << CLPAC_P | 1 << CLPAC_SURROGATE_MEAN | 1 << CLPAC_SURROGATE_STD |
		    1 << CLPAC_P_MAX
};
/* Every array has one of the 32 bits. */
#define MADE_ALL UINT32_MAX

/* Value i of an array is made_value(which, i), except for one cell: mi, z, p and p_max are NaN at (1, 2, 3, 4), the
 * last. */
clpac_result *make_result(unsigned arrays);
float made_value(clpac_array which, size_t i);
/* Ties its cells: bands that tell phase and amplitude. */
void tie_result(clpac_result *result);
clpac_band made_cell_band(size_t phase, size_t amplitude);

/* Test fixtures: the first makes an empty folder, the second removes it. */
void make_scratch(void);
/* The same in memory where the system has a place for that: for tests that sync thousands of files. */
void make_scratch_in_memory(void);
void remove_scratch(void);
/* A path in the folder; valid for the next seven calls. */
const char *scratch_path(const char *name);
/* Number of files in the folder, hidden ones included. */
size_t scratch_count(void);
void scratch_write(const char *name, const void *data, size_t bytes);
/* Contents of a file, followed by a NUL; the caller frees them. */
char *scratch_read(const char *name, size_t *bytes);

#endif
