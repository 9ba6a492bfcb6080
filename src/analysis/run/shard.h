/* --shard: one of several runs that share the channels of a recording, or its pairs.  Each opens the whole job, so that
 * all use the same samples, and computes its rows; clpac_analysis_merge makes the whole result of theirs. */
#ifndef CLPAC_ANALYSIS_RUN_SHARD_H
#define CLPAC_ANALYSIS_RUN_SHARD_H

#include <clpac/result.h>
#include "analysis/json_tree.h"
#include "analysis/settings.h"
#include "analysis/stretches/parts.h"

typedef struct clpac__job_shard {
	size_t number, n;	/* 2 of 7; n is 0 where the job is no shard */
	size_t first, n_rows;	/* of the whole job's: channels, or pairs */
	size_t n_all;		/* rows of the whole job */
	bool is_dead;		/* nothing of its rows is used; the job then has another row, for all but values */
	size_t part;		/* the first part of the whole job that it has rows of */
	clpac__job_part *parts; /* of the whole job, owned; what they point to is the job's */
	size_t n_parts;
	char *problem;	    /* of the whole job, owned */
	const char *input;  /* the recording, of the settings, and */
	char recording[65]; /* what tells it from others */
} clpac__job_shard;

/* Reads --shard, I/N.  Errors: CLPAC_ERROR_ARGUMENT. */
clpac_status clpac__shard_read(const clpac__analysis_settings *settings, size_t *number, size_t *n, clpac_error *err);

/* The member "shard" of a provenance holds what clpac_analysis_merge must know. */
void clpac__shard_record(const clpac__job_shard *shard, clpac__json_tree *json);

/* The rows of each shard: those of number i of n begin where i - 1 of n shares of the channels end, of pairs of the
 * channels whose phases they have. */
typedef struct clpac__shard_cut {
	const clpac_pair *pairs; /* NULL: rows are channels */
	size_t n_rows;
} clpac__shard_cut;
/* The first row of shard number `number`, from 1 on; all rows for n + 1. */
size_t clpac__shard_first(const clpac__shard_cut *cut, size_t number, size_t n);

#endif
