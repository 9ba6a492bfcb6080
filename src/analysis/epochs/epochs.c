#include "analysis/epochs/epochs.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

enum { MOST_PATTERNS = 100, MOST_SAID = 6 };

/* --- Options ------------------------------------------------------------------------------------ */

/* "all", or "all:30" for pieces of 30 s. */
static bool read_spans(clpac__job_epochs *epochs, const char *text)
{
	epochs->are_spans = strcmp(text, "all") == 0;
	epochs->are_pieces = strncmp(text, "all:", 4) == 0 && clpac__parse_number(text + 4, &epochs->to_s, NULL) &&
			     epochs->to_s > 0 && isfinite(epochs->to_s);
	return epochs->are_spans || epochs->are_pieces;
}

static clpac_status read_window(clpac__job_epochs *epochs, const char *text, clpac_error *err)
{
	const char *end;
	if (read_spans(epochs, text))
		return CLPAC_OK;
	if (!clpac__parse_number(text, &epochs->from_s, &end) || *end != ':' ||
	    !clpac__parse_number(end + 1, &epochs->to_s, NULL) || !isfinite(epochs->from_s) || !isfinite(epochs->to_s))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "--window %s: give A:B, the seconds after an event where its epoch begins and ends, as "
			     "-0.5:1.5, or all for the time that it lasts, or all:30 for pieces of 30 s of it",
			     text);
	if (!(epochs->from_s < epochs->to_s))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--window %s: an epoch ends later than it begins", text);
	return CLPAC_OK;
}

const char *clpac__job_epochs_option(const clpac__job_epochs *epochs)
{
	return epochs->are_sliding ? "--sliding" : "--events";
}

static clpac_status read_sliding(clpac__job_epochs *epochs, const clpac__analysis_settings *settings, clpac_error *err)
{
	const clpac__analysis_settings *v = settings;
	const char *end, *other = v->events ? "events" : v->window ? "window" : v->pool ? "pool" : NULL;
	if (other || v->segment)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--sliding and --%s: the windows are the segments; give one of them",
			     other ? other : "segment");
	if (!clpac__parse_number(v->sliding, &epochs->to_s, &end) || !(epochs->to_s > 0) || !isfinite(epochs->to_s) ||
	    (*end && (*end != ':' || !clpac__parse_number(end + 1, &epochs->step_s, NULL) || !(epochs->step_s > 0) ||
		      !isfinite(epochs->step_s))))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--sliding %.100s: give SECONDS or SECONDS:STEP, both above 0",
			     v->sliding);
	if (!*end)
		epochs->step_s = epochs->to_s;
	epochs->are_wanted = epochs->are_sliding = true;
	return CLPAC_OK;
}

clpac_status clpac__job_epochs_read(clpac__job_epochs *epochs, const clpac__analysis_settings *settings,
				    clpac_error *err)
{
	const clpac__analysis_settings *v = settings;
	if (v->sliding) {
		return read_sliding(epochs, settings, err);
	}
	if (!v->events && (v->window || v->pool))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s: it is about epochs; name their events with --events",
			     v->window ? "window" : "pool");
	if (v->events && !v->window)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"--events: give --window A:B too, the seconds after an event where its epoch begins and ends, "
			"or --window all for the time that it lasts");
	if (v->events && v->segment)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--events and --segment: epochs are the segments; give one of them");
	if (!v->events)
		return CLPAC_OK;
	for (const char *word = v->events; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
		const size_t n = strcspn(word, ","), name = strcspn(word, "=,");
		if (!n || (word[name] == '=' && (!name || name + 1 == n)))
			RETURN_ERROR(
				CLPAC_ERROR_ARGUMENT,
				"--events \"%.200s\": an empty pattern; give one or more, as go,stop* or NAME=PATTERN",
				v->events);
	}
	RETURN_IF_ERROR(read_window(epochs, v->window, err));
	epochs->are_wanted = true;
	epochs->are_pooled = v->pool;
	return CLPAC_OK;
}

/* --- Events ------------------------------------------------------------------------------------- */

/* A pattern of --events; those without a name make a condition of each text that they match. */
typedef struct pattern {
	const char *name, *pattern;
	bool is_met;
} pattern;

/* Matches in any case, as --reject does: a BrainVision marker also by what stands behind its type. */
static bool matches(const char *pattern, const char *text)
{
	const char *slash = strchr(text, '/');
	return fnmatch(pattern, text, FNM_CASEFOLD) == 0 || (slash && fnmatch(pattern, slash + 1, FNM_CASEFOLD) == 0);
}

