/* Progress of a run: a bar with rate and time left on a terminal, a line per 10 % elsewhere, nothing when quiet. */
#ifndef CLPAC_TOOL_PROGRESS_H
#define CLPAC_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set command, place, is_quiet and n_series, zero the rest.  A run in several parts sets `before` and `part` for each.
 */
typedef struct tool_progress {
	const char *command;
	const char *place; /* "file 2 of 40"; NULL: the only one */
	bool is_quiet;
	size_t n_series;     /* of the whole job; the rate is in series per second */
	double before, part; /* in 0..1: share of the job done before the current part, and share of that part */
	bool is_terminal, is_drawn;
	double started_s, drawn_s;
	int tenths; /* lines printed so far, off a terminal */
} tool_progress;

void tool_progress_start(tool_progress *progress);
/* A clpac_progress_function; user is the tool_progress.  Always returns true. */
bool tool_progress_report(void *user, size_t done, size_t total);
/* Takes the bar off the terminal. */
void tool_progress_end(tool_progress *progress);

#endif
