/** @file cautions.h
 *  Reasons not to believe a result, looked for in its samples: waves whose shape looks like coupling, jumps, lines of
 *  the mains, heartbeats and muscles.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_CAUTIONS_H
#define CLPAC_CAUTIONS_H

#include <clpac/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Looks for cautions in the samples of a result, marks its cells and adds warnings to its report.
 *
 *  CLPAC_REMAINING is, in each cell with p_max <= 0.05, the share of its coupling, which is what the modulation index
 * has above the mean of its surrogates, that remains when the shape of a slow wave is taken off the channel.  Sharp or
 * asymmetric waves, arcs and spikes have fast parts at one phase of theirs, and so an amplitude that follows it,
 * without any fast oscillation (Kramer, Tort, Kopell 2008, J Neurosci Methods 170:352).  Those parts have one form in
 * all cycles, up to size and delay; a nested oscillation begins anew in each.  So what of the amplitude band is whole
 * multiples of a wave's own phase is taken off; or the cycles of each wave that the channel's phase bands let through
 * are laid upon each other, aligned on what lies between the wave and the amplitude band, and what they share in that
 * band, above chance, is taken off every cycle; and the index is computed again with the same phases.  Near 1: the cell
 * owes nothing to the shape of a wave; near 0: it owes all.  The least counts, of all waves and of four ways; below a
 * half no further one is tried, nor one that left far more in the amplitude band before.  It does not grow or shrink
 * with the length of the recording, as a test would.  In a long one, evenly spread parts are looked at in which the
 * index of each of an amplitude band's cells stays 1.5 times its surrogates' mean above that; before those a third of
 * them, which is enough where it leaves all cells of a band alone or takes most of each; and where some of its cells
 * are marked and others not, all of the recording.  A channel with a heartbeat, a muscle or spikes is named for them,
 * and looked at once.  Without surrogates it is the share of the index itself, of the highest valid cell of each map.
 *
 *  CLPAC_HARMONIC is 1 in cells of which less than 0.75 remains, and 0 in all others that have a value.
 *
 *  CLPAC_ASYMMETRY is that of the cycles in phase bands that have such a cell, (rise - fall) / (rise + fall), from -1
 *  to 1; NaN elsewhere.
 *
 *  CLPAC_PHASE_PEAK_DB is, in phase bands with a cell of p_max <= 0.05, how far the spectrum's highest bin, or what
 *  passes the band's filter most strongly, rises above what falls with frequency around the band, in decibels: a filter
 * makes a phase of any noise (Aru et al. 2015, Curr Opin Neurobiol 31:51).  NaN elsewhere, and where a series has fewer
 * than four windows of 2 s or four cycles.
 *
 *  Of a problem with stretches, jumps are looked for in each of them, and all else in the longest.  Windows change
 *  nothing here.
 *
 *  Of a problem with pairs, waves and phases are those of the channel whose amplitude is taken: a slow wave in it may
 *  well be that of the channel whose phase is taken.  Peaks of the
 *  spectrum are looked for in the channel whose phase is taken, jumps and lines in both.
 *
 *  Warnings: CLPAC_WARN_HARMONIC where cells are marked; CLPAC_WARN_JUMP for a range of more than 50 deviations within
 *  1/4 s; CLPAC_WARN_MAINS for power 10 times that 2 to 4 Hz away at a multiple of 50 or 60 Hz, or of
 *  clpac_samples.mains_hz alone where that is known, inside a band in use.
 *  In channels with a significant cell also CLPAC_WARN_BEATS for spikes as regular as a heart's, CLPAC_WARN_SPIKES for
 * others, CLPAC_WARN_MUSCLE for bursts of noise in all amplitude bands at once, and CLPAC_WARN_ODD_HARMONICS for a wave
 * whose third harmonic is more than 8 % of it and whose second is next to nothing, as where it was cut off.
 * CLPAC_WARN_NO_PEAK counts channels none of whose coupled phase bands rises by 2 dB, or in short series by more than
 * chance makes.
 *
 *  Of windows that share an index and are shifted (CLPAC_NULL_SHIFTS), CLPAC_WARN_LOCKED in channels with a significant
 *  cell in whose bands the phase or the amplitude is the same in all windows, more than chance makes it: shifts take
 *  what is locked to events for coupling, CLPAC_NULL_TRIALS does not.
 *
 *  @param result of this problem and these samples; gets the four arrays, anew where all channels are given.
 *  @param problem the problem of the result; read, not kept.
 *  @param samples as for clpac_plan_run_samples; channels that are NULL are passed over, so that those of a long
 *         recording can be looked at some after the others.
 *  Errors: CLPAC_ERROR_ARGUMENT for a problem that cannot be computed or has another shape than the result;
 *  CLPAC_ERROR_NO_MEMORY.  Series with NaN or infinite samples, and constant ones, are passed over.
 *  Any thread; no other may use the result meanwhile.  Cost: a few multiplications a sample where no cell is
 *  significant; elsewhere, at a rate brought down to 4 times the highest amplitude frequency, some 50 for each
 * amplitude band that has such cells, in parts of the recording: 0.1 to 0.3 of a run with 200 surrogates, and 0.8 of it
 * in a minute of a train of spikes. */