static clpac_status split(char *list, pattern patterns[MOST_PATTERNS], size_t *n, clpac_error *err)
{
	for (char *word = list, *next; word; word = next) {
		next = strchr(word, ',');
		if (next)
			*next++ = 0;
		if (*n == MOST_PATTERNS)
			RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--events: give %d patterns at most", MOST_PATTERNS);
		char *equals = strchr(word, '=');
		if (equals)
			*equals = 0;
		patterns[(*n)++] = (pattern){equals ? word : NULL, equals ? equals + 1 : word, false};
	}
	return CLPAC_OK;
}

/* The number of a condition of this name, a new one where there is none. */
static clpac_status find_condition(clpac__job_epochs *epochs, const char *name, size_t *out, clpac_error *err)
{
	name = *name ? name : "(no text)";
	for (*out = 0; *out < epochs->n_conditions; ++*out)
		if (strcmp(epochs->conditions[*out], name) == 0)
			return CLPAC_OK;
	char **grown = clpac__realloc_array(epochs->conditions, *out + 1, sizeof *grown);
	if (!grown)
		RETURN_NO_MEMORY((*out + 1) * sizeof *grown);
	epochs->conditions = grown;
	RETURN_IF_ERROR(NEW_COPY(grown[*out], name));
	epochs->n_conditions++;
	return CLPAC_OK;
}

static int by_onset(const void *a, const void *b)
{
	const clpac__job_epoch *x = a, *y = b;
	if (x->onset_s != y->onset_s)
		return x->onset_s < y->onset_s ? -1 : 1;
	if (x->n_samples != y->n_samples)
		return x->n_samples > y->n_samples ? -1 : 1;
	return x->condition != y->condition ? (x->condition > y->condition) - (x->condition < y->condition)
					    : strcmp(x->text, y->text);
}

/* Names the texts that there are. */
static clpac_status no_event(const clpac_recording *recording, const char *pattern, const char *input, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__counted_text *texts = NULL;
	size_t n;
	char list[600] = "";
	TRY(clpac__annotation_texts(recording, &texts, &n, err));
	for (size_t i = 0; i < n && i < 12; i++)
		clpac__append(list, sizeof list, "%s\"%.40s\" %zu", i ? ", " : "", texts[i].text, texts[i].count);
	if (!n)
		FAIL(CLPAC_ERROR_ARGUMENT, "--events: %.300s has no annotations, markers or table of events", input);
	FAIL(CLPAC_ERROR_ARGUMENT, "--events: no event matches \"%.100s\"; there are %s%s; clpac info lists them",
	     pattern, list, n > 12 ? ", and others" : "");
done:
	clpac__free(texts);
	return st;
}

static clpac_status find_events(clpac__job_epochs *epochs, const clpac_recording *recording,
				const clpac__analysis_settings *settings, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n_all = clpac_recording_n_annotations(recording);
	pattern patterns[MOST_PATTERNS];
	size_t n_patterns = 0;
	char *list;
	TRY(NEW_COPY(list, settings->events));
	TRY(NEW_ARRAY(epochs->each, n_all + 1));
	TRY(split(list, patterns, &n_patterns, err));
	/* The order of the patterns is that of the conditions; an event belongs to the first pattern that it matches.
	 */
	for (size_t k = 0; k < n_patterns; k++)
		for (size_t i = 0; i < n_all; i++) {
			const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
			bool is_rejected, is_taken = !matches(patterns[k].pattern, annotation->text);
			size_t condition;
			TRY(clpac__annotation_is_rejected(settings, annotation->text, &is_rejected, err));
			if (is_taken || is_rejected)
				continue;
			patterns[k].is_met = true;
			for (size_t before = 0; before < k && !is_taken; before++)
				is_taken = matches(patterns[before].pattern, annotation->text);
			if (is_taken)
				continue;
			TRY(find_condition(epochs, patterns[k].name ? patterns[k].name : annotation->text, &condition,
					   err));
			epochs->each[epochs->n++] = (clpac__job_epoch){.onset_s = annotation->onset_seconds,
								       .seconds = annotation->seconds,
								       .text = annotation->text,
								       .condition = condition,
								       .n_samples = epochs->n_samples};
		}
	for (size_t k = 0; k < n_patterns; k++)
		if (!patterns[k].is_met)
			TRY(no_event(recording, patterns[k].pattern, settings->input, err));
	qsort(epochs->each, epochs->n, sizeof *epochs->each, by_onset);
done:
	clpac__free(list);
	return st;
}

