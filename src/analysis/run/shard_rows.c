/* The rows of a shard, of which the job is left the parts. */
#include <string.h>
#include <clpac/problem.h>
#include "analysis/checkpoints/checkpoints.h"
#include "analysis/run/job.h"
#include "base/memory.h"

/* Leaves a part the rows that are in the shard: they follow each other. */
static void narrow(const clpac__job_shard *shard, clpac__job_part *part)
{
	size_t n, from = 0, behind;
	const size_t *rows = clpac__job_part_rows(part, &n);
	while (from < n && rows[from] < shard->first)
		from++;
	for (behind = from; behind < n && rows[behind] < shard->first + shard->n_rows;)
		behind++;
	if (part->pairs) {
		part->pairs += from;
		part->rows += from;
		part->n_pairs = behind - from;
	} else {
		part->channels += from;
		part->channel_numbers += from;
		part->n_channels = behind - from;
	}
}

/* Leaves the job the parts that have rows in the shard; one row of the first, where none has. */
static void narrow_parts(clpac__job_shard *shard, clpac__job_parts *parts)
{
	size_t n_left = 0, n_rows;
	for (size_t i = 0; i < parts->n; i++) {
		clpac__job_part part = shard->parts[i];
		narrow(shard, &part);
		clpac__job_part_rows(&part, &n_rows);
		if (!n_rows)
			continue;
		shard->part = n_left ? shard->part : i;
		parts->each[n_left++] = part;
	}
	shard->is_dead = n_left == 0;
	if (shard->is_dead) {
		parts->each[0] = shard->parts[0];
		if (parts->each[0].pairs)
			parts->each[0].n_pairs = 1;
		else
			parts->each[0].n_channels = 1;
	}
	parts->n = n_left ? n_left : 1;
}

static clpac_status write_problem(const clpac__job *job, char **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_problem_copy *complete = NULL;
	char *text = NULL;
	const clpac_problem problem = clpac__job_whole_problem(job);
	TRY(clpac_problem_complete(&problem, &complete, err));
	TRY(clpac_problem_write(clpac_problem_get(complete), &text, err));
	TRY(NEW_COPY(*out, text));
done:
	clpac_text_free(text);
	clpac_problem_destroy(complete);
	return st;
}

clpac_status clpac__job_take_shard(clpac__job *job, clpac_error *err)
{
	clpac__job_shard *shard = &job->shard;
	clpac__job_parts *parts = &job->parts;
	const clpac__shard_cut cut = {job->pairs.each, clpac__job_rows(job)};
	if (!shard->n)
		return CLPAC_OK;
	shard->n_all = cut.n_rows;
	shard->first = clpac__shard_first(&cut, shard->number, shard->n);
	shard->n_rows = clpac__shard_first(&cut, shard->number + 1, shard->n) - shard->first;
	if (!shard->n_rows)
		return CLPAC_OK;
	shard->input = job->settings->input;
	RETURN_IF_ERROR(write_problem(job, &shard->problem, err));
	if (!job->is_lent)
		RETURN_IF_ERROR(clpac__checkpoints_identify(job->settings, shard->recording, err));
	RETURN_IF_ERROR(NEW_ARRAY(shard->parts, parts->n));
	memcpy(shard->parts, parts->each, parts->n * sizeof *shard->parts);
	shard->n_parts = parts->n;
	narrow_parts(shard, parts);
	return CLPAC_OK;
}
