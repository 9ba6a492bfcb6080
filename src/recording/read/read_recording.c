/* Reading a recording: opens the file, recognises its format, reads it, and settles the sampling rate. */
#include <clpac/read.h>
#include <clpac/recording.h>

#include <math.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/sized.h"
#include "recording/read/tables.h"
#include "recording/read/samples.h"
#include "recording/recording.h"

static clpac_status settle_rate(const char *path, double given_hz, clpac_recording *recording, clpac_error *err)
{
	const clpac_channel *without = NULL;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (channel->rate_hz == 0) {
			if (without && without->n_samples != channel->n_samples)
				RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
					     "a rate of %g Hz was given, but channel \"%s\" of %s has %zu samples and "
					     "\"%s\" "
					     "%zu: one rate cannot hold for both",
					     given_hz, without->name, path, without->n_samples, channel->name,
					     channel->n_samples);
			without = channel;
		} else if (fabs(channel->rate_hz - given_hz) > CLPAC__SAME_RATE * given_hz) {
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"a rate of %g Hz was given, but %s says %.9g Hz for channel \"%s\": leave the rate out",
				given_hz, path, channel->rate_hz, channel->name);
		}
	}
	if (without)
		RETURN_IF_ERROR(clpac_recording_set_rate(recording, given_hz, err));
	return CLPAC_OK;
}

static clpac_status check_options(const clpac_read_options *options, clpac_error *err)
{
	if (!isfinite(options->rate_hz) || options->rate_hz < 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a sampling rate of %g Hz was given: it must be above 0",
			     options->rate_hz);
	if (!isfinite(options->resample_hz) || options->resample_hz < 0)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "resampling to %g Hz was asked for: it must be above 0",
			     options->resample_hz);
	if (options->raw && options->array)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "raw samples \"%s\" and the array \"%s\" of a file were asked for: leave one out",
			     options->raw, options->array);
	return CLPAC_OK;
}

clpac_status clpac_recording_read(const char *path, const clpac_read_options *given, clpac_recording **out,
				  clpac_error *err)
{
	NEED(path, out);
	clpac_status st = CLPAC_OK;
	clpac_read_options own, *options = &own;
	clpac__source source = {0};
	clpac_recording *made = NULL;
	unsigned char head[CLPAC__HEAD_BYTES];
	size_t n = 0;
	TRY(clpac__take_sized(&own, given, clpac_read_options, err));
	if (!path)
		FAIL(CLPAC_ERROR_ARGUMENT, "no file was named: give a path");
	TRY(check_options(options, err));
	TRY(clpac__source_open(path, &source, err));
	if (source.bytes == 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s is empty: 0 bytes", path);

	clpac__reader *read = clpac__read_raw;
	if (!options->raw) {
		TRY(clpac__source_read_upto(&source, head, sizeof head, &n, err));
		bool is_by_content;
		const clpac__format *format = clpac__format_find(head, n, path, &is_by_content);
		/* Of HDF5 the reader tells the kinds, but for EEGLAB's, which it does not read. */
		if (!format || format->read != clpac__read_hdf5 || clpac__ends_with(path, ".set"))
			TRY(clpac__foreign_refuse(head, n, path, !is_by_content, err));
		if (!format)
			FAIL(CLPAC_ERROR_FORMAT,
			     "%s: unknown format, by content and by name: .npy, .npz, CSV, EDF, BDF, "
			     "BrainVision, .set, .mat and .nwb are read, samples without a header as raw",
			     path);
		if (options->array && format->read != clpac__read_npz && format->read != clpac__read_mat &&
		    format->read != clpac__read_hdf5)
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "the array \"%s\" was asked for, but %s is no .npz, .mat or .nwb file: leave the name out",
			     options->array, path);
		clpac__source_seek(&source, 0);
		read = format->read;
	}
	TRY(read(&source, options, &made, err));
	clpac__recording_count_bytes(made, source.n_read);
	TRY(clpac__kinds_settle(path, options->bids_root, made, err));
	if (options->rate_hz > 0)
		TRY(settle_rate(path, options->rate_hz, made, err));
	TRY(clpac__events_settle(path, options, made, err));
	if (options->bids_root)
		TRY(clpac__sidecars_check(path, options->bids_root, made, err));
	if (options->resample_hz > 0)
		TRY(clpac__recording_resample(made, options->resample_hz, err));
	if (!options->on_demand)
		TRY(clpac__recording_load_all(made, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__source_close(&source);
	return st;
}
