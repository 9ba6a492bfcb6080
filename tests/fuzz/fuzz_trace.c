/* Fuzzer's target: traces of a pool.  The input is the file.  A trace that can be read is turned into advice. */
#include <clpac/memory/trace.h>

#include "fuzz/fuzz_input.h"

static void take_advice(const clpac_trace *trace)
{
	clpac_advice advice = {0};
	clpac_error err = {0};
	char *text = NULL;
	clpac_status st = clpac_advice_from_trace(trace, 0, &advice, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	if (st == CLPAC_OK) {
		st = clpac_advice_text(&advice, &text, &err);
		fuzz_outcome(st, &err, text != NULL);
	}
	clpac_text_free(text);
	clpac_advice_free(&advice);
}

int FUZZ_TARGET(trace)(const uint8_t *data, size_t size)
{
	clpac_trace trace = {0};
	clpac_error err = {0};
	const clpac_status st = clpac_trace_read(fuzz_write("x.csv", data, size), &trace, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	for (size_t i = 0; i < trace.n; i++) {
		const clpac_trace_event *event = &trace.events[i];
		FUZZ_LAW(event->tag != NULL);
		FUZZ_LAW((unsigned)event->operation < CLPAC_TRACE_OPERATIONS);
		FUZZ_LAW((unsigned)event->outcome < CLPAC_TRACE_OUTCOMES);
		FUZZ_LAW(event->slot < trace.n_slots || event->slot == SIZE_MAX);
	}
	if (st == CLPAC_OK)
		take_advice(&trace);
	clpac_trace_free(&trace);
	return 0;
}
