/* The checksum of a recording, which may lie in several files, and what tells without reading that it is unchanged. */
#include <clpac/read.h>

#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/system.h"
#include "recording/read/samples.h"

enum { DIGITS = 64, TICK_S = 2 /* clocks of file systems are no coarser */ };

static void end_sum(SHA2_CTX *sum, char text[65])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	SHA256Final(digest, sum);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

clpac_status clpac__recording_files(const char *path, const clpac_read_options *given, char *paths[CLPAC__MOST_FILES],
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_read_options options;
	clpac__source source = {0};
	unsigned char head[CLPAC__HEAD_BYTES];
	size_t n;
	bool is_by_content;
	TRY(clpac__take_sized(&options, given, clpac_read_options, err));
	TRY(clpac__source_open(path, &source, err));
	TRY(clpac__source_read_upto(&source, head, sizeof head, &n, err));
	const clpac__format *format = options.raw ? NULL : clpac__format_find(head, n, path, &is_by_content);
	clpac__source_seek(&source, 0);
	if (format && format->read == clpac__read_brainvision) {
		TRY(clpac__brainvision_files(&source, paths, err));
		goto done;
	}
	TRY(NEW_COPY(paths[0], path));
	if (format && format->read == clpac__read_mat && !options.array)
		TRY(clpac__eeglab_samples(&source, &paths[1], err));
done:
	clpac__source_close(&source);
	return st;
}

void clpac__recording_files_clear(char *paths[CLPAC__MOST_FILES])
{
	for (size_t i = 0; i < CLPAC__MOST_FILES; i++)
		clpac__free(paths[i]);
}

clpac_status clpac_recording_checksum(const char *path, const clpac_read_options *given, char text[65],
				      clpac_error *err)
{
	NEED(path, text);
	clpac_status st = CLPAC_OK;
	char *paths[CLPAC__MOST_FILES] = {NULL}, line[DIGITS + 1];
	SHA2_CTX sum;
	TRY(clpac__recording_files(path, given, paths, err));
	if (!paths[1]) {
		TRY(clpac_file_checksum(path, text, err));
		goto done;
	}
	SHA256Init(&sum);
	for (size_t i = 0; i < CLPAC__MOST_FILES; i++) {
		if (!paths[i])
			continue;
		TRY(clpac_file_checksum(paths[i], line, err));
		line[DIGITS] = '\n';
		SHA256Update(&sum, (const uint8_t *)line, sizeof line);
	}
	end_sum(&sum, text);
done:
	clpac__recording_files_clear(paths);
	return st;
}

clpac_status clpac_recording_state(const char *path, const clpac_read_options *given, char text[65], clpac_error *err)
{
	NEED(path, text);
	clpac_status st = CLPAC_OK;
	char *paths[CLPAC__MOST_FILES] = {NULL}, line[160];
	SHA2_CTX sum;
	bool is_settled = true;
	TRY(clpac__recording_files(path, given, paths, err));
	SHA256Init(&sum);
	for (size_t i = 0; i < CLPAC__MOST_FILES; i++) {
		struct stat facts;
		if (!paths[i])
			continue;
		if (stat(paths[i], &facts) != 0)
			FAIL_SYSTEM("cannot examine %s", paths[i]);
		const int n = snprintf(line, sizeof line, "%jd %ju %jd.%09ld %jd.%09ld\n", (intmax_t)facts.st_size,
				       (uintmax_t)facts.st_ino, (intmax_t)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
				       (intmax_t)facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec);
		SHA256Update(&sum, (const uint8_t *)line, (size_t)n);
		is_settled = is_settled && time(NULL) - facts.st_ctim.tv_sec > TICK_S;
	}
	end_sum(&sum, text);
	if (!is_settled)
		*text = 0;
done:
	clpac__recording_files_clear(paths);
	return st;
}
