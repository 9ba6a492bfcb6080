/* Progress on standard error. */
#include "tool/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system.h"
#include "base/thread.h"
#include "tool/console.h"

static const double redraw_s = 0.1;	  /* as fast as the eye follows */
static const double patience_s = 0.3;	  /* a job that ends sooner shows no bar */
static const double phase_patience_s = 1; /* a phase that ends sooner is not said */
static const double least_share = 0.01;	  /* of the job: below it the time left is not estimated */
static const double share_slack = 1e-9;	  /* 0.7 * 10 is a little below 7 */
enum { BAR_WIDTH = 30 };

void tool_progress_expect(const tool_call *call)
{
	if (!call->values.quiet)
		tool_phases_start(call->command->name, phase_patience_s);
}

void tool_progress_start(tool_call *call, const char *place)
{
	const char *terminal = getenv("TERM");
	const double now = clpac__clock_seconds();
	call->progress =
		(tool_progress){.place = place,
				.is_terminal = isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0),
				.started_s = now,
				.drawn_s = now + patience_s - redraw_s};
}

/* Writes "0:07", "12:40" or "3:05:00". */
static void write_time(double seconds, char *text, size_t size)
{
	unsigned long s = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
	if (s >= 3600)
		snprintf(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, size, "%lu:%02lu", s / 60, s % 60);
}

/* Writes "12.4 series/s"; per minute or per hour where a series takes longer, since a rate below one says little. */
static void write_rate(double per_second, char *text, size_t size)
{
	if (per_second >= 1)
		snprintf(text, size, per_second < 999.5 ? "%.3g series/s" : "%.0f series/s", per_second);
	else if (per_second * 60 >= 1)
		snprintf(text, size, "%.3g series/min", per_second * 60);
	else
		snprintf(text, size, "%.3g series/h", per_second * 3600);
}

/* Writes "3 of 64 series, 4.1 series/s, 0:14 left"; without the count for a single series, and without rate for none.
 */
static void write_state(size_t of_run, double share, double elapsed_s, char *text, size_t size)
{
	char count[64] = "", left[32], rate[48];
	const double n_series = (double)of_run;
	if (of_run > 1)
		snprintf(count, sizeof count, "%.0f of %zu series, ", floor(share * n_series + share_slack), of_run);
	if (share < least_share) {
		snprintf(text, size, "%s-:-- left", count);
		return;
	}
	write_time(elapsed_s * (1 - share) / share, left, sizeof left);
	if (!of_run) {
		snprintf(text, size, "%s left", left);
		return;
	}
	write_rate(share * n_series / elapsed_s, rate, sizeof rate);
	snprintf(text, size, "%s%s, %s left", count, rate, left);
}

static void draw_bar(tool_call *call, double share, const char *state)
{
	tool_progress *progress = &call->progress;
	char bar[BAR_WIDTH + 1];
	int full = (int)(share * BAR_WIDTH);
	memset(bar, '#', (size_t)full);
	memset(bar + full, '.', (size_t)(BAR_WIDTH - full));
	bar[BAR_WIDTH] = 0;
	tool_style(stderr, TOOL_WIPED);
	tool_print(stderr, "clpac %s: %s%s[%s] %3d %%  %s", call->command->name, progress->place ? progress->place : "",
		   progress->place ? ": " : "", bar, (int)(share * 100), state);
	fflush(stderr);
	progress->is_drawn = true;
}

void tool_progress_show(tool_call *call, const clpac_analysis_progress *at)
{
	tool_progress *progress = &call->progress;
	if (call->values.quiet || at->total == 0)
		return;
	const double share = at->share < 0 ? 0 : at->share;
	double now = clpac__clock_seconds();
	char state[160];
	write_state(at->n_series, share, now - progress->started_s, state, sizeof state);
	int tenths = (int)(share * 10 + share_slack);
	if (progress->is_terminal && now - progress->drawn_s >= redraw_s) {
		progress->drawn_s = now;
		draw_bar(call, share, state);
	} else if (!progress->is_terminal && tenths > progress->tenths &&
		   (at->n_series || now - progress->started_s >= phase_patience_s)) {
		progress->tenths = tenths;
		tool_print(stderr, "clpac %s: %s%s%d %%, %s\n", call->command->name,
			   progress->place ? progress->place : "", progress->place ? ": " : "", tenths * 10, state);
	}
}

void tool_progress_end(tool_call *call)
{
	tool_phases_end();
	if (call->progress.is_drawn)
		tool_style(stderr, TOOL_WIPED);
	call->progress.is_drawn = false;
}

/* --- Phases ----------------------------------------------------------------------------------- */

/* Phases of a run, said by a thread of their own: the one that works may be inside a driver for a minute. */

enum { LONGEST = 400 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	clockid_t clock; /* of its timed waits */
	pthread_t thread;
	bool is_running; /* there is a thread; read and written by the thread of the run alone */
	bool is_over;
	const char *command;
	double patience_s;
	char phase[LONGEST]; /* "": none, or said already */
	struct timespec due;
} phases = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *say_phases(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&phases.lock);
	while (!phases.is_over) {
		const struct timespec due = phases.due;
		if (!*phases.phase) {
			pthread_cond_wait(&phases.changed, &phases.lock);
		} else if (pthread_cond_timedwait(&phases.changed, &phases.lock, &due) != 0 && *phases.phase &&
			   phases.due.tv_sec == due.tv_sec && phases.due.tv_nsec == due.tv_nsec && !phases.is_over) {
			tool_print(stderr, "clpac %s: %s\n", phases.command, phases.phase);
			phases.phase[0] = 0;
		}
	}
	pthread_mutex_unlock(&phases.lock);
	return NULL;
}

void tool_phases_start(const char *command, double patience_s)
{
	phases.command = command;
	phases.patience_s = patience_s;
	phases.is_over = false;
	phases.phase[0] = 0;
	if (clpac__condition_init(&phases.changed, &phases.clock) != 0)
		return;
	phases.is_running = clpac__thread_create(&phases.thread, CLPAC__LEAST_STACK, say_phases, NULL) == 0;
	if (!phases.is_running)
		pthread_cond_destroy(&phases.changed);
}

void tool_phase(const char *format, ...)
{
	if (!phases.is_running)
		return;
	va_list args;
	va_start(args, format);
	pthread_mutex_lock(&phases.lock);
	vsnprintf(phases.phase, sizeof phases.phase, format, args);
	clock_gettime(phases.clock, &phases.due);
	const time_t seconds = (time_t)phases.patience_s;
	phases.due.tv_sec += seconds;
	phases.due.tv_nsec += (long)((phases.patience_s - (double)seconds) * 1e9);
	if (phases.due.tv_nsec >= 1000000000) {
		phases.due.tv_sec++;
		phases.due.tv_nsec -= 1000000000;
	}
	pthread_cond_signal(&phases.changed);
	pthread_mutex_unlock(&phases.lock);
	va_end(args);
}

void tool_phases_stop(void)
{
	if (!phases.is_running)
		return;
	pthread_mutex_lock(&phases.lock);
	phases.is_over = true;
	phases.phase[0] = 0;
	pthread_cond_signal(&phases.changed);
	pthread_mutex_unlock(&phases.lock);
}

void tool_phases_end(void)
{
	if (!phases.is_running)
		return;
	tool_phases_stop();
	pthread_join(phases.thread, NULL);
	pthread_cond_destroy(&phases.changed);
	phases.is_running = false;
}
