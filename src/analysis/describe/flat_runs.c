#include "analysis/describe/flat_runs.h"

#include <math.h>
#include "analysis/channels/channels.h"
#include "analysis/samples/flats.h"
#include "base/memory.h"

/* --- Found -------------------------------------------------------------------------------------- */

/* A time among the samples, without gaps, on the recording's clock. */
static double on_clock(const clpac_recording *recording, double seconds)
{
	double shift_s = 0;
	for (size_t i = 0; i < clpac_recording_n_stretches(recording); i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		if (stretch->first_seconds <= seconds)
			shift_s = stretch->onset_seconds - stretch->first_seconds;
	}
	return seconds + shift_s;
}

static clpac_status take(const clpac_recording *recording, size_t channel, clpac__flat_search *search,
			 clpac__flat_list *out, clpac_error *err)
{
	const double rate_hz = clpac_recording_channel(recording, channel)->rate_hz;
	/* What scaling of integers leaves of 0 is 0. */
	const double least = 1e-9 * fmax(fabs(search->highest[0].value), fabs(search->lowest[0].value));
	RETURN_IF_ERROR(clpac__flat_end(search, err));
	for (size_t i = 0; i < search->n_runs; i++) {
		const clpac__flat_run *run = &search->runs[i];
		RETURN_IF_ERROR(ROOM_FOR_ONE(out->each, out->n, out->most, 16));
		out->each[out->n++] =
			(clpac__listed_flat){.channel = channel,
					     .onset_seconds = on_clock(recording, (double)run->first / rate_hz),
					     .seconds = (double)run->n / rate_hz,
					     .value = fabs(run->value) < least ? 0 : run->value};
	}
	out->n_channels += search->n_runs > 0;
	if (!search->n_clipped)
		return CLPAC_OK;
	RETURN_IF_ERROR(ROOM_FOR_ONE(out->clips, out->n_clips, out->most_clips, 16));
	out->clips[out->n_clips++] =
		(clpac__listed_clip){channel, (double)search->n_clipped / (double)search->n_samples};
	return CLPAC_OK;
}

/* Looks at channels of one number of samples.  @param channels n of them. */
static clpac_status look(clpac_recording *recording, const size_t *channels, size_t n,
			 const clpac__flat_lengths *lengths, clpac__flat_list *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_window all = {0, clpac_recording_channel(recording, channels[0])->n_samples};
	clpac__flat_search *searches;
	RETURN_IF_ERROR(NEW_ARRAY(searches, n));
	for (size_t i = 0; i < n; i++)
		searches[i] = (clpac__flat_search){.least = lengths->least, .longest_clip = lengths->longest_clip};
	TRY(clpac__flats_look(recording, channels, n, &all, searches, err));
	for (size_t i = 0; i < n; i++)
		TRY(take(recording, channels[i], &searches[i], out, err));
done:
	for (size_t i = 0; i < n; i++)
		clpac__flat_clear(&searches[i]);
	clpac__free(searches);
	return st;
}

clpac_status clpac__flat_list_find(clpac_recording *recording, clpac__flat_list *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const double rate_hz = clpac__channels_usual_rate(recording);
	const clpac_problem by_default = {.size = sizeof by_default, .rate_hz = rate_hz};
	const size_t n_channels = clpac_recording_n_channels(recording);
	clpac__flat_lengths lengths;
	size_t *alike;
	TRY(NEW_ARRAY(alike, n_channels));
	if (!(rate_hz > 0))
		goto done;
	TRY(clpac__flat_lengths_find(&by_default, &lengths, err));
	if (!lengths.least)
		goto done;
	/* Those as long as one that has no earlier one of its length. */
	for (size_t first = 0; first < n_channels; first++) {
		const size_t length = clpac_recording_channel(recording, first)->n_samples;
		size_t n = 0;
		bool is_first = length > 0;
		for (size_t i = 0; i < n_channels && is_first; i++) {
			const clpac_channel *channel = clpac_recording_channel(recording, i);
			if (!clpac__channel_is_usual(channel) || channel->rate_hz != rate_hz ||
			    channel->n_samples != length)
				continue;
			is_first = i >= first;
			alike[n++] = i;
		}
		if (is_first && n && alike[0] == first)
			TRY(look(recording, alike, n, &lengths, out, err));
	}
done:
	clpac__free(alike);
	return st;
}

