#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

enum { MOST_NESTED = 16 };

/* Wishes from the outermost call to the innermost one; a signal sets all of them. */
static clpac_cancel *volatile wishes[MOST_NESTED];
static volatile sig_atomic_t n_wishes, n_signals;
static int counted_at_begin[MOST_NESTED];
static struct sigaction before; /* what SIGINT did, while n_wishes > 0 */

static void on_signal(int number, siginfo_t *info, void *context)
{
	n_signals = n_signals + 1;
	for (int i = 0; i < n_wishes; i++)
		clpac_cancel_set(wishes[i]);
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(number);
}

static bool is_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_signal;
}

bool clpac_py_interrupt_begin(clpac_cancel *cancel)
{
	struct sigaction now;
	const int n = n_wishes;
	if (n == MOST_NESTED || sigaction(SIGINT, NULL, &now) != 0)
		return false;
	if (!(now.sa_flags & SA_SIGINFO) && (now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL))
		return false;
	wishes[n] = cancel;
	counted_at_begin[n] = n_signals;
	n_wishes = n + 1;
	if (is_ours(&now))
		return true;
	before = now;
	now.sa_flags |= SA_SIGINFO;
	now.sa_sigaction = on_signal;
	if (sigaction(SIGINT, &now, NULL) == 0)
		return true;
	n_wishes = n;
	return false;
}

bool clpac_py_interrupt_end(void)
{
	struct sigaction now;
	const int n = n_wishes - 1;
	/* A handler that was set meanwhile, by a progress function, stays. */
	if (n == 0 && sigaction(SIGINT, NULL, &now) == 0 && is_ours(&now))
		sigaction(SIGINT, &before, NULL);
	n_wishes = n;
	return n_signals != counted_at_begin[n];
}
