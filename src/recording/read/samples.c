/* Samples as files hold them. */
#include "recording/read/samples.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/half.h"
#include "base/memory.h"
#include "recording/recording.h"

/* Bytes to a number, independent of the byte order of the host; compilers make a plain or a byte-swapping load of
 * it. */
static uint64_t load(const unsigned char *from, size_t bytes, bool is_big_endian)
{
	uint64_t value = 0;
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)from[is_big_endian ? bytes - 1 - i : i] << 8 * i;
	return value;
}

static double half_value(uint16_t bits)
{
	/* IEEE 754 binary16: 5 bits of exponent, 10 of fraction, moved into the fields of binary64. */
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	double size;
	if (exponent == 0) {
		size = fraction / 16777216.0; /* 2^-24 */
	} else {
		uint64_t wide = (uint64_t)(exponent == 31 ? 2047 : exponent + 1008) << 52 | (uint64_t)fraction << 42;
		memcpy(&size, &wide, sizeof size);
	}
	return bits >> 15 ? -size : size;
}

static double double_value(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

#define DECODER(name, bytes, number)                                                                                   \
	static void decode_##name(const unsigned char *from, size_t stride, bool is_big_endian, size_t n,              \
				  const clpac__sink *sink, size_t first)                                               \
	{                                                                                                              \
		for (size_t i = 0; i < n; i++, from += stride) {                                                       \
			uint64_t bits = load(from, bytes, is_big_endian);                                              \
			if (sink->as_float32)                                                                          \
				sink->as_float32[first + i] = (float)(number);                                         \
			else                                                                                           \
				sink->as_float64[first + i] = sink->scale * (double)(number) + sink->offset;           \
		}                                                                                                      \
	}
DECODER(i1, 1, (int8_t)bits)
DECODER(u1, 1, (uint8_t)bits)
DECODER(i2, 2, (int16_t)bits)
DECODER(u2, 2, (uint16_t)bits)
DECODER(i3, 3, (int32_t)((uint32_t)bits << 8) / 256)
DECODER(i4, 4, (int32_t)bits)
DECODER(u4, 4, (uint32_t)bits)
DECODER(i8, 8, (int64_t)bits)
DECODER(u8, 8, bits)
DECODER(f2, 2, half_value((uint16_t)bits))
DECODER(f4, 4, clpac__float_of_bits((uint32_t)bits))
DECODER(f8, 8, double_value(bits))

/* float32 holds all integers up to 2^24, float64 up to 2^53. */
static const clpac__encoding encodings[] = {
	{"i1", 1, CLPAC_FLOAT32, decode_i1}, {"u1", 1, CLPAC_FLOAT32, decode_u1}, {"i2", 2, CLPAC_FLOAT32, decode_i2},
	{"u2", 2, CLPAC_FLOAT32, decode_u2}, {"i3", 3, CLPAC_FLOAT32, decode_i3}, {"i4", 4, CLPAC_FLOAT64, decode_i4},
	{"u4", 4, CLPAC_FLOAT64, decode_u4}, {"i8", 8, CLPAC_FLOAT64, decode_i8}, {"u8", 8, CLPAC_FLOAT64, decode_u8},
	{"f2", 2, CLPAC_FLOAT32, decode_f2}, {"f4", 4, CLPAC_FLOAT32, decode_f4}, {"f8", 8, CLPAC_FLOAT64, decode_f8},
};
const char clpac__encoding_names[] = "i1, u1, i2, u2, i3, i4, u4, i8, u8, f2, f4, f8";
_Static_assert(sizeof clpac__encoding_names == 4 * sizeof encodings / sizeof *encodings - 1, "every encoding is named");

const clpac__encoding *clpac__encoding_find(const char *name)
{
	for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
		if (strcmp(name, encodings[i].name) == 0)
			return &encodings[i];
	return NULL;
}

void clpac__decode_one(const clpac__encoding *encoding, const unsigned char *from, bool is_big_endian, double *out)
{
	float single = 0;
	const bool is_single = encoding->type == CLPAC_FLOAT32;
	const clpac__sink sink = clpac__sink_of(is_single ? (void *)&single : (void *)out, encoding->type, 1, 0);
	encoding->decode(from, encoding->bytes, is_big_endian, 1, &sink, 0);
	if (is_single)
		*out = (double)single;
}

/* A channel's books, its names among them, take some 250 bytes: as much as 64 samples or less. */
enum { AMPLE_CHANNELS = 4096, LEAST_SAMPLES = 64 };

clpac_status clpac__channels_check(const char *path, size_t n_channels, size_t n_samples, clpac_error *err)
{
	if (n_channels > AMPLE_CHANNELS && n_samples < LEAST_SAMPLES)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s claims %zu channels, and %zu samples at most for each: with more than %d channels, "
			     "each must "
			     "have %d samples or more; if its rows are samples, transpose it",
			     path, n_channels, n_samples, AMPLE_CHANNELS, LEAST_SAMPLES);
	return CLPAC_OK;
}

