#include "coupling/passes/used_samples.h"

#include <clpac/memory/buffer.h>

#include "base/memory.h"
#include "coupling/problem/problem.h"

static clpac_status write_stretches(const clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac_problem *p = plan->problem;
	const size_t n = clpac__problem_n_stretches(p), gap = clpac__staged_gap(p);
	uint32_t *ends = clpac__alloc_array(2 * n, sizeof *ends);
	size_t staged = 0;
	if (!ends)
		FAIL_NO_MEMORY(2 * n * sizeof *ends);
	for (size_t i = 0; i < n; i++) {
		const size_t length = clpac__problem_stretch(p, i).n_samples;
		ends[2 * i] = (uint32_t)staged;
		ends[2 * i + 1] = (uint32_t)(staged + length - 1);
		staged += length + gap;
	}
	TRY(clpac_buffer_write(plan->tensors[CLPAC__TENSOR_STRETCHES], 0, 2 * n * sizeof *ends, ends, err));
done:
	clpac__free(ends);
	return st;
}

static clpac_status write_sources(const clpac_plan *plan, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const clpac__layout *l = &plan->layout;
	clpac__pieces walk = clpac__pieces_begin(plan->problem);
	clpac__piece piece;
	uint32_t *sources;
	TRY(NEW_ARRAY(sources, l->kept));
	while (clpac__pieces_next(&walk, &piece))
		for (size_t t = 0; t < piece.n; t++)
			sources[piece.place + t] = (uint32_t)(piece.staged + t - l->begin);
	TRY(clpac_buffer_write(plan->tensors[CLPAC__TENSOR_SOURCES], 0, l->kept * sizeof *sources, sources, err));
done:
	clpac__free(sources);
	return st;
}

clpac_status clpac__used_write(const clpac_plan *plan, clpac_error *err)
{
	if (plan->layout.tap_stride)
		RETURN_IF_ERROR(write_stretches(plan, err));
	if (plan->layout.is_gathered)
		RETURN_IF_ERROR(write_sources(plan, err));
	return CLPAC_OK;
}

/* Windows may overlap, so that the first kept sample need not be the earliest. */
void clpac__used_range(const clpac_plan *plan, size_t from, size_t count, size_t *first, size_t *end)
{
	clpac__pieces walk = clpac__pieces_begin(plan->problem);
	clpac__piece piece;
	size_t begins = SIZE_MAX, ends = 0;
	while (clpac__pieces_next(&walk, &piece)) {
		const size_t a = clpac__larger(piece.place, from),
			     b = clpac__smaller(piece.place + piece.n, from + count);
		if (a >= b)
			continue;
		begins = clpac__smaller(begins, piece.staged + a - piece.place);
		ends = clpac__larger(ends, piece.staged + b - piece.place);
	}
	*first = begins - plan->layout.begin;
	*end = ends - plan->layout.begin;
}

void clpac__used_places(const clpac_plan *plan, size_t from, size_t count, size_t passed, size_t passed_end,
			size_t *first, size_t *end)
{
	const size_t begin = plan->layout.begin;
	clpac__pieces walk = clpac__pieces_begin(plan->problem);
	clpac__piece piece;
	*first = from + count;
	*end = from;
	while (clpac__pieces_next(&walk, &piece)) {
		const size_t a = clpac__larger(piece.staged, begin + passed);
		const size_t b = clpac__smaller(piece.staged + piece.n, begin + passed_end);
		if (a >= b)
			continue;
		*first = clpac__smaller(*first, clpac__larger(from, piece.place + a - piece.staged));
		*end = clpac__larger(*end, clpac__smaller(from + count, piece.place + b - piece.staged));
	}
}
