/* Phases of a run, said by a thread of their own: the one that works may be inside a driver for a minute. */
#include "tool/phase.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/thread.h"
#include "tool/console.h"

enum { LONGEST = 400 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
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
	pthread_condattr_t attributes;
	phases.command = command;
	phases.patience_s = patience_s;
	phases.is_over = false;
	phases.phase[0] = 0;
	if (pthread_condattr_init(&attributes) != 0)
		return;
	/* A clock that nobody sets. */
	if (pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
	    pthread_cond_init(&phases.changed, &attributes) == 0) {
		phases.is_running = clpac__thread_create(&phases.thread, CLPAC__LEAST_STACK, say_phases, NULL) == 0;
		if (!phases.is_running)
			pthread_cond_destroy(&phases.changed);
	}
	pthread_condattr_destroy(&attributes);
}

void tool_phase(const char *format, ...)
{
	if (!phases.is_running)
		return;
	va_list args;
	va_start(args, format);
	pthread_mutex_lock(&phases.lock);
	vsnprintf(phases.phase, sizeof phases.phase, format, args);
	clock_gettime(CLOCK_MONOTONIC, &phases.due);
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
