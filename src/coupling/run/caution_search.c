#include "coupling/run/caution_search.h"

#include <stdarg.h>
#include <stdio.h>

#include "coupling/data/result.h"

void clpac__caution_warn(clpac__caution_search *s, clpac_warning_kind kind, const char *format, ...)
{
	clpac_warning *warning = &clpac_result_report(s->result)->warnings[kind];
	if (!warning->count++) {
		va_list args;
		va_start(args, format);
		vsnprintf(warning->text, sizeof warning->text, format, args);
		va_end(args);
	}
}

const char *clpac__caution_name_of(const clpac__caution_search *s, size_t channel)
{
	const char *of_pair = s->by_channel.names ? s->by_channel.names[channel] : NULL;
	return of_pair ? of_pair : clpac_result_channel_name(s->result, channel);
}
