#include "oddities.h"

#include <math.h>

enum { PERIOD = 125 };

const char *oddity_text(oddity which)
{
	static const char *const texts[ODDITY_COUNT] = {"noise",
							"noise on a ramp",
							"noise on an offset",
							"noise behind a spike",
							"noise in few values",
							"noise that repeats itself"};
	return texts[which];
}

static double with(oddity which, const double *x, size_t t, size_t n, double unit)
{
	switch (which) {
	case ODDITY_RAMP:
		return x[t] + 1000 * unit * (double)t / (double)n;
	case ODDITY_OFFSET:
		return x[t] + 1e4 * unit;
	case ODDITY_FIRST_SAMPLE:
		return t ? x[t] : 1e5 * unit;
	case ODDITY_WHOLE_NUMBERS:
		return unit * rint(x[t] / unit);
	case ODDITY_REPEATS:
		return t < PERIOD ? x[t] : x[t % PERIOD] + 1e-6 * x[t];
	case ODDITY_NONE:
	case ODDITY_COUNT:
		break;
	}
	return x[t];
}

void add_oddity(oddity which, double *x, size_t n, double unit)
{
	for (size_t t = 0; t < n; t++)
		x[t] = with(which, x, t, n, unit);
}
