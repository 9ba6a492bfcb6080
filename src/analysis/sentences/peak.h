/* Parts of sentences about the peak of a result, and the cells beside it. */
#ifndef CLPAC_ANALYSIS_SENTENCES_PEAK_H
#define CLPAC_ANALYSIS_SENTENCES_PEAK_H

#include <clpac/result.h>
#include "base/text.h"

/* "peak in channel C3", or the two channels of a pair. */
void clpac__peak_add_channel(const clpac_result *result, size_t channel, clpac__text *to);

/* ", p_cluster 0.02; 12 of 900 cells have p_max up to 0.05", without the first where no cluster has the cell. */
void clpac__peak_add_cells(const clpac_result *result, size_t cell, clpac__text *to);

#endif
