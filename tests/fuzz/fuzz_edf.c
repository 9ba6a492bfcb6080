/* Fuzzer's target: EDF, EDF+, BDF and BDF+.  The input is the file. */
#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(edf)(const uint8_t *data, size_t size)
{
	fuzz_read_recording(fuzz_write("x.edf", data, size), NULL);
	return 0;
}