clpac_status clpac_result_caution(clpac_result *result, const clpac_problem *problem, const clpac_samples *samples,
				  clpac_error *err);

/** The peaks of a series' spectrum in some bands, as CLPAC_PHASE_PEAK_DB has them where cells are coupled: what there
 * is of rhythms, before anything is coupled.
 *  @param x n_samples.
 *  @param bands n_bands, at least one, with filters of 3 cycles.
 *  @param[out] height_db n_bands, above what falls with frequency, in decibels; NaN where the series has fewer than
 * four windows of 2 s or of four cycles of the lowest band edge, or values that are not finite.
 *  @param[out] peak_hz n_bands, where they are.
 *  @param[out] least_db below which a peak is none.
 *  Errors: CLPAC_ERROR_ARGUMENT for no bands, or such as do not lie inside 0 and half the rate; CLPAC_ERROR_NO_MEMORY.
 *  Any thread.  Cost: some hundred multiplications for each sample of 256 windows at most. */
clpac_status clpac_signal_spectral_peaks(const double *x, size_t n_samples, double rate_hz, const clpac_band *bands,
					 size_t n_bands, double *height_db, double *peak_hz, double *least_db,
					 clpac_error *err);

/** The power density of a series by frequency: the mean over windows, each tapered by a Hann window (Welch 1967, IEEE
 * Trans. Audio Electroacoust. 15:70).
 *  @param windows (n_windows, length); the caller takes off means or trends.
 *  @param length even, with no factors but 2, 3 and 5.
 *  @param[out] density length / 2 values, one-sided: value i is at (i + 1) rate_hz / length, in squared units of the
 *         series per hertz.  A value that is not finite makes all of them so.
 *  Errors: CLPAC_ERROR_ARGUMENT for no windows, another length, or a rate that is not above 0; CLPAC_ERROR_NO_MEMORY;
 *  CLPAC_ERROR_CANCELLED.  Any thread.  Cost: some tens of multiplications a sample. */
clpac_status clpac_signal_spectrum(const double *windows, size_t n_windows, size_t length, double rate_hz,
				   double *density, clpac_error *err);

/** How many times the power of a series at a frequency, as that of the mains, exceeds the median of that 2 to 4 Hz
 * away: CLPAC_WARN_MAINS begins at 10.
 *  @param x n_samples.
 *  @param[out] height 0 where the series has fewer than four windows of 2 s or values that are not finite, or where
 *         line_hz + 4 lies above half the rate.
 *  Errors: CLPAC_ERROR_ARGUMENT for a rate or frequency that is not above 0; CLPAC_ERROR_NO_MEMORY.  Any thread.
 *  Cost: some hundred multiplications for each sample of 64 windows at most. */
clpac_status clpac_signal_line(const double *x, size_t n_samples, double rate_hz, double line_hz, double *height,
			       clpac_error *err);

/** What other sources than nerve cells have left in a series.  All 0 where nothing was found. */
typedef struct clpac_disturbances {
	size_t n_beats;		 /**< Spikes as regular as those of a heart: CLPAC_WARN_BEATS. */
	double beat_interval_s;	 /**< The median time between them. */
	double beat_deviations;	 /**< Their mean height, in deviations of what lies around them. */
	double burst_share;	 /**< Share of the series with bursts in all fast bands: CLPAC_WARN_MUSCLE. */
	double burst_times;	 /**< Their power, by the usual one. */
	size_t n_spikes;	 /**< Other spikes and edges: CLPAC_WARN_SPIKES; not looked for beside these two. */
	double spike_deviations; /**< Height of the highest. */
	double skewness;	 /**< Of what lies around small spikes, where it is above 0.25: CLPAC_WARN_SPIKES. */
	double third_harmonic; /**< Of a wave with odd harmonics alone, by its first: CLPAC_WARN_ODD_HARMONICS; below 0
				  where the wave is flattened. */
} clpac_disturbances;

/** Looks for spikes, heartbeats, bursts and odd harmonics in a series, as clpac_result_caution does in one that has
 * significant cells (doc/maths.md, Cautions).
 *  @param x n_samples; their mean does not matter.
 *  @param fast from the lowest to the highest frequency of the amplitude bands, in Hz.
 *  @param wave_hz the frequency of a slow wave whose harmonics are looked at; 0: none are.
 *  @param[out] out all 0 in a series that has values that are not finite, or is too short.
 *  Errors: CLPAC_ERROR_ARGUMENT for a rate that is not above 0, a band without width, or a frequency below 0;
 *  CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_CANCELLED.  Any thread.  Cost: some tens of multiplications a sample. */
clpac_status clpac_signal_disturbances(const double *x, size_t n_samples, double rate_hz, clpac_band fast,
				       double wave_hz, clpac_disturbances *out, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
