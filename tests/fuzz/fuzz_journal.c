/* Fuzzer's target: the list that a killed run leaves beside its files.  The input is the list, found beside the files
 * that it may name.  Whatever it says, a file that no output has stays as it is. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"
#include "recording/set_journal.h"

static const char stranger[] = "of somebody else";

static void check_stranger(void)
{
	char text[sizeof stranger] = "";
	int file = open(fuzz_path("stranger.txt"), O_RDONLY | O_CLOEXEC);
	FUZZ_LAW(file >= 0 && read(file, text, sizeof text) == (ssize_t)sizeof stranger - 1);
	FUZZ_LAW(strcmp(text, stranger) == 0);
	close(file);
}

int FUZZ_TARGET(journal)(const uint8_t *data, size_t size)
{
	clpac_error err = {0};
	fuzz_write("stranger.txt", stranger, sizeof stranger - 1);
	fuzz_write("out.npz", "old", 3);
	fuzz_write(".out.npz.1-2.tmp", "new", 3);
	const char *path = fuzz_write(".out.npz.clpac-set", data, size);
	int folder = open(fuzz_path("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_LAW(folder >= 0);
	const clpac_status st = clpac__set_journal_settle(folder, "out.npz", false, &err);
	fuzz_outcome(st, &err, st == CLPAC_OK);
	check_stranger();
	close(folder);
	unlink(path);
	return 0;
}
