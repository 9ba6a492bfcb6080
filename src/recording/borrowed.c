/* Channels whose samples are the application's: read where they lie, or converted on demand, as those of a file are. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "recording/recording.h"

static const struct {
	size_t bytes;
	clpac_sample_type becomes;
} types[] = {
	[CLPAC_VALUE_INT16] = {sizeof(int16_t), CLPAC_FLOAT32},
	[CLPAC_VALUE_INT32] = {sizeof(int32_t), CLPAC_FLOAT64},
	[CLPAC_VALUE_FLOAT32] = {sizeof(float), CLPAC_FLOAT32},
	[CLPAC_VALUE_FLOAT64] = {sizeof(double), CLPAC_FLOAT64},
};
_Static_assert(sizeof types / sizeof *types == CLPAC_VALUE_TYPE_COUNT, "one row per type");

/* The memory of the application as the file of its recording. */
typedef struct memory {
	clpac__sample_file file;
	clpac_borrowed *channels; /* by their numbers in the recording; zeros for others */
	size_t n;
} memory;

static double value_at(const clpac_borrowed *from, size_t i)
{
	const char *at = (const char *)from->first + (ptrdiff_t)i * from->step;
	union {
		int16_t i2;
		int32_t i4;
		float f4;
		double f8;
	} value;
	memcpy(&value, at, types[from->type].bytes);
	return from->type == CLPAC_VALUE_INT16	   ? value.i2
	       : from->type == CLPAC_VALUE_INT32   ? value.i4
	       : from->type == CLPAC_VALUE_FLOAT32 ? (double)value.f4
						   : value.f8;
}

static clpac_status convert(clpac__sample_file *file, const size_t *channels, size_t n, const clpac__sample_part *part,
			    void *const *rooms, uint64_t *n_bytes, clpac_error *err)
{
	(void)n_bytes, (void)err;
	for (size_t c = 0; c < n; c++) {
		const clpac_borrowed *from = &((memory *)file)->channels[channels[c]];
		const bool is_double = types[from->type].becomes == CLPAC_FLOAT64;
		const size_t first = part ? part->first : 0, n_samples = part ? part->n : from->n;
		for (size_t i = 0; i < n_samples; i++) {
			const double value = from->scale * value_at(from, first + i) + from->offset;
			if (is_double)
				((double *)rooms[c])[i] = value;
			else
				((float *)rooms[c])[i] = (float)value;
		}
	}
	return CLPAC_OK;
}

static clpac_status find_gaps(clpac__sample_file *file, const size_t *channels, size_t n, clpac_gap_found *found,
			      void *user, uint64_t *n_bytes, clpac_error *err)
{
	(void)n_bytes;
	for (size_t c = 0; c < n; c++) {
		const clpac_borrowed *from = &((memory *)file)->channels[channels[c]];
		for (size_t i = 0; i < from->n;) {
			const size_t since = i;
			while (i < from->n && !isfinite(value_at(from, i)))
				i++;
			if (i > since)
				RETURN_IF_ERROR(found(user, channels[c], since, i - since, err));
			else
				i++;
		}
	}
	return CLPAC_OK;
}

static clpac_status count_bytes(const clpac__sample_file *file, const size_t *channels, size_t n,
				const clpac__sample_part *part, uint64_t *n_bytes, clpac_error *err)
{
	(void)file, (void)channels, (void)n, (void)part, (void)n_bytes, (void)err;
	return CLPAC_OK;
}

static bool is_finite(const clpac__sample_file *file, size_t channel)
{
	const memory *of = (const memory *)file;
	return channel < of->n && of->channels[channel].first && of->channels[channel].type <= CLPAC_VALUE_INT32;
}

static void destroy(clpac__sample_file *file)
{
	clpac__free(((memory *)file)->channels);
	clpac__free(file);
}

/* The memory of a recording with room for a channel more. */
static clpac_status take_memory(clpac_recording *recording, memory **out, clpac_error *err)
{
	memory *of = (memory *)recording->file;
	if (!of) {
		RETURN_IF_ERROR(NEW(of));
		of->file = (clpac__sample_file){.read = convert,
						.find_gaps = find_gaps,
						.count_bytes = count_bytes,
						.is_finite = is_finite,
						.destroy = destroy};
		clpac__recording_set_file(recording, &of->file);
	}
	const size_t n = recording->n_channels + 1;
	clpac_borrowed *channels = clpac__realloc_array(of->channels, n, sizeof *channels);
	if (!channels)
		RETURN_NO_MEMORY(n * sizeof *channels);
	of->channels = channels;
	memset(channels + of->n, 0, (n - of->n) * sizeof *channels);
	of->n = n;
	*out = of;
	return CLPAC_OK;
}

/* Whether the samples are what the recording would make of them, a whole number of values apart. */
static bool is_as_wanted(const clpac_borrowed *from)
{
	const ptrdiff_t bytes = (ptrdiff_t)types[from->type].bytes;
	return from->type >= CLPAC_VALUE_FLOAT32 && from->scale == 1 && from->offset == 0 && from->step > 0 &&
	       from->step % bytes == 0 && (uintptr_t)from->first % (uintptr_t)bytes == 0;
}

static clpac_status check(const clpac_recording *recording, const char *name, const clpac_borrowed *from,
			  clpac_error *err)
{
	if (recording->file && recording->file->read != convert)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "channel \"%s\": a recording that was read from a file takes no samples of an application",
			     name);
	if ((unsigned)from->type >= CLPAC_VALUE_TYPE_COUNT)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channel \"%s\": type %d does not exist; the last one is %d", name,
			     (int)from->type, CLPAC_VALUE_TYPE_COUNT - 1);
	if (!isfinite(from->scale) || !isfinite(from->offset))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channel \"%s\": scale %g and offset %g must be finite", name,
			     from->scale, from->offset);
	if (from->n && !from->first)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "channel \"%s\": first is NULL, and there are %zu samples", name,
			     from->n);
	const size_t step = from->step < 0 ? 0 - (size_t)from->step : (size_t)from->step;
	if (from->n && step && from->n - 1 > (size_t)PTRDIFF_MAX / step)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "channel \"%s\": %zu samples that are %td bytes apart are more than can be addressed",
			     name, from->n, from->step);
	return CLPAC_OK;
}

clpac_status clpac_recording_borrow_channel(clpac_recording *recording, const char *name, const char *unit,
					    double rate_hz, const clpac_borrowed *samples, clpac_error *err)
{
	NEED(recording, samples);
	clpac_borrowed from;
	memory *of = NULL;
	RETURN_IF_ERROR(clpac__take_sized(&from, samples, clpac_borrowed, err));
	from.scale = from.scale == 0 ? 1 : from.scale;
	RETURN_IF_ERROR(check(recording, name ? name : "", &from, err));
	from.step = from.step ? from.step : (ptrdiff_t)types[from.type].bytes;
	RETURN_IF_ERROR(take_memory(recording, &of, err));
	RETURN_IF_ERROR(clpac__recording_add_stored_channel(recording, name, unit, rate_hz, from.n,
							    types[from.type].becomes, err));
	const size_t number = recording->n_channels - 1;
	of->channels[number] = from;
	if (from.n && is_as_wanted(&from)) {
		clpac_channel *channel = &recording->channels[number];
		channel->samples = from.first;
		channel->stride = (size_t)from.step / types[from.type].bytes;
		recording->origins[number] = CLPAC__ORIGIN_LENT;
	}
	return CLPAC_OK;
}
