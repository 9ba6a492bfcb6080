/* Plays a trace that clpac_trace_begin recorded like a scenario. */
#include "bench/pool_bench.h"

#include <clpac/memory/trace.h>

#include <stdlib.h>

/* A refused request of the recording is made again, and released at once. */
static struct trace trace_of(const clpac_trace *read)
{
	struct trace t = {0};
	size_t *bytes = get_memory(read->n_slots, sizeof *bytes);
	for (size_t i = 0; i < read->n; i++) {
		const clpac_trace_event *event = &read->events[i];
		if (event->slot == SIZE_MAX) /* release of a buffer older than the trace */
			continue;
		if (event->operation == CLPAC_TRACE_RELEASE) {
			trace_add(&t, GIVE, event->slot, bytes[event->slot]);
			continue;
		}
		bytes[event->slot] = (size_t)event->bytes;
		trace_add(&t, TAKE, event->slot, (size_t)event->bytes);
		if (event->outcome == CLPAC_TRACE_REFUSED)
			trace_add(&t, GIVE, event->slot, (size_t)event->bytes);
	}
	trace_end(&t);
	free(bytes);
	return t;
}

void scenario_replay(const bench *b, const char *path)
{
	static const char *const baselines[] = {"raw", "bins16", "pow2"};
	clpac_error err;
	clpac_trace read;
	end_if(clpac_trace_read(path, &read, &err), &err);
	struct trace t = trace_of(&read);
	clpac_trace_free(&read);
	if (!t.n_timed)
		end("the trace holds no allocation");
	for (level level = L0; level <= L1; level++)
		for (size_t k = 0; k < sizeof baselines / sizeof *baselines; k++)
			contest_print(b, &(contest){"replay", "trace", baselines[k], level, &t, .wanted = NAN});
	trace_free(&t);
}
