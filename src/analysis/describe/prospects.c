#include "analysis/describe/prospects.h"

#include <math.h>
#include <clpac/problem.h>
#include "analysis/channels/channels.h"
#include "base/memory.h"

enum { MOST_CHANNELS = 64, AT_ONCE_BYTES = 64 << 20 };
static const double look_s = 60, line_height = 10;
/* Excesses are 7 to 13 % too small in 10 s, and 1 to 4 % in 60 s (doc/maths.md). */
static const double ample_s = 60, short_s = 10;

/* --- Found -------------------------------------------------------------------------------------- */

/* The default bands, of which run takes those below half the rate.
 * @param[out] made they are its. @param[out] n_phase those of phases. */
static clpac_status find_bands(clpac__prospects *out, clpac_problem_copy **made, size_t *n_phase, clpac_error *err)
{
	enum { AMPLE = 1 << 12 }; /* Hz */
	const clpac_problem by_default = {.size = sizeof by_default,
					  .rate_hz = AMPLE,
					  .n_channels = 1,
					  .n_segments = 1,
					  .n_samples = (size_t)1 << 30};
	RETURN_IF_ERROR(clpac_problem_complete(&by_default, made, err));
	const clpac_problem *p = clpac_problem_get(*made);
	*n_phase = 0;
	for (size_t i = 0; i < p->n_phase_bands && p->phase_bands[i].hi_hz < out->rate_hz / 2; i++)
		out->phase_hi_hz = p->phase_bands[(*n_phase)++].hi_hz;
	for (size_t i = 0; i < p->n_amplitude_bands && p->amplitude_bands[i].hi_hz < out->rate_hz / 2; i++) {
		out->amplitude_hi_hz = p->amplitude_bands[i].hi_hz;
		out->n_amplitude++;
	}
	out->phase_lo_hz = p->phase_bands[0].lo_hz;
	out->amplitude_lo_hz = p->amplitude_bands[0].lo_hz;
	out->n_all_amplitude = p->n_amplitude_bands;
	return CLPAC_OK;
}

static bool is_in_use(const clpac__prospects *of, double hz)
{
	return (hz > of->phase_lo_hz && hz < of->phase_hi_hz) || (hz > of->amplitude_lo_hz && hz < of->amplitude_hi_hz);
}

/* The highest line at a multiple of a frequency inside a band. */
static clpac_status look_for_lines(const double *x, size_t n, double mains_hz, clpac__prospects *all,
				   clpac__prospect *out, clpac_error *err)
{
	for (double hz = mains_hz; hz < all->amplitude_hi_hz; hz += mains_hz) {
		double high = 0;
		if (!is_in_use(all, hz))
			continue;
		RETURN_IF_ERROR(clpac_signal_line(x, n, all->rate_hz, hz, &high, err));
		if (high > out->line_high) {
			out->line_hz = hz;
			out->line_high = high;
		}
	}
	return CLPAC_OK;
}

static clpac_status look_at(const double *x, size_t n, const clpac_band *phases, size_t n_phase, double mains_hz,
			    clpac__prospects *all, clpac__prospect *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	double *heights = NULL, *hz = NULL;
	TRY(NEW_ARRAY(heights, n_phase));
	TRY(NEW_ARRAY(hz, n_phase));
	TRY(clpac_signal_spectral_peaks(x, n, all->rate_hz, phases, n_phase, heights, hz, &all->least_db, err));
	for (size_t ph = 0; ph < n_phase; ph++)
		if (heights[ph] > out->peak_db || isnan(out->peak_db)) {
			out->peak_db = heights[ph];
			out->peak_hz = hz[ph];
		}
	TRY(look_for_lines(x, n, mains_hz >= 1 ? mains_hz : 50, all, out, err));
	if (!(mains_hz >= 1))
		TRY(look_for_lines(x, n, 60, all, out, err));
	if (all->n_amplitude)
		TRY(clpac_signal_disturbances(x, n, all->rate_hz,
					      (clpac_band){all->amplitude_lo_hz, all->amplitude_hi_hz},
					      out->peak_db >= all->least_db ? out->peak_hz : 0, &out->found, err));
done:
	clpac__free(heights);
	clpac__free(hz);
	return st;
}

/* Samples of a channel that are there, as doubles. */
static void take(const clpac_channel *channel, size_t start, size_t n, double *to)
{
	for (size_t i = 0; i < n; i++) {
		const size_t at = (start + i) * channel->stride;
		to[i] = channel->type == CLPAC_FLOAT64 ? ((const double *)channel->samples)[at]
						       : (double)((const float *)channel->samples)[at];
	}
}

/* The same of those in a file.  @param room n values of the channel's type. */
static void widen(const void *room, clpac_sample_type type, size_t n, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = type == CLPAC_FLOAT64 ? ((const double *)room)[i] : (double)((const float *)room)[i];
}

