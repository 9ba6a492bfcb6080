/* Fuzzer's target: CSV.  The lowest bit of the input's first byte gives a rate; the rest is the file. */
#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(csv)(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	const clpac_read_options options = {.rate_hz = data[0] & 1 ? 256 : 0};
	fuzz_read_recording(fuzz_write("x.csv", data + 1, size - 1), &options);
	return 0;
}
