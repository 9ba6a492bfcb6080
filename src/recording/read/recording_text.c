/* Recordings without their samples as JSON.  Numbers have 17 digits, so that they read back exactly. */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "recording/json_text.h"
#include "recording/recording.h"

/* Appends an item; false when memory ran out.  Jansson passes a failed allocation on: NULL in, -1 out. */
static bool append(json_t *list, json_t *item)
{
	return json_array_append_new(list, item) == 0;
}

/* Numbers in a file may be NaN or infinite; JSON has finite ones only. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static double value_of(const json_t *number)
{
	return json_is_number(number) ? json_number_value(number) : NAN;
}

static json_t *channel_to_json(const clpac_channel *channel)
{
	return json_pack("[s, s, s?, o, I, i, i, s?]", channel->name, channel->unit, channel->unusable,
			 number(channel->rate_hz), (json_int_t)channel->n_samples, (int)channel->type,
			 (int)channel->kind, channel->bad);
}

static bool fill(json_t *channels, json_t *stretches, json_t *annotations, json_t *warnings,
		 const clpac_recording *recording)
{
	bool works = channels && stretches && annotations && warnings;
	for (size_t i = 0; works && i < clpac_recording_n_channels(recording); i++)
		works = append(channels, channel_to_json(clpac_recording_channel(recording, i)));
	for (size_t i = 0; works && i < clpac_recording_n_stretches(recording); i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		works = append(stretches, json_pack("[o, o, o]", number(stretch->onset_seconds),
						    number(stretch->first_seconds), number(stretch->seconds)));
	}
	for (size_t i = 0; works && i < clpac_recording_n_annotations(recording); i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		works = append(annotations, json_pack("[o, o, s]", number(annotation->onset_seconds),
						      number(annotation->seconds), annotation->text));
	}
	for (size_t i = 0; works && i < clpac_recording_n_warnings(recording); i++) {
		size_t count = 0;
		const char *text = clpac_recording_warning(recording, i, &count);
		works = append(warnings, json_pack("[s, I]", text, (json_int_t)count));
	}
	return works;
}

clpac_status clpac__recording_to_text(const clpac_recording *recording, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *whole = NULL;
	json_t *channels = json_array(), *stretches = json_array(), *annotations = json_array();
	json_t *warnings = json_array();
	if (!fill(channels, stretches, annotations, warnings, recording))
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the description of a recording");
	whole = json_pack("{s: s, s: O, s: O, s: O, s: O}", "format", clpac_recording_format(recording), "channels",
			  channels, "stretches", stretches, "annotations", annotations, "warnings", warnings);
	if (whole && recording->mains_hz > 0 &&
	    json_object_set_new(whole, "mains_hz", number(recording->mains_hz)) != 0)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the description of a recording");
	*out = clpac__json_text(whole, JSON_COMPACT | JSON_REAL_PRECISION(17));
	if (!*out)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the description of a recording");
done:
	json_decref(whole);
	json_decref(channels);
	json_decref(stretches);
	json_decref(annotations);
	json_decref(warnings);
	return st;
}

static clpac_status add_channel(clpac_recording *to, json_t *item, size_t i, const char *name, clpac_error *err)
{
	const char *channel, *unit;
	json_t *unusable, *rate; /* a text or null, a number or null */
	json_int_t n_samples;
	int type;
	if (json_unpack(item, "[s, s, o, o, I, i]", &channel, &unit, &unusable, &rate, &n_samples, &type) != 0 ||
	    n_samples < 0)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "entry \"%s\" does not say what channel %zu is", name, i);
	RETURN_IF_ERROR(clpac_recording_add_channel(to, channel, unit, value_of(rate), (size_t)n_samples,
						    (clpac_sample_type)type, NULL, err));
	if (json_is_string(unusable))
		RETURN_IF_ERROR(clpac_recording_disable_channel(to, i, json_string_value(unusable), err));
	/* Texts of before 0.1 end here. */
	return clpac_recording_set_kind(to, i, (clpac_channel_kind)json_integer_value(json_array_get(item, 6)),
					json_string_value(json_array_get(item, 7)), err);
}

static clpac_status add_rest(clpac_recording *to, json_t *stretches, json_t *annotations, json_t *warnings,
			     const char *name, clpac_error *err)
{
	size_t i;
	json_t *item;
	json_array_foreach(stretches, i, item)
	{
		clpac_stretch stretch = {
			.onset_seconds = value_of(json_array_get(item, 0)),
			.first_seconds = value_of(json_array_get(item, 1)),
			.seconds = value_of(json_array_get(item, 2)),
		};
		RETURN_IF_ERROR(clpac_recording_add_stretch(to, &stretch, err));
	}
	json_array_foreach(annotations, i, item) RETURN_IF_ERROR(
		clpac_recording_add_annotation(to, value_of(json_array_get(item, 0)), value_of(json_array_get(item, 1)),
					       json_string_value(json_array_get(item, 2)), err));
	json_array_foreach(warnings, i, item)
	{
		const char *text = json_string_value(json_array_get(item, 0));
		json_int_t count = json_integer_value(json_array_get(item, 1));
		if (!text || count < 1)
			RETURN_ERROR(CLPAC_ERROR_FORMAT, "entry \"%s\" does not say what warning %zu is", name, i);
		RETURN_IF_ERROR(clpac__recording_warn_times(to, text, (size_t)count, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__recording_from_text(const char *name, const char *text, clpac_recording **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	const char *format;
	json_t *channels, *stretches, *annotations, *warnings, *item;
	size_t i;
	json_error_t ignored;
	errno = 0;
	json_t *whole = clpac__json_read(text, strlen(text), 0, &ignored);
	if (!whole && errno == ENOMEM)
		FAIL(CLPAC_ERROR_NO_MEMORY, "entry \"%s\": the host has no memory left for its description", name);
	if (!whole || json_unpack(whole, "{s: s, s: o, s: o, s: o, s: o}", "format", &format, "channels", &channels,
				  "stretches", &stretches, "annotations", &annotations, "warnings", &warnings) != 0)
		FAIL(CLPAC_ERROR_FORMAT, "entry \"%s\" holds no recording", name);
	TRY(clpac_recording_create(format, &made, err));
	made->mains_hz = json_number_value(json_object_get(whole, "mains_hz"));
	json_array_foreach(channels, i, item) TRY(add_channel(made, item, i, name, err));
	TRY(add_rest(made, stretches, annotations, warnings, name, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	json_decref(whole);
	return st;
}
