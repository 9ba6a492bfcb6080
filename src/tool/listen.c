#include "tool/commands.h"

#include "tool/console.h"
#include "tool/interrupt.h"
#include "tool/progress.h"

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

/* Progress that is known ends the phases. */
static bool show_progress(void *user, const clpac_analysis_progress *at)
{
	if (at->done)
		tool_phases_stop();
	tool_progress_show(user, at);
	return true;
}

static void keep_parts(void *user, bool keeps)
{
	(void)user;
	tool_interrupt_keeps_parts(keeps);
}

static void has_finished(void *user, bool has)
{
	(void)user;
	tool_interrupt_has_finished(has);
}

void tool_listen(tool_call *call)
{
	call->sink = (clpac_analysis_sink){.user = call,
					   .warn = warn,
					   .note = note,
					   .phase = phase,
					   .progress = show_progress,
					   .keeps_parts = keep_parts,
					   .has_finished = has_finished};
	call->values.analysis.sink = &call->sink;
}
