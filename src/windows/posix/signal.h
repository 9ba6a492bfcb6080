/* Signals that the console sends: control-C is SIGINT, control-break SIGTERM, and a console that closes SIGHUP.  They
 * are blocked in all threads once one blocks them, and wait until somebody takes them by sigwait. */
#ifndef CLPAC_WINDOWS_SIGNAL_H
#define CLPAC_WINDOWS_SIGNAL_H

#include_next <signal.h>
#include <pthread.h>
#include <pthread_signal.h>
#undef pthread_sigmask
#include "windows/posix/name.h"

#define SIGHUP 1
#define SIGPIPE 13 /* never sent */
#define SIGXFSZ 25 /* never sent */
#undef SIG_BLOCK
#define SIG_BLOCK 0
#define SIG_SETMASK 2

typedef unsigned long clpac__windows_signals;
#define sigset_t clpac__windows_signals

struct sigaction {
	void (*sa_handler)(int number);
};

int sigemptyset(sigset_t *set) CLPAC__WINDOWS(sigemptyset);
int sigfillset(sigset_t *set) CLPAC__WINDOWS(sigfillset);
int sigaddset(sigset_t *set, int number) CLPAC__WINDOWS(sigaddset);
int sigismember(const sigset_t *set, int number) CLPAC__WINDOWS(sigismember);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) CLPAC__WINDOWS(pthread_sigmask);
int sigpending(sigset_t *set) CLPAC__WINDOWS(sigpending);
int sigwait(const sigset_t *set, int *number) CLPAC__WINDOWS(sigwait);
/* The action that there is: the default. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before) CLPAC__WINDOWS(sigaction);

#endif