/* --- Epochs ------------------------------------------------------------------------------------- */

/* Finds the samples of an epoch in the piece of the recording that holds its begin. */
static void place(clpac__job_epoch *epoch, const clpac__job_epochs *epochs, const clpac__job_segments *pieces,
		  double rate_hz)
{
	const double at_s = epoch->onset_s + epochs->from_s;
	size_t from = 0, to = pieces->n;
	while (to - from > 1) {
		const size_t middle = from + (to - from) / 2;
		if (floor((at_s - pieces->each[middle].onset_s) * rate_hz + 0.5) >= 0)
			from = middle;
		else
			to = middle;
	}
	const clpac__job_segment *piece = &pieces->each[from];
	const double first = floor((at_s - piece->onset_s) * rate_hz + 0.5);
	epoch->fate = CLPAC__EPOCH_OVER_END;
	if (!(first >= 0) || !(first + (double)epochs->n_samples <= (double)piece->n_samples))
		return;
	epoch->fate = CLPAC__EPOCH_USED;
	epoch->start = piece->start + (size_t)first;
}

typedef struct epoch_list {
	clpac__job_epoch *each;
	size_t n, capacity;
} epoch_list;

static clpac_status add_epoch(epoch_list *to, clpac__job_epoch epoch, clpac_error *err)
{
	RETURN_IF_ERROR(ROOM_FOR_ONE(to->each, to->n, to->capacity, 32));
	to->each[to->n++] = epoch;
	return CLPAC_OK;
}

/* The pieces of an event's span, of one length, from its begin on; what is left at its end is none. */
static clpac_status cut_span(clpac__job_epoch event, double piece_s, const clpac__job_segments *pieces, double rate_hz,
			     epoch_list *out, clpac_error *err)
{
	const clpac__job_segment *last = &pieces->each[pieces->n - 1];
	const double end_s = last->onset_s + (double)last->n_samples / rate_hz, onset_s = event.onset_s;
	double k = fmax(0, floor((pieces->each[0].onset_s - onset_s) / piece_s));
	for (; (k + 1) * piece_s <= event.seconds + 0.5 / rate_hz && onset_s + k * piece_s < end_s; k++) {
		event.onset_s = onset_s + k * piece_s;
		RETURN_IF_ERROR(add_epoch(out, event, err));
	}
	return CLPAC_OK;
}

static size_t sample_near(double seconds, double rate_hz, size_t most)
{
	const double sample = floor(seconds * rate_hz + 0.5);
	return sample > 0 ? sample < (double)most ? (size_t)sample : most : 0;
}

/* The span of an event, as far as it lies in pieces of the recording: an epoch in each. */
static clpac_status take_span(clpac__job_epoch event, const clpac__job_segments *pieces, double rate_hz,
			      epoch_list *out, clpac_error *err)
{
	const size_t n_before = out->n;
	const double onset_s = event.onset_s;
	for (size_t p = 0; p < pieces->n; p++) {
		const clpac__job_segment *piece = &pieces->each[p];
		const size_t first = sample_near(onset_s - piece->onset_s, rate_hz, piece->n_samples);
		const size_t end = sample_near(onset_s - piece->onset_s + event.seconds, rate_hz, piece->n_samples);
		if (first >= end)
			continue;
		event.onset_s = fmax(onset_s, piece->onset_s);
		event.start = piece->start + first;
		event.n_samples = end - first;
		RETURN_IF_ERROR(add_epoch(out, event, err));
	}
	if (out->n > n_before)
		return CLPAC_OK;
	event.fate = CLPAC__EPOCH_OVER_END;
	return add_epoch(out, event, err);
}

/* Puts the spans of the events in their place, whole or in pieces. */
static clpac_status take_spans(clpac__job_epochs *epochs, const clpac__job_segments *pieces, double rate_hz,
			       clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	epoch_list made = {0};
	for (size_t i = 0; i < epochs->n; i++) {
		clpac__job_epoch event = epochs->each[i];
		if (!(event.seconds > 0)) {
			event.fate = CLPAC__EPOCH_NO_SPAN;
			TRY(add_epoch(&made, event, err));
		} else if (epochs->are_pieces) {
			TRY(cut_span(event, epochs->to_s, pieces, rate_hz, &made, err));
		} else {
			TRY(take_span(event, pieces, rate_hz, &made, err));
		}
	}
	clpac__free(epochs->each);
	epochs->each = made.each;
	epochs->n = made.n;
	made.each = NULL;
	if (epochs->n)
		qsort(epochs->each, epochs->n, sizeof *epochs->each, by_onset);
done:
	clpac__free(made.each);
	return st;
}

