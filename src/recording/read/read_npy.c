/* .npy (numpy.lib.format): an array of one dimension is a channel, one of two is channel x sample, one of three epoch x
 * channel x sample. */

#include "base/error.h"
#include "base/memory.h"
#include "recording/read/npy.h"

static clpac_status layout_of(const clpac__source *source, const clpac__npy_head *head, clpac__sample_layout *out,
			      clpac_error *err)
{
	const size_t n = head->n_dimensions;
	if (!head->encoding)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s holds numbers of type \"%s\": real numbers are read (%s); convert them with astype",
			     source->path, head->type, clpac__encoding_names);
	if (n < 1 || n > 3)
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s has %zu dimensions: samples of one channel (1), channel x sample (2), or epoch x channel x "
			"sample (3) are read",
			source->path, n);
	if (n == 3 && head->is_fortran)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s holds epochs in Fortran order: save them with numpy.ascontiguousarray", source->path);
	*out = (clpac__sample_layout){
		.encoding = head->encoding,
		.is_big_endian = head->is_big_endian,
		.is_by_sample = head->is_fortran && n > 1,
		.n_channels = n == 1 ? 1 : head->dimensions[n - 2],
		.n_samples = head->dimensions[n - 1],
		.n_epochs = n == 3 ? head->dimensions[0] : 0,
	};
	if (n == 3 && !clpac__size_mul(out->n_epochs, out->n_samples, &out->n_samples))
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s claims %zu epochs of %zu samples: its header is wrong",
			     source->path, head->dimensions[0], head->dimensions[2]);
	return CLPAC_OK;
}

/* @param start the place of the first sample in the source. */
static clpac_status warn_of_shape(const clpac__source *source, uint64_t start, const clpac__sample_layout *layout,
				  const clpac__npy_facts *facts, clpac_recording *recording, clpac_error *err)
{
	const uint64_t end = start + (uint64_t)layout->n_channels * layout->n_samples * layout->encoding->bytes;
	const size_t per_epoch = layout->n_epochs ? layout->n_samples / layout->n_epochs : layout->n_samples;
	if (end < source->bytes)
		RETURN_IF_ERROR(clpac_recording_warn(recording, err, "%llu bytes follow the array and are not read",
						     (unsigned long long)(source->bytes - end)));
	if (facts->names && facts->n_names != layout->n_channels)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err, "ch_names has %zu names for %zu channels: they are left out%s", facts->n_names,
			layout->n_channels, facts->n_names == per_epoch ? "; the array seems transposed" : ""));
	return CLPAC_OK;
}

clpac_status clpac__npy_samples_read(clpac__source *source, const clpac__npy_facts *facts, double rate_hz,
				     clpac_recording *recording, clpac_error *err)
{
	clpac__npy_head header;
	clpac__sample_layout layout;
	RETURN_IF_ERROR(clpac__npy_head_read(source, &header, err));
	RETURN_IF_ERROR(layout_of(source, &header, &layout, err));
	const uint64_t start = source->position;
	RETURN_IF_ERROR(clpac__numbered_channels_read(source, &layout,
						      facts->n_names == layout.n_channels ? facts->names : NULL, "",
						      facts->rate_hz, recording, err));
	RETURN_IF_ERROR(warn_of_shape(source, start, &layout, facts, recording, err));
	return clpac__shape_settle(&layout, facts->rate_hz > 0 ? facts->rate_hz : rate_hz, recording, err);
}

clpac_status clpac__read_npy(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	const clpac__npy_facts none = {0};
	TRY(clpac_recording_create("npy", &made, err));
	TRY(clpac__npy_samples_read(source, &none, options->rate_hz, made, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	return st;
}
