#include "tool/listen.h"

#include "tool/console.h"
#include "tool/option_words.h"
#include "tool/phase.h"

static void warn(void *user, size_t count, const char *text)
{
	tool_warn(user, count, "%s", text);
}

static void note(void *user, const char *text)
{
	tool_note(user, text);
}

static void phase(void *user, const char *text)
{
	(void)user;
	tool_phase("%s", text);
}

static void name_options(void *user, clpac_error *err)
{
	(void)user;
	tool_name_options(err);
}

void tool_listen(tool_call *call)
{
	call->sink = (clpac__analysis_sink){
		.user = call, .warn = warn, .note = note, .phase = phase, .name_options = name_options};
	call->values.analysis.sink = &call->sink;
}
