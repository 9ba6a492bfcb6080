/* Fuzzer's target: .npy.  The input is the file. */
#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(npy)(const uint8_t *data, size_t size)
{
	fuzz_read_recording(fuzz_write("x.npy", data, size), &(clpac_read_options){.rate_hz = 256});
	return 0;
}
