/* clpac info: lists the contents of a recording. */
#include <stdio.h>
#include <string.h>
#include "analysis/channels/channels.h"
#include "analysis/input.h"
#include "analysis/stretches/annotations.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/json_output.h"
#include "tool/option_groups.h"

static const clpac__option_group *const groups[] = {&clpac__options_read, &clpac__options_reject, &tool_group_json,
						    &tool_group_common, NULL};

enum { MOST_LINES = 20 }; /* of stretches, and of annotations; JSON has all of them */

static const char *type_name(clpac_sample_type type)
{
	return type == CLPAC_FLOAT64 ? "float64" : "float32";
}

static double channel_seconds(const clpac_channel *channel)
{
	return channel->rate_hz > 0 ? (double)channel->n_samples / channel->rate_hz : 0;
}

/* Whether run takes the channel without --channels, or why not. */
static void print_verdict(const clpac_channel *channel, double usual_hz)
{
	if (channel->unusable)
		tool_print(stdout, "  no, unusable: %s\n", channel->unusable);
	else if (channel->bad)
		tool_print(stdout, "  no, bad: %s\n", channel->bad);
	else if (!clpac__channel_is_usual(channel))
		tool_print(stdout, "  no, %s\n", channel->n_samples ? "by its type" : "without samples");
	else
		tool_print(stdout, "  %s\n", channel->rate_hz == usual_hz ? "yes" : "no, by its rate");
}

static void print_channels(const clpac_recording *recording)
{
	const double usual_hz = clpac__channels_usual_rate(recording);
	size_t n = clpac_recording_n_channels(recording), name_width = 4, unit_width = 4;
	char rate[CLPAC__NUMBER_SIZE];
	for (size_t i = 0; i < n; i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		size_t name = clpac__utf8_count(channel->name), unit = clpac__utf8_count(channel->unit);
		name_width = name > name_width ? name : name_width;
		unit_width = unit > unit_width ? unit : unit_width;
	}
	tool_print(stdout, "\n%5s  ", "");
	tool_print_column(stdout, "name", name_width);
	tool_print(stdout, "  ");
	tool_print_column(stdout, "unit", unit_width);
	tool_print(stdout, "  %-7s  %10s  %10s  %10s  %s\n", "type", "rate Hz", "samples", "seconds", "run takes it");
	for (size_t i = 0; i < n; i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		tool_print(stdout, "%5zu  ", i);
		tool_print_column(stdout, channel->name, name_width);
		tool_print(stdout, "  ");
		tool_print_column(stdout, *channel->unit ? channel->unit : "-", unit_width);
		clpac__write_number(channel->rate_hz, rate);
		tool_print(stdout, "  %-7s", channel->kind ? clpac_channel_kind_name(channel->kind) : "-");
		tool_print(stdout, "  %10s", channel->rate_hz > 0 ? rate : "-");
		tool_print(stdout, "  %10zu", channel->n_samples);
		if (channel->rate_hz > 0)
			tool_print(stdout, "  %10.3f", channel_seconds(channel));
		else
			tool_print(stdout, "  %10s", "-");
		print_verdict(channel, usual_hz);
	}
}

/* Says which rate run takes where usable channels have several. */
static void print_rates(const clpac_recording *recording)
{
	const double usual_hz = clpac__channels_usual_rate(recording);
	char rate[CLPAC__NUMBER_SIZE];
	size_t n_others = 0;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		n_others += clpac__channel_is_usual(channel) && channel->rate_hz != usual_hz;
	}
	if (!n_others)
		return;
	clpac__write_number(usual_hz, rate);
	tool_print(stdout,
		   "\nrun takes the highest rate, %s Hz, and leaves out %zu channel%s of other rates; --resample "
		   "brings all to one\n",
		   rate, n_others, n_others == 1 ? "" : "s");
}

static void print_more(size_t n)
{
	if (n > MOST_LINES)
		tool_print(stdout, "%10s  and %zu more; --json lists them all\n", "...", n - MOST_LINES);
}

