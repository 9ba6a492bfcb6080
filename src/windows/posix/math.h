#ifndef CLPAC_WINDOWS_MATH_H
#define CLPAC_WINDOWS_MATH_H

#include_next <math.h>
#include "windows/posix/name.h"

/* The logarithm of the gamma function of x above 0, whose sign is 1. */
double lgamma_r(double x, int *sign) CLPAC__WINDOWS(lgamma_r);

#endif
