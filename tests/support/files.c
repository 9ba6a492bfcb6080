/* Files made by tests. */
#include "files.h"

#include "test_thread.h"
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX / 2];

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
	(void)facts;
	(void)kind;
	(void)where;
	return remove(path);
}

void files_begin(void)
{
	const char *base = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/clpac-test-XXXXXX", base && *base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

void files_end(void)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *files_path(const char *name)
{
	/* The paths form a ring: a test holds several at a time. */
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

const char *files_write(const char *name, const void *data, size_t n)
{
	const char *path = files_path(name);
	FILE *file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

const char *files_write_text(const char *name, const char *text)
{
	return files_write(name, text, strlen(text));
}

void bytes_add(bytes *to, const void *data, size_t n)
{
	if (n == 0)
		return;
	if (to->n + n > to->capacity) {
		to->capacity = 2 * (to->n + n);
		to->data = realloc(to->data, to->capacity);
		ck_assert_ptr_nonnull(to->data);
	}
	memcpy(to->data + to->n, data, n);
	to->n += n;
}

void bytes_add_field(bytes *to, const char *text, size_t width)
{
	char field[128];
	memset(field, ' ', sizeof field);
	ck_assert_uint_le(width, sizeof field);
	ck_assert_uint_le(strlen(text), width);
	memcpy(field, text, strlen(text));
	bytes_add(to, field, width);
}

void bytes_add_number(bytes *to, uint64_t number, size_t n_bytes, int is_big_endian)
{
	for (size_t i = 0; i < n_bytes; i++) {
		unsigned char byte = (unsigned char)(number >> 8 * (is_big_endian ? n_bytes - 1 - i : i));
		bytes_add(to, &byte, 1);
	}
}

void bytes_free(bytes *from)
{
	free(from->data);
	*from = (bytes){0};
}

bytes files_content(const char *path)
{
	bytes content = {0};
	unsigned char chunk[4096];
	size_t n;
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
		bytes_add(&content, chunk, n);
	fclose(file);
	return content;
}

clpac_recording *files_read(const char *path, const clpac_read_options *options)
{
	clpac_recording *recording = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_recording_read(path, options, &recording, &err);
	ck_assert_msg(st == CLPAC_OK, "%s", err.text);
	ck_assert_ptr_nonnull(recording);
	return recording;
}

void files_refuse(const char *path, const clpac_read_options *options, clpac_status status, const char *text)
{
	clpac_recording *recording = NULL;
	clpac_error err = {0};
	clpac_status st = clpac_recording_read(path, options, &recording, &err);
	ck_assert_msg(st == status, "%s, not %s: %s", clpac_status_text(st), clpac_status_text(status), err.text);
	ck_assert_int_eq(err.status, status);
	ck_assert_ptr_null(recording);
	ck_assert_msg(strstr(err.text, text) != NULL, "\"%s\" is not in \"%s\"", text, err.text);
	if (status != CLPAC_ERROR_ARGUMENT)
		ck_assert_msg(strstr(err.text, folder) != NULL, "no file is named in \"%s\"", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
	/* The caller may not want the text. */
	ck_assert_int_eq(clpac_recording_read(path, options, &recording, NULL), status);
}

double files_sample(const clpac_recording *recording, size_t channel, size_t i)
{
	const clpac_channel *c = clpac_recording_channel(recording, channel);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_lt(i, c->n_samples);
	return c->type == CLPAC_FLOAT32 ? (double)((const float *)c->samples)[i] : ((const double *)c->samples)[i];
}

size_t files_warned(const clpac_recording *recording, const char *text)
{
	const char *warning;
	size_t count;
	for (size_t i = 0; (warning = clpac_recording_warning(recording, i, &count)); i++)
		if (strstr(warning, text))
			return count;
	ck_abort_msg("no warning has \"%s\" in it; there are %zu", text, clpac_recording_n_warnings(recording));
	return 0;
}
