/* How far a run is: a bar with rate and time left on a terminal, a line per 10 % elsewhere, nothing when quiet. */
#ifndef CLPAC_TOOL_PROGRESS_H
#define CLPAC_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed but for the first members.  A run in several parts moves `before` and `part` along. */
typedef struct tool_progress {
	const char *command;
	bool is_quiet;
	size_t n_series;     /* of the whole job: the rate is told in series a second */
	double before, part; /* share of the job done before the part that reports, and the part's own share, in 0..1 */
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
