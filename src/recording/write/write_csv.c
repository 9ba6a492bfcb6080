/* A result as CSV: a line per cell, for spreadsheets and scripts (RFC 4180, but lines end with a newline
 * alone).  Undefined values are NaN; z, p and p_max are empty in a result without surrogates. */
#include <clpac/write.h>

#include "base/inherited.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/text.h"
#include "recording/result_words.h"
#include "recording/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Buffered lines: one system call for many rows. */
struct lines {
	clpac__output *output;
	size_t length;
	char text[1 << 14];
};

static clpac_status flush(struct lines *lines, clpac_error *err)
{
	size_t length = lines->length;
	lines->length = 0;
	return clpac__output_write(lines->output, lines->text, length, err);
}

static clpac_status add(struct lines *lines, const char *text, size_t length, clpac_error *err)
{
	if (length > sizeof lines->text - lines->length)
		RETURN_IF_ERROR(flush(lines, err));
	if (length > sizeof lines->text) {
		RETURN_IF_ERROR(clpac__output_write(lines->output, text, length, err));
	} else {
		memcpy(lines->text + lines->length, text, length);
		lines->length += length;
	}
	return CLPAC_OK;
}

static clpac_status add_text(struct lines *lines, const char *text, clpac_error *err)
{
	return add(lines, text, strlen(text), err);
}

/* Adds a name as a field of CSV. */
static clpac_status add_name(struct lines *lines, const char *name, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	clpac__text_add_csv(&text, name);
	if (text.failed)
		FAIL_NO_MEMORY(strlen(name) + 1);
	TRY(add(lines, text.data ? text.data : "", text.length, err));
done:
	clpac__text_clear(&text);
	return st;
}

static clpac_status add_band(struct lines *lines, clpac_band band, clpac_error *err)
{
	char lo[CLPAC__NUMBER_SIZE], hi[CLPAC__NUMBER_SIZE], text[2 * CLPAC__NUMBER_SIZE + 3];
	clpac__write_number(band.lo_hz, lo);
	clpac__write_number(band.hi_hz, hi);
	snprintf(text, sizeof text, ",%s,%s", lo, hi);
	return add_text(lines, text, err);
}

static clpac_status add_value(struct lines *lines, const float *values, size_t i, clpac_error *err)
{
	char text[CLPAC__NUMBER_SIZE + 1] = ",";
	if (values)
		clpac__write_float(values[i], text + 1);
	return add_text(lines, text, err);
}

/* The last columns, in their order; empty where the result does not hold the array. */
static const clpac_array corrections[] = {CLPAC_Q_BH, CLPAC_Q_BY, CLPAC_P_GAMMA, CLPAC_P_CLUSTER};
enum { N_CORRECTED = sizeof corrections / sizeof *corrections };

/* The columns of a further measure, which stand behind those of the first.  The last eight, standardized statistics,
 * excesses and what comparisons have, the first measure has there, too. */
static const clpac_array of_further[] = {CLPAC_MI,	     CLPAC_Z,	   CLPAC_P,	    CLPAC_P_MAX,
					 CLPAC_Q_BH,	     CLPAC_Q_BY,   CLPAC_P_GAMMA,   CLPAC_P_CLUSTER,
					 CLPAC_STANDARDIZED, CLPAC_EXCESS, CLPAC_EXCESS_LO, CLPAC_EXCESS_HI,
					 CLPAC_EFFECT,	     CLPAC_T,	   CLPAC_RATIO,	    CLPAC_N_SUBJECTS};
enum { N_FURTHER = sizeof of_further / sizeof *of_further, N_BEHIND = 8 };

enum { N_OF_SUBJECT = 3 };

/* Columns of standardized statistics, comparisons of subjects, a result's further measures and what remains without the
 * shape of a wave, one for every array that it holds. */
struct columns {
	bool has_pairs;		       /* their channels, behind all others */
	const char *recording;	       /* its file's name; NULL: it has none, and there are no columns */
	char subject[64], session[64]; /* "sub-01", "ses-2", or "" */
	size_t n;
	const float *values[CLPAC_MEASURE_COUNT * N_FURTHER];
	char names[CLPAC_MEASURE_COUNT * N_FURTHER][CLPAC__ARRAY_NAME_SIZE];
};

