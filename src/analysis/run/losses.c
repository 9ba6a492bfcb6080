/* Losses by samples that are rejected, NaN, infinite or at one value, and by clipping. */
#include "analysis/run/job.h"

#include <math.h>

enum { MOST_CHANNELS = 20 }; /* with a warning of their own */

/* Whether a cell of the channel and segment has a value. */
static bool has_value(const clpac_result *result, size_t channel, size_t segment)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const size_t n = shape->n_phase_bands * shape->n_amplitude_bands;
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t i = (channel * shape->n_segments + segment) * n, end = i + n; i < end; i++)
		if (!isnan(mi[i]))
			return true;
	return false;
}

/* Warns of a channel some segments of which are lost, or more than half of whose samples; false: it is not one. */
static bool warn_of_channel(const clpac__job *job, size_t c, bool is_said)
{
	const clpac__job_segments *segments = &job->segments;
	const size_t number = job->channels.numbers[c];
	const char *name = clpac_recording_channel(job->recording, number)->name;
	const double rate_hz = job->channels.rate_hz;
	const bool has_flats = job->missing.flats && job->missing.flats[c].n;
	size_t n_empty = 0, n_used = 0, n_all = 0, n_lost = 0;
	for (size_t s = 0; s < segments->n; s++) {
		const size_t used = job->parts.n_used[c * segments->n + s];
		n_used += used;
		n_all += segments->each[s].n_samples;
		n_empty += used == 0;
		n_lost += used ? 0 : segments->each[s].n_samples;
	}
	if (!n_empty && 2 * n_used >= n_all)
		return false;
	if (is_said && n_empty)
		clpac__analysis_warn(
			job->settings, 1,
			"channel %zu %s: %zu of %zu segments, %.4g of %.4g s, have no value, since too few of their "
			"samples are left: the others are rejected, NaN%s infinite%s",
			number, name, n_empty, segments->n, (double)n_lost / rate_hz, (double)n_all / rate_hz,
			has_flats ? "," : " or", has_flats ? " or at one value" : "");
	else if (is_said)
		clpac__analysis_warn(job->settings, 1, "channel %zu %s: only %.4g of %.4g s are used", number, name,
				     (double)n_used / rate_hz, (double)n_all / rate_hz);
	return true;
}

size_t clpac__job_clipped(const clpac__job *job, size_t *most, double *share)
{
	const clpac__job_samples *samples = &job->samples;
	size_t n = 0;
	*share = 0;
	for (size_t c = 0; c < job->channels.n; c++) {
		const double own = (double)samples->n_clipped[c] / (double)samples->n_samples;
		n += own > 0;
		if (own > *share) {
			*share = own;
			*most = c;
		}
	}
	return n;
}

void clpac__job_warn_of_clipping(const clpac__job *job)
{
	size_t most = 0;
	double share;
	const size_t n = clpac__job_clipped(job, &most, &share);
	if (n)
		clpac__analysis_warn(
			job->settings, n,
			"saturation: %.2g %% of the samples of channel %s are at its highest or lowest value%s; "
			"waves that are cut off have harmonics, which look like coupling",
			100 * share, clpac_recording_channel(job->recording, job->channels.numbers[most])->name,
			n > 1 ? ", the most of the channels with many such samples" : "");
}

void clpac__job_warn_of_losses(const clpac__job *job)
{
	size_t n_channels = 0;
	for (size_t c = 0; c < job->channels.n; c++)
		n_channels += warn_of_channel(job, c, n_channels < MOST_CHANNELS);
	if (n_channels > MOST_CHANNELS)
		clpac__analysis_warn(job->settings, 1, "%zu more channels have lost samples likewise",
				     n_channels - MOST_CHANNELS);
}

void clpac__job_tell_warnings(const clpac__job *job, const clpac_result *result)
{
	const clpac_warning *warnings = clpac_result_report(result)->warnings;
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++)
		if (warnings[k].count)
			clpac__analysis_warn(job->settings, warnings[k].count, "%s", warnings[k].text);
}

clpac_status clpac__job_check_cells(const clpac__job *job, const clpac_result *result, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_report *report = clpac_result_report(result);
	const char *why = "";
	for (size_t c = 0; c < shape->n_channels; c++)
		for (size_t s = 0; s < shape->n_segments; s++)
			if (has_value(result, c, s))
				return CLPAC_OK;
	static const clpac_warning_kind kinds[] = {CLPAC_WARN_NOT_FINITE, CLPAC_WARN_CONSTANT, CLPAC_WARN_EMPTY_BINS,
						   CLPAC_WARN_NO_AMPLITUDE};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !*why; k++)
		if (report->warnings[kinds[k]].count)
			why = report->warnings[kinds[k]].text;
	return clpac__fail(err, CLPAC_ERROR_FORMAT, "%s: no cell of any channel has a value, so nothing is written%s%s",
			   job->settings->input, *why ? ": " : "", why);
}
