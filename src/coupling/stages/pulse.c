#include "coupling/stages/pulse.h"

#include "base/clock.h"

static const double between_s = 0.05;

static _Thread_local clpac__pulse *used;

clpac__pulse *clpac__pulse_use(clpac__pulse *pulse)
{
	clpac__pulse *before = used;
	used = pulse;
	return before;
}

clpac__pulse *clpac__pulse_used(void)
{
	return used;
}

bool clpac__pulse_beat(double share)
{
	clpac__pulse *pulse = used;
	if (!pulse)
		return true;
	const double now_s = clpac__clock_seconds();
	if (now_s - pulse->told_s < between_s)
		return true;
	pulse->told_s = now_s;
	used = NULL; /* who hears may launch something else */
	const bool goes_on = pulse->beat(pulse->user, share);
	used = pulse;
	return goes_on;
}

bool clpac__pulse_tell(bool (*progress)(void *user, size_t done, size_t total), void *user, size_t done, size_t total)
{
	clpac__pulse *before = clpac__pulse_use(NULL);
	const bool goes_on = progress(user, done, total);
	clpac__pulse_use(before);
	return goes_on;
}
