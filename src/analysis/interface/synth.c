/* Recordings that are made. */
#include <stdio.h>
#include <string.h>
#include <clpac/analysis.h>
#include "analysis/interface/analysis.h"
#include "analysis/interface/call.h"
#include "analysis/options/tables.h"
#include "analysis/synthetic.h"
#include "base/memory.h"

/* Sets the option of one word, `key=value`, which is changed and must live as long as the settings. */
static clpac_status read_word(clpac__analysis_settings *settings, char *word, clpac_error *err)
{
	static const clpac__option_group *const groups[] = {&clpac__options_synthetic, NULL};
	char *value = strchr(word, '=');
	if (!value)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%.60s needs a value: %.60s=...", word, word);
	*value++ = 0;
	const clpac__option *option = clpac__option_find(groups, word, NULL);
	if (!option) {
		const char *nearest = clpac__option_nearest(groups, word);
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "a recording that is made has no option %.60s%s%s", word,
			     nearest ? "; did you mean " : "", nearest ? nearest : "");
	}
	if (clpac__analysis_is_given(settings, option->name))
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "%s is there twice; leave one of them out", option->name);
	settings->given[settings->n_given++] = option->name;
	return clpac__option_set(option, value, settings, err);
}

static clpac_status make(const clpac__analysis_settings *settings, clpac_recording *to, clpac_error *err)
{
	clpac__synthetic signal;
	size_t n_channels, n_samples;
	RETURN_IF_ERROR(clpac__synthetic_read(settings, &signal, &n_channels, &n_samples, err));
	for (size_t c = 0; c < n_channels; c++) {
		char name[24];
		void *samples;
		snprintf(name, sizeof name, "%zu", c);
		RETURN_IF_ERROR(clpac_recording_add_channel(to, name, "", signal.rate_hz, n_samples, CLPAC_FLOAT32,
							    &samples, err));
		RETURN_IF_ERROR(clpac__synthetic_write(&signal, c, samples, n_samples, err));
	}
	return CLPAC_OK;
}

clpac_status clpac_analysis_synth(const char *text, clpac_recording **out, clpac_error *err)
{
	NEED(text, out);
	clpac_status st = CLPAC_OK;
	clpac__call own = {0};
	clpac_recording *made = NULL;
	char *copy = NULL, *rest, *word;
	TRY(NEW_COPY(copy, text));
	rest = copy;
	TRY(clpac__next_word(&rest, &word, err));
	while (word) {
		TRY(read_word(&own.settings, word, err));
		TRY(clpac__next_word(&rest, &word, err));
	}
	TRY(clpac_recording_create("synth", &made, err));
	TRY(make(&own.settings, made, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__free(copy);
	return clpac__call_close(&own, st, err);
}