/* Reads a window of some channels side by side.  @param x (channel, n). */
static clpac_status read_group(clpac_recording *recording, const size_t *channels, size_t n_channels,
			       const clpac_window *part, double *x, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = part->n_samples;
	uint64_t bytes;
	clpac_error refused = {0};
	void **rooms;
	TRY(NEW_ARRAY(rooms, n_channels));
	if (clpac_recording_part_bytes(recording, channels, n_channels, part->start, n, &bytes, &refused) != CLPAC_OK) {
		/* Their samples are there, or are made of those of the file. */
		const bool are_there = clpac_recording_channel(recording, channels[0])->samples != NULL;
		if (!are_there)
			TRY(clpac_recording_load(recording, channels, n_channels, err));
		for (size_t i = 0; i < n_channels; i++)
			take(clpac_recording_channel(recording, channels[i]), part->start, n, x + i * n);
		if (!are_there)
			clpac_recording_unload(recording, channels, n_channels);
		goto done;
	}
	for (size_t i = 0; i < n_channels; i++)
		TRY(NEW_BYTES(rooms[i], n * sizeof(double)));
	TRY(clpac_recording_read_part(recording, channels, n_channels, part->start, n, rooms, err));
	for (size_t i = 0; i < n_channels; i++)
		widen(rooms[i], clpac_recording_channel(recording, channels[i])->type, n, x + i * n);
done:
	for (size_t i = 0; rooms && i < n_channels; i++)
		clpac__free(rooms[i]);
	clpac__free(rooms);
	return st;
}

/* The middle of the longest stretch, in samples. */
static clpac_window find_window(const clpac_recording *recording, size_t n_samples, clpac__prospects *out)
{
	double first_s = 0;
	out->longest_s = (double)n_samples / out->rate_hz;
	out->n_stretches = clpac_recording_n_stretches(recording);
	for (size_t i = 0; i < out->n_stretches; i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		if (i == 0 || stretch->seconds > out->longest_s) {
			out->longest_s = stretch->seconds;
			first_s = stretch->first_seconds;
		}
	}
	out->look_s = fmin(out->longest_s, look_s);
	out->from_s = first_s + (out->longest_s - out->look_s) / 2;
	const size_t start = clpac__smaller((size_t)(out->from_s * out->rate_hz), n_samples);
	return (clpac_window){start, clpac__smaller((size_t)(out->look_s * out->rate_hz), n_samples - start)};
}

/* The first of the channels that run takes, all of one length.  @param channels room for MOST_CHANNELS. */
static size_t find_channels(const clpac_recording *recording, clpac__prospects *out, size_t *channels)
{
	size_t n = 0, n_samples = 0;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		if (!clpac__channel_is_usual(channel) || channel->rate_hz != out->rate_hz || !channel->n_samples)
			continue;
		out->n_taken++;
		n_samples = n_samples ? n_samples : channel->n_samples;
		if (n < MOST_CHANNELS && channel->n_samples == n_samples)
			channels[n++] = i;
	}
	return n;
}

static void count(clpac__prospects *out)
{
	for (size_t i = 0; i < out->n; i++) {
		const clpac__prospect *one = &out->each[i];
		out->n_peaks += one->peak_db >= out->least_db;
		out->n_lines += one->line_high >= line_height;
		if (one->peak_db > out->each[out->highest].peak_db || isnan(out->each[out->highest].peak_db))
			out->highest = i;
		if (one->line_high > out->each[out->strongest].line_high)
			out->strongest = i;
	}
}

clpac_status clpac__prospects_find(clpac_recording *recording, const clpac__flat_list *flats, clpac__prospects *out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t channels[MOST_CHANNELS], n_phase;
	double *x = NULL;
	clpac_problem_copy *made = NULL;
	out->rate_hz = clpac__channels_usual_rate(recording);
	out->n_clipped = flats->n_clips;
	if (!(out->rate_hz > 0))
		return CLPAC_OK;
	const size_t n = find_channels(recording, out, channels);
	if (!n)
		return CLPAC_OK;
	const clpac_window part =
		find_window(recording, clpac_recording_channel(recording, channels[0])->n_samples, out);
	TRY(find_bands(out, &made, &n_phase, err));
	if (!n_phase || !part.n_samples)
		goto done;
	const size_t most = clpac__larger(1, AT_ONCE_BYTES / sizeof *x / part.n_samples);
	const size_t at_once = clpac__smaller(n, most);
	TRY(NEW_ARRAY(out->each, n));
	if (!(x = clpac__alloc_array(at_once, part.n_samples * sizeof *x)))
		FAIL_NO_MEMORY(at_once * part.n_samples * sizeof *x);
	for (size_t done = 0; done < n; done += at_once) {
		const size_t now = clpac__smaller(at_once, n - done);
		TRY(read_group(recording, channels + done, now, &part, x, err));
		for (size_t i = 0; i < now; i++) {
			clpac__prospect *one = &out->each[out->n++];
			*one = (clpac__prospect){.channel = channels[done + i], .peak_hz = NAN, .peak_db = NAN};
			TRY(look_at(x + i * part.n_samples, part.n_samples, clpac_problem_get(made)->phase_bands,
				    n_phase, clpac_recording_mains_hz(recording), out, one, err));
		}
	}
	count(out);
done:
	clpac_problem_destroy(made);
	clpac__free(x);
	return st;
}

