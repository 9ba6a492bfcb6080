/* Sidecars of a recording in a dataset of BIDS: A_eeg.json, by inheritance. */
#include "recording/read/tables.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "recording/json_text.h"
#include "recording/read/samples.h"
#include "recording/recording.h"

/* What a sidecar tells of a recording; 0: nothing. */
typedef struct facts {
	double rate_hz, mains_hz;
} facts;

static clpac_status read_facts(const char *path, facts *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *text = NULL;
	size_t n = 0;
	json_error_t wrong;
	*out = (facts){0};
	TRY(clpac__source_read_text(path, &text, &n, err));
	errno = 0;
	json_t *root = clpac__json_read(text, n, 0, &wrong);
	/* Jansson's parser takes a failed allocation for wrong syntax; errno tells them apart. */
	if (!root && errno == ENOMEM)
		FAIL_NO_MEMORY(n);
	if (!root)
		FAIL(CLPAC_ERROR_FORMAT, "%s: line %d: not JSON", path, wrong.line);
	out->rate_hz = json_number_value(json_object_get(root, "SamplingFrequency"));
	out->mains_hz = json_number_value(json_object_get(root, "PowerLineFrequency"));
	json_decref(root);
done:
	clpac__free(text);
	return st;
}

/* Warns of the first channel of the recording's highest rate, where that is not the one told. */
static clpac_status compare_rate(const char *path, double told_hz, clpac_recording *recording, clpac_error *err)
{
	double highest_hz = 0;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++)
		highest_hz = fmax(highest_hz, clpac_recording_channel(recording, i)->rate_hz);
	if (!(told_hz > 0) || !(highest_hz > 0) || fabs(told_hz - highest_hz) <= CLPAC__SAME_RATE * told_hz)
		return CLPAC_OK;
	return clpac_recording_warn(
		recording, err,
		"%s tells a SamplingFrequency of %.9g Hz, and the recording's file %.9g Hz, which is taken", path,
		told_hz, highest_hz);
}

clpac_status clpac__sidecars_check(const char *path, const char *root, clpac_recording *recording, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__inherited files = {0};
	char what[40];
	const char *name = clpac__name_of_path(path), *suffix = strrchr(name, '_');
	double told_hz = 0;
	suffix = suffix ? suffix + 1 : name;
	snprintf(what, sizeof what, "%.*s.json", (int)strcspn(suffix, "."), suffix);
	TRY(clpac__inherited_find(path, root, what, &files, err));
	/* Of each fact the nearest file that tells it counts. */
	for (size_t i = 0; i < files.n && !(told_hz > 0 && recording->mains_hz > 0); i++) {
		clpac_error why = {0};
		facts here;
		st = read_facts(files.paths[i], &here, &why);
		if (st == CLPAC_ERROR_NO_MEMORY)
			FAIL(st, "%s", why.text);
		if (st != CLPAC_OK)
			TRY(clpac_recording_warn(recording, err, "a sidecar is left out: %s", why.text));
		if (!(told_hz > 0))
			TRY(compare_rate(files.paths[i], told_hz = here.rate_hz, recording, err));
		if (!(recording->mains_hz > 0) && here.mains_hz > 0)
			recording->mains_hz = here.mains_hz;
	}
done:
	clpac__inherited_clear(&files);
	return st;
}
