/* Fuzzer's target: the table of channels beside a recording (BIDS).  The input is the table, applied to a recording
 * with channels of usual names. */
#include <string.h>

#include "fuzz/fuzz_input.h"
#include "recording/read/tables.h"

int FUZZ_TARGET(channels)(const uint8_t *data, size_t size)
{
	enum { N = 6 };
	static const char *const names[N] = {"Fz", "Cz", "EOG", "Cz", "a b", ""};
	clpac_error err = {0};
	clpac_recording *made = NULL;
	if (clpac_recording_create("made", &made, &err) != CLPAC_OK)
		return 0;
	for (size_t i = 0; i < N; i++)
		if (clpac_recording_add_channel(made, names[i], "uV", 100, 1, CLPAC_FLOAT32, NULL, &err) != CLPAC_OK)
			fuzz_broken(__FILE__, __LINE__, "a channel is added", err.text);
	const clpac_status st = clpac__channels_table_apply("x_channels.tsv", (const char *)data, size, made, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	FUZZ_LAW(st == CLPAC_OK || st == CLPAC_ERROR_NO_MEMORY);
	FUZZ_LAW(clpac_recording_n_channels(made) == N);
	for (size_t i = 0; i < N; i++) {
		const clpac_channel *channel = clpac_recording_channel(made, i);
		FUZZ_LAW((unsigned)channel->kind < CLPAC_KIND_COUNT);
		FUZZ_LAW(!channel->bad || *channel->bad);
		FUZZ_LAW(strcmp(channel->name, names[i]) == 0);
	}
	/* Both channels of one name are told the same. */
	FUZZ_LAW(clpac_recording_channel(made, 1)->kind == clpac_recording_channel(made, 3)->kind);
	clpac_recording_destroy(made);
	return 0;
}