void clpac__prospects_clear(clpac__prospects *prospects)
{
	clpac__free(prospects->each);
	*prospects = (clpac__prospects){0};
}

/* --- Listed ------------------------------------------------------------------------------------- */

static void add_length(const clpac__prospects *p, clpac__text *to)
{
	const char *say = p->longest_s >= ample_s   ? "for      %.4g s without a gap: %.0f cycles of 2 Hz\n"
			  : p->longest_s >= short_s ? "against  %.4g s without a gap, %.0f cycles of 2 Hz: slow phases "
						      "show weak coupling in a minute or more\n"
						    : "against  %.4g s without a gap, %.0f cycles of 2 Hz: of so few, "
						      "chance alone makes indices as large\n";
	clpac__text_add(to, say, p->longest_s, p->longest_s * 2);
	if (p->n_stretches > 1)
		clpac__text_add(to, "against  %zu gaps: filters lose their reach at both ends of each\n",
				p->n_stretches - 1);
}

static void add_place(const clpac_recording *recording, const clpac__prospect *of, clpac__text *to)
{
	clpac__text_add(to, " in channel ");
	clpac__text_add_cleaned(to, clpac_recording_channel(recording, of->channel)->name);
}

static void add_rhythms(const clpac__prospects *p, const clpac_recording *recording, clpac__text *to)
{
	const clpac__prospect *highest = &p->each[p->highest];
	if (isnan(highest->peak_db)) {
		clpac__text_add(to, "against  too short, or no signal: peaks of the spectrum cannot be told\n");
		return;
	}
	if (p->n_peaks)
		clpac__text_add(to, "for      a spectral peak in %g-%g Hz in %zu of %zu channels", p->phase_lo_hz,
				p->phase_hi_hz, p->n_peaks, p->n);
	else
		clpac__text_add(to, "against  no spectral peak of %.1f dB in %g-%g Hz: phases are those of no rhythm",
				p->least_db, p->phase_lo_hz, p->phase_hi_hz);
	clpac__text_add(to, "; the highest has %.1f dB at %.3g Hz", highest->peak_db, highest->peak_hz);
	add_place(recording, highest, to);
	clpac__text_add(to, "\n");
}

static void add_artefacts(const clpac__prospects *p, const clpac_recording *recording, clpac__text *to)
{
	const clpac__prospect *strongest = &p->each[p->strongest];
	if (p->n_lines) {
		clpac__text_add(to,
				"against  a line as of the mains in %zu of %zu channels, up to %.0f times what lies "
				"beside it at %g Hz",
				p->n_lines, p->n, strongest->line_high, strongest->line_hz);
		add_place(recording, strongest, to);
		clpac__text_add(to, "; bands that hold it tell nothing else\n");
	} else {
		clpac__text_add(to, "for      no line of the mains in the bands\n");
	}
	if (p->n_clipped)
		clpac__text_add(to,
				"against  saturation of %zu of the channels: a wave that is cut off looks coupled\n",
				p->n_clipped);
	else
		clpac__text_add(to, "for      no channel is cut off at its highest or lowest value\n");
}

/* The number of channels in which something was found, and the first of them. */
struct found_in {
	size_t n;
	const clpac__prospect *first;
};

static void note(struct found_in *in, bool is_there, const clpac__prospect *one)
{
	if (is_there && !in->n++)
		in->first = one;
}

static void add_found(const struct found_in *in, const clpac__prospects *p, const clpac_recording *recording,
		      const char *what, clpac__text *to)
{
	clpac__text_add(to, "against  %s in %zu of %zu channels, first", what, in->n, p->n);
	add_place(recording, in->first, to);
}

