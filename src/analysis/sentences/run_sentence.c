#include <math.h>
#include <string.h>
#include "analysis/sentences/peak.h"
#include "analysis/sentences/sentences.h"

/* "NAME" of one device; of several "NAME (40), NAME on PLATFORM (24)", with the number of series of each. */
static void add_devices(const clpac_report *report, clpac__text *to)
{
	for (size_t i = 0; i < report->n_devices; i++) {
		const clpac_device_report *did = &report->devices[i];
		const bool is_native = strcmp(did->backend, "native") == 0;
		clpac__text_add(to, "%s%s", i ? ", " : "", *did->device ? did->device : did->backend);
		if (report->n_devices > 1)
			clpac__text_add(to, "%s%s (%zu%s)", is_native ? "" : " on ", is_native ? "" : did->platform,
					did->n_series, did->has_failed ? ", then failed" : "");
	}
}

/* The cautions of a result, a word for each warning that speaks against believing it. */
static void add_cautions(const clpac_result *result, clpac__text *to)
{
	static const struct {
		clpac_warning_kind kind;
		const char *word;
	} cautions[] = {{CLPAC_WARN_HARMONIC, "harmonics"},
			{CLPAC_WARN_NARROW_AMPLITUDE, "narrow bands"},
			{CLPAC_WARN_OVERLAP, "overlapping bands"},
			{CLPAC_WARN_JUMP, "jumps"},
			{CLPAC_WARN_MAINS, "mains"},
			{CLPAC_WARN_PURE_LINE, "a pure line"},
			{CLPAC_WARN_MIN_SHIFT, "long minimum shift"},
			{CLPAC_WARN_FEW_SEGMENTS, "few segments"},
			{CLPAC_WARN_SHORT_NULL, "few cycles"}};
	const char *before = "; caution: ";
	for (size_t i = 0; i < sizeof cautions / sizeof *cautions; i++)
		if (clpac_result_report(result)->warnings[cautions[i].kind].count) {
			clpac__text_add(to, "%s%s", before, cautions[i].word);
			before = ", ";
		}
}

/* The peaks of further measures, in a few words each. */
static void add_further(const clpac_result *result, clpac__text *to)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(result, measures);
	for (size_t i = 1; i < n; i++) {
		const clpac_peak peak = clpac_result_peak(clpac_result_of(result, measures[i]), SIZE_MAX);
		if (!peak.found)
			continue;
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		clpac__text_add(to, "; %s %.3g at %.4g-%.4g, %.4g-%.4g Hz", clpac_measure_abbreviation(measures[i]),
				(double)peak.mi, phase.lo_hz, phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz);
		if (!isnan(peak.p_max))
			clpac__text_add(to, ", p_max %.2g", (double)peak.p_max);
	}
}

/* How many maps of the first measure have a significant cell, and how many would without any coupling: p_max is that of
 * a map by itself. */
static void add_maps(const clpac_result *result, clpac__text *to)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n_maps = 0, n_significant = 0;
	for (size_t ch = 0; ch < shape->n_channels; ch++)
		for (size_t segment = 0; segment < shape->n_segments; segment++) {
			const clpac_peak peak = clpac_result_series_peak(result, ch, segment);
			n_maps += peak.found && !isnan(peak.p_max);
			n_significant += peak.found && peak.p_max <= 0.05f;
		}
	/* Below ten a digit behind the point. */
	const double by_chance = 0.05 * (double)n_maps;
	if (n_maps > 1)
		clpac__text_add(to, "; %zu of %zu maps have a significant cell, where chance gives %.*g", n_significant,
				n_maps, by_chance < 10 ? 2 : 15, by_chance < 10 ? by_chance : round(by_chance));
}

/* ", segment 3 at 12.5 s,", or ", go at 12.5 s," of an epoch and ", go," of all epochs of a condition. */
static void add_segment(const clpac_result *result, size_t segment, clpac__text *to)
{
	const char *condition = clpac_result_condition(result, segment);
	const double onset_s = clpac_result_segment_onsets(result)[segment];
	if (!condition && clpac_result_get_shape(result)->n_segments < 2)
		return;
	clpac__text_add(to, ", ");
	if (condition)
		clpac__text_add(to, "%s", condition);
	else
		clpac__text_add(to, "segment %zu", segment);
	if (!isnan(onset_s))
		clpac__text_add(to, " at %g s", onset_s);
	clpac__text_add(to, ",");
}

char *clpac__run_sentence(const clpac__job *job, const clpac_result *result, double seconds)
{
	clpac__text text = {0}, *to = &text;
	char used[CLPAC__USED_SIZE], epochs[CLPAC__EPOCHS_SIZE];
	const clpac_report *report = clpac_result_report(result);
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	if (peak.found) {
		clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		clpac__peak_add_channel(result, peak.channel, to);
		add_segment(result, peak.segment, to);
		clpac__text_add(to, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: %s %.3g", phase.lo_hz, phase.hi_hz,
				amplitude.lo_hz, amplitude.hi_hz,
				clpac_measure_abbreviation(clpac_result_measure(result)), (double)peak.mi);
		if (!isnan(peak.preferred_phase))
			clpac__text_add(to, ", preferred phase %.0f degrees",
					round((double)peak.preferred_phase * 180 / 3.14159265358979323846) + 0.0);
		/* The peak has the lowest p_max of its map. */
		if (!isnan(peak.z))
			clpac__text_add(to, ", z %.3g, p_max %.2g%s", (double)peak.z, (double)peak.p_max,
					peak.p_max > 0.05f  ? " (no cell of its map is significant)"
					: peak.harmonic > 0 ? " (harmonic?)"
							    : "");
	} else {
		clpac__text_add(to, "no valid cell has a value");
	}
	add_further(result, to);
	if (job->method.problem.family != CLPAC_FAMILY_RUN)
		add_maps(result, to);
	add_cautions(result, to);
	clpac__job_parts_sentence(&job->parts, &job->channels, &job->segments, used);
	if (*used)
		clpac__text_add(to, "; %s", used);
	clpac__job_epochs_sentence(&job->epochs, epochs);
	if (*epochs)
		clpac__text_add(to, "; %s", epochs);
	clpac__text_add(to, "; %zu series in %.3g s on ", shape->n_channels * shape->n_segments, seconds);
	add_devices(report, to);
	return clpac__text_take(to);
}