clpac_status clpac__layout_check(const clpac__sample_layout *layout, const char *path, uint64_t bytes, clpac_error *err)
{
	uint64_t each = layout->encoding->bytes;
	if (layout->n_channels == 0 || layout->n_samples == 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s holds no samples: %zu channels of %zu samples", path,
			     layout->n_channels, layout->n_samples);
	if (layout->n_channels > bytes / each / layout->n_samples)
		RETURN_ERROR(
			CLPAC_ERROR_FORMAT,
			"%s claims %zu channels of %zu samples of %zu bytes, but holds %llu bytes of data: it is cut "
			"short, or its header is wrong",
			path, layout->n_channels, layout->n_samples, layout->encoding->bytes,
			(unsigned long long)bytes);
	return clpac__channels_check(path, layout->n_channels, layout->n_samples, err);
}

enum { CHUNK_BYTES = 1 << 20 };

/* Reads in chunks of whole rows.  A row is one sample of all channels, or of a single channel. */
static clpac_status samples_read(clpac__source *source, const clpac__sample_layout *layout, const clpac__sink *sinks,
				 clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__encoding *encoding = layout->encoding;
	size_t row = layout->is_by_sample ? layout->n_channels : 1;
	size_t stride = row * encoding->bytes; /* does not overflow: see clpac__layout_check */
	size_t chunk = CHUNK_BYTES / stride ? CHUNK_BYTES / stride : 1;
	const size_t n_epochs = layout->n_epochs ? layout->n_epochs : 1, per_epoch = layout->n_samples / n_epochs;
	if (chunk > per_epoch)
		chunk = per_epoch;
	unsigned char *bytes = clpac__alloc(chunk * stride);
	if (!bytes)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", source->path,
		     chunk * stride);

	for (size_t epoch = 0; epoch < n_epochs; epoch++)
		for (size_t c = 0; c < layout->n_channels; c += row)
			for (size_t first = 0; first < per_epoch; first += chunk) {
				size_t n = per_epoch - first < chunk ? per_epoch - first : chunk;
				TRY(clpac__source_read(source, bytes, n * stride, err));
				for (size_t k = 0; k < row; k++)
					encoding->decode(bytes + k * encoding->bytes, stride, layout->is_big_endian, n,
							 &sinks[c + k], epoch * per_epoch + first);
			}
done:
	clpac__free(bytes);
	return st;
}

/* Adds the channels of a file, whose samples are loaded later. */
static clpac_status add_stored_channels(const clpac__source *source, const clpac__sample_layout *layout,
					const char *const *names, const char *unit, double rate_hz,
					clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__channel_scale *scales = clpac__alloc_array(layout->n_channels, sizeof *scales);
	if (!scales)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", source->path,
		     layout->n_channels);
	for (size_t c = 0; c < layout->n_channels; c++) {
		char name[24];
		snprintf(name, sizeof name, "%zu", c);
		TRY(clpac__recording_add_stored_channel(recording, names ? names[c] : name, unit, rate_hz,
							layout->n_samples, layout->encoding->type, err));
		scales[c] = (clpac__channel_scale){layout->encoding->type, 1, 0};
	}
	TRY(clpac__layout_file_attach(source, source->position, layout, scales, recording, err));
done:
	clpac__free(scales);
	return st;
}

clpac_status clpac__numbered_channels_read(clpac__source *source, const clpac__sample_layout *layout,
					   const char *const *names, const char *unit, double rate_hz,
					   clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__sink *sinks = NULL;
	TRY(clpac__layout_check(layout, source->path, source->bytes - source->position, err));
	if (!source->member) {
		TRY(add_stored_channels(source, layout, names, unit, rate_hz, recording, err));
		goto done;
	}
	sinks = clpac__alloc_array(layout->n_channels, sizeof *sinks);
	if (!sinks)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu channels", source->path,
		     layout->n_channels);
	for (size_t c = 0; c < layout->n_channels; c++) {
		char name[24];
		void *samples;
		snprintf(name, sizeof name, "%zu", c);
		TRY(clpac_recording_add_channel(recording, names ? names[c] : name, unit, rate_hz, layout->n_samples,
						layout->encoding->type, &samples, err));
		sinks[c] = clpac__sink_of(samples, layout->encoding->type, 1, 0);
	}
	TRY(samples_read(source, layout, sinks, err));
done:
	clpac__free(sinks);
	return st;
}

clpac_status clpac__shape_settle(const clpac__sample_layout *layout, double rate_hz, clpac_recording *recording,
				 clpac_error *err)
{
	const size_t n_epochs = layout->n_epochs ? layout->n_epochs : 1, per_epoch = layout->n_samples / n_epochs;
	if (layout->n_channels > per_epoch)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"the array is read as %zu channels of %zu samples: if its rows are samples, transpose it",
			layout->n_channels, per_epoch));
	if (n_epochs == 1)
		return CLPAC_OK;
	for (size_t i = 0; rate_hz > 0 && i < n_epochs; i++) {
		const double onset = (double)i * (double)per_epoch / rate_hz;
		RETURN_IF_ERROR(clpac_recording_add_stretch(
			recording, &(clpac_stretch){onset, onset, (double)per_epoch / rate_hz}, err));
	}
	if (rate_hz == 0)
		RETURN_IF_ERROR(clpac_recording_warn(
			recording, err,
			"the array holds %zu epochs of %zu samples, which are told apart once the sampling "
			"rate is given",
			n_epochs, per_epoch));
	return CLPAC_OK;
}
