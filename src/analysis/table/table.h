/* Tables for statistics: results as CSV, a row for each cell or for each region of interest. */
#ifndef CLPAC_ANALYSIS_TABLE_TABLE_H
#define CLPAC_ANALYSIS_TABLE_TABLE_H

#include <clpac/result.h>
#include "base/text.h"

enum { CLPAC__REGION_NAME = 64 };

/* A region of interest: cells whose bands have their middles in these ranges, the ends included. */
typedef struct clpac__region {
	char name[CLPAC__REGION_NAME];
	clpac_band phase, amplitude;
} clpac__region;

typedef struct clpac__regions {
	clpac__region *each; /* owned */
	size_t n;	     /* 0: the table has the cells themselves */
	double alpha;	     /* cells of p_max up to this are significant */
} clpac__regions;

/* Reads "NAME=LO-HI,LO-HI,NAME=...": the range of phases first.
 * @param text NULL: no region.  @param alpha above 0 and at most 1; 0: 0.05.
 * @param[out] out zeroed; to be cleared in any case.
 * Errors: CLPAC_ERROR_ARGUMENT with the word and what is allowed. */
clpac_status clpac__regions_read(const char *text, double alpha, clpac__regions *out, clpac_error *err);
void clpac__regions_clear(clpac__regions *regions);

/* Adds the line of names: of regions, or of cells where there are none. */
void clpac__table_begin(const clpac__regions *regions, clpac__text *csv);

/* Adds the rows of a result.
 * @param name its path, for the columns result, subject, session, task and run.
 * Errors: CLPAC_ERROR_ARGUMENT for a region without a cell; CLPAC_ERROR_NO_MEMORY; CLPAC_ERROR_CANCELLED. */
clpac_status clpac__table_add(const clpac_result *result, const char *name, const clpac__regions *regions,
			      clpac__text *csv, clpac_error *err);

#endif
