#include <stdint.h>
#include "analysis/sentences/peak.h"
#include "analysis/sentences/sentences.h"

enum { Z = 1 }; /* of `value` */

static void add_peak(const clpac__comparison *c, clpac__text *to)
{
	const clpac_result *result = c->made;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	const size_t cell =
		(peak.channel * shape->n_phase_bands + peak.phase) * shape->n_amplitude_bands + peak.amplitude;
	const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
	const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
	const float *ratio = clpac_result_array(result, CLPAC_RATIO, NULL);
	clpac__text_add(to, " most in channel %s", clpac_result_channel_name(result, peak.channel));
	clpac__text_add(to, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: by %.3g", phase.lo_hz, phase.hi_hz,
			amplitude.lo_hz, amplitude.hi_hz, (double)clpac_result_array(result, CLPAC_EFFECT, NULL)[cell]);
	if (ratio)
		clpac__text_add(to, ", ratio %.3g", (double)ratio[cell]);
	clpac__text_add(to, ", %s %.3g, p_max %.2g", c->settings.pool ? "in deviations" : "t",
			(double)clpac_result_array(result, CLPAC_T, NULL)[cell], (double)peak.p_max);
	clpac__peak_add_cells(result, cell, to);
}

char *clpac__comparison_sentence(const clpac__comparison *c)
{
	clpac__text text = {0}, *to = &text;
	const char *measure = clpac_measure_abbreviation(clpac_result_measure(c->made));
	clpac__text_add(to, "%s of ",
			c->settings.value == Z ? "z"
			: c->settings.pool     ? "pooled indices"
					       : "mean indices");
	clpac__text_add(to, "%s", c->conditions[0]);
	clpac__text_add(to, " and %s", c->conditions[1]);
	clpac__text_add(to, " (%s) differ%s", measure, c->settings.value == Z ? "s" : "");
	add_peak(c, to);
	clpac__text_add(to, " (%zu permutations of labels)", clpac_result_get_shape(c->made)->n_surrogates + 1);
	return clpac__text_take(to);
}
