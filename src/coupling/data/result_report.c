/* Report of how a result was made: device, times, warnings, the filters of its bands, and the problem it answers. */
#include "coupling/data/result.h"

#include <string.h>

#include "base/memory.h"

clpac_report *clpac_result_report(const clpac_result *result)
{
	return result ? (clpac_report *)&clpac__result_whole(result)->report : NULL;
}

const clpac_band_report *clpac_result_band_reports(const clpac_result *result, size_t *n)
{
	if (!result) {
		if (n)
			*n = 0;
		return NULL;
	}
	result = clpac__result_whole(result);
	if (n)
		*n = result->n_band_reports;
	return result->band_reports;
}

clpac_status clpac_result_set_band_reports(clpac_result *result, const clpac_band_report *reports, size_t n,
					   clpac_error *err)
{
	NEED(result);
	NEED_AS(reports || !n, "reports");
	clpac_status st = CLPAC_OK;
	clpac_band_report *copies = NULL;
	double *taps = NULL;
	result = (clpac_result *)clpac__result_whole(result);
	size_t n_taps = 0;
	for (size_t i = 0; i < n; i++)
		if (!clpac__size_add(n_taps, reports[i].n_taps, &n_taps))
			FAIL(CLPAC_ERROR_ARGUMENT,
			     "result: band report %zu claims %zu taps, more than this computer can address", i,
			     reports[i].n_taps);
	TRY(NEW_ARRAY(copies, n));
	TRY(NEW_ARRAY(taps, n_taps));

	double *next = taps;
	for (size_t i = 0; i < n; i++) {
		copies[i] = reports[i];
		copies[i].taps = next;
		if (reports[i].n_taps)
			memcpy(next, reports[i].taps, reports[i].n_taps * sizeof *next);
		next += reports[i].n_taps;
	}
	FREE_ALL(result->band_reports, result->taps);
	result->band_reports = n ? copies : NULL;
	result->n_band_reports = n;
	result->taps = taps;
	if (n)
		copies = NULL;
	taps = NULL;
done:
	FREE_ALL(copies, taps);
	return st;
}

/* --- Texts -------------------------------------------------------------------------------------- */

static clpac_status set_text(char **member, const char *text, clpac_error *err)
{
	char *copy = clpac__strdup(text);
	if (!copy)
		RETURN_NO_MEMORY(strlen(text) + 1);
	clpac__free(*member);
	*member = copy;
	return CLPAC_OK;
}

static clpac_result *whole_of(clpac_result *result)
{
	return (clpac_result *)clpac__result_whole(result);
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

const char *clpac_result_problem(const clpac_result *result)
{
	return text_of(result ? clpac__result_whole(result)->problem : NULL);
}

clpac_status clpac_result_set_problem(clpac_result *result, const char *text, clpac_error *err)
{
	NEED(result, text);
	return set_text(&whole_of(result)->problem, text, err);
}

const char *clpac_result_sentence(const clpac_result *result)
{
	return text_of(result ? clpac__result_whole(result)->sentence : NULL);
}

clpac_status clpac_result_set_sentence(clpac_result *result, const char *text, clpac_error *err)
{
	NEED(result, text);
	return set_text(&whole_of(result)->sentence, text, err);
}

const char *clpac_result_provenance(const clpac_result *result)
{
	return text_of(result ? clpac__result_whole(result)->provenance : NULL);
}

clpac_status clpac_result_set_provenance(clpac_result *result, const char *text, clpac_error *err)
{
	NEED(result, text);
	return set_text(&whole_of(result)->provenance, text, err);
}

/* --- Reports added up ------------------------------------------------------------------------- */

/* Reports of several runs in one. */

/* Adds the shares of devices, which their selections tell apart.  Devices beyond CLPAC_MAX_DEVICES are left out. */
static void add_devices(clpac_report *to, const clpac_report *from)
{
	for (size_t i = 0; i < from->n_devices; i++) {
		const clpac_device_report *more = &from->devices[i];
		size_t at = 0;
		while (at < to->n_devices && strcmp(to->devices[at].selection, more->selection) != 0)
			at++;
		if (at == CLPAC_MAX_DEVICES)
			continue;
		clpac_device_report *sum = &to->devices[at];
		if (at == to->n_devices) {
			*sum = *more;
			to->n_devices++;
			continue;
		}
		sum->n_series += more->n_series;
		sum->n_batches += more->n_batches;
		sum->seconds += more->seconds;
		if (more->peak_bytes > sum->peak_bytes)
			sum->peak_bytes = more->peak_bytes;
		if (more->has_failed && !sum->has_failed)
			memcpy(sum->failure, more->failure, sizeof sum->failure);
		sum->has_failed |= more->has_failed;
	}
}

void clpac__report_add(clpac_report *to, const clpac_report *from)
{
	to->seconds += from->seconds;
	add_devices(to, from);
	to->n_series += from->n_series;
	to->n_cpu_fallbacks += from->n_cpu_fallbacks;
	if (!to->n_steps)
		memcpy(to->steps, from->steps, sizeof to->steps);
	to->n_steps += from->n_steps;
	to->n_overflowing_series += from->n_overflowing_series;
	to->n_phase_filterings += from->n_phase_filterings;
	to->n_amplitude_filterings += from->n_amplitude_filterings;
	if (from->channel_bytes > to->channel_bytes)
		to->channel_bytes = from->channel_bytes;
	to->n_channel_moves += from->n_channel_moves;
	to->n_channel_returns += from->n_channel_returns;
	if (from->peak_bytes > to->peak_bytes)
		to->peak_bytes = from->peak_bytes;
	for (size_t i = 0; i < from->n_stages && i < to->n_stages; i++)
		to->stages[i].seconds += from->stages[i].seconds;
	for (int k = 0; k < CLPAC_WARN_KIND_COUNT; k++) {
		if (to->warnings[k].count == 0)
			to->warnings[k] = from->warnings[k];
		else
			to->warnings[k].count += from->warnings[k].count;
	}
}
