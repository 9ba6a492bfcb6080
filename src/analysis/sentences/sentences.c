/* Sentences about a result, for people. */
#include "analysis/sentences/sentences.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- The peak --------------------------------------------------------------------------------- */

/* "peak in channel C3", or the two channels of a pair. */
static void peak_add_channel(const clpac_result *result, size_t channel, clpac__text *to)
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

/* ", p_cluster 0.02; 12 of 900 cells have p_max up to 0.05", without the first where no cluster has the cell. */
static void peak_add_cells(const clpac_result *result, size_t cell, clpac__text *to)
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

/* --- Runs ------------------------------------------------------------------------------------- */

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
static void add_cautions(const clpac__job *job, const clpac_result *result, clpac__text *to)
{
	static const struct {
		clpac_warning_kind kind;
		const char *word;
	} cautions[] = {{CLPAC_WARN_HARMONIC, "harmonics"},
			{CLPAC_WARN_NARROW_AMPLITUDE, "narrow bands"},
			{CLPAC_WARN_OVERLAP, "overlapping bands"},
			{CLPAC_WARN_JUMP, "jumps"},
			{CLPAC_WARN_MAINS, "mains"},
			{CLPAC_WARN_BEATS, "heartbeats"},
			{CLPAC_WARN_SPIKES, "spikes"},
			{CLPAC_WARN_MUSCLE, "muscle"},
			{CLPAC_WARN_ODD_HARMONICS, "odd harmonics"},
			{CLPAC_WARN_LOCKED, "locked to events"},
			{CLPAC_WARN_NO_PEAK, "no spectral peak"},
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
	size_t most;
	double share;
	if (clpac__job_clipped(job, &most, &share))
		clpac__text_add(to, "%ssaturation (up to %.2g %%)", before, 100 * share);
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

/* The lowest p_max of a map, which is the peak's but where that is a clear cell; NaN where no cell has one. */
static float lowest_of_map(const clpac_result *result, size_t channel, size_t segment)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t cells = shape->n_phase_bands * shape->n_amplitude_bands;
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	float lowest = NAN;
	for (size_t i = 0; p_max && i < cells; i++)
		lowest = fminf(lowest, p_max[(channel * shape->n_segments + segment) * cells + i]);
	return lowest;
}

/* How many maps of the first measure have a significant cell, and how many would without any coupling: p_max is that of
 * a map by itself. */
static void add_maps(const clpac_result *result, clpac__text *to)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t n_maps = 0, n_significant = 0;
	for (size_t ch = 0; ch < shape->n_channels; ch++)
		for (size_t segment = 0; segment < shape->n_segments; segment++) {
			const float lowest = lowest_of_map(result, ch, segment);
			n_maps += !isnan(lowest);
			n_significant += lowest <= 0.05f;
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
		peak_add_channel(result, peak.channel, to);
		add_segment(result, peak.segment, to);
		clpac__text_add(to, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: %s %.3g", phase.lo_hz, phase.hi_hz,
				amplitude.lo_hz, amplitude.hi_hz,
				clpac_measure_abbreviation(clpac_result_measure(result)), (double)peak.mi);
		if (!isnan(peak.preferred_phase))
			clpac__text_add(to, ", preferred phase %.0f degrees",
					round((double)peak.preferred_phase * 180 / 3.14159265358979323846) + 0.0);
		const float lowest = lowest_of_map(result, peak.channel, peak.segment);
		if (!isnan(peak.z)) {
			clpac__text_add(to, ", z %.3g, p_max %.2g", (double)peak.z, (double)peak.p_max);
			if (lowest > 0.05f)
				clpac__text_add(to, " (no cell of its map is significant)");
			else if (peak.harmonic > 0)
				clpac__text_add(to,
						" (harmonic? without the shape of a wave %.0f %% of the coupling "
						"remains)",
						100 * (double)peak.remaining);
		}
	} else {
		clpac__text_add(to, "no valid cell has a value");
	}
	add_further(result, to);
	if (job->method.problem.family != CLPAC_FAMILY_RUN)
		add_maps(result, to);
	add_cautions(job, result, to);
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

/* --- Comparisons ------------------------------------------------------------------------------ */

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
	peak_add_cells(result, cell, to);
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

/* --- Subjects --------------------------------------------------------------------------------- */

/* "12 subjects, z paired", "9 and 11 subjects, z of two samples" */
static void add_design(const clpac_group *group, clpac__text *to)
{
	const char *const measure = clpac_measure_abbreviation(clpac_result_measure(group->first[0]));
	const char *const value = group->of_index || group->of_excess ? measure : "z";
	const char *const what = group->of_excess ? "excess of " : "";
	if (group->design == CLPAC_TWO_SAMPLE)
		clpac__text_add(to, "%zu and %zu subjects: %s%s", group->n_first, group->n_second, what, value);
	else
		clpac__text_add(to, "%zu subjects: %s%s", group->n_first, what, value);
}

/* Whether subjects were compared with their own surrogates. */
static bool is_drawn(const clpac_result *result)
{
	return strstr(clpac_result_problem(result), " null=surrogates") != NULL;
}

static void add_permutations(const clpac_group *group, const clpac_result *result, clpac__text *to)
{
	static const char *const kinds[] = {"flips of signs", "flips of signs", "exchanges of labels"};
	bool is_exact;
	if (is_drawn(result)) {
		clpac__text_add(to, " (%zu draws of surrogates)", clpac_result_get_shape(result)->n_surrogates + 1);
		return;
	}
	const uint64_t n = clpac_group_permutations(group->design, group->n_first, group->n_second,
						    group->n_permutations, &is_exact);
	clpac__text_add(to, " (%s%llu %s)", is_exact ? "all " : "", (unsigned long long)n, kinds[group->design]);
}

char *clpac__subjects_sentence(const clpac_group *group, const clpac_result *result)
{
	clpac__text text = {0}, *to = &text;
	static const char *const verbs[] = {" differs most from 0", " differs most between pairs",
					    " differs most between groups"};
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_peak peak = clpac_result_peak(result, SIZE_MAX);
	add_design(group, to);
	if (peak.found) {
		const size_t series = peak.channel * shape->n_segments + peak.segment;
		const size_t cell =
			(series * shape->n_phase_bands + peak.phase) * shape->n_amplitude_bands + peak.amplitude;
		const clpac_band phase = clpac_result_phase_bands(result)[peak.phase];
		const clpac_band amplitude = clpac_result_cell_band(result, peak.phase, peak.amplitude);
		clpac__text_add(to, "%s in channel ", verbs[group->design]);
		clpac__text_add(to, "%s", clpac_result_channel_name(result, peak.channel));
		if (shape->n_segments > 1)
			clpac__text_add(to, ", segment %zu at %g s,", peak.segment,
					clpac_result_segment_onsets(result)[peak.segment]);
		clpac__text_add(to, " at phase %.4g-%.4g Hz, amplitude %.4g-%.4g Hz: by %.3g, ", phase.lo_hz,
				phase.hi_hz, amplitude.lo_hz, amplitude.hi_hz,
				(double)clpac_result_array(result, CLPAC_EFFECT, NULL)[cell]);
		if (is_drawn(result))
			clpac__text_add(to, "score");
		else
			clpac__text_add(to, "t(%zu)",
					group->n_first + (group->design == CLPAC_TWO_SAMPLE ? group->n_second - 1 : 0) -
						1);
		clpac__text_add(to, " %.3g, p_max %.2g", (double)clpac_result_array(result, CLPAC_T, NULL)[cell],
				(double)peak.p_max);
		peak_add_cells(result, cell, to);
	} else {
		clpac__text_add(to, ": no valid cell has a value");
	}
	add_permutations(group, result, to);
	return clpac__text_take(to);
}

/* --- Trials ----------------------------------------------------------------------------------- */

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
		peak_add_channel(result, peak.channel, to);
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
