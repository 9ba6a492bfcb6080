/* BrainVision: a header (.vhdr), which names the samples (.eeg) and the markers (.vmrk).  The user may name any of
 * the three. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording/read/brainvision_header.h"
#include "recording/read/brainvision_markers.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "recording/read/formats.h"
#include "recording/read/layout_file.h"
#include "recording/recording.h"

/* The path of the header, whichever file was named. */
static clpac_status find_header(clpac__source *source, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char head[128] = "";
	size_t n, length = strlen(source->path);
	char *path = clpac__alloc(length + sizeof ".vhdr");
	if (!path)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", source->path, length);
	strcpy(path, source->path);
	TRY(clpac__source_read_upto(source, head, sizeof head - 1, &n, err));
	head[strcspn(head, "\n")] = 0;
	if (!clpac__ends_with(path, ".vhdr") && !strstr(head, "Header File")) {
		char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
		char *ending = dot ? dot : path + length;
		strcpy(ending, ".vhdr");
		if (access(path, F_OK) != 0) {
			strcpy(ending, ".VHDR");
			if (access(path, F_OK) != 0) {
				strcpy(ending, ".vhdr");
				st = clpac__fail_system(err, ENOENT,
							"%s can be read only with its BrainVision header %s beside it",
							source->path, path);
				goto done;
			}
		}
	}
	*out = path;
	path = NULL;
done:
	clpac__free(path);
	return st;
}

/* The number of samples: from the size of the file, except where the place of a channel depends on the header's
 * number. */
static clpac_status count_samples(const clpac__source *data, clpac__brainvision_header *header,
				  clpac_recording *recording, clpac_error *err)
{
	clpac__layout *layout = &header->layout;
	if (header->data_offset > data->bytes)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s has %llu bytes, and samples from byte %llu on: it is cut short",
			     data->path, (unsigned long long)data->bytes, (unsigned long long)header->data_offset);
	uint64_t bytes = data->bytes - header->data_offset, numbers = bytes / layout->encoding->bytes;
	uint64_t rest = layout->n_channels > numbers ? 0 : bytes % (layout->n_channels * layout->encoding->bytes);
	layout->n_samples = (size_t)(numbers / layout->n_channels);
	if (layout->n_samples == 0)
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s has %llu bytes, less than one sample of %zu channels of %zu bytes: it is cut short, or "
			"NumberOfChannels is wrong",
			data->path, (unsigned long long)bytes, layout->n_channels, layout->encoding->bytes);
	if (!layout->is_by_sample) {
		if (header->n_points)
			layout->n_samples = header->n_points;
		else if (rest)
			RETURN_ERROR(CLPAC_ERROR_FORMAT,
				     "%s has %llu bytes, no multiple of %zu channels of %zu bytes, and the header does "
				     "not say "
				     "DataPoints: where its channels start is unknown",
				     data->path, (unsigned long long)bytes, layout->n_channels,
				     layout->encoding->bytes);
	}
	RETURN_IF_ERROR(clpac__layout_check(layout, data->path, bytes, err));
	if (header->n_points && header->n_points != layout->n_samples)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err,
						     "the header says %zu samples, the file has %zu, which are read",
						     header->n_points, layout->n_samples));
	if (layout->is_by_sample && rest)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err, "the last sample is incomplete, %llu of %zu bytes: it is left out",
			(unsigned long long)rest, layout->n_channels * layout->encoding->bytes));
	return CLPAC_OK;
}

static clpac_status add_channels(const clpac__brainvision_header *header, clpac__channel_scale *scales,
				 clpac_recording *recording, clpac_error *err)
{
	const clpac__encoding *encoding = header->layout.encoding;
	for (size_t c = 0; c < header->layout.n_channels; c++) {
		const clpac__brainvision_channel *channel = &header->channels[c];
		/* Without a factor the numbers stay as they are; with one, only double keeps the precision of the
		 * product. */
		clpac_sample_type type = channel->resolution == 1 ? encoding->type : CLPAC_FLOAT64;
		double scale = channel->resolution;
		RETURN_IF_ERROR(clpac__recording_add_stored_channel(
			recording, channel->name, channel->unit, header->rate_hz, header->layout.n_samples, type, err));
		if (!isfinite(scale) || scale == 0) {
			scale = NAN;
			RETURN_IF_ERROR(clpac_recording_disable_channel(recording, c,
									"its resolution is 0 or not a number", err));
			RETURN_IF_ERROR(clpac_recording_warn(
				recording, err,
				"the resolution of a channel is 0 or not a number: the channel is unusable"));
		}
		scales[c] = (clpac__channel_scale){type, scale};
	}
	return CLPAC_OK;
}

clpac_status clpac__read_brainvision(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__brainvision_header header = {0};
	clpac__source data = {0};
	clpac__channel_scale *scales = NULL;
	clpac_error trouble = {0};
	char *path = NULL;
	TRY(find_header(source, &path, err));
	TRY(clpac_recording_create("BrainVision", &made, err));
	TRY(clpac__brainvision_header_read(path, &header, made, err));
	st = clpac__source_open(header.data_path, &data, &trouble);
	if (st != CLPAC_OK) {
		clpac__fail_native(err, st, trouble.native_code, "%s names its DataFile: %s", path, trouble.text);
		goto done;
	}
	TRY(count_samples(&data, &header, made, err));
	TRY(clpac__brainvision_channels_read(path, &header, made, err));
	scales = clpac__alloc_array(header.layout.n_channels, sizeof *scales);
	if (!scales)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", path,
		     header.layout.n_channels);
	TRY(add_channels(&header, scales, made, err));
	TRY(clpac__layout_file_attach(&data, header.data_offset, &header.layout, scales, made, err));

	double rate_hz = header.rate_hz > 0 ? header.rate_hz : options->rate_hz;
	if (header.marker_path && rate_hz > 0)
		TRY(clpac__brainvision_markers_read(header.marker_path, rate_hz, header.layout.n_samples, made, err));
	else if (header.marker_path)
		TRY(clpac_recording_warn(made, err, "markers are left out, since the sampling rate is unknown"));
	*out = made;
	made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__source_close(&data);
	clpac__brainvision_header_clear(&header);
	clpac__free(scales);
	clpac__free(path);
	return st;
}

clpac_status clpac__brainvision_files(clpac__source *source, char *paths[CLPAC__BRAINVISION_FILES], clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *warned = NULL; /* takes the header's warnings, which the reader of the samples tells */
	clpac__brainvision_header header = {0};
	TRY(find_header(source, &paths[0], err));
	TRY(clpac_recording_create("BrainVision", &warned, err));
	TRY(clpac__brainvision_header_read(paths[0], &header, warned, err));
	paths[1] = header.data_path;
	header.data_path = NULL;
	/* A missing file of markers is a warning of the reader. */
	if (header.marker_path && access(header.marker_path, R_OK) == 0) {
		paths[2] = header.marker_path;
		header.marker_path = NULL;
	}
done:
	clpac_recording_destroy(warned);
	clpac__brainvision_header_clear(&header);
	return st;
}
