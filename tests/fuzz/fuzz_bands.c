/* Fuzzer's target: texts of bands.  The input's first line holds those of the phase, the second those of the
 * amplitude, which depend on them; an odd number of bytes gives a rate. */
#include <math.h>
#include <stdlib.h>

#include <clpac/bands.h>

#include "fuzz/fuzz_input.h"

static void read_bands(const char *text, clpac_band_use use, const clpac_bands_rule *rule, clpac_band **bands,
		       size_t *n)
{
	clpac_error err = {0};
	char *left_out = NULL;
	*bands = NULL;
	*n = 0;
	const clpac_status st = clpac_bands_read(text, use, rule, bands, n, &left_out, &err);
	fuzz_outcome(st, &err, *bands != NULL);
	FUZZ_LAW((st == CLPAC_OK) == (*n > 0));
	for (size_t i = 0; i < *n; i++)
		FUZZ_LAW(isfinite((*bands)[i].lo_hz) && isfinite((*bands)[i].hi_hz));
	clpac_text_free(left_out);
}

int FUZZ_TARGET(bands)(const uint8_t *data, size_t size)
{
	bool is_tied;
	clpac_bands_rule rule = {.rate_hz = size % 2 ? 512 : 0};
	const fuzz_piece line = fuzz_cut(&data, &size, "\n");
	char *phase_text = fuzz_text(line.data, line.size), *amplitude_text = fuzz_text(data, size);
	clpac_band *phase, *amplitude;
	size_t n_phase, n_amplitude;
	read_bands(phase_text, CLPAC_PHASE, &rule, &phase, &n_phase);
	rule.phase_bands = phase;
	rule.n_phase_bands = n_phase;
	rule.is_tied = &is_tied;
	read_bands(amplitude_text, CLPAC_AMPLITUDE, &rule, &amplitude, &n_amplitude);
	clpac_bands_free(phase);
	clpac_bands_free(amplitude);
	free(phase_text);
	free(amplitude_text);
	return 0;
}
