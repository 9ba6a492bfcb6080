/* Reports of runs that make one result together. */
#ifndef CLPAC_COUPLING_DATA_REPORT_H
#define CLPAC_COUPLING_DATA_REPORT_H

#include <clpac/result.h>

/* Adds a report: parts run one after the other, so that times and counts add up and the highest peak counts. */
void clpac__report_add(clpac_report *to, const clpac_report *from);

#endif
