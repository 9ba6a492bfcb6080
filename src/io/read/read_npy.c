/* .npy (numpy.lib.format): an array of one dimension is a channel, one of two is channel x sample. */
#include "io/read/read_npy.h"

#include "base/error.h"
#include "io/read/npy_head.h"

clpac_status clpac__npy_samples_read(clpac__source *source, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__npy_head header;
	TRY(clpac__npy_head_read(source, &header, err));
	if (!header.encoding)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s holds numbers of type '%s': real numbers are read (%s); convert them with astype",
		     source->path, header.type, clpac__encoding_names);
	if (header.n_dimensions < 1 || header.n_dimensions > 2)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s has %zu dimensions: samples of one channel (1), or channel x sample (2), are read",
		     source->path, header.n_dimensions);
	bool is_single = header.n_dimensions == 1;
	const clpac__layout layout = {
		.encoding = header.encoding,
		.is_big_endian = header.is_big_endian,
		.is_by_sample = header.is_fortran && !is_single,
		.n_channels = is_single ? 1 : header.dimensions[0],
		.n_samples = header.dimensions[header.n_dimensions - 1],
	};
	TRY(clpac__numbered_channels_read(source, &layout, recording, err));
	if (source->position < source->bytes)
		TRY(clpac_recording_warn(recording, err, "%llu bytes follow the array and are not read",
					 (unsigned long long)(source->bytes - source->position)));
	if (layout.n_channels > layout.n_samples)
		TRY(clpac_recording_warn(
			recording, err,
			"the array is read as %zu channels of %zu samples: if its rows are samples, transpose it",
			layout.n_channels, layout.n_samples));
done:
	return st;
}

clpac_status clpac__read_npy(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	(void)options;
	TRY(clpac_recording_create("npy", &made, err));
	TRY(clpac__npy_samples_read(source, made, err));
	*out = made;
	made = NULL;
done:
	clpac_recording_destroy(made);
	return st;
}
