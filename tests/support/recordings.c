/* A minimal reader of .npy files of float64: these tests must not depend on the readers that other tests examine. */
#include "recordings.h"

#include "test_thread.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *recordings_missing(void)
{
	return getenv("CLPAC_TEST_SHARED") ? NULL : "CLPAC_TEST_SHARED names no folder of recordings";
}

double *recordings_read(const char *name, size_t *n)
{
	char path[4096], head[10], text[256] = "";
	snprintf(path, sizeof path, "%s/data/%s", getenv("CLPAC_TEST_SHARED"), name);
	FILE *file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s cannot be opened", path);
	ck_assert_uint_eq(fread(head, 1, sizeof head, file), sizeof head);
	ck_assert_msg(memcmp(head, "\x93NUMPY\x01", 7) == 0, "%s is not a .npy file", path);
	const size_t length = (unsigned char)head[8] + 256u * (unsigned char)head[9];
	ck_assert_uint_lt(length, sizeof text);
	ck_assert_uint_eq(fread(text, 1, length, file), length);
	ck_assert_msg(strstr(text, "'<f8'") != NULL, "%s is not float64: %s", path, text);
	const long start = ftell(file);
	fseek(file, 0, SEEK_END);
	*n = (size_t)(ftell(file) - start) / sizeof(double);
	fseek(file, start, SEEK_SET);
	double *values = malloc(*n * sizeof *values);
	ck_assert_ptr_nonnull(values);
	ck_assert_uint_eq(fread(values, sizeof *values, *n, file), *n);
	fclose(file);
	return values;
}
