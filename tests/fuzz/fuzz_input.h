/* The common parts of fuzzing targets: their entry, files made of the input, and laws of errors.
 *
 * A target is a file fuzz_NAME.c, a row of targets.def, and a folder of small inputs, tests/data/fuzz/NAME.  It takes
 * any bytes, does with them what a user could do, and ends the process where a law does not hold. */
#ifndef CLPAC_TESTS_FUZZ_INPUT_H
#define CLPAC_TESTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/read.h>
#include <clpac/status.h>

/* The entry of a target: a fuzzer's own name for it where it is built alone, fuzz_NAME in the program that runs all. */
#ifdef CLPAC_FUZZ_ALONE
#define FUZZ_TARGET(name) LLVMFuzzerTestOneInput
#else
#define FUZZ_TARGET(name) fuzz_##name
#endif
#define TARGET(name) int FUZZ_TARGET(name)(const uint8_t *data, size_t size);
#include "fuzz/targets.def"
#undef TARGET

/* Ends the process with a message where a law does not hold. */
#define FUZZ_LAW(condition) ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition, ""))
_Noreturn void fuzz_broken(const char *file, int line, const char *law, const char *detail);

/* Path of a file in a folder of this process, which goes with it; valid until the next call with this name. */
const char *fuzz_path(const char *name);
/* Writes a file there and returns its path. */
const char *fuzz_write(const char *name, const void *bytes, size_t n);
/* Writes a zip archive of stored members: each is a byte with the length of its name, two with that of its content
 * (least first), then both. */
const char *fuzz_write_zip(const char *name, const uint8_t *bytes, size_t n);

/* A copy of the bytes as a text, to be freed; a NUL ends it early. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Cuts the bytes at the first separator: returns those before it, and moves *data behind it.  Without one, all. */
typedef struct fuzz_piece {
	const uint8_t *data;
	size_t size;
} fuzz_piece;
fuzz_piece fuzz_cut(const uint8_t **data, size_t *size, const char *separator);

/* A failed call says why, in one clean line, and returns nothing; a call that works returns something. */
void fuzz_outcome(clpac_status st, const clpac_error *err, bool is_there);
/* Reads a recording and looks at everything in it; `path` and options as for clpac_recording_read. */
void fuzz_read_recording(const char *path, const clpac_read_options *options);

/* Replaces a number in the input, or inserts one where there is none: one on a border that programs get wrong, which
 * random bytes hardly ever spell.  A number followed by blanks, as in the fields of EDF, keeps its width where the new
 * one fits.  Returns the new size, at most `capacity`. */
size_t fuzz_change_number(uint8_t *data, size_t size, size_t capacity, unsigned long long seed);

#endif