/* The columns that tell rows of several tables apart; subject and session where the name or a folder tells them. */
static void find_subject(const char *input, struct columns *out)
{
	const char *slash = input ? strrchr(input, '/') : NULL;
	clpac__path_entity(input ? input : "", "sub-", out->subject, sizeof out->subject);
	clpac__path_entity(input ? input : "", "ses-", out->session, sizeof out->session);
	out->recording = slash ? slash + 1 : input;
}

static void find_columns(const clpac_result *result, struct columns *out)
{
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	const size_t n = clpac_result_measures(result, measures);
	out->n = 0;
	out->has_pairs = clpac__result_has_pairs(result);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i ? 0 : N_FURTHER - N_BEHIND; k < N_FURTHER; k++) {
			const float *values =
				clpac_result_array(clpac_result_of(result, measures[i]), of_further[k], NULL);
			if (!values)
				continue;
			clpac__array_name_of(measures[i], i == 0, of_further[k], out->names[out->n]);
			out->values[out->n++] = values;
		}
	const float *remaining = clpac_result_array(result, CLPAC_REMAINING, NULL);
	if (remaining) {
		snprintf(out->names[out->n], sizeof out->names[0], "%s", clpac_array_name(CLPAC_REMAINING));
		out->values[out->n++] = remaining;
	}
}

/* Whether the last two columns are there: condition and onset of each segment.  An onset that a pooled segment has not
 * is empty. */
static bool has_conditions(const clpac_result *result)
{
	return clpac_result_condition(result, 0) != NULL;
}

/* The rows of one channel and segment; `cell` runs on through the whole result. */
static clpac_status add_map(struct lines *lines, const clpac_result *result, const struct columns *columns,
			    size_t channel, size_t segment, size_t cell, clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	const clpac_band *phase_bands = clpac_result_phase_bands(result);
	const float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	const float *z = clpac_result_array(result, CLPAC_Z, NULL);
	const float *p = clpac_result_array(result, CLPAC_P, NULL);
	const float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	const float *phase = clpac_result_array(result, CLPAC_PREFERRED_PHASE, NULL);
	const float *vector = clpac_result_array(result, CLPAC_MEAN_VECTOR, NULL);
	const float *harmonic = clpac_result_array(result, CLPAC_HARMONIC, NULL);
	const uint8_t *valid = clpac_result_valid(result);
	const float *corrected[N_CORRECTED];
	for (size_t i = 0; i < N_CORRECTED; i++)
		corrected[i] = clpac_result_array(result, corrections[i], NULL);
	char number[32], null[CLPAC__NULL_TEXT_SIZE];
	clpac__null_text(result, null);
	snprintf(number, sizeof number, ",%zu", segment);
	const size_t series = channel * shape->n_segments + segment;
	char used[CLPAC__NUMBER_SIZE + 16] = ",";
	clpac__write_number(clpac_result_used_seconds(result)[series], used + 1);
	snprintf(used + strlen(used), 13, ",%u", (unsigned)clpac_result_n_stretches(result)[series]);
	const char *condition = clpac_result_condition(result, segment);
	char onset[CLPAC__NUMBER_SIZE + 1] = ",";
	if (!isnan(clpac_result_segment_onsets(result)[segment]))
		clpac__write_number(clpac_result_segment_onsets(result)[segment], onset + 1);
	for (size_t ph = 0; ph < shape->n_phase_bands; ph++) {
		for (size_t am = 0; am < shape->n_amplitude_bands; am++, cell++) {
			RETURN_IF_ERROR(add_name(lines, clpac_result_channel_name(result, channel), err));
			RETURN_IF_ERROR(add_text(lines, number, err));
			RETURN_IF_ERROR(add_band(lines, phase_bands[ph], err));
			RETURN_IF_ERROR(add_band(lines, clpac_result_cell_band(result, ph, am), err));
			RETURN_IF_ERROR(add_value(lines, mi, cell, err));
			RETURN_IF_ERROR(add_value(lines, z, cell, err));
			RETURN_IF_ERROR(add_value(lines, p, cell, err));
			RETURN_IF_ERROR(add_value(lines, p_max, cell, err));
			RETURN_IF_ERROR(add_value(lines, phase, cell, err));
			RETURN_IF_ERROR(add_value(lines, vector, cell, err));
			RETURN_IF_ERROR(add_text(lines, valid[ph * shape->n_amplitude_bands + am] ? ",1" : ",0", err));
			RETURN_IF_ERROR(add_value(lines, harmonic, cell, err));
			for (size_t i = 0; i < N_CORRECTED; i++)
				RETURN_IF_ERROR(add_value(lines, corrected[i], cell, err));
			RETURN_IF_ERROR(add_text(lines, ",", err));
			RETURN_IF_ERROR(add_text(lines, null, err));
			RETURN_IF_ERROR(add_text(lines, used, err));
			for (size_t i = 0; i < columns->n; i++)
				RETURN_IF_ERROR(add_value(lines, columns->values[i], cell, err));
			for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE && columns->has_pairs; use++) {
				RETURN_IF_ERROR(add_text(lines, ",", err));
				RETURN_IF_ERROR(add_name(lines, clpac_result_pair_channel(result, channel, use), err));
			}
			for (size_t i = 0; i < N_OF_SUBJECT && columns->recording; i++) {
				RETURN_IF_ERROR(add_text(lines, ",", err));
				RETURN_IF_ERROR(add_name(
					lines,
					(const char *[]){columns->recording, columns->subject, columns->session}[i],
					err));
			}
			if (has_conditions(result)) {
				RETURN_IF_ERROR(add_text(lines, ",", err));
				RETURN_IF_ERROR(add_name(lines, condition ? condition : "", err));
				RETURN_IF_ERROR(add_text(lines, onset, err));
			}
			RETURN_IF_ERROR(add_text(lines, "\n", err));
		}
	}
	return CLPAC_OK;
}

