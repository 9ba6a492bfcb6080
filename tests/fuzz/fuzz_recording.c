/* Fuzzer's target: a file whose format is to be found out.  The input's first byte chooses an ending of its name and
 * whether a rate is given; the rest is the file. */
#include <unistd.h>

#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(recording)(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"x.edf", "x.bdf", "x.csv", "x.npy", "x.npz", "x.vhdr", "x.txt", "x"};
	if (!size)
		return 0;
	const clpac_read_options options = {.rate_hz = data[0] & 8 ? 256 : 0};
	const char *path = fuzz_write(names[data[0] & 7], data + 1, size - 1);
	fuzz_read_recording(path, &options);
	unlink(path);
	return 0;
}
