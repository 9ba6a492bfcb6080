/* Settings of an analysis: the words and numbers of its options, and where it tells how it goes. */
#ifndef CLPAC_ANALYSIS_SETTINGS_H
#define CLPAC_ANALYSIS_SETTINGS_H

#include <stdint.h>
#include <clpac/analysis.h>
#include "base/error.h"
#include "base/text.h"

enum { CLPAC__MOST_GIVEN = 96 };

/* Zero is "not given"; the code that uses a value fills in its default.  Texts and names are the caller's, as are those
 * of `given`, and must live as long. */
typedef struct clpac__analysis_settings {
	const char *input;	/* path of the recording */
	const char *bids_root;	/* of the dataset that it lies in; NULL: none */
	const char *other;	/* of the second of two results that are compared; NULL: there is one */
	bool is_one_of_several; /* the recording, whose results a group may compare */
	/* the recording */
	double rate_hz, resample_hz;
	const char *raw, *array, *channels, *segment, *events_from, *event_column, *annotations;
	double start_s, stop_s;
	const char *reject;
	bool keep_bad, keep_flat;
	const char *pairs, *phase_channels, *amplitude_channels;
	const char *events, *window, *sliding;
	bool pool;
	/* the method */
	const char *phase, *amplitude, *edge, *surrogates, *null, *shifts, *problem, *measure;
	uint64_t bins, seed;
	unsigned average, hilbert, ddof;
	double min_shift_s, cluster_share;
	bool keep_surrogates, drop_surrogates, keep_distributions, allow_narrow, gamma, share_shifts;
	unsigned family;
	/* a comparison of conditions or subjects, and trials */
	const char *conditions, *channel; /* lists, of the two conditions and of a result's channels */
	unsigned value, side;
	uint64_t permutations;
	bool paired, with; /* pairs of subjects; a second group */
	double step_s;
	/* a recording that is made */
	double seconds, phase_hz, amplitude_hz, strength, noise;
	uint64_t n_channels;
	unsigned driver;
	/* the computing */
	const char *device, *memory, *fft, *probe, *threads, *hold, *checkpoint;
	unsigned strategy;
	const char *shard; /* I/N */
	bool no_checksum, no_cautions;
	/* Names of the options that somebody chose, which tell 0 from nothing: "seed", "min-shift". */
	const char *given[CLPAC__MOST_GIVEN];
	size_t n_given;
	/* For records: the options that decide the numbers, in one line, and the words that asked for all of it. */
	const char *request;
	const char *const *words;
	size_t n_words;
	const clpac_analysis_sink *sink; /* NULL: nobody listens */
	bool keep_spectra;		 /* in the record, for a page about the result */
	clpac__text *told;		 /* the warnings, a line each, for the record; NULL: they are not kept */
} clpac__analysis_settings;

/* Whether an option of this name was chosen. */
bool clpac__analysis_is_given(const clpac__analysis_settings *settings, const char *name);

/* Tell the sink.  A text is cut at 8191 bytes. */
void clpac__analysis_warn(const clpac__analysis_settings *settings, size_t count, const char *format, ...)
	CLPAC__PRINTF(3, 4);
void clpac__analysis_note(const clpac__analysis_settings *settings, const char *text);
void clpac__analysis_keeps_parts(const clpac__analysis_settings *settings, bool keeps);
void clpac__analysis_has_finished(const clpac__analysis_settings *settings, bool has);
/* A clpac_progress_function of statistics; user is the settings, to whose sink it goes. */
bool clpac__analysis_permutations(void *user, size_t done, size_t total);
void clpac__analysis_phase(const clpac__analysis_settings *settings, const char *format, ...) CLPAC__PRINTF(2, 3);

#endif
