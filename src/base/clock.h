/* Monotonic time, for profiles and progress. */
#ifndef CLPAC_BASE_CLOCK_H
#define CLPAC_BASE_CLOCK_H

double clpac__clock_seconds(void); /* from an arbitrary start */

#endif
