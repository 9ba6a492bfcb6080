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
