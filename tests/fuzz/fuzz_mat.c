/* Fuzzer's target: files of MATLAB, of versions 5 and 7.3, data sets of EEGLAB, and NWB.  The input's first byte
 * chooses the name; the rest is the file, beside which lie samples that a data set may name.  Its checksum is taken,
 * too. */
#include <unistd.h>

#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(mat)(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"x.set", "x.mat"};
	char checksum[65] = "";
	clpac_error err = {0};
	if (!size)
		return 0;
	fuzz_write("x.fdt", data, size);
	const char *path = fuzz_write(names[data[0] & 1], data + 1, size - 1);
	fuzz_read_recording(path, &(clpac_read_options){.array = data[0] & 2 ? "x" : NULL});
	const clpac_status st = clpac_recording_checksum(path, NULL, checksum, &err);
	fuzz_outcome(st, &err, *checksum != 0);
	unlink(path);
	return 0;
}
