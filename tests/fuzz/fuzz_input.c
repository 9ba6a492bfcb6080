/* Files in a folder of the process, and looking at a recording as a whole. */
#include "fuzz/fuzz_input.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/clean.h"
#include "base/utf8.h"

_Noreturn void fuzz_broken(const char *file, int line, const char *law, const char *detail)
{
	fprintf(stderr, "%s:%d: the law %s does not hold%s%s\n", file, line, law, *detail ? ": " : "", detail);
	abort();
}

/* --- Files ---------------------------------------------------------------------------------------- */

static char folder[256];
static pid_t owner;

static void remove_folder(void)
{
	DIR *list = getpid() == owner ? opendir(folder) : NULL;
	for (struct dirent *entry; list && (entry = readdir(list));)
		unlinkat(dirfd(list), entry->d_name, 0);
	if (list) {
		closedir(list);
		rmdir(folder);
	}
}

/* In memory where it can be: results are synced.  A process that was forked from one with a folder gets one of its own.
 */
static void make_folder(void)
{
	const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	if (owner == getpid())
		return;
	snprintf(folder, sizeof folder, "%s/clpac-fuzz-XXXXXX", place);
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	if (!owner)
		atexit(remove_folder);
	owner = getpid();
}

const char *fuzz_path(const char *name)
{
	static struct {
		char name[32], path[320];
	} paths[8];
	size_t i = 0;
	make_folder();
	while (i < 7 && *paths[i].name && strcmp(paths[i].name, name) != 0)
		i++;
	snprintf(paths[i].name, sizeof paths[i].name, "%s", name);
	snprintf(paths[i].path, sizeof paths[i].path, "%s/%s", folder, name);
	return paths[i].path;
}

const char *fuzz_write(const char *name, const void *bytes, size_t n)
{
	const char *path = fuzz_path(name);
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || (n && write(file, bytes, n) != (ssize_t)n)) {
		perror(path);
		exit(1);
	}
	close(file);
	return path;
}

const char *fuzz_write_zip(const char *name, const uint8_t *bytes, size_t n)
{
	const char *path = fuzz_path(name);
	int code;
	unlink(path);
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
	FUZZ_LAW(zip != NULL);
	for (size_t at = 0; n - at > 3;) {
		char member[256];
		size_t length = bytes[at], content = (size_t)bytes[at + 1] | (size_t)bytes[at + 2] << 8;
		at += 3;
		length = length < n - at ? length : n - at;
		memcpy(member, bytes + at, length);
		member[length] = 0;
		at += length;
		content = content < n - at ? content : n - at;
		zip_source_t *source = zip_source_buffer(zip, bytes + at, content, 0);
		zip_int64_t index = zip_file_add(zip, member, source, 0);
		if (index < 0)
			zip_source_free(source); /* a name that zip does not take */
		else
			zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0);
		at += content;
	}
	if (zip_close(zip) != 0)
		zip_discard(zip);
	return path;
}

/* --- Pieces of the input -------------------------------------------------------------------------- */

char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	FUZZ_LAW(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	return text;
}

fuzz_piece fuzz_cut(const uint8_t **data, size_t *size, const char *separator)
{
	const size_t length = strlen(separator);
	const uint8_t *found = *size ? memmem(*data, *size, separator, length) : NULL;
	fuzz_piece piece = {*data, found ? (size_t)(found - *data) : *size};
	const size_t used = piece.size + (found ? length : 0);
	*data += used;
	*size -= used;
	return piece;
}

/* --- Laws ----------------------------------------------------------------------------------------- */

void fuzz_outcome(clpac_status st, const clpac_error *err, bool is_there)
{
	FUZZ_LAW((st == CLPAC_OK) == is_there);
	if (st == CLPAC_OK)
		return;
	FUZZ_LAW(st != CLPAC_ERROR_INTERNAL);
	FUZZ_LAW(memchr(err->text, 0, sizeof err->text) != NULL && *err->text);
	uint32_t point;
	for (const char *at = err->text; *at;) {
		const size_t n = clpac__utf8_decode(at, strlen(at), &point);
		if (n == 0 || !clpac__is_clean(point))
			fuzz_broken(__FILE__, __LINE__, "an error is one clean line", err->text);
		at += n;
	}
}

static volatile double looked_at; /* so that no reading is optimised away */

static void look_at_samples(const clpac_channel *channel)
{
	double sum = 0;
	FUZZ_LAW(channel->n_samples == 0 || channel->samples);
	for (size_t i = 0; i < channel->n_samples; i++)
		sum += channel->type == CLPAC_FLOAT32 ? (double)((const float *)channel->samples)[i]
						      : ((const double *)channel->samples)[i];
	looked_at = sum;
}

static void look_at(const clpac_recording *recording)
{
	enum { MOST_WARNINGS = 64 };
	size_t length = strlen(clpac_recording_format(recording)), count;
	for (size_t i = 0; i < clpac_recording_n_channels(recording); i++) {
		const clpac_channel *channel = clpac_recording_channel(recording, i);
		length += strlen(channel->name) + strlen(channel->unit) +
			  (channel->unusable ? strlen(channel->unusable) : 0);
		FUZZ_LAW(channel->rate_hz >= 0);
		look_at_samples(channel);
	}
	for (size_t i = 0; i < clpac_recording_n_annotations(recording); i++) {
		const clpac_annotation *annotation = clpac_recording_annotation(recording, i);
		length += strlen(annotation->text);
		FUZZ_LAW(annotation->seconds >= 0);
	}
	for (size_t i = 0; i < clpac_recording_n_stretches(recording); i++) {
		const clpac_stretch *stretch = clpac_recording_stretch(recording, i);
		FUZZ_LAW(stretch->seconds >= 0 && stretch->first_seconds >= 0);
	}
	FUZZ_LAW(clpac_recording_n_warnings(recording) <= MOST_WARNINGS);
	for (size_t i = 0; i < clpac_recording_n_warnings(recording); i++)
		length += strlen(clpac_recording_warning(recording, i, &count)) + count;
	FUZZ_LAW(clpac_recording_seconds(recording) >= 0);
	looked_at = (double)length;
}

void fuzz_read_recording(const char *path, const clpac_read_options *options)
{
	clpac_recording *recording = NULL;
	clpac_error err = {0};
	const clpac_status st = clpac_recording_read(path, options, &recording, &err);
	fuzz_outcome(st, &err, recording != NULL);
	if (recording)
		look_at(recording);
	clpac_recording_destroy(recording);
}
