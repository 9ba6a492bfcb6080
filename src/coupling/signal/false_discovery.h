/* p adjusted for the rate of false discoveries, of values that a result holds. */
#ifndef CLPAC_COUPLING_SIGNAL_FALSE_DISCOVERY_H
#define CLPAC_COUPLING_SIGNAL_FALSE_DISCOVERY_H

#include <clpac/signal.h>
#include "base/error.h"

/* clpac_signal_false_discovery without its checks: what a device computed is passed on whatever it is. */
clpac_status clpac__false_discovery(const float *p, size_t n, clpac_discovery rule, float *q, clpac_error *err);

#endif
