/* Losses by samples that are NaN or infinite.  One of them empties its whole segment: filters spread it. */
#include "tool/job_losses.h"

#include <math.h>
#include "tool/console.h"

enum { MOST_CHANNELS = 20 }; /* with a warning of their own */

typedef struct losses {
	size_t n_segments;
	double seconds;
	size_t n_samples; /* that are NaN or infinite */
	double first_s;	  /* of these, on the recording's clock */
} losses;

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

static bool is_finite(const clpac_channel *channel, size_t i)
{
	if (channel->type == CLPAC_FLOAT64)
		return isfinite(((const double *)channel->samples)[i]);
	return isfinite(((const float *)channel->samples)[i]);
}

static void add_segment(const tool_job *job, const clpac_channel *channel, const tool_segment *segment, losses *sum)
{
	size_t n_samples = 0;
	for (size_t i = 0; i < segment->n_samples; i++) {
		if (is_finite(channel, segment->start + i))
			continue;
		if (sum->n_samples + n_samples++ == 0)
			sum->first_s = segment->onset_s + (double)i / job->channels.rate_hz;
	}
	if (n_samples) {
		sum->n_segments++;
		sum->seconds += (double)segment->n_samples / job->channels.rate_hz;
		sum->n_samples += n_samples;
	}
}

void tool_warn_of_losses(const tool_job *job, const clpac_result *result)
{
	const tool_segments *segments = &job->segments;
	size_t n_channels = 0;
	double all_s = 0;
	if (clpac_result_report(result)->warnings[CLPAC_WARN_NOT_FINITE].count == 0)
		return;
	for (size_t s = 0; s < segments->n; s++)
		all_s += (double)segments->each[s].n_samples / job->channels.rate_hz;
	for (size_t c = 0; c < job->channels.n; c++) {
		const size_t number = job->channels.numbers[c];
		const clpac_channel *channel = clpac_recording_channel(job->recording, number);
		losses sum = {0};
		for (size_t s = 0; s < segments->n; s++)
			if (!has_value(result, c, s))
				add_segment(job, channel, &segments->each[s], &sum);
		if (sum.n_samples == 0 || ++n_channels > MOST_CHANNELS)
			continue;
		tool_warn(job->call, 1,
			  "channel %zu %s: %zu of %zu segments, %.4g of %.4g s, have no value, since %zu samples in "
			  "them are NaN or infinite, the first at %.4g s; --segment, --start and --stop leave such out",
			  number, channel->name, sum.n_segments, segments->n, sum.seconds, all_s, sum.n_samples,
			  sum.first_s);
	}
	if (n_channels > MOST_CHANNELS)
		tool_warn(job->call, 1, "%zu more channels have lost segments likewise", n_channels - MOST_CHANNELS);
}

clpac_status tool_check_cells(const tool_job *job, const clpac_result *result, clpac_error *err)
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
			   job->call->operands[0], *why ? ": " : "", why);
}
