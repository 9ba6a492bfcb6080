/* Where an analysis tells how it goes: the functions of a caller, each nullable.  The analysis itself prints nothing.
 */
#ifndef CLPAC_ANALYSIS_SINK_H
#define CLPAC_ANALYSIS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"

/* How far a run is.  It computes in turns, some channels of some segments each. */
typedef struct clpac__analysis_progress {
	double before, part; /* in 0..1: the share of the run that is done before this turn, and this turn's share */
	size_t n_series;     /* of the whole run */
	size_t done, total;  /* of this turn */
} clpac__analysis_progress;

/* Texts are one line without an end of line, in UTF-8, and live until the function returns. */
typedef struct clpac__analysis_sink {
	void *user; /* of the caller, handed to each function */
	/* Something that may make the result wrong.  @param count how often it was met. */
	void (*warn)(void *user, size_t count, const char *text);
	/* Something to know that needs no attention. */
	void (*note)(void *user, const char *text);
	/* The work that begins now, as "reading a.edf", while no progress is known. */
	void (*phase)(void *user, const char *text);
	/* Returns false to end the run, which is CLPAC_ERROR_CANCELLED then.  May be called from any thread, by one at
	 * a time. */
	bool (*progress)(void *user, const clpac__analysis_progress *progress);
	/* Whether checkpoints are on disk, from which the same request goes on. */
	void (*keeps_parts)(void *user, bool keeps);
	/* Puts the caller's words for members and enumerators of clpac_problem in the place of those in an error. */
	void (*name_options)(void *user, clpac_error *err);
} clpac__analysis_sink;

#endif
