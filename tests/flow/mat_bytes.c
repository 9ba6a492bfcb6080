#include "mat_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "assertions.h"

static bool is_big;

static void add_word(bytes *to, uint64_t number, size_t n)
{
	bytes_add_number(to, number, n, is_big);
}

static void pad(bytes *to, size_t n)
{
	bytes_add(to, "\0\0\0\0\0\0\0", (8 - n % 8) % 8);
}

void mat_head(bytes *to, bool is_big_endian)
{
	is_big = is_big_endian;
	bytes_add_field(to, "MATLAB 5.0 MAT-file, made by a test", 124);
	add_word(to, 0x0100, 2);
	bytes_add(to, is_big ? "MI" : "IM", 2);
}

/* The tag of an element in short form has its size above its type. */
static void add_tag(bytes *to, unsigned type, size_t n)
{
	if (n <= 4 && n) {
		add_word(to, (uint64_t)n << 16 | type, 4);
		return;
	}
	add_word(to, type, 4);
	add_word(to, n, 4);
}

static void add_padding(bytes *to, size_t n)
{
	if (n <= 4 && n)
		bytes_add(to, "\0\0\0", 4 - n);
	else
		pad(to, n);
}

void mat_element(bytes *to, unsigned type, const void *data, size_t n)
{
	add_tag(to, type, n);
	if (n)
		bytes_add(to, data, n);
	add_padding(to, n);
}

size_t mat_begin(bytes *to, const char *name, unsigned kind, size_t rows, size_t columns, size_t trials)
{
	const size_t place = to->n;
	add_word(to, MAT_MATRIX, 4);
	add_word(to, 0, 4);
	add_tag(to, MAT_U4, 8);
	add_word(to, kind, 4);
	add_word(to, 0, 4);
	add_tag(to, MAT_I4, trials ? 12 : 8);
	add_word(to, rows, 4);
	add_word(to, columns, 4);
	if (trials)
		add_word(to, trials, 4);
	add_padding(to, trials ? 12 : 8);
	mat_element(to, MAT_I1, name, strlen(name));
	return place;
}

void mat_end(bytes *to, size_t place)
{
	bytes size = {0};
	add_word(&size, to->n - place - 8, 4);
	memcpy(to->data + place + 4, size.data, 4);
	bytes_free(&size);
}

static void add_value(bytes *to, unsigned stored, double value)
{
	const float single = (float)value;
	uint64_t bits = 0;
	if (stored == MAT_I2)
		bits = (uint64_t)(int64_t)value;
	else if (stored == MAT_F4) {
		uint32_t word;
		memcpy(&word, &single, sizeof word);
		bits = word;
	} else
		memcpy(&bits, &value, sizeof bits);
	add_word(to, bits, stored == MAT_I2 ? 2 : stored == MAT_F4 ? 4 : 8);
}

void mat_array(bytes *to, const char *name, unsigned kind, unsigned stored, size_t rows, size_t columns, size_t trials,
	       const double *values)
{
	const size_t place = mat_begin(to, name, kind, rows, columns, trials);
	const size_t n = rows * columns * (trials ? trials : 1);
	const size_t size = n * (stored == MAT_I2 ? 2 : stored == MAT_F4 ? 4 : 8);
	add_tag(to, stored, size);
	for (size_t i = 0; i < n; i++)
		add_value(to, stored, values[i]);
	add_padding(to, size);
	mat_end(to, place);
}

void mat_number(bytes *to, const char *name, double value)
{
	mat_array(to, name, MAT_CLASS_DOUBLE, MAT_F8, 1, 1, 0, &value);
}

void mat_text(bytes *to, const char *name, const char *text)
{
	const size_t place = mat_begin(to, name, MAT_CHAR, *text != 0, strlen(text), 0), n = 2 * strlen(text);
	add_tag(to, MAT_U2, n);
	for (const char *at = text; *at; at++)
		add_word(to, (unsigned char)*at, 2);
	add_padding(to, n);
	mat_end(to, place);
}

void mat_fields(bytes *to, const char *const *names, size_t n)
{
	enum { WIDTH = 12 };
	add_tag(to, MAT_I4, 4);
	add_word(to, WIDTH, 4);
	add_tag(to, MAT_I1, n * WIDTH);
	for (size_t i = 0; i < n; i++) {
		char name[WIDTH] = "";
		ck_assert_uint_lt(strlen(names[i]), sizeof name);
		strcpy(name, names[i]);
		bytes_add(to, name, sizeof name);
	}
	add_padding(to, n * WIDTH);
}

void mat_packed(bytes *to, bytes *variable)
{
	uLongf n = compressBound(variable->n);
	unsigned char *packed = malloc(n);
	ck_assert_ptr_nonnull(packed);
	ck_assert_int_eq(compress2(packed, &n, variable->data, variable->n, 9), Z_OK);
	add_word(to, MAT_PACKED, 4);
	add_word(to, n, 4);
	bytes_add(to, packed, n);
	free(packed);
	bytes_free(variable);
}
