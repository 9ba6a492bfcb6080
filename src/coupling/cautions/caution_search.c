#include "coupling/cautions/caution_search.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

void clpac__caution_warn(clpac__caution_search *s, clpac_warning_kind kind, const char *format, ...)
{
	clpac_warning *warning = &clpac_result_report(s->result)->warnings[kind];
	if (!warning->count++) {
		va_list args;
		va_start(args, format);
		vsnprintf(warning->text, sizeof warning->text, format, args);
		va_end(args);
	}
}

const char *clpac__caution_name_of(const clpac__caution_search *s, size_t channel)
{
	const char *of_pair = s->by_channel.names ? s->by_channel.names[channel] : NULL;
	return of_pair ? of_pair : clpac_result_channel_name(s->result, channel);
}

/* --- Rows of a channel -------------------------------------------------------------------------- */

void clpac__caution_rows_clear(clpac__caution_rows *by)
{
	clpac__free(by->firsts);
	clpac__free(by->rows);
	clpac__free(by->names);
}

static size_t channel_of(clpac_pair pair, clpac_band_use use)
{
	return use == CLPAC_PHASE ? pair.phase : pair.amplitude;
}

clpac_status clpac__caution_rows_find(const clpac_problem *p, const clpac_result *result, clpac_band_use of,
				      clpac__caution_rows *by, clpac_error *err)
{
	const size_t n_rows = p->n_pairs;
	if (!p->pairs)
		return CLPAC_OK;
	RETURN_IF_ERROR(NEW_ARRAY(by->firsts, p->n_channels + 2));
	RETURN_IF_ERROR(NEW_ARRAY(by->rows, n_rows));
	RETURN_IF_ERROR(NEW_ARRAY(by->names, p->n_channels));
	/* firsts[c + 2] counts the rows of channel c, then firsts[c + 1] is where its next row goes. */
	for (size_t row = 0; row < n_rows; row++)
		by->firsts[channel_of(p->pairs[row], of) + 2]++;
	for (size_t c = 2; c < p->n_channels + 2; c++)
		by->firsts[c] += by->firsts[c - 1];
	for (size_t row = 0; row < n_rows; row++) {
		const clpac_pair pair = p->pairs[row];
		by->rows[by->firsts[channel_of(pair, of) + 1]++] = row;
		for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++) {
			const char **name = &by->names[channel_of(pair, use)];
			*name = *name ? *name : clpac_result_pair_channel(result, row, use);
		}
	}
	return CLPAC_OK;
}

size_t clpac__caution_rows_first(const clpac__caution_rows *by, size_t channel)
{
	return by->firsts ? by->firsts[channel] : channel;
}

size_t clpac__caution_row_at(const clpac__caution_rows *by, size_t i)
{
	return by->rows ? by->rows[i] : i;
}
