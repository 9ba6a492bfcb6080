/* Reports of several runs in one. */
#include "coupling/data/report.h"

#include <string.h>

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
