#include "recording/write/mat_output.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "base/utf8.h"

/* Types of elements and classes of matrices (MAT-File Format, The MathWorks, "Level 5"). */
enum {
	INT8 = 1,
	UINT8 = 2,
	UINT16 = 4,
	INT32 = 5,
	UINT32 = 6,
	SINGLE = 7,
	DOUBLE = 9,
	UINT64 = 13,
	MATRIX = 14,
	CLASS_CELL = 1,
	CLASS_CHAR = 4,
	CLASS_DOUBLE = 6,
	CLASS_SINGLE = 7,
	CLASS_UINT8 = 9,
	CLASS_UINT32 = 13,
	CLASS_UINT64 = 15,
	LOGICAL = 0x200,
	TAG_BYTES = 8,
	FLAGS_BYTES = 16,
	NAME_ROOM = 64,
	CHUNK = 4096
};
static const uint64_t most_bytes = ((uint64_t)1 << 31) - 1;

/* --- Elements ------------------------------------------------------------------------------------ */

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static clpac_status put_tag(clpac__output *output, uint32_t type, uint64_t bytes, clpac_error *err)
{
	const uint32_t tag[] = {type, (uint32_t)bytes};
	return clpac__output_write(output, tag, sizeof tag, err);
}

static clpac_status put_padding(clpac__output *output, uint64_t bytes, clpac_error *err)
{
	static const unsigned char zeros[8];
	return clpac__output_write(output, zeros, (size_t)(padded(bytes) - bytes), err);
}

static clpac_status put_element(clpac__output *output, uint32_t type, const void *data, size_t bytes, clpac_error *err)
{
	RETURN_IF_ERROR(put_tag(output, type, bytes, err));
	RETURN_IF_ERROR(clpac__output_write(output, data, bytes, err));
	return put_padding(output, bytes, err);
}

/* --- Matrices ------------------------------------------------------------------------------------ */

/* A matrix before its content, which takes so many bytes with its tags. */
typedef struct matrix {
	const char *name;
	uint32_t kind;
	int32_t dimensions[5];
	size_t n_dimensions;
	uint64_t content_bytes;
} matrix;

static uint64_t bytes_of(const matrix *of)
{
	return FLAGS_BYTES + TAG_BYTES + padded(of->n_dimensions * sizeof(int32_t)) + TAG_BYTES +
	       padded(strlen(of->name)) + of->content_bytes;
}

static clpac_status put_head(clpac__output *output, const matrix *of, clpac_error *err)
{
	const uint32_t flags[] = {of->kind, 0};
	RETURN_IF_ERROR(put_tag(output, MATRIX, bytes_of(of), err));
	RETURN_IF_ERROR(put_element(output, UINT32, flags, sizeof flags, err));
	RETURN_IF_ERROR(put_element(output, INT32, of->dimensions, of->n_dimensions * sizeof *of->dimensions, err));
	return put_element(output, INT8, of->name, strlen(of->name), err);
}

