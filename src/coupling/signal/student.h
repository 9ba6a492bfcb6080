/* Student's t distribution with a whole number of degrees of freedom. */
#ifndef CLPAC_COUPLING_SIGNAL_STUDENT_H
#define CLPAC_COUPLING_SIGNAL_STUDENT_H

#include <stddef.h>

/* The probability that t exceeds a value, for 1 or more degrees of freedom (Abramowitz & Stegun 1964, 26.7.3 and
 * 26.7.4: a finite sum for whole numbers of them).  Cost: half as many steps as degrees. */
double clpac__student_tail(double t, size_t degrees);

/* The t that is exceeded with a probability, above 0 and at most 1/2. */
double clpac__student_deviate(double probability, size_t degrees);

/* t of a correlation, and back: t = r sqrt(degrees / (1 - r^2)).  Both rise, so that either ranks alike. */
double clpac__t_of_correlation(double r, size_t degrees);
double clpac__correlation_of_t(double t, size_t degrees);

#endif
