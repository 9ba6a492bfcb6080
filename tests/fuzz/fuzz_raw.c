/* Fuzzer's target: raw samples.  The input's first line is their description, as "f4:8"; the rest is the file. */
#include <stdlib.h>

#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(raw)(const uint8_t *data, size_t size)
{
	const fuzz_piece line = fuzz_cut(&data, &size, "\n");
	char *description = fuzz_text(line.data, line.size);
	const clpac_read_options options = {.raw = description, .rate_hz = 256};
	fuzz_read_recording(fuzz_write("x.raw", data, size), &options);
	free(description);
	return 0;
}
