/* The checksum of a recording, which may lie in several files. */
#include <clpac/read.h>

#include <sha2.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "recording/read/samples.h"

enum { DIGITS = 64 };

static clpac_status sum_of_sums(char *const *paths, char text[65], clpac_error *err)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char line[DIGITS + 1];
	SHA2_CTX sum;
	SHA256Init(&sum);
	for (size_t i = 0; i < CLPAC__BRAINVISION_FILES; i++) {
		if (!paths[i])
			continue;
		RETURN_IF_ERROR(clpac_file_checksum(paths[i], line, err));
		line[DIGITS] = '\n';
		SHA256Update(&sum, (const uint8_t *)line, sizeof line);
	}
	SHA256Final(digest, &sum);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return CLPAC_OK;
}

clpac_status clpac_recording_checksum(const char *path, const clpac_read_options *given, char text[65],
				      clpac_error *err)
{
	NEED(path, text);
	clpac_status st = CLPAC_OK;
	clpac_read_options options;
	clpac__source source = {0};
	unsigned char head[CLPAC__HEAD_BYTES];
	char *paths[CLPAC__BRAINVISION_FILES] = {NULL};
	size_t n;
	bool is_by_content;
	TRY(clpac__take_sized(&options, given, clpac_read_options, err));
	TRY(clpac__source_open(path, &source, err));
	TRY(clpac__source_read_upto(&source, head, sizeof head, &n, err));
	const clpac__format *format = options.raw ? NULL : clpac__format_find(head, n, path, &is_by_content);
	if (!format || format->read != clpac__read_brainvision) {
		TRY(clpac_file_checksum(path, text, err));
		goto done;
	}
	clpac__source_seek(&source, 0);
	TRY(clpac__brainvision_files(&source, paths, err));
	TRY(sum_of_sums(paths, text, err));
done:
	for (size_t i = 0; i < CLPAC__BRAINVISION_FILES; i++)
		clpac__free(paths[i]);
	clpac__source_close(&source);
	return st;
}
