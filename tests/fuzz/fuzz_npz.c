/* Fuzzer's target: recordings in .npz.  The lowest bit of the input's first byte asks for the array "data"; the next
 * one says whether the rest is the file, or members that are packed into one (random bytes in a packed file only break
 * its checksums). */
#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(npz)(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	const clpac_read_options options = {.array = data[0] & 1 ? "data" : NULL};
	const char *path =
		data[0] & 2 ? fuzz_write_zip("x.npz", data + 1, size - 1) : fuzz_write("x.npz", data + 1, size - 1);
	fuzz_read_recording(path, &options);
	return 0;
}
