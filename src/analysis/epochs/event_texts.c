#include "analysis/epochs/event_texts.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(((const clpac__event_text *)a)->text, ((const clpac__event_text *)b)->text);
}

static int by_count(const void *a, const void *b)
{
	const clpac__event_text *x = a, *y = b;
	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

clpac_status clpac__event_texts(const clpac_recording *recording, clpac__event_text **out, size_t *n, clpac_error *err)
{
	const size_t n_all = clpac_recording_n_annotations(recording);
	clpac__event_text *made;
	RETURN_IF_ERROR(NEW_ARRAY(made, n_all + 1));
	for (size_t i = 0; i < n_all; i++)
		made[i] = (clpac__event_text){clpac_recording_annotation(recording, i)->text, 1};
	qsort(made, n_all, sizeof *made, by_text);
	*n = 0;
	for (size_t i = 0; i < n_all; i++) {
		if (*n && strcmp(made[*n - 1].text, made[i].text) == 0)
			made[*n - 1].count++;
		else
			made[(*n)++] = made[i];
	}
	qsort(made, *n, sizeof *made, by_count);
	*out = made;
	return CLPAC_OK;
}
