#include "recording/pair_names.h"

#include <string.h>

bool clpac__result_has_pairs(const clpac_result *result)
{
	const size_t n = clpac_result_get_shape(result)->n_channels;
	bool are_pairs = n > 0;
	for (size_t ch = 0; ch < n && are_pairs; ch++)
		are_pairs = clpac_result_pair_channel(result, ch, CLPAC_PHASE) &&
			    clpac_result_pair_channel(result, ch, CLPAC_AMPLITUDE);
	return are_pairs;
}

size_t clpac__pairs_of_a_phase(const clpac_result *result)
{
	const size_t n = clpac_result_get_shape(result)->n_channels;
	size_t in_row = 1;
	if (!clpac__result_has_pairs(result))
		return 0;
	while (in_row < n && strcmp(clpac_result_pair_channel(result, in_row, CLPAC_PHASE),
				    clpac_result_pair_channel(result, 0, CLPAC_PHASE)) == 0)
		in_row++;
	if (n % in_row)
		return 0;
	for (size_t ch = 0; ch < n; ch++) {
		const size_t row = ch / in_row * in_row, column = ch % in_row;
		if (strcmp(clpac_result_pair_channel(result, ch, CLPAC_PHASE),
			   clpac_result_pair_channel(result, row, CLPAC_PHASE)) != 0 ||
		    strcmp(clpac_result_pair_channel(result, ch, CLPAC_AMPLITUDE),
			   clpac_result_pair_channel(result, column, CLPAC_AMPLITUDE)) != 0)
			return 0;
	}
	return in_row;
}
