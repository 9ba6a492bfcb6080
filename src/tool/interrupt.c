/* Interruptions: one thread waits for the signals, which every other thread of the process blocks.  A handler would
 * not do, because drivers replace it by their own.  LLVM, which PoCL loads, takes SIGINT and SIGHUP with SA_RESETHAND:
 * a second signal then found the default action while the first was handled, and killed the process before its files
 * were removed.  Two threads in one handler also race: the first to finish ends the process under the other.
 *
 * The waiting thread cancels what the main thread computes (clpac/memory/cancel.h), and ends the process when that has
 * come back, or after a moment: a driver that compiles for seconds does not delay the end.  Finished series that are in
 * no file are waited for; a run that is past its computing writes its result. */
#include "tool/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <clpac/memory/cancel.h>
#include "base/system.h"
#include "base/thread.h"
#include "tool/claim.h"
#include "tool/commands.h"

/* A set of files that is being put in place is waited for: half a set is worse than a late end.  A dead network may
 * hold it for ever.  Schedulers of clusters kill what is still there some 30 s after SIGTERM. */
enum { LONGEST_COMMIT_S = 10, LONGEST_WRITING_MS = 20000, LOOK_MS = 10 };

/* A cancelled call that has nothing to write ends within a tenth of a second. */
enum { LONGEST_CALL_MS = 500 };

static const char *command_name = "";
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static sigset_t watched;

static clpac_cancel *cancel; /* of the main thread, which alone makes and destroys it, with cancel_lock held */
static pthread_mutex_t cancel_lock = PTHREAD_MUTEX_INITIALIZER;

/* Held while a set is put in place; the thread that ends the process takes it and never gives it back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_complete;
static atomic_size_t n_results;	 /* of recordings before the one being worked on */
static atomic_bool keeps_parts;	 /* finished channels of this one are kept */
static atomic_bool has_finished; /* some are in no file yet */
static atomic_bool is_waiting;	 /* an interruption came, and the main thread may come to its end */
static atomic_bool has_stopped;	 /* it has */
static atomic_bool is_ending;

static void say(const char *text)
{
	/* Nothing is left to do for a standard error that is closed. */
	ssize_t n = write(STDERR_FILENO, text, strlen(text));
	(void)n;
}

/* Whether a second interruption came.  All threads block the signals, so that it stays pending. */
static bool is_impatient(void)
{
	sigset_t pending;
	bool is_pending = false;
	if (sigpending(&pending) != 0)
		return false;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		is_pending |= sigismember(&watched, signals[i]) == 1 && sigismember(&pending, signals[i]) == 1;
	return is_pending;
}

/* Lets the main thread end its call, and write what is finished. */
static void let_end(void)
{
	const struct timespec moment = {0, LOOK_MS * 1000000L};
	atomic_store(&is_waiting, true);
	pthread_mutex_lock(&cancel_lock);
	clpac_cancel_set(cancel);
	pthread_mutex_unlock(&cancel_lock);
	for (int waited_ms = 0; waited_ms < LONGEST_WRITING_MS; waited_ms += LOOK_MS) {
		if (atomic_load(&has_stopped) || is_impatient())
			return;
		if (!atomic_load(&has_finished) && waited_ms >= LONGEST_CALL_MS)
			return;
		nanosleep(&moment, NULL);
	}
}

static void *wait_for_signal(void *unused)
{
	int number;
	(void)unused;
	while (sigwait(&watched, &number) != 0)
		;
	let_end();
	clpac__lock_within(&lock, LONGEST_COMMIT_S);
	atomic_store(&is_ending, true);
	clpac_output_abandon();
	tool_claim_abandon();
	/* A progress bar may stand on the line. */
	say(isatty(STDERR_FILENO) ? "\r\033[Kclpac " : "clpac ");
	say(command_name);
	say(": interrupted; ");
	const size_t n_before = atomic_load(&n_results) + atomic_load(&is_complete);
	char text[80];
	if (n_before && !(n_before == 1 && atomic_load(&is_complete))) {
		snprintf(text, sizeof text, "the results of %zu recordings are complete, ", n_before);
		say(text);
	}
	say(atomic_load(&is_complete)	? "its files were complete already\n"
	    : atomic_load(&keeps_parts) ? "finished channels are kept: the same command goes on from them\n"
	    : n_before			? "no other file is left\n"
					: "no new file is left\n");
	_exit(TOOL_EXIT_SIGNAL + number);
}

clpac_status tool_interrupt_watch(const char *command, clpac_error *err)
{
	sigset_t blocked, before;
	pthread_t thread;
	bool is_any_watched = false;
	command_name = command;
	pthread_mutex_lock(&cancel_lock);
	const clpac_status st = cancel ? CLPAC_OK : clpac_cancel_create(&cancel, err);
	pthread_mutex_unlock(&cancel_lock);
	RETURN_IF_ERROR(st);
	sigemptyset(&watched);
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action;
		sigaddset(&blocked, signals[i]);
		/* A signal that nohup or a shell's background job ignores stays ignored, and is blocked too because a
		 * driver's handler would switch it on again. */
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			continue;
		sigaddset(&watched, signals[i]);
		is_any_watched = true;
	}
	/* Threads created from here on, drivers' threads among them, inherit the mask. */
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	int code = is_any_watched ? clpac__thread_create(&thread, CLPAC__LEAST_STACK, wait_for_signal, NULL) : 0;
	if (code) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY,
			     "no thread can be started to wait for interruptions (%s); end other processes or raise "
			     "the limit "
			     "(ulimit -u)",
			     strerror(code));
	}
	if (is_any_watched)
		pthread_detach(thread);
	clpac_cancel_use(cancel);
	return CLPAC_OK;
}

void tool_interrupt_let_end(void)
{
	atomic_store(&has_stopped, true);
	while (atomic_load(&is_waiting) || atomic_load(&is_ending))
		pause();
	atomic_store(&has_stopped, false);
}

void tool_interrupt_end(void)
{
	tool_interrupt_let_end();
	clpac_cancel_use(NULL);
	pthread_mutex_lock(&cancel_lock);
	clpac_cancel_destroy(cancel);
	cancel = NULL;
	pthread_mutex_unlock(&cancel_lock);
}

void tool_interrupt_next(void)
{
	pthread_mutex_lock(&lock);
	n_results += atomic_load(&is_complete);
	atomic_store(&is_complete, false);
	pthread_mutex_unlock(&lock);
}

void tool_interrupt_keeps_parts(bool keeps)
{
	atomic_store(&keeps_parts, keeps);
}

void tool_interrupt_has_finished(bool has)
{
	atomic_store(&has_finished, has);
}

void tool_interrupt_hold(void)
{
	if (atomic_load(&has_finished))
		clpac_cancel_use(NULL);
}

void tool_interrupt_release(void)
{
	atomic_store(&has_finished, false);
	clpac_cancel_use(cancel);
}

clpac_status tool_interrupt_commit(clpac_output_set *set, clpac_error *err)
{
	pthread_mutex_lock(&lock);
	clpac_status st = clpac_output_set_commit(set, err);
	atomic_store(&is_complete, st == CLPAC_OK);
	if (st == CLPAC_OK)
		atomic_store(&has_finished, false);
	pthread_mutex_unlock(&lock);
	return st;
}
