#include "analysis/stretches/stretches.h"

#include <math.h>
#include "base/memory.h"

size_t clpac__sample_at(double seconds, double rate_hz, size_t most)
{
	const double sample = ceil(seconds * rate_hz - CLPAC__SAMPLE_SLACK);
	return sample > 0 ? sample < (double)most ? (size_t)sample : most : 0;
}

clpac_status clpac__stretches_add(clpac__stretches *to, clpac_window stretch, clpac_error *err)
{
	if (!stretch.n_samples)
		return CLPAC_OK;
	RETURN_IF_ERROR(ROOM_FOR_ONE(to->each, to->n, to->capacity, 4));
	to->each[to->n++] = stretch;
	return CLPAC_OK;
}

void clpac__stretches_clear(clpac__stretches *stretches)
{
	clpac__free(stretches->each);
	*stretches = (clpac__stretches){0};
}

clpac_status clpac__stretches_without(const clpac__stretches *list, size_t n_samples, clpac__stretches *out,
				      clpac_error *err)
{
	size_t at = 0;
	for (size_t i = 0; i < list->n; i++) {
		RETURN_IF_ERROR(clpac__stretches_add(out, (clpac_window){at, list->each[i].start - at}, err));
		at = list->each[i].start + list->each[i].n_samples;
	}
	return clpac__stretches_add(out, (clpac_window){at, n_samples - at}, err);
}

clpac_status clpac__stretches_common(const clpac__stretches *a, const clpac__stretches *b, clpac__stretches *out,
				     clpac_error *err)
{
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const clpac_window x = a->each[i], y = b->each[k];
		const size_t end_x = x.start + x.n_samples, end_y = y.start + y.n_samples;
		const size_t start = x.start > y.start ? x.start : y.start, end = end_x < end_y ? end_x : end_y;
		if (start < end)
			RETURN_IF_ERROR(clpac__stretches_add(out, (clpac_window){start, end - start}, err));
		if (end_x <= end_y)
			i++;
		if (end_y <= end_x)
			k++;
	}
	return CLPAC_OK;
}

/* The first of the gaps that ends behind sample `at`. */
static size_t first_gap(const clpac__stretches *gaps, size_t at)
{
	size_t first = 0, behind = gaps->n;
	while (first < behind) {
		const size_t middle = first + (behind - first) / 2;
		if (gaps->each[middle].start + gaps->each[middle].n_samples <= at)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
}

clpac_status clpac__stretches_finite(const clpac__stretches *stretches, const clpac__stretches *gaps, size_t start,
				     clpac__stretches *out, size_t *n_gaps, clpac_error *err)
{
	const clpac__stretches none = {0}, *bad = gaps ? gaps : &none;
	for (size_t i = 0; i < stretches->n; i++) {
		size_t at = stretches->each[i].start;
		const size_t end = at + stretches->each[i].n_samples;
		for (size_t g = first_gap(bad, start + at); g < bad->n && bad->each[g].start < start + end; g++) {
			const size_t from = bad->each[g].start > start + at ? bad->each[g].start - start : at;
			const size_t behind = bad->each[g].start + bad->each[g].n_samples - start;
			RETURN_IF_ERROR(clpac__stretches_add(out, (clpac_window){at, from - at}, err));
			at = behind < end ? behind : end;
			++*n_gaps;
		}
		RETURN_IF_ERROR(clpac__stretches_add(out, (clpac_window){at, end - at}, err));
	}
	return CLPAC_OK;
}

size_t clpac__stretches_keep_long(clpac__stretches *stretches, size_t least)
{
	const size_t before = stretches->n;
	clpac_window longest = {0, 0};
	stretches->n = 0;
	for (size_t i = 0; i < before; i++) {
		if (stretches->each[i].n_samples > longest.n_samples)
			longest = stretches->each[i];
		if (stretches->each[i].n_samples >= least)
			stretches->each[stretches->n++] = stretches->each[i];
	}
	if (!stretches->n && before)
		stretches->each[stretches->n++] = longest;
	return before - stretches->n;
}