/* A name that MATLAB takes. */
static void name_of(const char *name, char out[NAME_ROOM])
{
	snprintf(out, NAME_ROOM, "%s", name);
	out[strcspn(out, ".")] = 0;
	for (char *at = out; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
}

/* MATLAB has no matrix of less than two dimensions: a list is a column. */
static void take_dimensions(matrix *of, const size_t *dimensions, size_t n)
{
	of->n_dimensions = n < 2 ? 2 : n;
	for (size_t i = 0; i < of->n_dimensions; i++)
		of->dimensions[i] = i < n ? (int32_t)dimensions[i] : 1;
}

static clpac_status refuse(const char *path, const char *name, clpac_error *err)
{
	RETURN_ERROR(CLPAC_ERROR_UNSUPPORTED,
		     "writing %s: %s takes 2 GiB or more, which a .mat file of version 5 does not have; read the .npz",
		     path, name);
}

/* --- Numbers ------------------------------------------------------------------------------------- */

/* The values with the first dimension running fastest. */
static clpac_status put_values(clpac__output *output, const clpac__npz_array *array, clpac_error *err)
{
	unsigned char room[CHUNK];
	size_t at[5] = {0}, steps[5], n = 1, filled = 0;
	for (size_t i = array->n_dimensions; i-- > 0;) {
		steps[i] = n;
		n *= array->dimensions[i];
	}
	for (size_t k = 0; k < n; k++) {
		size_t from = 0;
		for (size_t i = 0; i < array->n_dimensions; i++)
			from += at[i] * steps[i];
		memcpy(room + filled, (const unsigned char *)array->data + from * array->item_bytes, array->item_bytes);
		filled += array->item_bytes;
		if (filled + array->item_bytes > sizeof room || k + 1 == n) {
			RETURN_IF_ERROR(clpac__output_write(output, room, filled, err));
			filled = 0;
		}
		for (size_t i = 0; i < array->n_dimensions && ++at[i] == array->dimensions[i]; i++)
			at[i] = 0;
	}
	return CLPAC_OK;
}

/* --- Texts --------------------------------------------------------------------------------------- */

/* UTF-16 of code points up to the first 0.  Returns the number of units. */
static size_t to_utf16(const uint32_t *points, size_t n, uint16_t *units)
{
	size_t n_units = 0;
	for (size_t i = 0; i < n && points[i]; i++) {
		const uint32_t point = points[i];
		if (point < 0x10000) {
			units[n_units++] = (uint16_t)point;
			continue;
		}
		units[n_units++] = (uint16_t)(0xd800 + ((point - 0x10000) >> 10));
		units[n_units++] = (uint16_t)(0xdc00 + ((point - 0x10000) & 0x3ff));
	}
	return n_units;
}

static matrix matrix_of_units(const char *name, size_t n_units)
{
	return (matrix){.name = name,
			.kind = CLASS_CHAR,
			.dimensions = {n_units > 0, (int32_t)n_units},
			.n_dimensions = 2,
			.content_bytes = TAG_BYTES + padded(n_units * sizeof(uint16_t))};
}

static clpac_status put_units(clpac__output *output, const char *name, const uint16_t *units, size_t n,
			      clpac_error *err)
{
	const matrix one = matrix_of_units(name, n);
	RETURN_IF_ERROR(put_head(output, &one, err));
	return put_element(output, UINT16, units, n * sizeof *units, err);
}

static clpac_status put_texts(clpac__output *output, const char *path, const char *name, const clpac__npz_array *array,
			      clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	const size_t n = array->n_dimensions ? array->dimensions[0] : 1, width = array->item_bytes / sizeof(uint32_t);
	const uint32_t *points = array->data;
	matrix cell = {.name = name, .kind = CLASS_CELL};
	uint16_t *units = clpac__alloc_array(width, 2 * sizeof *units);
	if (!units)
		FAIL_NO_MEMORY(width * 2 * sizeof *units);
	if (!array->n_dimensions) {
		TRY(put_units(output, name, units, to_utf16(points, width, units), err));
		goto done;
	}
	take_dimensions(&cell, array->dimensions, array->n_dimensions);
	for (size_t i = 0; i < n; i++) {
		const matrix one = matrix_of_units("", to_utf16(points + i * width, width, units));
		cell.content_bytes += TAG_BYTES + bytes_of(&one);
	}
	if (bytes_of(&cell) > most_bytes) {
		st = refuse(path, name, err);
		goto done;
	}
	TRY(put_head(output, &cell, err));
	for (size_t i = 0; i < n; i++)
		TRY(put_units(output, "", units, to_utf16(points + i * width, width, units), err));
done:
	clpac__free(units);
	return st;
}

/* --- A file -------------------------------------------------------------------------------------- */

clpac_status clpac__mat_output_begin(clpac__output *output, clpac_error *err)
{
	char text[125];
	const uint16_t ends[] = {0x0100, 'M' << 8 | 'I'};
	const int n = snprintf(text, sizeof text, "MATLAB 5.0 MAT-file, written by clpac");
	memset(text + n, ' ', 116 - (size_t)n);
	memset(text + 116, 0, 8);
	RETURN_IF_ERROR(clpac__output_write(output, text, 124, err));
	return clpac__output_write(output, ends, sizeof ends, err);
}

clpac_status clpac__mat_output_add(clpac__output *output, const char *path, const clpac__npz_array *array,
				   clpac_error *err)
{
	static const struct {
		const char *type; /* of NumPy, without the order of its bytes */
		uint32_t element, kind;
	} types[] = {{"f4", SINGLE, CLASS_SINGLE},
		     {"f8", DOUBLE, CLASS_DOUBLE},
		     {"u4", UINT32, CLASS_UINT32},
		     {"u8", UINT64, CLASS_UINT64},
		     {"b1", UINT8, CLASS_UINT8 | LOGICAL}};
	char name[NAME_ROOM];
	uint64_t bytes = array->item_bytes;
	matrix of = {.name = name};
	name_of(array->name, name);
	for (size_t i = 0; i < array->n_dimensions; i++)
		if (array->dimensions[i] > most_bytes || (bytes *= array->dimensions[i]) > most_bytes)
			return refuse(path, name, err);
	if (array->type[1] == 'U')
		return put_texts(output, path, name, array, err);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strcmp(array->type + 1, types[i].type) != 0)
			continue;
		of.kind = types[i].kind;
		of.content_bytes = TAG_BYTES + padded(bytes);
		take_dimensions(&of, array->dimensions, array->n_dimensions);
		if (bytes_of(&of) > most_bytes)
			return refuse(path, name, err);
		RETURN_IF_ERROR(put_head(output, &of, err));
		RETURN_IF_ERROR(put_tag(output, types[i].element, bytes, err));
		RETURN_IF_ERROR(put_values(output, array, err));
		return put_padding(output, bytes, err);
	}
	RETURN_ERROR(CLPAC_ERROR_INTERNAL, "writing %s: %s is of type %s", path, name, array->type);
}

clpac_status clpac__mat_output_add_text(clpac__output *output, const char *path, const char *name, const char *text,
					clpac_error *err)
{
	const size_t n = clpac__utf8_count(text), width = n ? n : 1;
	uint32_t *points = clpac__alloc_array(width, sizeof *points);
	if (!points)
		RETURN_NO_MEMORY(width * sizeof *points);
	clpac__utf8_to_code_points(text, points, width);
	const clpac_status st = clpac__mat_output_add(
		output, path,
		&(clpac__npz_array){.name = name, .type = "<U", .item_bytes = width * sizeof *points, .data = points},
		err);
	clpac__free(points);
	return st;
}
