#include "analysis/describe/contents.h"

#include "analysis/channels/channels.h"
#include "analysis/describe/flat_runs.h"
#include "analysis/describe/prospects.h"
#include "analysis/inputs.h"
#include "analysis/json_tree.h"
#include "analysis/stretches/stretches.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"

/* A text from outside, without ends of lines, and blanks up to the width, in code points. */
static void add_column(clpac__text *to, const char *text, size_t width)
{
	clpac__text_add_cleaned(to, text);
	for (size_t used = clpac__utf8_count(text); used < width; used++)
		clpac__text_add(to, " ");
}

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
static void add_verdict(clpac__text *to, const clpac_channel *channel, double usual_hz)
{
	if (channel->unusable)
		clpac__text_add(to, "  no, unusable: %s\n", channel->unusable);
	else if (channel->bad)
		clpac__text_add(to, "  no, bad: %s\n", channel->bad);
	else if (!clpac__channel_is_usual(channel))
		clpac__text_add(to, "  no, %s\n", channel->n_samples ? "by its type" : "without samples");
	else
		clpac__text_add(to, "  %s\n", channel->rate_hz == usual_hz ? "yes" : "no, by its rate");
}

static void add_channels(clpac__text *to, const clpac_recording *recording)
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
	clpac__text_add(to, "\n%5s  ", "");
	add_column(to, "name", name_width);
	clpac__text_add(to, "  ");
	add_column(to, "unit", unit_width);
	clpac__text_add(to, "  %-7s  %10s  %10s  %10s  %s\n", "type", "rate Hz", "samples", "seconds", "run takes it");
	for (size_t i = 0; i < n; i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		clpac__text_add(to, "%5zu  ", i);
		add_column(to, channel->name, name_width);
		clpac__text_add(to, "  ");
		add_column(to, *channel->unit ? channel->unit : "-", unit_width);
		clpac__write_number(channel->rate_hz, rate);
		clpac__text_add(to, "  %-7s", channel->kind ? clpac_channel_kind_name(channel->kind) : "-");
		clpac__text_add(to, "  %10s", channel->rate_hz > 0 ? rate : "-");
		clpac__text_add(to, "  %10zu", channel->n_samples);
		if (channel->rate_hz > 0)
			clpac__text_add(to, "  %10.3f", channel_seconds(channel));
		else
			clpac__text_add(to, "  %10s", "-");
		add_verdict(to, channel, usual_hz);
	}
}

/* Says which rate run takes where usable channels have several. */
static void add_rates(clpac__text *to, const clpac_recording *recording)
{
	const double usual_hz = clpac__channels_usual_rate(recording);
	char rate[CLPAC__NUMBER_SIZE];
	size_t n_others = 0;
	bool is_highest = true;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		n_others += clpac__channel_is_usual(channel) && channel->rate_hz != usual_hz;
		is_highest = is_highest && !(clpac__channel_is_usual(channel) && channel->rate_hz > usual_hz);
	}
	if (!n_others)
		return;
	clpac__write_number(usual_hz, rate);
	clpac__text_add(
		to,
		"\nrun takes the highest rate%s, %s Hz, and leaves out %zu channel%s of other rates; --resample "
		"brings all to one\n",
		is_highest ? "" : " of channels known to be of the brain", rate, n_others, n_others == 1 ? "" : "s");
}

/* Names the tables that were read, and both clocks where they differ. */
static void add_tables(clpac__text *to, const clpac_recording *recording)
{
	const size_t n = clpac_recording_n_tables(recording);
	const double first_s = clpac_recording_first_seconds(recording);
	if (n)
		clpac__text_add(to, "\ntables that were read:\n");
	for (size_t i = 0; i < n; i++) {
		const clpac_table *table = clpac_recording_table(recording, i);
		clpac__text_add(to, "%*s", 10 - 4, "");
		add_column(to, table->use, 12);
		add_column(to, table->path, 0);
		clpac__text_add(to, "\n");
	}
	if (first_s != 0)
		clpac__text_add(
			to,
			"\nthe first sample is at %.6g s of the recording's clock, on which are all times here, "
			"--start and --stop;\ntables of events (BIDS) count from the first sample: \"sample\" is "
			"that time\n",
			first_s);
}

static void add_more(clpac__text *to, size_t n)
{
	if (n > MOST_LINES)
		clpac__text_add(to, "%10s  and %zu more; --json lists them all\n", "...", n - MOST_LINES);
}

static void add_stretches(clpac__text *to, const clpac_recording *recording)
{
	size_t n = clpac_recording_n_stretches(recording);
	if (n < 2)
		return;
	clpac__text_add(to, "\nstretches without a gap, in seconds:\n");
	for (size_t i = 0; i < n && i < MOST_LINES; i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		clpac__text_add(to, "%10.3f  to %10.3f  (%.3f)\n", stretch->onset_seconds,
				stretch->onset_seconds + stretch->seconds, stretch->seconds);
	}
	add_more(to, n);
}

/* The texts of several annotations: what --events can name. */
static clpac_status add_texts(clpac__text *to, const clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__counted_text *texts = NULL;
	size_t n;
	TRY(clpac__annotation_texts(recording, &texts, &n, err));
	clpac__text_add(to, "\ntexts of annotations, and how many have them:\n");
	for (size_t i = 0; i < n && i < MOST_LINES; i++) {
		clpac__text_add(to, "%10zu  ", texts[i].count);
		add_column(to, texts[i].text, 0);
		clpac__text_add(to, "\n");
	}
	add_more(to, n);
done:
	clpac__free(texts);
	return st;
}

