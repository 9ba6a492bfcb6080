/* The checksum by which a result names its input: SHA-256 (FIPS 180-4), computed by libmd. */
#include <clpac/read.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"

#include <sys/types.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdio.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 18 };

clpac_status clpac_file_checksum(const char *path, char text[65], clpac_error *err)
{
	NEED(path, text);
	clpac_status st = CLPAC_OK;
	unsigned char *piece = NULL;
	unsigned char digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX sum;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		FAIL_SYSTEM("opening %s", path);
	if (!(piece = clpac__alloc(PIECE_BYTES)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "checksum of %s: the host has no memory left for %d bytes", path,
		     PIECE_BYTES);
	SHA256Init(&sum);
	for (;;) {
		TRY(clpac_cancel_check(err));
		ssize_t n = read(file, piece, PIECE_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			FAIL_SYSTEM("reading %s", path);
		if (n == 0)
			break;
		SHA256Update(&sum, piece, (size_t)n);
	}
	SHA256Final(digest, &sum);
	for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
done:
	if (file >= 0)
		close(file);
	clpac__free(piece);
	return st;
}
