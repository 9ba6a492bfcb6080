/** @file cautions.h
 *  Reasons not to believe a result, looked for in its samples: waves whose harmonics look like coupling, jumps, and
 *  lines of the mains.
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
 *  CLPAC_HARMONIC is 1 in the cells that harmonics of the slow wave reach.  Sharp or asymmetric waves have fast parts
 * at one phase of theirs, and so an amplitude that follows it, without any fast oscillation (Kramer, Tort, Kopell 2008,
 * J Neurosci Methods 170:352).  A cell is marked where its amplitude band holds a multiple of the wave's frequency f,
 * and the bicoherence at (f, g - f) (Kim & Powers 1979, IEEE Trans. Plasma Sci. 7:120) is significant in each half
 * octave of g from the second harmonic 2 f up into that band, against windows whose phases are drawn anew: no draw of
 * 199 reaches that of the second harmonic, and p <= 0.05 for each other.  A nested oscillation leaves a gap below its
 * band, and none in it is marked.  Odd harmonics alone, as of a square wave, have no bicoherence with the wave, and are
 * not found.
 *
 *  CLPAC_ASYMMETRY is that of the cycles in phase bands that have such a cell, (rise - fall) / (rise + fall), from -1
 * to 1; NaN elsewhere.
 *
 *  Of a problem with stretches, jumps are looked for in each of them, and all else in the longest.  Windows change
 *  nothing here.
 *
 *  Of a problem with pairs, the waves are those of the channel whose amplitude is taken: a slow wave in it may well be
 * that of the channel whose phase is taken.  Jumps and lines are looked for in both.
 *
 *  Warnings: CLPAC_WARN_HARMONIC where marked cells have p_max <= 0.05 (without surrogates: where any cell is marked);
 *  CLPAC_WARN_JUMP for a range of more than 50 deviations within 1/4 s; CLPAC_WARN_MAINS for power 10 times that 2 to 4
 * Hz away at a multiple of 50 or 60 Hz inside a band in use.
 *
 *  @param result of this problem and these samples; gets both arrays, anew where all channels are given.
 *  @param problem the problem of the result; read, not kept.
 *  @param samples as for clpac_plan_run_samples; channels that are NULL are passed over, so that those of a long
 *         recording can be looked at some after the others.
 *  Errors: CLPAC_ERROR_ARGUMENT for a problem that cannot be computed or has another shape than the result;
 *  CLPAC_ERROR_NO_MEMORY.  Series with NaN or infinite samples, and constant ones, are passed over.
 *  Any thread; no other may use the result meanwhile.  The draws depend on seed and numbers of channel and segment
 * alone. Cost: about 1000 multiplications a sample where nothing is found, at a rate brought down to 4 times the
 * highest amplitude frequency; more where there are harmonics. */
clpac_status clpac_result_caution(clpac_result *result, const clpac_problem *problem, const clpac_samples *samples,
				  clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