static void print_stretches(const clpac_recording *recording)
{
	size_t n = clpac_recording_n_stretches(recording);
	if (n < 2)
		return;
	tool_print(stdout, "\nstretches without a gap, in seconds:\n");
	for (size_t i = 0; i < n && i < MOST_LINES; i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		tool_print(stdout, "%10.3f  to %10.3f  (%.3f)\n", stretch->onset_seconds,
			   stretch->onset_seconds + stretch->seconds, stretch->seconds);
	}
	print_more(n);
}

/* The texts of several annotations: what --events can name. */
static clpac_status print_texts(const clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__counted_text *texts = NULL;
	size_t n;
	TRY(clpac__annotation_texts(recording, &texts, &n, err));
	tool_print(stdout, "\ntexts of annotations, and how many have them:\n");
	for (size_t i = 0; i < n && i < MOST_LINES; i++) {
		tool_print(stdout, "%10zu  ", texts[i].count);
		tool_print_column(stdout, texts[i].text, 0);
		tool_print(stdout, "\n");
	}
	print_more(n);
done:
	clpac__free(texts);
	return st;
}

static clpac_status print_annotations(const clpac_recording *recording, const tool_call *call, clpac_error *err)
{
	const size_t n = clpac_recording_n_annotations(recording);
	size_t n_rejected = 0;
	double seconds = 0;
	if (n == 0)
		return CLPAC_OK;
	tool_print(stdout, "\nannotations, onset and duration in seconds:\n");
	for (size_t i = 0; i < n; i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		bool is_rejected;
		RETURN_IF_ERROR(
			clpac__annotation_is_rejected(&call->values.analysis, annotation->text, &is_rejected, err));
		n_rejected += is_rejected;
		seconds += is_rejected ? annotation->seconds : 0;
		if (i >= MOST_LINES)
			continue;
		tool_print(stdout, "%10.3f  %8.3f  ", annotation->onset_seconds, annotation->seconds);
		tool_print_column(stdout, annotation->text, 0);
		tool_print(stdout, "%s\n", is_rejected ? "  (rejected)" : "");
	}
	print_more(n);
	RETURN_IF_ERROR(print_texts(recording, err));
	if (n_rejected)
		tool_print(stdout, "\nrun rejects the time of %zu annotation%s, %.3f s; --keep-bad keeps it\n",
			   n_rejected, n_rejected == 1 ? "" : "s", seconds);
	return CLPAC_OK;
}

static clpac_status print_table(const tool_call *call, const clpac_recording *recording, clpac_error *err)
{
	const char *path = call->values.analysis.input;
	size_t n = clpac_recording_n_channels(recording);
	double seconds = clpac_recording_seconds(recording);
	tool_print(stdout, "%s: %s, %zu channel%s", path, clpac_recording_format(recording), n, n == 1 ? "" : "s");
	if (seconds > 0)
		tool_print(stdout, ", %.3f s", seconds);
	else
		tool_print(stdout, ", sampling rate not known (give --rate HZ)");
	tool_print(stdout, "\n");
	print_channels(recording);
	print_rates(recording);
	print_stretches(recording);
	return print_annotations(recording, call, err);
}

static json_t *channels_json(clpac__json_tree *json, const clpac_recording *recording)
{
	json_t *array = json_array();
	const double usual_hz = clpac__channels_usual_rate(recording);
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "index", (double)i);
		clpac__json_tree_text(json, one, "name", channel->name);
		clpac__json_tree_text(json, one, "unit", channel->unit);
		clpac__json_tree_number(json, one, "rate_hz", channel->rate_hz);
		clpac__json_tree_number(json, one, "n_samples", (double)channel->n_samples);
		clpac__json_tree_number(json, one, "seconds", channel_seconds(channel));
		clpac__json_tree_text(json, one, "type", type_name(channel->type));
		clpac__json_tree_text(json, one, "unusable", channel->unusable);
		clpac__json_tree_text(json, one, "kind", channel->kind ? clpac_channel_kind_name(channel->kind) : NULL);
		clpac__json_tree_text(json, one, "bad", channel->bad);
		clpac__json_tree_set(json, one, "is_analysed",
				     json_boolean(clpac__channel_is_usual(channel) && channel->rate_hz == usual_hz));
		clpac__json_tree_append(json, array, one);
	}
	return array;
}