/* Windows from the first sample of each piece on. */
static clpac_status slide(clpac__job_epochs *epochs, const clpac__job_segments *pieces, double rate_hz,
			  clpac_error *err)
{
	size_t most = 0;
	if (epochs->step_s * rate_hz < 1)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--sliding: at %g Hz a step of %g s is shorter than a sample",
			     rate_hz, epochs->step_s);
	for (int pass = 0; pass < 2; pass++) {
		if (pass && !(epochs->each = clpac__alloc_array(most + 1, sizeof *epochs->each)))
			RETURN_NO_MEMORY((most + 1) * sizeof *epochs->each);
		for (size_t p = 0; p < pieces->n; p++)
			for (size_t k = 0;; k++) {
				const double first = floor((double)k * epochs->step_s * rate_hz + 0.5);
				const clpac__job_segment *piece = &pieces->each[p];
				if (first + (double)epochs->n_samples > (double)piece->n_samples)
					break;
				most += !pass;
				if (pass)
					epochs->each[epochs->n++] =
						(clpac__job_epoch){.onset_s = piece->onset_s + first / rate_hz,
								   .text = "",
								   .start = piece->start + (size_t)first,
								   .n_samples = epochs->n_samples};
			}
	}
	if (!epochs->n)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--sliding: no piece of the recording is as long as %g s",
			     epochs->to_s);
	return CLPAC_OK;
}

/* Events of one condition at the same samples are one, and so is a span within another. */
static clpac_status drop_twins(clpac__job_epochs *epochs, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__job_epoch **last = clpac__alloc_array(epochs->n_conditions + 1, sizeof(const clpac__job_epoch *));
	size_t end = 0;
	if (!last)
		FAIL_NO_MEMORY((epochs->n_conditions + 1) * sizeof(const clpac__job_epoch *));
	for (size_t i = 0; i < epochs->n; i++) {
		clpac__job_epoch *own = &epochs->each[i];
		if (own->fate != CLPAC__EPOCH_USED)
			continue;
		const clpac__job_epoch *before = last[own->condition];
		if (before &&
		    (before->start == own->start || own->start + own->n_samples <= before->start + before->n_samples)) {
			own->fate = CLPAC__EPOCH_TWICE;
			continue;
		}
		last[own->condition] = own;
		epochs->n_overlapping += own->start < end;
		end = own->start + own->n_samples;
	}
done:
	clpac__free(last);
	return st;
}

clpac_status clpac__job_epochs_find(clpac__job_epochs *epochs, const clpac_recording *recording,
				    const clpac__chosen_channels *channels, const clpac__job_segments *pieces,
				    const clpac__analysis_settings *settings, clpac_error *err)
{
	const double n = floor((epochs->to_s - epochs->from_s) * channels->rate_hz + 0.5);
	if (!epochs->are_spans && (!(n >= 1) || n > (double)channels->n_samples))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "--%s %s: at %g Hz it has %.0f samples, and the recording has %zu",
			     epochs->are_sliding ? "sliding" : "window",
			     epochs->are_sliding ? settings->sliding : settings->window, channels->rate_hz, n,
			     channels->n_samples);
	epochs->n_samples = (size_t)n;
	if (epochs->are_sliding) {
		return slide(epochs, pieces, channels->rate_hz, err);
	}
	RETURN_IF_ERROR(find_events(epochs, recording, settings, err));
	if (epochs->are_spans || epochs->are_pieces)
		RETURN_IF_ERROR(take_spans(epochs, pieces, channels->rate_hz, err));
	for (size_t i = 0; i < epochs->n && !epochs->are_spans; i++)
		if (epochs->each[i].fate == CLPAC__EPOCH_USED)
			place(&epochs->each[i], epochs, pieces, channels->rate_hz);
	return drop_twins(epochs, err);
}

clpac_status clpac__job_epochs_name(const clpac__job_epochs *epochs, clpac_result *result, clpac_error *err)
{
	for (size_t i = 0; i < epochs->n_places && !epochs->are_sliding; i++) {
		const size_t place = epochs->places[i];
		const size_t condition = epochs->are_pooled ? place : epochs->each[place].condition;
		RETURN_IF_ERROR(clpac_result_set_condition(result, i, epochs->conditions[condition], err));
	}
	return CLPAC_OK;
}

/* --- Words -------------------------------------------------------------------------------------- */

