/* Fuzzer's target: results.  The lowest bit of the input's first byte says whether the rest is the .npz, or members
 * that are packed into one.  What can be read is written in every format, and read again. */
#include "fuzz/fuzz_input.h"

#include <clpac/result.h>
#include <clpac/write.h>

static void write_again(const clpac_result *result)
{
	clpac_error err = {0};
	const clpac_write_options options = {.overwrite = true, .input_name = "x"};
	clpac_result *again = NULL;
	clpac_status st = clpac_result_write_csv(result, fuzz_path("o.csv"), &options, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	st = clpac_result_write_json(result, fuzz_path("o.json"), &options, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	st = clpac_result_write_npz(result, fuzz_path("o.npz"), &options, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	if (st == CLPAC_OK && clpac_result_read_npz(fuzz_path("o.npz"), &again, &err) != CLPAC_OK)
		fuzz_broken(__FILE__, __LINE__, "what was written is read", err.text);
	clpac_result_destroy(again);
}

int FUZZ_TARGET(result)(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	const char *path =
		data[0] & 1 ? fuzz_write_zip("x.npz", data + 1, size - 1) : fuzz_write("x.npz", data + 1, size - 1);
	clpac_result *result = NULL;
	clpac_error err = {0};
	const clpac_status st = clpac_result_read_npz(path, &result, &err);
	fuzz_outcome(st, &err, result != NULL);
	if (result)
		write_again(result);
	clpac_result_destroy(result);
	return 0;
}
