#include <math.h>
#include "analysis/sentences/peak.h"
#include "analysis/sentences/sentences.h"

static void add_time(const clpac_result *result, size_t segment, clpac__text *to)
{
	const double at_s = clpac_result_segment_onsets(result)[segment];
	const char *condition = clpac_result_condition(result, segment);
	if (at_s < 0)
		clpac__text_add(to, "%.4g s before ", -at_s);
	else
		clpac__text_add(to, "%.4g s after ", at_s);
	clpac__text_add(to, "%s", condition ? condition : "the event");
}

char *clpac__trials_sentence(const clpac__job *job, const clpac_result *result, double seconds)
{
	clpac__text text = {0}, *to = &text;
	char epochs[CLPAC__EPOCHS_SIZE];
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	if (peak.found) {
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_amplitude_bands(result)[peak.amplitude];
		clpac__peak_add_channel(result, peak.channel, to);
		clpac__text_add(to, ", ");
		add_time(result, peak.segment, to);
		clpac__text_add(to, ", at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: rho %.3g", phase.lo_hz,
				phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz, (double)peak.mi);
		if (!isnan(peak.p_max))
			clpac__text_add(to, ", p_max %.2g%s", (double)peak.p_max,
					peak.p_max > 0.05f ? " (no point in time of its channel is significant)" : "");
	} else {
		clpac__text_add(to, "no valid cell has a value");
	}
	clpac__job_epochs_sentence(&job->epochs, epochs);
	clpac__text_add(to, "; %s", epochs);
	clpac__text_add(to, "; %zu points in time", shape->n_segments);
	if (shape->n_surrogates)
		clpac__text_add(to, ", %zu permutations of trials", shape->n_surrogates);
	clpac__text_add(to, "; %zu channel%s in %.3g s on %s", shape->n_channels, shape->n_channels == 1 ? "" : "s",
			seconds, clpac_result_report(result)->device);
	return clpac__text_take(to);
}
