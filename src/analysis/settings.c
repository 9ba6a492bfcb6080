#include "analysis/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 8192 };

bool clpac__analysis_is_given(const clpac__analysis_settings *settings, const char *name)
{
	for (size_t i = 0; i < settings->n_given; i++)
		if (strcmp(settings->given[i], name) == 0)
			return true;
	return false;
}

void clpac__analysis_warn(const clpac__analysis_settings *settings, size_t count, const char *format, ...)
{
	const clpac_analysis_sink *sink = settings->sink;
	char text[LONGEST_TEXT];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (sink && sink->warn)
		sink->warn(sink->user, count, text);
	for (char *end = text; settings->told && (end = strchr(end, '\n')); end++)
		*end = ' ';
	if (settings->told)
		clpac__text_add(settings->told, "%s\n", text);
}

void clpac__analysis_note(const clpac__analysis_settings *settings, const char *text)
{
	const clpac_analysis_sink *sink = settings->sink;
	if (sink && sink->note)
		sink->note(sink->user, text);
}

void clpac__analysis_keeps_parts(const clpac__analysis_settings *settings, bool keeps)
{
	const clpac_analysis_sink *sink = settings->sink;
	if (sink && sink->keeps_parts)
		sink->keeps_parts(sink->user, keeps);
}

void clpac__analysis_has_finished(const clpac__analysis_settings *settings, bool has)
{
	const clpac_analysis_sink *sink = settings->sink;
	if (sink && sink->has_finished)
		sink->has_finished(sink->user, has);
}

bool clpac__analysis_permutations(void *user, size_t done, size_t total)
{
	const clpac_analysis_sink *sink = ((const clpac__analysis_settings *)user)->sink;
	return !sink || !sink->progress ||
	       sink->progress(sink->user, &(clpac_analysis_progress){.share = total ? (double)done / (double)total : 1,
								     .done = done,
								     .total = total});
}

void clpac__analysis_phase(const clpac__analysis_settings *settings, const char *format, ...)
{
	const clpac_analysis_sink *sink = settings->sink;
	char text[LONGEST_TEXT];
	va_list args;
	if (!sink || !sink->phase)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	sink->phase(sink->user, text);
}
