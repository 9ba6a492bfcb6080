/* Fuzzer's target: BrainVision.  The input is header, markers and data with "@@@@" between them.  The recording is read
 * by its header and by its markers, and its checksum taken. */
#include "fuzz/fuzz_input.h"

int FUZZ_TARGET(brainvision)(const uint8_t *data, size_t size)
{
	const fuzz_piece head = fuzz_cut(&data, &size, "@@@@"), markers = fuzz_cut(&data, &size, "@@@@");
	const char *header = fuzz_write("x.vhdr", head.data, head.size);
	const char *beside = fuzz_write("x.vmrk", markers.data, markers.size);
	fuzz_write("x.eeg", data, size);
	fuzz_read_recording(header, NULL);
	fuzz_read_recording(beside, NULL);
	char checksum[65] = "";
	clpac_error err = {0};
	const clpac_status st = clpac_recording_checksum(header, NULL, checksum, &err);
	fuzz_outcome(st, &err, *checksum != 0);
	return 0;
}
