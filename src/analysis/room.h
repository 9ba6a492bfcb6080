/* Room in this computer's memory for what options ask for, before the work begins. */
#ifndef CLPAC_ANALYSIS_ROOM_H
#define CLPAC_ANALYSIS_ROOM_H

#include <clpac/problem.h>
#include "base/error.h"

/* Refuses what takes more memory than is free, where the system tells.
 * @param bytes the least that it takes. @param what it is, by its option. @param remedy "give fewer".
 * Errors: CLPAC_ERROR_NO_MEMORY with the numbers. */
clpac_status clpac__room_check(double bytes, const char *what, const char *remedy, clpac_error *err);

/* The same for the result of a problem.
 * @param n_rows channels or pairs. @param n_segments of each; points in time, of trials. */
clpac_status clpac__room_check_result(const clpac_problem *problem, size_t n_rows, double n_segments, clpac_error *err);

/* Bytes of the indices of all surrogates that a result may keep. */
double clpac__room_of_surrogates(const clpac_problem *problem, size_t n_rows, double n_segments);

/* The same for comparing maps of so many cells by permutations of so many epochs or subjects. */
clpac_status clpac__room_check_permutations(uint64_t n_permutations, double n_maps, double n_cells, size_t n_permuted,
					    clpac_error *err);

#endif