const char *clpac__epoch_fate(const clpac__job_epoch *epoch)
{
	static const char *const words[] = {
		[CLPAC__EPOCH_USED] = "used",
		[CLPAC__EPOCH_OVER_END] = "over an end",
		[CLPAC__EPOCH_REJECTED] = "rejected",
		[CLPAC__EPOCH_TWICE] = "twice at one time",
		[CLPAC__EPOCH_NO_NUMBER] = "not a number",
		[CLPAC__EPOCH_FLAT] = clpac__flat_text,
		[CLPAC__EPOCH_SHORT] = "in a short stretch",
		[CLPAC__EPOCH_NEAR_END] = "too near an end",
		[CLPAC__EPOCH_NO_SPAN] = "without a duration",
		[CLPAC__EPOCH_BRIEF] = "shorter than a cycle",
	};
	_Static_assert(sizeof words / sizeof *words == CLPAC__FATE_COUNT, "a word for each fate");
	return epoch->cause ? epoch->cause : words[epoch->fate];
}

/* Adds "BAD_muscle 1, over an end 2": each cause once, with its number, in the order of the epochs. */
static void add_causes(const clpac__job_epochs *epochs, char text[CLPAC__EPOCHS_SIZE])
{
	size_t n_said = 0, n_others = 0;
	for (size_t i = 0; i < epochs->n; i++) {
		const char *own = clpac__epoch_fate(&epochs->each[i]);
		bool is_new = epochs->each[i].fate != CLPAC__EPOCH_USED;
		size_t count = 0;
		for (size_t k = 0; k < i && is_new; k++)
			is_new = strcmp(clpac__epoch_fate(&epochs->each[k]), own) != 0;
		for (size_t k = i; k < epochs->n && is_new; k++)
			count += strcmp(clpac__epoch_fate(&epochs->each[k]), own) == 0;
		if (!is_new)
			continue;
		if (n_said >= MOST_SAID) {
			n_others += count;
			continue;
		}
		clpac__append(text, CLPAC__EPOCHS_SIZE, "%s%.60s %zu", n_said++ ? ", " : "; dropped: ", own, count);
	}
	if (n_others)
		clpac__append(text, CLPAC__EPOCHS_SIZE, ", others %zu", n_others);
}

void clpac__job_epochs_sentence(const clpac__job_epochs *epochs, char text[CLPAC__EPOCHS_SIZE])
{
	size_t n_used = 0;
	*text = 0;
	if (!epochs->are_wanted)
		return;
	for (size_t i = 0; i < epochs->n; i++)
		n_used += epochs->each[i].fate == CLPAC__EPOCH_USED;
	clpac__append(text, CLPAC__EPOCHS_SIZE, "used %zu of %zu %s", n_used, epochs->n,
		      epochs->are_sliding ? "windows"
		      : epochs->are_spans ? "spans"
					  : "epochs");
	if (!epochs->are_spans)
		clpac__append(text, CLPAC__EPOCHS_SIZE, " of %.4g s", epochs->to_s - epochs->from_s);
	if (epochs->are_sliding) {
		clpac__append(text, CLPAC__EPOCHS_SIZE, ", one every %.4g s", epochs->step_s);
		add_causes(epochs, text);
		return;
	}
	clpac__append(text, CLPAC__EPOCHS_SIZE, " (");
	for (size_t c = 0; c < epochs->n_conditions && c <= MOST_SAID; c++) {
		size_t n = 0;
		for (size_t i = 0; i < epochs->n; i++)
			n += epochs->each[i].condition == c && epochs->each[i].fate == CLPAC__EPOCH_USED;
		if (c == MOST_SAID)
			clpac__append(text, CLPAC__EPOCHS_SIZE, ", and %zu conditions more", epochs->n_conditions - c);
		else
			clpac__append(text, CLPAC__EPOCHS_SIZE, "%s%.60s %zu", c ? ", " : "", epochs->conditions[c], n);
	}
	clpac__append(text, CLPAC__EPOCHS_SIZE, ")");
	add_causes(epochs, text);
	if (epochs->n_overlapping)
		clpac__append(text, CLPAC__EPOCHS_SIZE, "; %zu overlap the one before", epochs->n_overlapping);
}

void clpac__job_epochs_clear(clpac__job_epochs *epochs)
{
	for (size_t c = 0; c < epochs->n_conditions; c++)
		clpac__free(epochs->conditions[c]);
	FREE_ALL(epochs->conditions, epochs->each, epochs->places);
	*epochs = (clpac__job_epochs){0};
}