static clpac_status add_annotations(clpac__text *to, const clpac_recording *recording,
				    const clpac__analysis_settings *settings, clpac_error *err)
{
	const size_t n = clpac_recording_n_annotations(recording);
	size_t n_rejected = 0;
	double seconds = 0;
	if (n == 0)
		return CLPAC_OK;
	const double first_s = clpac_recording_first_seconds(recording);
	clpac__text_add(to, "\nannotations, onset%s and duration in seconds:\n",
			first_s != 0 ? " on the recording's clock, and from the first sample (\"sample\")," : "");
	if (first_s != 0)
		clpac__text_add(to, "%10s  %10s  %8s\n", "clock", "sample", "duration");
	for (size_t i = 0; i < n; i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		bool is_rejected;
		RETURN_IF_ERROR(clpac__annotation_is_rejected(settings, annotation->text, &is_rejected, err));
		n_rejected += is_rejected;
		seconds += is_rejected ? annotation->seconds : 0;
		if (i >= MOST_LINES)
			continue;
		clpac__text_add(to, "%10.3f  ", annotation->onset_seconds);
		if (first_s != 0)
			clpac__text_add(to, "%10.3f  ", annotation->onset_seconds - first_s);
		clpac__text_add(to, "%8.3f  ", annotation->seconds);
		add_column(to, annotation->text, 0);
		clpac__text_add(to, "%s\n", is_rejected ? "  (rejected)" : "");
	}
	add_more(to, n);
	RETURN_IF_ERROR(add_texts(to, recording, err));
	if (n_rejected)
		clpac__text_add(to, "\nrun rejects the time of %zu annotation%s, %.3f s; --keep-bad keeps it\n",
				n_rejected, n_rejected == 1 ? "" : "s", seconds);
	return CLPAC_OK;
}

static clpac_status add_contents(clpac__text *to, const clpac__analysis_settings *settings,
				 const clpac_recording *recording, const clpac__flat_list *flats,
				 const clpac__prospects *prospects, clpac_error *err)
{
	const char *path = settings->input;
	size_t n = clpac_recording_n_channels(recording);
	double seconds = clpac_recording_seconds(recording);
	clpac__text_add(to, "%s: %s, %zu channel%s", path, clpac_recording_format(recording), n, n == 1 ? "" : "s");
	if (seconds > 0)
		clpac__text_add(to, ", %.3f s", seconds);
	else
		clpac__text_add(to, ", sampling rate not known (give --rate HZ)");
	clpac__text_add(to, "\n");
	add_channels(to, recording);
	add_rates(to, recording);
	add_tables(to, recording);
	add_stretches(to, recording);
	clpac__flat_list_print(flats, recording, settings, MOST_LINES, to);
	RETURN_IF_ERROR(add_annotations(to, recording, settings, err));
	clpac__prospects_print(prospects, recording, to);
	return CLPAC_OK;
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

static clpac_status add_annotations_json(clpac__json_tree *json, const clpac__analysis_settings *settings,
					 const clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	json_t *array = json_array();
	clpac__counted_text *texts = NULL;
	size_t n;
	for (size_t i = 0; i < clpac_recording_n_annotations(recording); i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		bool is_rejected;
		TRY(clpac__annotation_is_rejected(settings, annotation->text, &is_rejected, err));
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

static clpac_status write_json(const clpac__analysis_settings *settings, const clpac_recording *recording,
			       const clpac__flat_list *flats, const clpac__prospects *prospects, char **out,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__json_tree json = {.root = json_object()};
	clpac__json_tree_text(&json, json.root, "file", settings->input);
	clpac__json_tree_text(&json, json.root, "format", clpac_recording_format(recording));
	clpac__json_tree_number(&json, json.root, "seconds", clpac_recording_seconds(recording));
	clpac__json_tree_set(&json, json.root, "channels", channels_json(&json, recording));
	clpac__json_tree_number(&json, json.root, "first_sample_at_s", clpac_recording_first_seconds(recording));
	clpac__json_tree_set(&json, json.root, "tables", clpac__input_tables_json(&json, recording));
	clpac__json_tree_set(&json, json.root, "stretches", stretches_json(&json, recording));
	clpac__flat_list_json(flats, settings, &json);
	clpac__prospects_json(prospects, &json);
	TRY(add_annotations_json(&json, settings, recording, err));
	clpac__json_tree_set(&json, json.root, "warnings", warnings_json(&json, recording));
	st = clpac__json_tree_text_of(&json, out, err);
done:
	json_decref(json.root);
	return st;
}

clpac_status clpac__recording_contents(clpac_recording *recording, const clpac__analysis_settings *settings,
				       bool as_json, char **text, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text page = {0};
	clpac__flat_list flats = {0};
	clpac__prospects prospects = {0};
	TRY(clpac__flat_list_find(recording, &flats, err));
	TRY(clpac__prospects_find(recording, &flats, &prospects, err));
	if (as_json) {
		st = write_json(settings, recording, &flats, &prospects, text, err);
		goto done;
	}
	TRY(add_contents(&page, settings, recording, &flats, &prospects, err));
	TRY(clpac__text_give(&page, "the contents of a recording", text, err));
done:
	clpac__text_clear(&page);
	clpac__flat_list_clear(&flats);
	clpac__prospects_clear(&prospects);
	return st;
}