void clpac__flat_list_clear(clpac__flat_list *list)
{
	FREE_ALL(list->each, list->clips);
	*list = (clpac__flat_list){0};
}

/* --- Listed ------------------------------------------------------------------------------------- */

static void add_flats(const clpac__flat_list *list, const clpac_recording *recording, bool are_kept, size_t most_lines,
		      clpac__text *to)
{
	double seconds = 0;
	clpac__text_add(to, "\nsamples at one value, as where data is missing, in seconds:\n");
	for (size_t i = 0; i < list->n; i++) {
		const clpac__listed_flat *flat = &list->each[i];
		seconds += flat->seconds;
		if (i >= most_lines)
			continue;
		clpac__text_add(to, "%10.3f  to %10.3f  (%.3f)  ", flat->onset_seconds,
				flat->onset_seconds + flat->seconds, flat->seconds);
		clpac__text_add_cleaned(to, clpac_recording_channel(recording, flat->channel)->name);
		clpac__text_add(to, " at %.6g\n", flat->value);
	}
	if (list->n > most_lines)
		clpac__text_add(to, "%10s  and %zu more; --json lists them all\n", "...", list->n - most_lines);
	clpac__text_add(to, "\nrun %s %zu flat stretch%s of %zu channel%s, %.3f s%s\n",
			are_kept ? "would use" : "leaves out", list->n, list->n == 1 ? "" : "es", list->n_channels,
			list->n_channels == 1 ? "" : "s", seconds, are_kept ? "" : "; --keep-flat uses them");
}

void clpac__flat_list_print(const clpac__flat_list *list, const clpac_recording *recording,
			    const clpac__analysis_settings *settings, size_t most_lines, clpac__text *to)
{
	if (list->n)
		add_flats(list, recording, settings->keep_flat, most_lines, to);
	if (list->n_clips)
		clpac__text_add(to,
				"\nsaturation, the share of samples at the highest or lowest value of a channel:\n");
	for (size_t i = 0; i < list->n_clips && i < most_lines; i++) {
		clpac__text_add(to, "%10.2g %%  ", 100 * list->clips[i].share);
		clpac__text_add_cleaned(to, clpac_recording_channel(recording, list->clips[i].channel)->name);
		clpac__text_add(to, "\n");
	}
	if (list->n_clips > most_lines)
		clpac__text_add(to, "%10s  and %zu more; --json lists them all\n", "...", list->n_clips - most_lines);
}

void clpac__flat_list_json(const clpac__flat_list *list, const clpac__analysis_settings *settings,
			   clpac__json_tree *json)
{
	json_t *flats = list->n ? json_array() : NULL, *clips = list->n_clips ? json_array() : NULL;
	for (size_t i = 0; i < list->n; i++) {
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "channel", (double)list->each[i].channel);
		clpac__json_tree_number(json, one, "onset_seconds", list->each[i].onset_seconds);
		clpac__json_tree_number(json, one, "seconds", list->each[i].seconds);
		clpac__json_tree_number(json, one, "value", list->each[i].value);
		clpac__json_tree_set(json, one, "is_left_out", json_boolean(!settings->keep_flat));
		clpac__json_tree_append(json, flats, one);
	}
	for (size_t i = 0; i < list->n_clips; i++) {
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "channel", (double)list->clips[i].channel);
		clpac__json_tree_number(json, one, "share", list->clips[i].share);
		clpac__json_tree_append(json, clips, one);
	}
	if (list->n)
		clpac__json_tree_set(json, json->root, "flat", flats);
	if (list->n_clips)
		clpac__json_tree_set(json, json->root, "saturation", clips);
}