clpac_status clpac_result_write_csv(const clpac_result *result, const char *path, const clpac_write_options *options,
				    clpac_error *err)
{
	NEED(result, path);
	clpac_status st = CLPAC_OK;
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	size_t cells = shape->n_phase_bands * shape->n_amplitude_bands;
	struct lines lines = {.length = 0};
	struct columns columns;
	clpac_write_options own;
	TRY(clpac__take_sized(&own, options, clpac_write_options, err));
	TRY(clpac__output_open_way(path, &(clpac__output_way){own.overwrite, own.set, own.write, own.write_user},
				   &lines.output, err));
	TRY(add_text(&lines, "channel,segment,phase_lo_hz,phase_hi_hz,amplitude_lo_hz,amplitude_hi_hz,", err));
	TRY(add_text(&lines, clpac_measure_text(clpac_result_measure(result)), err));
	TRY(add_text(&lines,
		     ",z,p,p_max,preferred_phase_rad,mean_vector,valid,harmonic,q_bh,q_by,p_gamma,p_cluster,null,used_"
		     "s,n_stretches",
		     err));
	find_columns(result, &columns);
	find_subject(own.input_name, &columns);
	for (size_t i = 0; i < columns.n; i++) {
		TRY(add_text(&lines, ",", err));
		TRY(add_text(&lines, columns.names[i], err));
	}
	if (columns.has_pairs)
		TRY(add_text(&lines, ",phase_channel,amplitude_channel", err));
	if (columns.recording)
		TRY(add_text(&lines, ",recording,subject,session", err));
	if (has_conditions(result))
		TRY(add_text(&lines, ",condition,onset_s", err));
	TRY(add_text(&lines, "\n", err));
	for (size_t ch = 0; ch < shape->n_channels; ch++)
		for (size_t segment = 0; segment < shape->n_segments; segment++)
			TRY(add_map(&lines, result, &columns, ch, segment, (ch * shape->n_segments + segment) * cells,
				    err));
	TRY(flush(&lines, err));
	TRY(clpac__output_commit(lines.output, err));
done:
	clpac__output_discard(lines.output);
	return st;
}