static json_t *stretches_json(clpac__json_tree *json, const clpac_recording *recording)
{
	json_t *array = json_array();
	for (size_t i = 0; i < clpac_recording_n_stretches(recording); i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "onset_seconds", stretch->onset_seconds);
		clpac__json_tree_number(json, one, "first_seconds", stretch->first_seconds);
		clpac__json_tree_number(json, one, "seconds", stretch->seconds);
		clpac__json_tree_append(json, array, one);
	}
	return array;
}

static clpac_status add_annotations(clpac__json_tree *json, const tool_call *call, const clpac_recording *recording,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *array = json_array();
	clpac__counted_text *texts = NULL;
	size_t n;
	for (size_t i = 0; i < clpac_recording_n_annotations(recording); i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		bool is_rejected;
		TRY(clpac__annotation_is_rejected(&call->values.analysis, annotation->text, &is_rejected, err));
		json_t *one = json_object();
		clpac__json_tree_set(json, one, "is_rejected", json_boolean(is_rejected));
		clpac__json_tree_number(json, one, "onset_seconds", annotation->onset_seconds);
		clpac__json_tree_number(json, one, "seconds", annotation->seconds);
		clpac__json_tree_text(json, one, "text", annotation->text);
		clpac__json_tree_append(json, array, one);
	}
	clpac__json_tree_set(json, json->root, "annotations", array);
	array = json_array();
	TRY(clpac__annotation_texts(recording, &texts, &n, err));
	for (size_t i = 0; i < n; i++) {
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "text", texts[i].text);
		clpac__json_tree_number(json, one, "count", (double)texts[i].count);
		clpac__json_tree_append(json, array, one);
	}
	clpac__json_tree_set(json, json->root, "annotation_texts", array);
	array = NULL;
done:
	clpac__free(texts);
	json_decref(array);
	return st;
}

static json_t *warnings_json(clpac__json_tree *json, const clpac_recording *recording)
{
	json_t *array = json_array();
	for (size_t i = 0; i < clpac_recording_n_warnings(recording); i++) {
		size_t count;
		json_t *one = json_object();
		clpac__json_tree_text(json, one, "text", clpac_recording_warning(recording, i, &count));
		clpac__json_tree_number(json, one, "count", (double)count);
		clpac__json_tree_append(json, array, one);
	}
	return array;
}

static clpac_status print_json(const tool_call *call, const clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	clpac__json_tree_text(&json, json.root, "file", call->values.analysis.input);
	clpac__json_tree_text(&json, json.root, "format", clpac_recording_format(recording));
	clpac__json_tree_number(&json, json.root, "seconds", clpac_recording_seconds(recording));
	clpac__json_tree_set(&json, json.root, "channels", channels_json(&json, recording));
	clpac__json_tree_set(&json, json.root, "stretches", stretches_json(&json, recording));
	TRY(add_annotations(&json, call, recording, err));
	clpac__json_tree_set(&json, json.root, "warnings", warnings_json(&json, recording));
	st = tool_json_print(&json, err);
	json.root = NULL;
done:
	json_decref(json.root);
	return st;
}

static clpac_status info(tool_call *call, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *recording = NULL;
	bool is_rejected;
	TRY(clpac__annotation_is_rejected(&call->values.analysis, "", &is_rejected, err));
	TRY(clpac__input_read(&call->values.analysis, &recording, err));
	clpac__input_warn(&call->values.analysis, recording);
	if (call->values.json)
		TRY(print_json(call, recording, err));
	else
		TRY(print_table(call, recording, err));
done:
	clpac_recording_destroy(recording);
	return st;
}

const tool_command tool_command_info = {
	.name = "info",
	.usage = "FILE [OPTIONS]",
	.min_operands = 1,
	.max_operands = 1,
	.operand = "recording",
	.summary = "list the contents of a recording",
	.help = "Lists the channels with their types, rates and units, and whether run takes them, gaps and "
		"annotations.  Warnings of the reader go to\n"
		"standard error, and with --json into the list as well.\n",
	.groups = groups,
	.run = info,
};
