/** @file bands.h
 *  Frequency bands: of numbers, and from text.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_BANDS_H
#define CLPAC_BANDS_H

#include <stdbool.h>
#include <stddef.h>

#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A frequency band, 0 < lo_hz < hi_hz < rate/2. */
typedef struct clpac_band {
	double lo_hz, hi_hz;
} clpac_band;

/** Use of a band's signal, which decides the default width and filter order. */
typedef enum clpac_band_use { CLPAC_PHASE = 0, CLPAC_AMPLITUDE } clpac_band_use;

/** "phase", "amplitude".  Never NULL; "" for an unknown number.  Any thread. */
const char *clpac_band_use_text(clpac_band_use use);

/** Whether a cell of these two bands can tell of coupling: its amplitude band reaches at least the phase band's centre
 *  above and below its own, so that it passes both side bands of a modulation, but for 5e-6 of the upper edges, which
 *  six printed digits leave open; and the two bands do not overlap, since a signal is coupled with itself.  A cell that
 *  is not valid is computed like any other, but it is never a peak and no part of the family of p_max, unless
 *  allow_narrow is set.  False for a band whose edges are not in order.  Any thread. */
bool clpac_cell_is_valid(clpac_band phase, clpac_band amplitude);

/** What ranges of bands are completed with. */
typedef struct clpac_bands_rule {
	size_t size;		       /**< sizeof(clpac_bands_rule), or 0: the members of clpac 0.1. */
	double rate_hz;		       /**< Bands of a range at or above half of it are left out; 0: not known. */
	const clpac_band *phase_bands; /**< What amplitude bands are to carry; NULL: 2:20:10. */
	size_t n_phase_bands;
	const char *prefix; /**< Stands before "phase" and "amplitude" in errors: "--" for options; NULL: nothing. */
	/** Set to whether the text ends in /tied, which the caller passes on as tied_amplitudes.  NULL: such a range is
	 * refused. */
	bool *is_tied;
} clpac_bands_rule;

/** Reads bands from text: "2:20:10" (ten linear centres 2..20 Hz), "2:20:10:log" (logarithmic centres), "4:20:9/2"
 *  (constant width 2 Hz), "60:160:10/tied" (amplitude bands as wide as each phase band needs), "4-8,8-13,13-30"
 *  (explicit edges in Hz).
 *  A range without a width has phase bands of width centre/2.  Its amplitude bands are as wide as twice the highest
 *  centre of the phase bands (40 Hz for 2:20:10), so that each passes both side bands of every phase frequency.
 *  Bands of a range that do not lie above 0 Hz and below half the sampling rate are left out.  Explicit edges are taken
 *  as they are.
 *  A tied range gives each amplitude band the width for the lowest phase band, its narrowest; clpac_problem has the
 *  widths of the cells.  A centre is thus left out where it fits for no phase band, and where it fits for some, the
 *  other cells have no value.
 *  @param text NULL: the default bands, "2:20:10" for phase and "60:160:10" for amplitude.
 *  @param rule NULL: all members 0.
 *  @param[out] bands n bands, the caller's to free with clpac_bands_free.
 *  @param[out] left_out one line that says which bands were left out, and of a tied range how many cells have no value,
 *  and why, the caller's to free with clpac_text_free; NULL if there are none.  NULL: not wanted.
 *  Errors: CLPAC_ERROR_ARGUMENT, which quotes the text that is wrong, or, if no band of a range fits, names ranges that
 *  do; CLPAC_ERROR_NO_MEMORY.  Any thread. */
clpac_status clpac_bands_read(const char *text, clpac_band_use use, const clpac_bands_rule *rule, clpac_band **bands,
			      size_t *n, char **left_out, clpac_error *err);
/** Frees bands of clpac_bands_read.  NULL is fine. */
void clpac_bands_free(clpac_band *bands);

#ifdef __cplusplus
}
#endif
#endif
