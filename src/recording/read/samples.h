/* Samples in files: a table of number encodings in both byte orders, stored channel by channel or sample by sample. */
#ifndef CLPAC_RECORDING_READ_SAMPLES_H
#define CLPAC_RECORDING_READ_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/recording.h>
#include <clpac/status.h>

#include "recording/read/source.h"

/* The destination of decoded samples: one of the pointers is not NULL.  A value is scale * number + offset. */
typedef struct clpac__sink {
	float *as_float32;
	double *as_float64;
	double scale, offset;
} clpac__sink;

/* Decodes n numbers, `stride` bytes apart, into sink[first] and on. */
typedef void clpac__decode(const unsigned char *from, size_t stride, bool is_big_endian, size_t n,
			   const clpac__sink *sink, size_t first);

typedef struct clpac__encoding {
	const char *name; /* NumPy's, as "i2" */
	size_t bytes;
	clpac_sample_type type; /* the smallest that holds every number exactly; i8 and u8 only up to 2^53 */
	clpac__decode *decode;
} clpac__encoding;

/* The encoding of a name; NULL: none. */
const clpac__encoding *clpac__encoding_find(const char *name);
/* "i1, u1, ...", for error messages. */
extern const char clpac__encoding_names[];

typedef struct clpac__layout {
	const clpac__encoding *encoding;
	bool is_big_endian;
	bool is_by_sample; /* all channels of a sample, then the next sample; otherwise all samples of a channel, then
			      the next channel */
	size_t n_channels, n_samples;
	size_t n_epochs; /* equal parts of the samples, one of all channels after the other; 0: one */
} clpac__layout;

/* Refuses many channels of few samples with CLPAC_ERROR_FORMAT, so that a recording takes memory by what its file
 * holds: the books of a channel cost as much as tens of samples.  n_samples may be an upper bound. */
clpac_status clpac__channels_check(const char *path, size_t n_channels, size_t n_samples, clpac_error *err);

/* Checks channels as above, that there are samples and that `bytes` hold them all; otherwise CLPAC_ERROR_FORMAT.  To be
 * called before any channel is added. */
clpac_status clpac__layout_check(const clpac__layout *layout, const char *path, uint64_t bytes, clpac_error *err);

/* Reads the samples into one sink per channel.  Uses a mebibyte of memory, or that of one sample of all channels
 * where this is more. */
clpac_status clpac__samples_read(clpac__source *source, const clpac__layout *layout, const clpac__sink *sinks,
				 clpac_error *err);

/* The same for a format without names: checks, adds channels, and reads them from a member of an archive; those of a
 * file are loaded later.  The source's position stays at the first sample then.
 * @param names NULL: "0", "1", ...  @param rate_hz 0: unknown. */
clpac_status clpac__numbered_channels_read(clpac__source *source, const clpac__layout *layout, const char *const *names,
					   double rate_hz, clpac_recording *recording, clpac_error *err);

/* A sink for the room of a channel. */
static inline clpac__sink clpac__sink_of(void *samples, clpac_sample_type type, double scale, double offset)
{
	return (clpac__sink){
		.as_float32 = type == CLPAC_FLOAT32 ? samples : NULL,
		.as_float64 = type == CLPAC_FLOAT64 ? samples : NULL,
		.scale = scale,
		.offset = offset,
	};
}

#endif