static void add_disturbances(const clpac__prospects *p, const clpac_recording *recording, clpac__text *to)
{
	struct found_in beats = {0}, bursts = {0}, spikes = {0}, small = {0}, odd = {0};
	if (!p->n_amplitude)
		return;
	for (size_t i = 0; i < p->n; i++) {
		const clpac__prospect *one = &p->each[i];
		note(&beats, one->found.n_beats, one);
		note(&bursts, one->found.burst_share > 0, one);
		note(&spikes, one->found.n_spikes, one);
		note(&small, !one->found.n_spikes && one->found.skewness > 0, one);
		note(&odd, fabs(one->found.third_harmonic) > 0, one);
	}
	if (beats.n) {
		add_found(&beats, p, recording, "a spike as of a heart", to);
		clpac__text_add(to, ", every %.2f s: it is in every band at once\n",
				beats.first->found.beat_interval_s);
	}
	if (bursts.n) {
		add_found(&bursts, p, recording, "bursts as of a muscle", to);
		clpac__text_add(to, ", in %.2g %% of the time: they are in all amplitude bands at once\n",
				100 * bursts.first->found.burst_share);
	}
	if (spikes.n) {
		add_found(&spikes, p, recording, "spikes or edges", to);
		clpac__text_add(to, ", %zu of up to %.0f deviations: each is in every band at once\n",
				spikes.first->found.n_spikes, spikes.first->found.spike_deviations);
	}
	if (small.n) {
		add_found(&small, p, recording, "samples sharp on one side, as of small spikes,", to);
		clpac__text_add(to, ", with a skewness of %.2f within 10 ms\n", small.first->found.skewness);
	}
	if (odd.n) {
		add_found(&odd, p, recording, "a wave with odd harmonics alone", to);
		clpac__text_add(to, ", at %.3g Hz, %s: its corners look coupled\n", odd.first->peak_hz,
				odd.first->found.third_harmonic < 0 ? "flattened" : "pointed");
	}
	if (!beats.n && !bursts.n && !spikes.n && !small.n && !odd.n)
		clpac__text_add(to, "for      no heartbeat, muscle, spikes or wave with odd harmonics alone\n");
}

void clpac__prospects_print(const clpac__prospects *p, const clpac_recording *recording, clpac__text *to)
{
	if (!p->n_taken)
		return;
	clpac__text_add(to, "\nfor and against coupling, with the default bands");
	if (p->n)
		clpac__text_add(to, ", in %zu of %zu channels from %.6g to %.6g s", p->n, p->n_taken, p->from_s,
				p->from_s + p->look_s);
	clpac__text_add(to, ":\n");
	add_length(p, to);
	if (!p->n)
		return;
	if (p->n_amplitude)
		clpac__text_add(to, "%s %g Hz carry %zu of %zu amplitude bands, %g-%.4g Hz\n",
				p->n_amplitude == p->n_all_amplitude ? "for     " : "against ", p->rate_hz,
				p->n_amplitude, p->n_all_amplitude, p->amplitude_lo_hz, p->amplitude_hi_hz);
	else
		clpac__text_add(to, "against  %g Hz carry none of the amplitude bands: give lower ones (--amplitude)\n",
				p->rate_hz);
	add_rhythms(p, recording, to);
	add_artefacts(p, recording, to);
	add_disturbances(p, recording, to);
}

/* To a hundredth, which is more than a minute tells. */
static double rounded(double value)
{
	return round(100 * value) / 100;
}

void clpac__prospects_json(const clpac__prospects *p, clpac__json_tree *json)
{
	json_t *object, *list;
	if (!p->n_taken)
		return;
	object = json_object();
	list = json_array();
	clpac__json_tree_number(json, object, "longest_seconds", p->longest_s);
	clpac__json_tree_number(json, object, "looked_from_seconds", p->from_s);
	clpac__json_tree_number(json, object, "looked_seconds", p->n ? p->look_s : 0);
	clpac__json_tree_number(json, object, "least_peak_db", p->n ? rounded(p->least_db) : NAN);
	for (size_t i = 0; i < p->n; i++) {
		json_t *one = json_object();
		clpac__json_tree_number(json, one, "channel", (double)p->each[i].channel);
		clpac__json_tree_number(json, one, "peak_hz", rounded(p->each[i].peak_hz));
		clpac__json_tree_number(json, one, "peak_db", rounded(p->each[i].peak_db));
		clpac__json_tree_number(json, one, "line_hz", p->each[i].line_hz);
		clpac__json_tree_number(json, one, "line_height", rounded(p->each[i].line_high));
		clpac__json_tree_number(json, one, "beats", (double)p->each[i].found.n_beats);
		clpac__json_tree_number(json, one, "burst_share", rounded(p->each[i].found.burst_share));
		clpac__json_tree_number(json, one, "spikes", (double)p->each[i].found.n_spikes);
		clpac__json_tree_number(json, one, "skewness", rounded(p->each[i].found.skewness));
		clpac__json_tree_number(json, one, "third_harmonic", rounded(p->each[i].found.third_harmonic));
		clpac__json_tree_append(json, list, one);
	}
	clpac__json_tree_set(json, object, "channels", list);
	clpac__json_tree_set(json, json->root, "prospects", object);
}
