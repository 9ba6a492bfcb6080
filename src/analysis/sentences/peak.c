#include "analysis/sentences/peak.h"

#include <math.h>

void clpac__peak_add_channel(const clpac_result *result, size_t channel, clpac__text *to)
{
	const char *phase = clpac_result_pair_channel(result, channel, CLPAC_PHASE);
	const char *amplitude = clpac_result_pair_channel(result, channel, CLPAC_AMPLITUDE);
	if (phase && amplitude) {
		clpac__text_add(to, "peak between the phase of %s", phase);
		clpac__text_add(to, " and the amplitude of %s", amplitude);
	} else {
		clpac__text_add(to, "peak in channel %s", clpac_result_channel_name(result, channel));
	}
}

void clpac__peak_add_cells(const clpac_result *result, size_t cell, clpac__text *to)
{
	const double p_cluster = (double)clpac_result_array(result, CLPAC_P_CLUSTER, NULL)[cell];
	size_t n, n_cells = 0, n_significant = 0;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, &n);
	for (size_t i = 0; i < n; i++) {
		n_cells += !isnan(p_max[i]);
		n_significant += p_max[i] <= 0.05f;
	}
	if (p_cluster < 1)
		clpac__text_add(to, ", p_cluster %.2g", p_cluster);
	clpac__text_add(to, "; %zu of %zu cells have p_max up to 0.05", n_significant, n_cells);
}
