/* The console's events as signals that sigwait takes. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include <windows.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static sigset_t pending, blocked;
static bool is_listening;

enum { LONGEST_END_MS = 30000 };

static sigset_t bit_of(int number)
{
	return (sigset_t)1 << number;
}

/* In a thread that the system makes. */
static BOOL WINAPI take_event(DWORD event)
{
	const int number = event == CTRL_C_EVENT ? SIGINT : event == CTRL_BREAK_EVENT ? SIGTERM : SIGHUP;
	pthread_mutex_lock(&lock);
	const bool waits = blocked & bit_of(number);
	if (waits) {
		pending |= bit_of(number);
		pthread_cond_broadcast(&arrival);
	}
	pthread_mutex_unlock(&lock);
	/* When a console closes, the process ends as soon as this returns. */
	if (waits && number == SIGHUP)
		Sleep(LONGEST_END_MS);
	return waits;
}

int sigemptyset(sigset_t *set)
{
	*set = 0;
	return 0;
}

int sigfillset(sigset_t *set)
{
	*set = ~(sigset_t)0;
	return 0;
}

int sigaddset(sigset_t *set, int number)
{
	*set |= bit_of(number);
	return 0;
}

int sigismember(const sigset_t *set, int number)
{
	return (*set & bit_of(number)) != 0;
}

/* A thread's mask for a moment, all signals, changes nothing: no thread takes them but by sigwait. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	pthread_mutex_lock(&lock);
	if (before)
		*before = blocked;
	if (set && *set != ~(sigset_t)0)
		blocked = how == SIG_BLOCK ? blocked | *set : *set;
	const bool begins = blocked && !is_listening;
	is_listening |= begins;
	pthread_mutex_unlock(&lock);
	if (begins)
		SetConsoleCtrlHandler(take_event, TRUE);
	return 0;
}

int sigpending(sigset_t *set)
{
	pthread_mutex_lock(&lock);
	*set = pending;
	pthread_mutex_unlock(&lock);
	return 0;
}

int sigwait(const sigset_t *set, int *number)
{
	pthread_mutex_lock(&lock);
	while (!(pending & *set))
		pthread_cond_wait(&arrival, &lock);
	for (*number = 1; !(pending & *set & bit_of(*number));)
		++*number;
	pending &= ~bit_of(*number);
	pthread_mutex_unlock(&lock);
	return 0;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	(void)number;
	(void)action;
	if (before)
		before->sa_handler = SIG_DFL;
	return 0;
}

int pause(void)
{
	for (;;)
		Sleep(INFINITE);
}
